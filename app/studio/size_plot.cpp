#include "studio/size_plot.h"

#include "studio/roofline_plot.h"
#include "studio/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace warpmill::studio {

// The plot's rectangle and ranges: powers of two across, powers of ten up.
struct SizePlot::Frame {
  QRectF area;
  double xLow = 0, xHigh = 1, yLow = 0, yHigh = 1;
  [[nodiscard]] double x(double size) const { return area.left() + (std::log2(size) - xLow) / (xHigh - xLow) * area.width(); }
  [[nodiscard]] double y(double gbps) const { return area.bottom() - (std::log10(gbps) - yLow) / (yHigh - yLow) * area.height(); }
};

namespace {

QString limitName(const QString& limit) {
  if (limit == "memory") return SizePlot::tr("memory");
  if (limit == "compute") return SizePlot::tr("compute");
  if (limit == "latency") return SizePlot::tr("latency");
  if (limit == "overhead") return SizePlot::tr("launch overhead");
  return limit;
}

}  // namespace

SizePlot::SizePlot(QWidget* parent) : QWidget(parent) { setMinimumSize(theme().px(220), theme().px(120)); }

void SizePlot::setCurves(std::vector<SizeCurve> curves, double roof) {
  curves_ = std::move(curves);
  roof_ = roof;
  setAccessibleName(describe());
  update();
}

void SizePlot::setAxes(const QString& x, const QString& y) {
  x_ = x;
  y_ = y;
}

void SizePlot::setMessage(const QString& message) {
  message_ = message;
  update();
}

QString SizePlot::describe() const {
  const QString x = x_.isEmpty() ? tr("number of elements") : x_;
  QStringList said{tr("%1 by %2").arg(y_.isEmpty() ? tr("Useful GB/s") : y_, x)};
  for (const SizeCurve& c : curves_)
    for (const SizePoint& p : c.points) {
      const QString unit = y_.isEmpty() ? "GB/s" : QString(QChar(0x00B5)) + "s";
      QString text = QString("%1, %2 %3").arg(c.name).arg(x).arg(p.size, 0, 'f', 0);
      if (p.simulated) text += ", " + tr("simulated %1 %2").arg(*p.simulated, 0, 'g', 3).arg(unit);
      if (p.measured) text += ", " + tr("measured %1 %2").arg(*p.measured, 0, 'g', 3).arg(unit);
      if (!p.limit.isEmpty()) text += ", " + tr("limited by %1").arg(limitName(p.limit));
      said.append(text);
    }
  return said.join(". ");
}

void SizePlot::paintAxes(QPainter& painter, const Frame& f) const {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  painter.setFont(th.mono(12));
  for (int e = static_cast<int>(f.yLow); e <= static_cast<int>(f.yHigh); ++e) {
    const double y = f.y(std::pow(10.0, e));
    painter.setPen(withAlpha(t.line, 0.6));
    painter.drawLine(QPointF(f.area.left(), y), QPointF(f.area.right(), y));
    painter.setPen(t.mid);
    painter.drawText(QRectF(0, y - th.px(10), f.area.left() - th.px(8), th.px(20)), Qt::AlignRight | Qt::AlignVCenter, QString::number(std::pow(10.0, e), 'f', std::max(0, -e)));
  }
  painter.setPen(t.strong);
  painter.drawLine(f.area.bottomLeft(), f.area.bottomRight());
  painter.drawLine(f.area.topLeft(), f.area.bottomLeft());
  const int step = f.area.width() / (f.xHigh - f.xLow) < th.px(34) ? 4 : 2;
  for (int e = static_cast<int>(std::ceil(f.xLow)); e <= static_cast<int>(f.xHigh); ++e) {
    if (e % step != 0) continue;
    const double x = f.x(std::pow(2.0, e));
    painter.setPen(t.strong);
    painter.drawLine(QPointF(x, f.area.bottom()), QPointF(x, f.area.bottom() + th.px(4)));
    painter.setPen(t.mid);
    painter.drawText(QRectF(x - th.px(24), f.area.bottom() + th.px(4), th.px(48), th.px(18)), Qt::AlignCenter, QString("2^%1").arg(e));
  }
  painter.setFont(th.sans(12));
  painter.setPen(t.low);
  painter.drawText(QRectF(th.px(10), th.px(2), th.px(200), th.px(18)), Qt::AlignLeft | Qt::AlignVCenter, y_.isEmpty() ? tr("GB/s, useful") : y_);
  painter.drawText(QRectF(f.area.right() - th.px(240), th.px(2), th.px(240), th.px(18)), Qt::AlignRight | Qt::AlignVCenter, tr("by %1").arg(x_.isEmpty() ? tr("number of elements") : x_));
  if (roof_ <= 0) return;
  painter.setPen(QPen(t.hi, 1.6 * th.scale(), Qt::SolidLine));
  painter.drawLine(QPointF(f.area.left(), f.y(roof_)), QPointF(f.area.right(), f.y(roof_)));
  painter.setFont(th.sans(12, QFont::Medium));
  painter.setPen(t.mid);
  painter.drawText(QRectF(f.area.left() + th.px(8), f.y(roof_) - th.px(19), f.area.width(), th.px(18)), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("warehouse %1 TB/s").arg(roof_ / 1000, 0, 'f', 1));
}

