// Where the focus is, from the GPU to the thread: each part is a button that looks at that level.
#pragma once

#include <QWidget>

namespace warpmill::studio {

class Breadcrumb : public QWidget {
  Q_OBJECT
 public:
  explicit Breadcrumb(QWidget* parent = nullptr);
  void setParts(const QStringList& parts, int current);
  [[nodiscard]] const QStringList& parts() const { return parts_; }
  [[nodiscard]] QSize sizeHint() const override;

 signals:
  void chosen(int part);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  [[nodiscard]] int partAt(double x) const;
  [[nodiscard]] double partWidth(int part) const;
  QStringList parts_;
  int current_ = 0, hover_ = -1;
};

}  // namespace warpmill::studio
