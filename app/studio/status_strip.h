// The line at the bottom: the present moment in words, the problems, the position.
#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;

namespace warpmill::studio {

class ElidedLabel;

class StatusStrip : public QWidget {
  Q_OBJECT
 public:
  explicit StatusStrip(QWidget* parent);
  void setDescription(const QString& text);
  void clearMessage();
  void showMessage(const QString& text);   // for some seconds in place of the description
  void setProblems(const QString& text);
  void setPosition(const QString& text, bool timingHolds);
  [[nodiscard]] QString description() const;
  [[nodiscard]] QString position() const;
  [[nodiscard]] const QString& message() const { return message_; }

 signals:
  void problemsClicked();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  void showText();
  ElidedLabel* description_;
  QString text_, message_;
  QTimer timer_;
  QLabel* problems_;
  QLabel* position_;
};

}  // namespace warpmill::studio
