// The kernel's source with the focused warp's line and the share of time in the gutter; the launch file in a second tab.
#pragma once

#include "profile/heat.h"

#include <QWidget>

class QStackedWidget;

namespace warpmill::studio {

class CodeView;
class PanelHeader;
class Player;

class SourcePanel : public QWidget {
  Q_OBJECT
 public:
  SourcePanel(Player& player, QWidget* parent = nullptr);
  [[nodiscard]] PanelHeader* header() const { return header_; }
  // Of the source tab in front: file index (of Module::files) and the text cursor's line; line 0 when another tab is shown.
  [[nodiscard]] ptx::SourceLocation cursor() const;
  void showTab(int index);
  void showLaunchTab();
  [[nodiscard]] CodeView* codeOf(int tab) const;

 private:
  void rebuildTabs();
  void updateShares();
  void updateFocus();

  Player& player_;
  PanelHeader* header_;
  QStackedWidget* stack_;
  profile::HeatReport heat_;
  std::vector<std::uint32_t> fileOfTab_;   // ptx::none: the launch file
};

}  // namespace warpmill::studio
