#include "studio/choice_button.h"

#include "studio/theme.h"

#include <QPainter>

namespace warpmill::studio {

namespace {

constexpr int kTextLeft = 26, kGap = 3;

}  // namespace

ChoiceButton::ChoiceButton(QWidget* parent) : QRadioButton(parent) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setCursor(Qt::PointingHandCursor);
}

QRect ChoiceButton::textRect(int width) const {
  const Theme& th = theme();
  return QFontMetrics(th.sans(14)).boundingRect(QRect(0, 0, qMax(width - th.px(kTextLeft), 40), 10000), Qt::TextWordWrap, text());
}

int ChoiceButton::heightForWidth(int width) const { return textRect(width).height() + 2 * theme().px(kGap); }

QSize ChoiceButton::sizeHint() const { return {theme().px(300), heightForWidth(theme().px(300))}; }

QSize ChoiceButton::minimumSizeHint() const { return {theme().px(120), theme().px(22)}; }

void ChoiceButton::paintEvent(QPaintEvent*) {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const double r = 6.5 * th.scale();
  const QPointF centre(r + 1, th.px(kGap) + QFontMetrics(th.sans(14)).height() / 2.0);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(isChecked() ? t.lamp : underMouse() || hasFocus() ? t.mid : t.strong, 1.5 * th.scale()));
  painter.drawEllipse(centre, r, r);
  if (isChecked()) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.lamp);
    painter.drawEllipse(centre, r / 2, r / 2);
  }
  painter.setFont(th.sans(14));
  painter.setPen(!isEnabled() ? t.low : isChecked() || underMouse() ? t.hi : t.mid);
  painter.drawText(QRect(th.px(kTextLeft), th.px(kGap), width() - th.px(kTextLeft), height()), Qt::TextWordWrap, text());
  if (!hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(t.lamp, 1, Qt::DotLine));
  painter.drawRoundedRect(QRectF(rect()).adjusted(th.px(kTextLeft) - 4, 0.5, -0.5, -0.5), 3, 3);
}

}  // namespace warpmill::studio
