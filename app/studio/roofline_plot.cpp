#include "studio/roofline_plot.h"

#include "studio/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace warpmill::studio {

namespace {

QString powerOfTen(int exponent) {
  if (exponent >= 0) return QString::number(std::pow(10.0, exponent), 'f', 0);
  if (exponent >= -3) return QString::number(std::pow(10.0, exponent), 'f', -exponent);
  return "1e" + QString::number(exponent).replace('-', QChar(0x2212));
}

}  // namespace

void paintSimulatedMark(QPainter& painter, QPointF centre, double radius) {
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme().tokens().simulated, 1.8 * theme().scale()));
  painter.drawEllipse(centre, radius, radius);
}

void paintMeasuredMark(QPainter& painter, QPointF centre, double radius) {
  painter.setBrush(theme().tokens().measured);
  painter.setPen(Qt::NoPen);
  painter.drawEllipse(centre, radius, radius);
}

RooflinePlot::RooflinePlot(QWidget* parent) : QWidget(parent) { setMinimumWidth(theme().px(200)); }

void RooflinePlot::setRoofs(double tflops, double tbPerSecond) {
  tflops_ = tflops;
  tbPerSecond_ = tbPerSecond;
  update();
}

void RooflinePlot::setPoints(std::vector<RooflinePoint> points) {
  points_ = std::move(points);
  QStringList said;
  for (const RooflinePoint& point : points_) {
    QString text = tr("%1: %2 FLOP per byte").arg(point.name).arg(point.flopPerByte, 0, 'g', 3);
    if (point.simulated) text += ", " + tr("simulated %1 TFLOP/s").arg(*point.simulated, 0, 'g', 3);
    if (point.measured) text += ", " + tr("measured %1 TFLOP/s").arg(*point.measured, 0, 'g', 3);
    said.append(text);
  }
  setAccessibleName(tr("Roofline") + ". " + said.join(". "));
  update();
}

