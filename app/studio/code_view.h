// Read-only code with a gutter: the mark of the line to run to, the share of time of each line behind its number, the line in focus.
#pragma once

#include "studio/highlighter.h"

#include <QTextEdit>

#include <vector>

namespace warpmill::studio {

// How much of the time a line takes, and the rest of what is to be said of that.
struct LineHeat {
  double share = 0;
  QString words;
};

class CodeView : public QTextEdit {
  Q_OBJECT
 public:
  explicit CodeView(QWidget* parent = nullptr);
  void setCode(const QString& text, CodeKind kind);
  void setHeat(std::vector<LineHeat> heat);       // by line, from 0; empty: unknown
  [[nodiscard]] QString heatOf(int line) const;   // from 1; as its tool-tip and a screen reader say it
  void setFocusLine(int line);                    // from 1; 0: none
  [[nodiscard]] int focusLine() const { return focusLine_; }
  [[nodiscard]] int cursorLine() const;           // where the text cursor is, from 1

 signals:
  void runToLine(int line);                       // the gutter was clicked
  void lineChosen(int line);                      // the text cursor moved by the user

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  class Gutter;
  void paintGutter(QPainter& painter, const QRect& area);
  [[nodiscard]] int lineAt(int y) const;
  [[nodiscard]] QRect lineRect(int line) const;   // in the viewport
  void showFocusLine();

  Gutter* gutter_;
  Highlighter* highlighter_;
  std::vector<LineHeat> heat_;
  int focusLine_ = 0;
  int hoverLine_ = 0;
  bool setting_ = false;
};

}  // namespace warpmill::studio
