// The line at the bottom: the present moment in words, the problems, the position.
#pragma once

#include <QWidget>

class QLabel;

namespace warpmill::studio {

class ElidedLabel;

class StatusStrip : public QWidget {
  Q_OBJECT
 public:
  explicit StatusStrip(QWidget* parent);
  void setDescription(const QString& text);
  void setProblems(const QString& text);
  void setPosition(const QString& text, bool timingHolds);
  [[nodiscard]] QString description() const;
  [[nodiscard]] QString position() const;

 signals:
  void problemsClicked();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  ElidedLabel* description_;
  QLabel* problems_;
  QLabel* position_;
};

}  // namespace warpmill::studio