void RooflinePlot::paintEvent(QPaintEvent*) {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (tflops_ <= 0 || tbPerSecond_ <= 0) return;

  double least = 0.1;
  for (const RooflinePoint& p : points_)
    for (const auto& value : {p.simulated, p.measured})
      if (value && *value > 0) least = std::min(least, *value);
  const int yLow = std::max(-6, static_cast<int>(std::floor(std::log10(least))));
  const int yHigh = static_cast<int>(std::ceil(std::log10(tflops_)));
  const double xLow = -4.6, xHigh = 7;   // powers of two
  const QRectF plot(th.px(44), th.px(26), width() - th.px(44) - th.px(14), height() - th.px(26) - th.px(46));
  const auto px = [&](double v) { return plot.left() + (std::log2(v) - xLow) / (xHigh - xLow) * plot.width(); };
  const auto py = [&](double v) { return plot.bottom() - (std::log10(v) - yLow) / (yHigh - yLow) * plot.height(); };

  painter.setFont(th.mono(12));
  const int step = yHigh - yLow > 4 ? 2 : 1;
  for (int e = yHigh; e >= yLow; e -= step) {
    const double y = py(std::pow(10.0, e));
    painter.setPen(withAlpha(t.line, 0.6));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setPen(t.mid);
    painter.drawText(QRectF(0, y - th.px(10), plot.left() - th.px(8), th.px(20)), Qt::AlignRight | Qt::AlignVCenter, powerOfTen(e));
  }
  painter.setPen(t.strong);
  painter.drawLine(plot.bottomLeft(), plot.bottomRight());
  painter.drawLine(plot.topLeft(), plot.bottomLeft());
  for (const auto& [value, name] : {std::pair{0.0625, "1/16"}, {0.25, "1/4"}, {1.0, "1"}, {4.0, "4"}, {16.0, "16"}, {64.0, "64"}}) {
    const double x = px(value);
    painter.setPen(t.strong);
    painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + th.px(4)));
    painter.setPen(t.mid);
    painter.drawText(QRectF(x - th.px(24), plot.bottom() + th.px(5), th.px(48), th.px(18)), Qt::AlignCenter, name);
  }
  painter.setFont(th.sans(12));
  painter.setPen(t.low);
  painter.drawText(QRectF(plot.left(), plot.bottom() + th.px(24), plot.width(), th.px(18)), Qt::AlignRight | Qt::AlignVCenter, tr("FLOP per byte"));
  painter.drawText(QRectF(0, th.px(2), th.px(80), th.px(18)), Qt::AlignLeft | Qt::AlignVCenter, "TFLOP/s");

  const double ridge = tflops_ / tbPerSecond_;
  const double start = std::max(std::pow(2.0, xLow), std::pow(10.0, yLow) / tbPerSecond_);
  painter.setPen(QPen(t.hi, 1.8 * th.scale(), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPolyline(QPolygonF{QPointF(px(start), py(start * tbPerSecond_)), QPointF(px(ridge), py(tflops_)), QPointF(plot.right(), py(tflops_))});
  painter.setPen(QPen(t.low, 1, Qt::DotLine));
  painter.drawLine(QPointF(px(ridge), py(tflops_)), QPointF(px(ridge), plot.bottom()));
  painter.setFont(th.sans(12, QFont::Medium));
  painter.setPen(t.mid);
  painter.drawText(QRectF(plot.left(), py(tflops_) - th.px(20), plot.width(), th.px(18)), Qt::AlignRight | Qt::AlignVCenter,
                   tr("machines %1 TFLOP/s").arg(tflops_, 0, 'f', 1));
  painter.save();
  const QPointF a(px(start), py(start * tbPerSecond_)), b(px(ridge), py(tflops_));
  const double along = 0.5;
  painter.translate(a + (b - a) * along);
  painter.rotate(std::atan2(b.y() - a.y(), b.x() - a.x()) * 180 / M_PI);
  painter.drawText(QRectF(-th.px(100), -th.px(21), th.px(200), th.px(18)), Qt::AlignCenter, tr("warehouse %1 TB/s").arg(tbPerSecond_, 0, 'f', 1));
  painter.restore();

  // Points that lie on one another share one name.
  struct Name {
    QString text;
    bool focused;
    QPointF at;
  };
  std::vector<Name> names;
  const auto placeName = [&](const QString& text, bool focused, QPointF at) {
    for (Name& name : names) {
      if (std::hypot(name.at.x() - at.x(), name.at.y() - at.y()) > th.px(16)) continue;
      name.text = focused ? text + ", " + name.text : name.text + ", " + text;
      name.focused = name.focused || focused;
      return;
    }
    names.push_back({text, focused, at});
  };
  for (const RooflinePoint& p : points_) {
    const double x = px(p.flopPerByte);
    const auto shown = p.measured ? p.measured : p.simulated;
    if (p.measured && *p.measured > 0) paintMeasuredMark(painter, {x, py(*p.measured)}, 3.8 * th.scale());
    if (p.simulated && *p.simulated > 0) paintSimulatedMark(painter, {x, py(*p.simulated)}, 6.2 * th.scale());
    if (!shown || *shown <= 0) continue;
    placeName(p.name, p.focused, {x, py(*shown)});
  }
  for (const Name& name : names) {
    painter.setFont(th.sans(12, name.focused ? QFont::DemiBold : QFont::Normal));
    painter.setPen(name.focused ? t.hi : t.mid);
    // To the right of the mark, or to its left where the name would run out of the picture.
    const double right = name.at.x() + th.px(13), left = name.at.x() - th.px(13);
    const int length = painter.fontMetrics().horizontalAdvance(name.text);
    if (right + length <= width() || left < width() - right)
      painter.drawText(QRectF(right, name.at.y() - th.px(2), width() - right, th.px(18)), Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(name.text, Qt::ElideRight, static_cast<int>(width() - right)));
    else
      painter.drawText(QRectF(0, name.at.y() - th.px(2), left, th.px(18)), Qt::AlignRight | Qt::AlignVCenter, painter.fontMetrics().elidedText(name.text, Qt::ElideLeft, static_cast<int>(left)));
  }
}

}  // namespace warpmill::studio
