#include "studio/view_host.h"

#include "studio/player.h"
#include "studio/theme.h"

#include <QFocusEvent>
#include <QHelpEvent>
#include <QImage>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

namespace warpmill::studio {

namespace {

// The views draw at 100 %; the studio's scale reaches them as a larger pixel ratio, so that a logical pixel of theirs is a design pixel.
float drawnRatio(const QWidget& widget) { return static_cast<float>(widget.devicePixelRatioF() * theme().scale()); }

float logical(double pixels) { return static_cast<float>(pixels / theme().scale()); }

scene::Button buttonOf(Qt::MouseButton button) {
  if (button == Qt::RightButton) return scene::Button::Right;
  return button == Qt::MiddleButton ? scene::Button::Middle : scene::Button::Left;
}

}  // namespace

ViewHost::ViewHost(std::unique_ptr<scene::View> view, Player& player, bool russian, QWidget* parent)
    : QWidget(parent), view_(std::move(view)), player_(player) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  view_->setTheme(theme().tokens().dark ? scene::Theme::Dark : scene::Theme::Light);
  view_->setLanguage(russian ? scene::Language::Russian : scene::Language::English);
  connect(&player_, &Player::frameChanged, this, &ViewHost::refresh);
  view_->setFrame(player_.frame());
}

ViewHost::~ViewHost() = default;

void ViewHost::refresh() {
  view_->setFrame(player_.frame());
  if (view_->needsRedraw()) update();
}

void ViewHost::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  view_->resize(static_cast<int>(logical(width())), static_cast<int>(logical(height())), drawnRatio(*this));
  view_->render();
  const scene::Picture& picture = view_->picture();
  if (picture.width <= 0 || picture.height <= 0) {
    painter.fillRect(rect(), theme().tokens().canvas);
    return;
  }
  const QImage image(reinterpret_cast<const uchar*>(picture.pixels.data()), picture.width, picture.height, picture.width * 4,
                     QImage::Format_RGB32);
  const double ratio = devicePixelRatioF();
  painter.fillRect(rect(), theme().tokens().canvas);
  painter.drawImage(QRectF(0, 0, picture.width / ratio, picture.height / ratio), image);
  if (hasFocus() && byKeyboard_) {
    painter.setPen(QPen(theme().tokens().lamp, 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void ViewHost::resizeEvent(QResizeEvent*) { update(); }

void ViewHost::afterInput() {
  for (const scene::Command& command : view_->takeCommands()) {
    carryOut(player_, command);
    emit commanded(command);
  }
  if (view_->needsRedraw()) update();
}

void ViewHost::mouseMoveEvent(QMouseEvent* event) {
  const float x = logical(event->position().x()), y = logical(event->position().y());
  view_->mouseMove(x, y);
  setCursor(view_->clickableAt(x, y) ? Qt::PointingHandCursor : Qt::ArrowCursor);
  afterInput();
}

void ViewHost::mousePressEvent(QMouseEvent* event) {
  view_->mouseButton(buttonOf(event->button()), true, logical(event->position().x()), logical(event->position().y()));
  afterInput();
}

void ViewHost::mouseReleaseEvent(QMouseEvent* event) {
  view_->mouseButton(buttonOf(event->button()), false, logical(event->position().x()), logical(event->position().y()));
  afterInput();
}

void ViewHost::wheelEvent(QWheelEvent* event) {
  view_->mouseWheel(static_cast<float>(event->angleDelta().y()) / 120.0f, logical(event->position().x()), logical(event->position().y()));
  afterInput();
  event->accept();
}

void ViewHost::leaveEvent(QEvent*) {
  view_->mouseLeave();
  afterInput();
}

void ViewHost::focusInEvent(QFocusEvent* event) {
  byKeyboard_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
  update();
}

void ViewHost::focusOutEvent(QFocusEvent*) { update(); }

bool ViewHost::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const std::string text = view_->tooltipAt(logical(help->pos().x()), logical(help->pos().y()));
    if (text.empty()) QToolTip::hideText();
    else QToolTip::showText(help->globalPos(), QString::fromStdString(text), this);
    return true;
  }
  return QWidget::event(event);
}

void carryOut(Player& player, const scene::Command& command) {
  using Kind = scene::Command::Kind;
  Selection next = player.selection();
  switch (command.kind) {
    case Kind::SelectWarp: player.selectWarp(command.warp); break;
    case Kind::SelectLane: player.selectLane(command.lane); break;
    case Kind::SelectSm:
      next.sm = command.sm;
      player.select(next);
      break;
    case Kind::SelectRequest:
      next.request = command.request;
      player.select(next);
      break;
    case Kind::SelectAddress:
      next.address = command.address;
      player.select(next);
      break;
    case Kind::SeekCycle: player.seekCycle(command.cycle); break;
    case Kind::ToStart: player.toStart(); break;
    case Kind::PlayBackward: player.play(-1); break;
    case Kind::StepBack: player.step(player.unit(), -1); break;
    case Kind::PlayPause:
      if (player.isPlaying()) player.pause();
      else player.play(1);
      break;
    case Kind::Step: player.step(player.unit()); break;
    case Kind::ChangeSpeed: {
      const auto& speeds = Player::speeds();
      const auto at = std::find(speeds.begin(), speeds.end(), player.speed());
      player.setSpeed(at == speeds.end() || at + 1 == speeds.end() ? speeds.front() : *(at + 1));
      break;
    }
    case Kind::ChangeUnit:
      player.setUnit(player.unit() == Unit::Instruction ? Unit::SourceLine : player.unit() == Unit::SourceLine ? Unit::Cycle : Unit::Instruction);
      break;
    case Kind::ShowGpu:
    case Kind::ShowFloor:
    case Kind::ShowCrew:   // the scene panel's
    case Kind::Hover: break;
  }
}

}  // namespace warpmill::studio
