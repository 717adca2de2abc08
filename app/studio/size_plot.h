// What launches reach at every size: simulated rings and measured discs joined by lines, on logarithmic axes. Along the bottom
// stands what limits the chosen variant at each size, by the simulator: launch overhead, latency, memory, compute.
#pragma once

#include <QWidget>

#include <optional>
#include <vector>

namespace warpmill::studio {

struct SizePoint {
  double size = 0;                             // elements, or what the axis says
  std::optional<double> simulated, measured;   // GB/s of useful work, or what the axis says
  QString limit;                               // the report's word, "memory"; empty: not simulated
};

struct SizeCurve {
  QString name;
  bool focused = false;
  std::vector<SizePoint> points;               // by rising size
};

class SizePlot : public QWidget {
  Q_OBJECT
 public:
  explicit SizePlot(QWidget* parent = nullptr);
  // roof: the device's DRAM bandwidth in GB/s; 0: none.
  void setCurves(std::vector<SizeCurve> curves, double roof);
  // What is across; what is up: GB/s of useful work where `y` is empty.
  void setAxes(const QString& x, const QString& y);
  void setMessage(const QString& message);     // instead of curves
  [[nodiscard]] const std::vector<SizeCurve>& curves() const { return curves_; }
  // All of it as text: for screen readers and tests.
  [[nodiscard]] QString describe() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Frame;
  void paintAxes(QPainter& painter, const Frame& frame) const;
  void paintLimits(QPainter& painter, const Frame& frame) const;
  void paintCurve(QPainter& painter, const Frame& frame, const SizeCurve& curve) const;
  void paintNames(QPainter& painter, const Frame& frame) const;

  std::vector<SizeCurve> curves_;
  double roof_ = 0;
  QString message_, x_, y_;
};

}  // namespace warpmill::studio
