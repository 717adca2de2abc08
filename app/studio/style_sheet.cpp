// The style sheet of the whole window: "@name" stands for a token, "#n#" for n design pixels.
#include "studio/theme.h"

#include <QRegularExpression>

#include <utility>
#include <vector>

namespace warpmill::studio {

namespace {

const char* const kSheet = R"(
* { outline: none; }
QMainWindow, QDialog { background: @panel; }
QMainWindow::separator { background: @line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: @lamp; }
QSplitter::handle { background: @line; }
QSplitter::handle:hover { background: @lamp; }
QToolTip { background: @raised; color: @hi; border: 1px solid @strong; padding: #4#px #7#px; }

QMenu { background: @panel; color: @hi; border: 1px solid @line; padding: #6#px 0; }
QMenu::item { padding: #6#px #28#px #6#px #14#px; }
QMenu::item:selected { background: @control; }
QMenu::item:disabled { color: @low; }
QMenu::separator { height: 1px; background: @line; margin: #6#px 0; }
QMenu::indicator { width: #14#px; height: #14#px; left: #8#px; }
QMenu::indicator:checked { background: @lamp; border-radius: #3#px; width: #8#px; height: #8#px; margin: #3#px; }
QMenu::icon { padding-left: #8#px; }

QLineEdit { background: transparent; color: @hi; border: 1px solid @line; border-radius: #6#px; padding: 0 #10#px;
  selection-background-color: @select; selection-color: @hi; }
QLineEdit:focus { border: 1px solid @lamp; }
QSpinBox, QDoubleSpinBox { background: @panel; color: @hi; border: 1px solid @line; border-radius: #6#px; padding: #3#px #8#px; }

QAbstractScrollArea { background: @panel; border: none; }
QAbstractScrollArea::corner { background: @panel; border: none; }
QScrollBar:vertical { background: transparent; width: #10#px; margin: 0; }
QScrollBar::handle:vertical { background: @control; min-height: #24#px; border-radius: #3#px; margin: #2#px; }
QScrollBar:horizontal { background: transparent; height: #10#px; margin: 0; }
QScrollBar::handle:horizontal { background: @control; min-width: #24#px; border-radius: #3#px; margin: #2#px; }
QScrollBar::handle:hover { background: @strong; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QHeaderView { background: @panel; border: none; }
QHeaderView::section { background: @panel; color: @mid; border: none; border-bottom: 1px solid @line; padding: 0 #8#px; }
QHeaderView::section:vertical { border: none; color: @low; padding: 0 #6#px; }
QTableView { background: @panel; color: @hi; border: none; gridline-color: transparent;
  selection-background-color: transparent; selection-color: @hi; }
QTableCornerButton::section { background: @panel; border: none; }

QPlainTextEdit, QTextBrowser { background: @panel; color: @hi; border: none; selection-background-color: @select; selection-color: @hi; }

QPushButton { background: @control; color: @hi; border: 1px solid transparent; border-radius: #6#px; padding: #6#px #18#px; }
QPushButton:hover { background: @strongish; }
QPushButton:focus { border: 1px solid @lamp; }
QPushButton:disabled { color: @low; }
QPushButton[flat="true"] { background: transparent; color: @mid; padding: #6#px #10#px; }
QPushButton[flat="true"]:hover { color: @hi; }
QPushButton[flat="true"]:disabled { color: @strong; }
QPushButton[primary="true"] { background: @lamp; color: @on_lamp; }

QRadioButton { color: @mid; spacing: #9#px; padding: #2#px 0; }
QRadioButton:checked { color: @hi; }
QRadioButton:focus { color: @hi; }

QComboBox QAbstractItemView { background: @panel; color: @hi; border: 1px solid @line; selection-background-color: @control;
  selection-color: @hi; padding: #4#px 0; }
QListView { background: @panel; color: @hi; border: none; }
QListView::item { padding: #5#px #10#px; }
QListView::item:selected { background: @control; color: @hi; }
QLabel { background: transparent; }
QStatusBar { background: @raised; }
)";

}  // namespace

QString Theme::styleSheet() const {
  const Tokens& t = *tokens_;
  // Longer names first, so that "@lamp" does not eat "@lamp_ink".
  const std::vector<std::pair<const char*, QColor>> names = {
      {"@on_lamp", t.onLamp}, {"@lamp_ink", t.lampInk}, {"@lamp", t.lamp}, {"@canvas", t.canvas}, {"@panel", t.panel}, {"@raised", t.raised},
      {"@control", t.control}, {"@line", t.line}, {"@strongish", mixed(t.control, t.strong, 0.4)}, {"@strong", t.strong}, {"@hi", t.hi},
      {"@mid", t.mid}, {"@low", t.low}, {"@select", mixed(t.panel, t.lamp, 0.32)}};
  QString sheet = QString::fromUtf8(kSheet);
  for (const auto& [name, colour] : names) sheet.replace(QLatin1String(name), colour.name());
  static const QRegularExpression length("#(\\d+)#");
  QString scaled;
  qsizetype last = 0;
  for (auto it = length.globalMatch(sheet); it.hasNext();) {
    const QRegularExpressionMatch match = it.next();
    scaled += sheet.mid(last, match.capturedStart() - last);
    scaled += QString::number(px(match.captured(1).toDouble()));
    last = match.capturedEnd();
  }
  return scaled + sheet.mid(last);
}

}  // namespace warpmill::studio
