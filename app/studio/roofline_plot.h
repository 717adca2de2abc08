// Useful work against useful bytes, on logarithmic axes, under the two roofs of a device: memory bandwidth and FP32 rate.
#pragma once

#include <QWidget>

#include <optional>
#include <vector>

namespace warpmill::studio {

struct RooflinePoint {
  QString name;
  double flopPerByte = 0;
  std::optional<double> simulated, measured;   // TFLOP/s
  bool focused = false;
};

class RooflinePlot : public QWidget {
  Q_OBJECT
 public:
  explicit RooflinePlot(QWidget* parent = nullptr);
  void setRoofs(double tflops, double tbPerSecond);   // 0: no device
  void setPoints(std::vector<RooflinePoint> points);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  double tflops_ = 0, tbPerSecond_ = 0;
  std::vector<RooflinePoint> points_;
};

// The two marks of every plot and table: a ring for simulated, a disc for measured.
void paintSimulatedMark(QPainter& painter, QPointF centre, double radius);
void paintMeasuredMark(QPainter& painter, QPointF centre, double radius);

}  // namespace warpmill::studio
