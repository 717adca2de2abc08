#include "studio/code_view.h"

#include "studio/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolTip>

namespace warpmill::studio {

namespace {

constexpr double kLineHeight = 20;

int gutterWidth(int lines) {
  const int digits = lines > 9999 ? 5 : lines > 999 ? 4 : lines > 99 ? 3 : 2;
  return theme().px(24) + theme().px(8) + theme().px(8) + digits * QFontMetrics(theme().mono(12)).horizontalAdvance('0');
}

}  // namespace

class CodeView::Gutter : public QWidget {
 public:
  explicit Gutter(CodeView* view) : QWidget(view), view_(view) {
    setMouseTracking(true);
    setCursor(Qt::PointingHandCursor);
  }

 protected:
  void paintEvent(QPaintEvent* event) override {
    QPainter painter(this);
    view_->paintGutter(painter, event->rect());
  }
  void mousePressEvent(QMouseEvent* event) override {
    if (const int line = view_->lineAt(static_cast<int>(event->position().y())); line > 0) emit view_->runToLine(line);
  }
  void mouseMoveEvent(QMouseEvent* event) override {
    view_->hoverLine_ = view_->lineAt(static_cast<int>(event->position().y()));
    QString tip = view_->hoverLine_ > 0 ? tr("Click: run to line %1").arg(view_->hoverLine_) : QString();
    if (const QString heat = view_->heatOf(view_->hoverLine_); !heat.isEmpty()) tip += "\n" + heat;
    setToolTip(tip);
    update();
  }
  void leaveEvent(QEvent*) override {
    view_->hoverLine_ = 0;
    update();
  }

 private:
  CodeView* view_;
};

CodeView::CodeView(QWidget* parent) : QTextEdit(parent), gutter_(new Gutter(this)), highlighter_(new Highlighter(document())) {
  setReadOnly(true);
  setUndoRedoEnabled(false);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setLineWrapMode(NoWrap);
  setFrameShape(NoFrame);
  setFont(theme().mono(13));
  document()->setDocumentMargin(0);
  document()->setDefaultFont(theme().mono(13));
  setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { gutter_->update(); });
  connect(this, &QTextEdit::cursorPositionChanged, this, [this] {
    setAccessibleDescription(heatOf(cursorLine()));
    if (!setting_) emit lineChosen(cursorLine());
  });
}

void CodeView::setCode(const QString& text, CodeKind kind) {
  setting_ = true;
  highlighter_->setKind(CodeKind::Plain);
  setPlainText(text.endsWith('\n') ? text.chopped(1) : text);
  QTextCursor all(document());
  all.select(QTextCursor::Document);
  QTextBlockFormat format;
  format.setLineHeight(theme().px(kLineHeight), QTextBlockFormat::FixedHeight);
  all.mergeBlockFormat(format);
  highlighter_->setKind(kind);
  setViewportMargins(gutterWidth(document()->blockCount()), theme().px(6), 0, 0);
  setting_ = false;
  setFocusLine(0);
}

void CodeView::setHeat(std::vector<LineHeat> heat) {
  heat_ = std::move(heat);
  gutter_->update();
}

QString CodeView::heatOf(int line) const {
  const auto index = static_cast<std::size_t>(line - 1);
  if (line <= 0 || index >= heat_.size() || heat_[index].share <= 0) return {};
  return tr("%1 % of the time").arg(QString::number(heat_[index].share * 100, 'f', 1)) + "\n" + heat_[index].words;
}

void CodeView::setFocusLine(int line) {
  if (focusLine_ == line) return;
  focusLine_ = line;
  showFocusLine();
  viewport()->update();
  gutter_->update();
}

int CodeView::cursorLine() const { return textCursor().blockNumber() + 1; }

void CodeView::showFocusLine() {
  if (focusLine_ <= 0) return;
  const QRect rect = lineRect(focusLine_);
  if (rect.isNull()) return;
  const int margin = theme().px(kLineHeight);
  QScrollBar* bar = verticalScrollBar();
  if (rect.top() < 0) bar->setValue(bar->value() + rect.top() - margin);
  else if (rect.bottom() > viewport()->height()) bar->setValue(bar->value() + rect.bottom() - viewport()->height() + margin);
}

QRect CodeView::lineRect(int line) const {
  const QTextBlock block = document()->findBlockByNumber(line - 1);
  if (!block.isValid()) return {};
  const QRectF r = document()->documentLayout()->blockBoundingRect(block);
  return {0, static_cast<int>(r.top()) - verticalScrollBar()->value(), viewport()->width(), static_cast<int>(r.height())};
}

int CodeView::lineAt(int y) const {
  const int inDocument = y - viewport()->y() + verticalScrollBar()->value();
  const int position = document()->documentLayout()->hitTest(QPointF(1, inDocument), Qt::FuzzyHit);
  if (position < 0) return 0;
  const QTextBlock block = document()->findBlock(position);
  const QRectF r = document()->documentLayout()->blockBoundingRect(block);
  return inDocument <= r.bottom() ? block.blockNumber() + 1 : 0;
}

void CodeView::resizeEvent(QResizeEvent* event) {
  QTextEdit::resizeEvent(event);
  gutter_->setGeometry(0, 0, gutterWidth(document()->blockCount()), height());
  showFocusLine();
}

bool CodeView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Resize || event->type() == QEvent::Show)
    gutter_->setGeometry(0, 0, gutterWidth(document()->blockCount()), height());
  return QTextEdit::viewportEvent(event);
}

void CodeView::paintEvent(QPaintEvent* event) {
  if (focusLine_ > 0) QPainter(viewport()).fillRect(lineRect(focusLine_), theme().tokens().tint());
  QTextEdit::paintEvent(event);
}

void CodeView::paintGutter(QPainter& painter, const QRect& area) {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  painter.fillRect(area, t.panel);
  painter.setRenderHint(QPainter::Antialiasing);
  const int top = viewport()->y();
  const int cell = th.px(24);
  const int cellWidth = gutter_->width() - cell - th.px(8);
  for (int line = qMax(1, lineAt(top)); line <= document()->blockCount(); ++line) {
    QRect rect = lineRect(line);
    rect.translate(0, top);
    rect.setWidth(gutter_->width());
    if (rect.top() > gutter_->height()) break;
    const bool focus = line == focusLine_;
    const auto index = static_cast<std::size_t>(line - 1);
    const double share = index < heat_.size() ? heat_[index].share : 0;
    if (focus) {
      painter.fillRect(rect, t.tint());
      painter.fillRect(QRect(0, rect.top(), th.px(3), rect.height()), t.lamp);
    }
    if (focus || line == hoverLine_) {
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(focus ? t.hi : t.low, 1.4 * th.scale()));
      painter.drawEllipse(QPointF(th.px(14), rect.center().y() + 0.5), 4.5 * th.scale(), 4.5 * th.scale());
    }
    if (share > 0) painter.fillRect(QRect(cell, rect.top(), cellWidth, rect.height()), withAlpha(t.mid, 0.07 + 0.42 * share));
    painter.setFont(th.mono(12));
    painter.setPen(share > 0.5 || focus ? t.hi : t.low);
    painter.drawText(QRect(cell, rect.top(), cellWidth - th.px(4), rect.height()), Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
  }
}

}  // namespace warpmill::studio
