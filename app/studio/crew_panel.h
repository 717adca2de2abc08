// The focused warp in two lines: who of the 32 is active, and what it waits for; divergent paths when there are several.
#pragma once

#include <QWidget>

class QLabel;

namespace warpmill::studio {

class ElidedLabel;
class PanelHeader;
class Player;

class CrewPanel : public QWidget {
  Q_OBJECT
 public:
  CrewPanel(Player& player, QWidget* parent = nullptr);
  [[nodiscard]] PanelHeader* header() const { return header_; }
  [[nodiscard]] QString stateText() const;

 private:
  class MaskBar;
  void refresh();
  Player& player_;
  PanelHeader* header_;
  MaskBar* mask_;
  QLabel* bits_;
  ElidedLabel* state_;
  ElidedLabel* paths_;
};

}  // namespace warpmill::studio
