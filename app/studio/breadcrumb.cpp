#include "studio/breadcrumb.h"

#include "studio/theme.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

namespace warpmill::studio {

Breadcrumb::Breadcrumb(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFixedHeight(theme().px(30));
}

void Breadcrumb::setParts(const QStringList& parts, int current) {
  if (parts_ == parts && current_ == current) return;
  parts_ = parts;
  current_ = current;
  setAccessibleName(parts.join(" > "));
  updateGeometry();
  update();
}

double Breadcrumb::partWidth(int part) const {
  return QFontMetricsF(theme().sans(13, part == current_ ? QFont::DemiBold : QFont::Normal)).horizontalAdvance(parts_[part]);
}

QSize Breadcrumb::sizeHint() const {
  double width = 0;
  for (int i = 0; i < parts_.size(); ++i) width += partWidth(i) + theme().px(24);
  return {static_cast<int>(width), theme().px(30)};
}

void Breadcrumb::paintEvent(QPaintEvent*) {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  double x = 0;
  for (int i = 0; i < parts_.size(); ++i) {
    painter.setFont(th.sans(13, i == current_ ? QFont::DemiBold : QFont::Normal));
    painter.setPen(i == current_ || i == hover_ ? t.hi : t.mid);
    const double w = partWidth(i);
    painter.drawText(QRectF(x, 0, w + 2, height()), Qt::AlignLeft | Qt::AlignVCenter, parts_[i]);
    x += w + th.px(10);
    if (i + 1 == parts_.size()) break;
    QPainterPath chevron;
    const double d = 4 * th.scale();
    chevron.moveTo(x, height() / 2.0 - d);
    chevron.lineTo(x + d, height() / 2.0);
    chevron.lineTo(x, height() / 2.0 + d);
    painter.setPen(QPen(t.low, 1.4 * th.scale(), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(chevron);
    x += th.px(14);
  }
}

int Breadcrumb::partAt(double x) const {
  double left = 0;
  for (int i = 0; i < parts_.size(); ++i) {
    const double right = left + partWidth(i) + theme().px(10);
    if (x >= left && x < right) return i;
    left = right + theme().px(14);
  }
  return -1;
}

void Breadcrumb::mousePressEvent(QMouseEvent* event) {
  if (const int part = partAt(event->position().x()); part >= 0) emit chosen(part);
}

void Breadcrumb::mouseMoveEvent(QMouseEvent* event) {
  hover_ = partAt(event->position().x());
  setCursor(hover_ >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

void Breadcrumb::leaveEvent(QEvent*) {
  hover_ = -1;
  update();
}

}  // namespace warpmill::studio
