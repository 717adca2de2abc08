// Every warp of the focused SM over time; click or drag to scrub.
#pragma once

#include "scene/strip_views.h"

#include <QWidget>

namespace warpmill::studio {

class PanelHeader;
class Player;
class ViewHost;

class TimelinePanel : public QWidget {
  Q_OBJECT
 public:
  TimelinePanel(std::shared_ptr<scene::Renderer> renderer, Player& player, bool russian, QWidget* parent = nullptr);
  [[nodiscard]] PanelHeader* header() const { return header_; }
  [[nodiscard]] ViewHost* host() const { return host_; }

 private:
  void refresh();
  void rebuild();
  Player& player_;
  PanelHeader* header_;
  scene::TimelineView* view_;
  ViewHost* host_;
  std::uint32_t shownSm_ = 0xFFFFFFFFu;
};

}  // namespace warpmill::studio
