// Hosts a drawn view in a widget: paints its picture, passes it events, draws again only when something changed.
#pragma once

#include "scene/view.h"

#include <QWidget>

#include <memory>

namespace warpmill::studio {

class Player;

class ViewHost : public QWidget {
  Q_OBJECT
 public:
  ViewHost(std::unique_ptr<scene::View> view, Player& player, bool russian, QWidget* parent = nullptr);
  ~ViewHost() override;
  [[nodiscard]] scene::View& view() const { return *view_; }
  void refresh();            // the frame or a setting of the view changed

 signals:
  void commanded(const warpmill::scene::Command& command);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void afterInput();
  std::unique_ptr<scene::View> view_;
  Player& player_;
  bool byKeyboard_ = false;   // the focus came by Tab: show it
};

// What a view asked for, done with the player; commands that are not the player's are left alone.
void carryOut(Player& player, const scene::Command& command);

}  // namespace warpmill::studio
