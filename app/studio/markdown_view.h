// Markdown in the look of the style guide; as tall as its text, so that it flows with what stands below it.
#pragma once

#include <QTextBrowser>

namespace warpmill::studio {

class MarkdownView : public QTextBrowser {
  Q_OBJECT
 public:
  explicit MarkdownView(QWidget* parent = nullptr);
  void setText(const QString& markdown);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  void style();
  void fit();
};

}  // namespace warpmill::studio
