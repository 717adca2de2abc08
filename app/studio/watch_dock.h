// The right-hand panel: registers, memory and problems behind three tabs.
#pragma once

#include <QWidget>

class QStackedWidget;

namespace warpmill::studio {

class MemoryPanel;
class PanelHeader;
class Player;
class ProblemsPanel;
class WarpWatch;

class WatchDock : public QWidget {
  Q_OBJECT
 public:
  enum Tab { Watch, Memory, Problems };
  WatchDock(Player& player, bool russian, QWidget* parent = nullptr);
  [[nodiscard]] PanelHeader* header() const { return header_; }
  [[nodiscard]] WarpWatch* watch() const { return watch_; }
  [[nodiscard]] MemoryPanel* memory() const { return memory_; }
  [[nodiscard]] ProblemsPanel* problems() const { return problems_; }
  void showTab(int tab);
  [[nodiscard]] int currentTab() const;

 private:
  void refresh();
  PanelHeader* header_;
  QStackedWidget* stack_;
  WarpWatch* watch_;
  MemoryPanel* memory_;
  ProblemsPanel* problems_;
};

}  // namespace warpmill::studio
