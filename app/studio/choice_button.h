// A radio button whose text may take several lines, in the look of the style guide.
#pragma once

#include <QRadioButton>

namespace warpmill::studio {

class ChoiceButton : public QRadioButton {
  Q_OBJECT
 public:
  explicit ChoiceButton(QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] bool hasHeightForWidth() const override { return true; }
  [[nodiscard]] int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool hitButton(const QPoint& at) const override { return rect().contains(at); }

 private:
  [[nodiscard]] QRect textRect(int width) const;
};

}  // namespace warpmill::studio
