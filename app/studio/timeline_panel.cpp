#include "studio/timeline_panel.h"

#include "studio/panel_header.h"
#include "studio/player.h"
#include "studio/view_host.h"
#include "studio/words.h"

#include <QVBoxLayout>

namespace warpmill::studio {

TimelinePanel::TimelinePanel(std::shared_ptr<scene::Renderer> renderer, Player& player, bool russian, QWidget* parent)
    : QWidget(parent), player_(player), header_(new PanelHeader(tr("Timeline"))) {
  auto view = std::make_unique<scene::TimelineView>(std::move(renderer));
  view_ = view.get();
  host_ = new ViewHost(std::move(view), player, russian, this);
  host_->setObjectName("timeline-view");
  host_->setAccessibleName(tr("Timeline of the warps"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(host_);
  connect(&player_, &Player::historyChanged, this, &TimelinePanel::rebuild);
  connect(&player_, &Player::frameChanged, this, &TimelinePanel::refresh);
  rebuild();
}

void TimelinePanel::rebuild() {
  shownSm_ = 0xFFFFFFFFu;
  refresh();
}

void TimelinePanel::refresh() {
  const auto frame = player_.frame();
  if (frame == nullptr || frame->focusSm >= frame->sms.size()) {
    view_->setTimeline(nullptr);
    header_->setCaption({});
    host_->update();
    return;
  }
  const std::uint32_t sm = frame->sms[frame->focusSm].sm;
  if (sm != shownSm_) {
    shownSm_ = sm;
    view_->setTimeline(std::make_shared<const presenter::Timeline>(presenter::makeTimeline(player_.session().trace(), sm, frame->endCycle)));
    host_->update();
  }
  const QString range = tr("cycles 0 to %1, floor SM %2").arg(thousands(frame->endCycle)).arg(sm);
  header_->setCaption(frame->timingHolds ? range : tr("some warps were frozen: cycle figures do not hold") + "  ·  " + range);
}

}  // namespace warpmill::studio
