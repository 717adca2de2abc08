#include "scene/view.h"

#include "scene/canvas.h"
#include "scene/renderer.h"

#include <cmath>
#include <optional>

namespace warpmill::scene {

struct View::Target {
  Surface surface;
  std::optional<std::uint64_t> key;
  std::optional<Canvas> base, over;
  float ratio = 0;
  Theme theme = Theme::Dark;
};

View::View(std::shared_ptr<Renderer> renderer) : renderer_(std::move(renderer)), target_(std::make_unique<Target>()) {}

View::~View() {
  if (target_->surface.framebuffer != 0) renderer_->release(target_->surface);
}

void View::resize(int width, int height, float pixelRatio) {
  if (width == width_ && height == height_ && pixelRatio == ratio_) return;
  width_ = width, height_ = height, ratio_ = pixelRatio;
  target_->key.reset();
  dirty_ = true;
}

void View::setTheme(Theme theme) {
  if (theme == theme_) return;
  theme_ = theme;
  target_->key.reset();
  dirty_ = true;
}

void View::setLanguage(Language language) {
  if (language == language_) return;
  language_ = language;
  target_->key.reset();
  dirty_ = true;
}

void View::setFrame(std::shared_ptr<const presenter::Frame> frame) {
  frame_ = std::move(frame);
  frameChanged();
  dirty_ = true;
}

const HitArea* View::hitAt(float x, float y) const {
  for (std::size_t i = hits_.size(); i-- > 0;) {     // the last one drawn lies on top
    const HitArea& h = hits_[i];
    if (h.outline.empty()) {
      if (x >= h.x && y >= h.y && x < h.x + h.w && y < h.y + h.h) return &h;
      continue;
    }
    bool left = false, right = false;
    for (std::size_t k = 0; k < h.outline.size(); ++k) {
      const Vec2 a = h.outline[k], b = h.outline[(k + 1) % h.outline.size()];
      const float side = (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
      left |= side > 0;
      right |= side < 0;
    }
    if (!(left && right)) return &h;
  }
  return nullptr;
}

std::string View::tooltipAt(float x, float y) const {
  const HitArea* h = hitAt(x, y);
  return h == nullptr ? std::string() : h->text;
}

bool View::clickableAt(float x, float y) const {
  const HitArea* h = hitAt(x, y);
  return h != nullptr && h->clickable;
}

void View::updateHover(float x, float y) {
  std::string text = tooltipAt(x, y);
  if (text == hoverText_) return;
  hoverText_ = text;
  Command command;
  command.kind = Command::Kind::Hover;
  command.text = std::move(text);
  commands_.push_back(std::move(command));
}

void View::mouseMove(float x, float y) {
  if (pressed_ && !pressedOnHit_) {
    if (std::fabs(x - pressX_) + std::fabs(y - pressY_) > 3) moved_ = true;
    if (moved_ && dragged(x - mouseX_, y - mouseY_, x, y)) dirty_ = true;
  }
  mouseX_ = x, mouseY_ = y;
  if (!pressed_) updateHover(x, y);
}

void View::mouseButton(Button button, bool down, float x, float y) {
  mouseX_ = x, mouseY_ = y;
  const HitArea* h = hitAt(x, y);
  if (down) {
    pressed_ = true;
    moved_ = false;
    pressButton_ = button;
    pressX_ = x, pressY_ = y;
    pressedOnHit_ = h != nullptr && h->clickable && h->outline.empty();   // things of the scene may be dragged over; buttons not
    return;
  }
  if (!pressed_) return;
  pressed_ = false;
  if (moved_ || button == Button::Right) return;
  if (h != nullptr && h->clickable) commands_.push_back(h->command);
  else if (h == nullptr) clickedNothing(x, y);
  dirty_ = true;
}

void View::mouseWheel(float steps, float x, float y) {
  mouseX_ = x, mouseY_ = y;
  if (wheeled(steps, x, y)) dirty_ = true;
}

void View::mouseLeave() {
  mouseX_ = mouseY_ = -1;
  pressed_ = false;
  updateHover(-1, -1);
}

std::vector<Command> View::takeCommands() { return std::exchange(commands_, {}); }

bool View::render() {
  if (!dirty_ || width_ <= 0 || height_ <= 0) return false;
  const Fonts* fonts = renderer_->fonts(ratio_);
  if (fonts == nullptr) return false;
  Target& t = *target_;
  const int w = std::max(1, static_cast<int>(std::lround(static_cast<float>(width_) * ratio_))), h = std::max(1, static_cast<int>(std::lround(static_cast<float>(height_) * ratio_)));
  if (t.surface.width != w || t.surface.height != h) t.key.reset();
  renderer_->resize(t.surface, w, h);
  if (!t.base || t.ratio != ratio_ || t.theme != theme_) {
    t.base.emplace(*fonts, paletteOf(theme_), ratio_);
    t.over.emplace(*fonts, paletteOf(theme_), ratio_);
    t.ratio = ratio_;
    t.theme = theme_;
    t.key.reset();
  }
  const std::uint64_t key = baseKey();
  if (t.key != key) {
    t.base->clear();
    t.base->setSize(static_cast<float>(width_), static_cast<float>(height_));
    drawBase(*t.base);
    renderer_->drawBase(t.surface, *t.base, t.base->palette().canvas);
    t.key = key;
  }
  t.over->clear();
  t.over->setSize(static_cast<float>(width_), static_cast<float>(height_));
  draw(*t.over);
  renderer_->drawOver(t.surface, *t.over, picture_);
  labels_ = t.base->labels();
  labels_.insert(labels_.end(), t.over->labels().begin(), t.over->labels().end());
  hits_ = t.base->hits();
  hits_.insert(hits_.end(), t.over->hits().begin(), t.over->hits().end());
  dirty_ = false;
  return true;
}

}  // namespace warpmill::scene
