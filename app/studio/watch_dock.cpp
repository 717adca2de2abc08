#include "studio/watch_dock.h"

#include "studio/memory_panel.h"
#include "studio/panel_header.h"
#include "studio/player.h"
#include "studio/problems_panel.h"
#include "studio/warp_watch.h"

#include <QStackedWidget>
#include <QVBoxLayout>

namespace warpmill::studio {

WatchDock::WatchDock(Player& player, bool russian, QWidget* parent)
    : QWidget(parent),
      header_(new PanelHeader(QStringList{tr("Warp watch"), tr("Memory"), tr("Problems")}, nullptr)),
      stack_(new QStackedWidget(this)),
      watch_(new WarpWatch(player)),
      memory_(new MemoryPanel(player)),
      problems_(new ProblemsPanel(player, russian)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(stack_);
  for (QWidget* page : {static_cast<QWidget*>(watch_), static_cast<QWidget*>(memory_), static_cast<QWidget*>(problems_)})
    stack_->addWidget(page);
  connect(header_, &PanelHeader::tabChosen, this, &WatchDock::showTab);
  connect(&player, &Player::frameChanged, this, &WatchDock::refresh);
  connect(&player, &Player::historyChanged, this, &WatchDock::refresh);
  connect(&player, &Player::failed, this, &WatchDock::refresh);
  refresh();
}

void WatchDock::showTab(int tab) {
  header_->setCurrentTab(tab);
  stack_->setCurrentIndex(tab);
  refresh();
}

int WatchDock::currentTab() const { return stack_->currentIndex(); }

void WatchDock::refresh() {
  const int problems = problems_->count();
  header_->setTabs({tr("Warp watch"), tr("Memory"), problems == 0 ? tr("Problems") : tr("Problems %1").arg(problems)});
  switch (stack_->currentIndex()) {
    case Watch: header_->setCaption(watch_->caption()); break;
    case Memory: header_->setCaption(memory_->caption()); break;
    default: header_->setCaption({}); break;
  }
}

}  // namespace warpmill::studio
