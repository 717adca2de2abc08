// CUDA C++, Python (Triton) and PTX told apart by brightness only: words of the language quieter than names, comments quietest. Colour is
// kept for states and for the lamp.
#pragma once

#include <QSyntaxHighlighter>

namespace warpmill::studio {

enum class CodeKind { Plain, Cuda, Python, Ptx };
CodeKind kindOfFile(const QString& name);

class Highlighter : public QSyntaxHighlighter {
  Q_OBJECT
 public:
  explicit Highlighter(QTextDocument* document);
  void setKind(CodeKind kind);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  void highlightPython(const QString& text);
  void highlightC(const QString& text);
  void words(const QString& text, qsizetype from, qsizetype to);
  void breakLigatures(const QString& text);
  CodeKind kind_ = CodeKind::Plain;
  QTextCharFormat word_, comment_, literal_;
};

}  // namespace warpmill::studio
