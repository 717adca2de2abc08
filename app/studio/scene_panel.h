// The factory in the middle of the window, its place line above; the life of the focused memory request below.
#pragma once

#include "scene/scene_view.h"

#include <QWidget>

namespace warpmill::studio {

class Breadcrumb;
class PanelHeader;
class Player;
class ViewHost;

class ScenePanel : public QWidget {
  Q_OBJECT
 public:
  ScenePanel(std::shared_ptr<scene::Renderer> renderer, Player& player, bool russian, QWidget* parent = nullptr);
  [[nodiscard]] ViewHost* host() const { return host_; }
  void setLevel(scene::Level level);
  [[nodiscard]] scene::Level level() const { return view_->level(); }
  bool handleKey(QKeyEvent* event);    // zoom and pan; true when it was one of its keys

 private:
  void refresh();
  Player& player_;
  Breadcrumb* place_;
  scene::SceneView* view_;
  ViewHost* host_;
};

class MemoryStripPanel : public QWidget {
  Q_OBJECT
 public:
  MemoryStripPanel(std::shared_ptr<scene::Renderer> renderer, Player& player, bool russian, QWidget* parent = nullptr);
  [[nodiscard]] ViewHost* host() const { return host_; }

 private:
  void refresh();
  Player& player_;
  PanelHeader* header_;
  ViewHost* host_;
};

}  // namespace warpmill::studio
