#include "studio/scene_panel.h"

#include "scene/strip_views.h"
#include "studio/breadcrumb.h"
#include "studio/panel_header.h"
#include "studio/player.h"
#include "studio/theme.h"
#include "studio/view_host.h"
#include "studio/words.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

namespace warpmill::studio {

namespace {

// The place line has a panel header's look without a title.
class PlaceLine : public QWidget {
 public:
  PlaceLine(QWidget* content, QWidget* parent) : QWidget(parent) {
    const Theme& th = theme();
    setFixedHeight(th.px(30));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(th.px(14), 0, th.px(14), 0);
    row->addWidget(content);
    row->addStretch(1);
  }

 protected:
  void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), theme().tokens().raised); }
};

constexpr float kPanStep = 60;

}  // namespace

ScenePanel::ScenePanel(std::shared_ptr<scene::Renderer> renderer, Player& player, bool russian, QWidget* parent)
    : QWidget(parent), player_(player), place_(new Breadcrumb) {
  scene::Overlays overlays = scene::Overlays::panel();
  overlays.breadcrumb = false;   // the window has its own place line
  auto view = std::make_unique<scene::SceneView>(std::move(renderer), overlays);
  view_ = view.get();
  host_ = new ViewHost(std::move(view), player, russian, this);
  host_->setObjectName("scene");
  host_->setAccessibleName(tr("Factory scene"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(new PlaceLine(place_, this));
  column->addWidget(host_, 1);
  connect(place_, &Breadcrumb::chosen, this,
          [this](int part) { setLevel(part <= 1 ? scene::Level::Gpu : part <= 3 ? scene::Level::Floor : scene::Level::Crew); });
  connect(host_, &ViewHost::commanded, this, [this](const scene::Command& command) {
    using Kind = scene::Command::Kind;
    if (command.kind == Kind::ShowGpu) setLevel(scene::Level::Gpu);
    if (command.kind == Kind::ShowFloor) setLevel(scene::Level::Floor);
    if (command.kind == Kind::ShowCrew) setLevel(scene::Level::Crew);
  });
  connect(&player_, &Player::frameChanged, this, &ScenePanel::refresh);
  refresh();
}

void ScenePanel::setLevel(scene::Level level) {
  view_->setLevel(level);
  refresh();
  host_->update();
}

void ScenePanel::refresh() {
  const auto frame = player_.frame();
  if (frame == nullptr || frame->focusSm >= frame->sms.size()) {
    place_->setParts({tr("GPU")}, 0);
    return;
  }
  const std::uint32_t sm = frame->sms[frame->focusSm].sm;
  std::uint32_t storey = 0, first = 0;
  for (std::uint32_t i = 0; i < frame->gpu.storeys.size(); ++i) {
    if (sm >= first && sm < first + frame->gpu.storeys[i]) storey = i;
    first += frame->gpu.storeys[i];
  }
  const timing::WarpId warp = player_.selection().warp;
  const int current = view_->level() == scene::Level::Gpu ? 0 : view_->level() == scene::Level::Floor ? 2 : 4;
  place_->setParts({tr("GPU"), tr("Storey %1").arg(storey), tr("SM %1").arg(sm), tr("Block %1").arg(warp.block), tr("Warp %1").arg(warp.warp)},
                   current);
}

bool ScenePanel::handleKey(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Plus: case Qt::Key_Equal: view_->zoomBy(1.2f); break;
    case Qt::Key_Minus: view_->zoomBy(1 / 1.2f); break;
    case Qt::Key_0: view_->resetCamera(); break;
    case Qt::Key_W: view_->pan(0, kPanStep); break;
    case Qt::Key_S: view_->pan(0, -kPanStep); break;
    case Qt::Key_A: view_->pan(kPanStep, 0); break;
    case Qt::Key_D: view_->pan(-kPanStep, 0); break;
    default: return false;
  }
  host_->update();
  return true;
}

MemoryStripPanel::MemoryStripPanel(std::shared_ptr<scene::Renderer> renderer, Player& player, bool russian, QWidget* parent)
    : QWidget(parent), player_(player), header_(new PanelHeader(tr("Memory"), this)) {
  host_ = new ViewHost(std::make_unique<scene::MemoryStripView>(std::move(renderer)), player, russian, this);
  host_->setObjectName("memory-strip");
  host_->setAccessibleName(tr("The focused memory request on its way"));
  header_->setCaptionMono(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(header_);
  column->addWidget(host_, 1);
  connect(&player_, &Player::frameChanged, this, &MemoryStripPanel::refresh);
  refresh();
}

void MemoryStripPanel::refresh() {
  const auto frame = player_.frame();
  if (frame == nullptr || !frame->request.any) {
    header_->setNote(frame == nullptr ? QString() : tr("the focused warp has made no memory request yet"));
    header_->setCaption({});
    return;
  }
  const presenter::RequestView& request = frame->request;
  const QString buffer = request.buffer.empty() ? tr("memory") : QString::fromStdString(request.buffer);
  header_->setNote(tr("request of warp %1 to %2: %3 bytes in %4 pallets")
                       .arg(request.warp.warp).arg(buffer).arg(request.usedBytes).arg(request.pallets.size()));
  header_->setCaption(request.pallets.empty() ? QString() : hex(request.pallets.front().address));
}

}  // namespace warpmill::studio
