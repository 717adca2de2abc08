#include "studio/controls.h"

#include "studio/theme.h"

#include <QAction>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace warpmill::studio {

CommandButton::CommandButton(QAction* action, Glyph glyph, const QString& text, bool primary, QWidget* parent)
    : QAbstractButton(parent), action_(action), glyph_(glyph), primary_(primary) {
  setText(text);
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
  const auto sync = [this] {
    setEnabled(action_->isEnabled());
    const QString keys = keysText();
    setToolTip(keys.isEmpty() ? action_->text() : QString("%1 (%2)").arg(action_->text(), keys));
    setAccessibleName(action_->text());
    update();
  };
  sync();
  connect(action_, &QAction::changed, this, sync);
  connect(this, &QAbstractButton::clicked, action_, &QAction::trigger);
}

void CommandButton::setGlyph(Glyph glyph, const QString& text) {
  glyph_ = glyph;
  setText(text);
  updateGeometry();
  update();
}

void CommandButton::setKeys(const QString& keys) {
  if (keys_ == keys) return;
  keys_ = keys;
  setToolTip(QString("%1 (%2)").arg(action_->text(), keys));
  updateGeometry();
  update();
}

QString CommandButton::keysText() const {
  return keys_.isEmpty() ? action_->shortcut().toString(QKeySequence::NativeText) : keys_;
}

QSize CommandButton::sizeHint() const {
  const Theme& th = theme();
  int width = th.px(34);
  if (!text().isEmpty()) {
    width += QFontMetrics(th.sans(13, QFont::DemiBold)).horizontalAdvance(text()) + th.px(8);
    const QString keys = keysText();
    if (!keys.isEmpty()) width += QFontMetrics(th.sans(12)).horizontalAdvance(keys) + th.px(10);
  }
  return {width, th.px(32)};
}

QSize CommandButton::minimumSizeHint() const {
  const Theme& th = theme();
  const int words = text().isEmpty() ? 0 : QFontMetrics(th.sans(13, QFont::DemiBold)).horizontalAdvance(text()) + th.px(8);
  return {th.px(34) + words, th.px(32)};
}

void CommandButton::paintEvent(QPaintEvent*) {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor ground = primary_ ? t.lamp : t.control;
  if (!isEnabled()) ground = mixed(t.panel, t.control, 0.5);
  else if (isDown()) ground = mixed(ground, t.canvas, 0.2);
  else if (underMouse()) ground = mixed(ground, t.hi, 0.10);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  const double radius = th.px(6);
  painter.drawRoundedRect(QRectF(rect()), radius, radius);
  const QColor ink = !isEnabled() ? mixed(t.panel, t.low, 0.7) : primary_ ? t.onLamp : t.hi;
  drawGlyph(painter, glyph_, QPointF(th.px(17), height() / 2.0), th.scale(), ink);
  if (!text().isEmpty()) {
    painter.setFont(th.sans(13, primary_ ? QFont::DemiBold : QFont::Medium));
    painter.setPen(ink);
    painter.drawText(QRect(th.px(32), 0, width(), height()), Qt::AlignLeft | Qt::AlignVCenter, text());
    painter.setFont(th.sans(12));
    painter.setPen(!isEnabled() ? ink : primary_ ? t.onLamp : t.mid);
    if (width() >= sizeHint().width()) painter.drawText(rect().adjusted(0, 0, -th.px(10), 0), Qt::AlignRight | Qt::AlignVCenter, keysText());
  }
  if (hasFocus()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(primary_ ? t.hi : t.lamp, 1.5));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), radius, radius);
  }
}

CaptionedCombo::CaptionedCombo(const QString& caption, QWidget* parent) : QComboBox(parent), caption_(caption) {
  setAccessibleName(caption);
  setToolTip(caption);
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
  setFont(theme().sans(13));
  connect(this, &QComboBox::currentTextChanged, this, [this] { updateGeometry(); });
}

QSize CaptionedCombo::sizeHint() const {
  const Theme& th = theme();
  return {QFontMetrics(th.sans(12)).horizontalAdvance(caption_) + QFontMetrics(th.sans(13, QFont::Medium)).horizontalAdvance(currentText()) +
              th.px(46),
          th.px(32)};
}

QSize CaptionedCombo::minimumSizeHint() const { return {theme().px(92), theme().px(32)}; }

void CaptionedCombo::paintEvent(QPaintEvent*) {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(underMouse() && isEnabled() ? QBrush(t.raised) : QBrush(Qt::NoBrush));
  painter.setPen(QPen(hasFocus() ? t.lamp : t.line, 1));
  const double radius = th.px(6);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
  const int left = th.px(10);
  const bool roomy = width() >= sizeHint().width() - th.px(24);   // else the value matters more than its caption
  int textLeft = left;
  if (roomy) {
    painter.setFont(th.sans(12));
    painter.setPen(t.low);
    painter.drawText(QRect(left, 0, width(), height()), Qt::AlignLeft | Qt::AlignVCenter, caption_);
    textLeft += QFontMetrics(th.sans(12)).horizontalAdvance(caption_) + th.px(8);
  }
  const QFont valueFont = th.sans(13, QFont::Medium);
  painter.setFont(valueFont);
  painter.setPen(isEnabled() ? t.hi : t.low);
  const QRect valueRect(textLeft, 0, width() - textLeft - th.px(26), height());
  painter.drawText(valueRect, Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetrics(valueFont).elidedText(currentText(), Qt::ElideRight, valueRect.width()));
  const double x = width() - th.px(18), y = height() / 2.0 - 2 * th.scale(), d = 4.5 * th.scale();
  QPainterPath chevron;
  chevron.moveTo(x, y);
  chevron.lineTo(x + d, y + d);
  chevron.lineTo(x + 2 * d, y);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(t.mid, 1.5 * th.scale(), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPath(chevron);
}

}  // namespace warpmill::studio