// A strip under the axis: from each size to the next half way, by what limits the chosen variant there.
void SizePlot::paintLimits(QPainter& painter, const Frame& f) const {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  const auto focused = std::find_if(curves_.begin(), curves_.end(), [](const SizeCurve& c) { return c.focused; });
  if (focused == curves_.end()) return;
  const auto& points = focused->points;
  const double top = f.area.bottom() + th.px(24), height = th.px(18);
  painter.setFont(th.sans(12));
  for (std::size_t i = 0; i < points.size();) {
    if (points[i].limit.isEmpty()) {
      ++i;
      continue;
    }
    std::size_t last = i;
    while (last + 1 < points.size() && points[last + 1].limit == points[i].limit) ++last;
    const double left = i == 0 ? f.area.left() : (f.x(points[i - 1].size) + f.x(points[i].size)) / 2;
    const double right = last + 1 == points.size() ? f.area.right() : (f.x(points[last].size) + f.x(points[last + 1].size)) / 2;
    const QRectF band(left + 1, top, right - left - 2, height);
    painter.fillRect(band, withAlpha(points[i].limit == "memory" ? t.simulated : t.strong, 0.28));
    painter.setPen(t.mid);
    painter.drawText(band, Qt::AlignCenter, painter.fontMetrics().elidedText(limitName(points[i].limit), Qt::ElideRight, static_cast<int>(band.width())));
    if (i > 0) {
      painter.setPen(QPen(t.low, 1, Qt::DotLine));
      painter.drawLine(QPointF(left, f.area.top()), QPointF(left, top + height));
    }
    i = last + 1;
  }
}

void SizePlot::paintCurve(QPainter& painter, const Frame& f, const SizeCurve& c) const {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  const double weight = c.focused ? 1.0 : 0.45;
  for (const bool real : {true, false}) {
    QPolygonF line;
    for (const SizePoint& p : c.points)
      if (const auto& v = real ? p.measured : p.simulated; v && *v > 0) line.append({f.x(p.size), f.y(*v)});
    painter.setOpacity(weight);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(real ? t.measured : t.simulated, 1.4 * th.scale(), real ? Qt::SolidLine : Qt::DashLine));
    painter.drawPolyline(line);
    for (const QPointF& at : line) real ? paintMeasuredMark(painter, at, 3.2 * th.scale()) : paintSimulatedMark(painter, at, 5.2 * th.scale());
    painter.setOpacity(1);
  }
}

// Names at the right ends, pushed apart where they would lie on one another.
void SizePlot::paintNames(QPainter& painter, const Frame& f) const {
  const Theme& th = theme();
  struct Name { double y; const SizeCurve* curve; };
  std::vector<Name> names;
  for (const SizeCurve& c : curves_)
    for (auto p = c.points.rbegin(); p != c.points.rend(); ++p) {
      const auto& v = p->measured ? p->measured : p->simulated;
      if (!v || *v <= 0) continue;
      names.push_back({f.y(*v), &c});
      break;
    }
  std::sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.y < b.y; });
  for (std::size_t i = 1; i < names.size(); ++i) names[i].y = std::max(names[i].y, names[i - 1].y + th.px(16));
  for (const Name& n : names) {
    painter.setFont(th.sans(12, n.curve->focused ? QFont::DemiBold : QFont::Normal));
    painter.setPen(n.curve->focused ? th.tokens().hi : th.tokens().mid);
    painter.drawText(QRectF(f.area.right() + th.px(10), n.y - th.px(9), width() - f.area.right() - th.px(12), th.px(18)), Qt::AlignLeft | Qt::AlignVCenter, n.curve->name);
  }
}

void SizePlot::paintEvent(QPaintEvent*) {
  const Theme& th = theme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (!message_.isEmpty()) {
    painter.setFont(th.sans(13));
    painter.setPen(th.tokens().mid);
    painter.drawText(rect().adjusted(th.px(16), 0, -th.px(16), 0), Qt::AlignCenter | Qt::TextWordWrap, message_);
    return;
  }
  double least = 1e300, most = roof_, low = 1e300, high = 0;
  for (const SizeCurve& c : curves_)
    for (const SizePoint& p : c.points)
      for (const auto& v : {p.simulated, p.measured})
        if (v && *v > 0) least = std::min(least, *v), most = std::max(most, *v), low = std::min(low, p.size), high = std::max(high, p.size);
  if (high <= 0) {
    painter.setFont(th.sans(13));
    painter.setPen(th.tokens().low);
    return painter.drawText(rect(), Qt::AlignCenter, tr("nothing simulated or measured yet"));
  }
  painter.setFont(th.sans(12, QFont::DemiBold));
  int names = 0;
  for (const SizeCurve& c : curves_) names = std::max(names, painter.fontMetrics().horizontalAdvance(c.name));
  Frame f;
  f.area = QRectF(th.px(48), th.px(26), width() - th.px(48) - th.px(20) - names, height() - th.px(26) - th.px(50));
  f.xLow = std::log2(low) - 0.5, f.xHigh = std::log2(std::max(high, low * 2)) + 0.5;
  f.yLow = std::floor(std::log10(least)), f.yHigh = std::max(f.yLow + 1, std::ceil(std::log10(most)));
  if (f.area.width() < th.px(60) || f.area.height() < th.px(30)) return;
  paintAxes(painter, f);
  paintLimits(painter, f);
  for (const bool focused : {false, true})
    for (const SizeCurve& c : curves_)
      if (c.focused == focused) paintCurve(painter, f, c);
  paintNames(painter, f);
}

}  // namespace warpmill::studio
