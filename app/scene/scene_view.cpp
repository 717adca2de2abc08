#include "scene/scene_view.h"

#include "scene/crew.h"
#include "scene/floor.h"
#include "scene/gpu.h"
#include "scene/renderer.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpmill::scene {
namespace {

std::uint64_t hashOf(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9E3779B97F4A7C15ull + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdull;
}

}  // namespace

SceneView::SceneView(std::shared_ptr<Renderer> renderer, Overlays overlays) : View(std::move(renderer)), overlays_(overlays) {}
SceneView::~SceneView() = default;

void SceneView::setPlayback(Playback playback) {
  if (playback == playback_) return;
  playback_ = std::move(playback);
  dirty_ = true;
}

void SceneView::setOverlays(Overlays overlays) {
  overlays_ = overlays;
  dirty_ = true;
}

void SceneView::setLevel(Level level) {
  if (level == level_) return;
  level_ = level;
  resetCamera();
}

void SceneView::resetCamera() {
  zoom_ = 1;
  panX_ = panY_ = 0;
  dirty_ = true;
}

void SceneView::zoomBy(float factor) {
  const float before = zoom_;
  zoom_ = std::clamp(zoom_ * factor, 0.4f, 8.0f);
  panX_ *= zoom_ / before;
  panY_ *= zoom_ / before;
  dirty_ = true;
}

void SceneView::pan(float dx, float dy) {
  panX_ += dx;
  panY_ += dy;
  dirty_ = true;
}

void SceneView::frameChanged() {
  if (!frame_ || frame_->sms.empty()) return;
  const std::string launch = frame_->gpu.launch + "/" + frame_->gpu.kernel + "/" + std::to_string(frame_->gpu.blocksTotal);
  if (launch != launch_) {
    launch_ = launch;
    rowsSeen_ = 1;
  }
  for (const Room& room : layoutOf(frame_->sms[frame_->focusSm], rowsSeen_).rooms) rowsSeen_ = std::max(rowsSeen_, room.rows);
}

bool SceneView::building() const { return level_ == Level::Gpu && frame_ && !frame_->sms.empty() && frame_->sms.size() <= 4; }

FloorLayout SceneView::layout() const { return layoutOf(frame_->sms[frame_->focusSm], rowsSeen_); }

float SceneView::top() const { return !overlays_.breadcrumb ? 0 : compact() ? 30.0f : 48.0f; }

SceneView::Camera SceneView::camera() const {
  const auto w = static_cast<float>(width_), h = static_cast<float>(height_);
  const float bottom = overlays_.hud ? 80 : compact() && overlays_.legend ? 34 : 16;
  Fit fit;
  if (level_ == Level::Crew) fit = fitCrew(w, h, top(), bottom);
  else if (building()) fit = fitBuilding(layoutOfAll(*frame_, rowsSeen_), frame_->sms.size(), w, h, top(), bottom);
  else fit = fitFloor(frame_ && !frame_->sms.empty() ? layout() : FloorLayout{}, w, h, top(), bottom);
  // Zooming keeps the middle of the view where it is.
  const float cx = w / 2, cy = top() + (h - top()) / 2;
  return {cx + (fit.x - cx) * zoom_ + panX_, cy + (fit.y - cy) * zoom_ + panY_, fit.tile * zoom_};
}

std::uint64_t SceneView::baseKey() const {
  const Camera cam = camera();
  std::uint64_t h = hashOf(static_cast<std::uint64_t>(level_), static_cast<std::uint64_t>(language_));
  for (const float v : {cam.x, cam.y, cam.tile}) h = hashOf(h, std::bit_cast<std::uint32_t>(v));
  h = hashOf(h, frame_ ? 1 : 0);
  if (!frame_ || frame_->sms.empty()) return h;
  const FloorLayout plan = building() ? layoutOfAll(*frame_, rowsSeen_) : layout();
  for (const Room& room : plan.rooms) h = hashOf(h, std::bit_cast<std::uint32_t>(room.y1));
  return h;
}

void SceneView::drawBase(Canvas& c) {
  const Palette& th = c.palette();
  const auto w = static_cast<float>(width_), h = static_cast<float>(height_);
  c.gradientFan({w * 0.5f, h * 0.46f}, w * 0.62f, h * 0.62f, th.glow, th.canvas);
  if (!frame_ || frame_->sms.empty()) return;
  const Camera cam = camera();
  const Iso iso(c, cam.x, cam.y, cam.tile);
  if (level_ == Level::Floor) {
    drawFloorBase(iso, layout(), language_);
    drawYardBase(iso, layout(), 1);
  }
  if (building()) drawBuildingBase(iso, *frame_, layoutOfAll(*frame_, rowsSeen_), language_);
  if (level_ == Level::Crew) drawCrewBase(iso);
}

void SceneView::draw(Canvas& c) {
  if (!frame_ || frame_->sms.empty()) return;
  const auto w = static_cast<float>(width_), h = static_cast<float>(height_);
  const Camera cam = camera();
  const Iso iso(c, cam.x, cam.y, cam.tile);
  const presenter::Frame& f = *frame_;
  if (building()) {
    reserveOverlays(c);
    drawBuilding(iso, f, layoutOfAll(f, rowsSeen_), language_);
  } else if (level_ == Level::Gpu) {
    drawGpu(c, f, language_, w, h, top(), overlays_.hud ? 100 : 44);
  } else if (level_ == Level::Crew) {
    drawCrew(iso, f, language_);
    drawCrewNotes(iso, f, language_, compact());
    drawCrewCards(c, f, language_, top(), compact());
  } else {
    const presenter::SmView& sm = f.sms[f.focusSm];
    const FloorLayout plan = layout();
    FloorInput in{f, sm, plan, language_, {0, 0}};
    if (overlays_.minimap && !compact() && f.sms.size() > 1) in.corner = {w - 24 - minimapSize(f, false).x, top() + 24 + minimapSize(f, false).y};
    drawFloor(iso, in);
    drawYard(iso, {&in, 1});
    drawChips(iso, in);
    reserveOverlays(c);
    drawFloorNotes(iso, in, compact());
    if (overlays_.card && !compact()) drawCard(c);
  }
  drawOverlays(c);
}

void SceneView::reserveOverlays(Canvas& c) {
  const presenter::Frame& f = *frame_;
  const auto w = static_cast<float>(width_), h = static_cast<float>(height_);
  c.reserve(0, -1000, w, 1000 + top());
  if (overlays_.legend) {
    if (compact() || level_ == Level::Gpu) c.reserve(0, h - 32, w, 32);
    else c.reserve(24, top() + 24, 270, legendHeight);
  }
  if (level_ == Level::Floor && overlays_.minimap && f.sms.size() > 1) {
    const Vec2 size = minimapSize(f, compact());
    if (compact()) c.reserve(14, top() + 14, size.x, size.y);
    else c.reserve(w - 24 - size.x, top() + 24, size.x, size.y);
  }
  if (level_ == Level::Floor && overlays_.card && !compact()) c.reserve(w - 494, h - 24 - (f.crew.any ? 214.0f : 64.0f), 470, 240);
  if (overlays_.hud) c.reserve(24, h - 80, w - 48, 56);
}

void SceneView::drawOverlays(Canvas& c) {
  const presenter::Frame& f = *frame_;
  const auto w = static_cast<float>(width_), h = static_cast<float>(height_);
  if ((level_ == Level::Floor || building()) && overlays_.legend) {
    if (building() && !compact()) {
      legendStrip(c, 24, h - (overlays_.hud ? 98.0f : 18.0f), language_, false);
    } else if (compact()) {
      c.rect(0, h - 32, w, 32, c.palette().canvas, 0, 0.9f);
      legendStrip(c, 14, h - 13, language_, false);
    } else legend(c, 24, top() + 24, language_ == Language::Russian ? 300 : 270, f.sms[f.focusSm], language_);
  }
  if (level_ == Level::Floor && overlays_.minimap && f.sms.size() > 1) {
    if (compact()) minimap(c, 14, top() + 14, f, language_, true);
    else minimap(c, w - 24 - minimapSize(f, false).x, top() + 24, f, language_, false);
  }
  if (overlays_.hud) {
    float x = 24;
    if (level_ == Level::Floor && overlays_.card && !compact()) x = std::max(24.0f, w - 24 - 470 - 30 - hudWidth(c, f, playback_, language_));
    hud(c, x, h - 80, f, playback_, language_);
  }
  if (overlays_.breadcrumb) drawBreadcrumb(c);
}

void SceneView::drawBreadcrumb(Canvas& c) {
  const presenter::Frame& f = *frame_;
  const Palette& th = c.palette();
  const auto w = static_cast<float>(width_);
  std::uint32_t storey = 0, left = f.focusSm;
  while (storey < f.gpu.storeys.size() && left >= f.gpu.storeys[storey]) left -= f.gpu.storeys[storey++];
  const auto levelCommand = [&](Command::Kind kind) {
    Command command;
    command.kind = kind;
    command.sm = f.focusSm;
    command.warp = f.selection.warp;
    return command;
  };
  std::vector<Crumb> crumbs;
  crumbs.push_back({"GPU", level_ == Level::Gpu ? presenter::say(Word::BuildingOf, language_, f.sms.size()) : std::string(presenter::word(Word::Building, language_)), levelCommand(Command::Kind::ShowGpu), true});
  if (level_ != Level::Gpu) {
    if (f.gpu.storeys.size() > 1 && level_ == Level::Floor) crumbs.push_back({presenter::say(Word::Storey, language_, storey), "GPC", levelCommand(Command::Kind::ShowGpu), true});
    crumbs.push_back({"SM " + std::to_string(f.focusSm), std::string(presenter::word(level_ == Level::Floor ? Word::FactoryFloor : Word::Floor, language_)), levelCommand(Command::Kind::ShowFloor), true});
  }
  if (level_ == Level::Crew) {
    crumbs.push_back({presenter::say(Word::Block, language_, f.selection.warp.block), std::string(presenter::word(Word::Workshop, language_)), levelCommand(Command::Kind::ShowFloor), true});
    crumbs.push_back({presenter::say(Word::Warp, language_, f.selection.warp.warp), presenter::say(Word::CrewOf, language_, 32), levelCommand(Command::Kind::ShowCrew), true});
  }
  const std::string right = f.gpu.kernel + "    " + presenter::say(Word::BlocksOf, language_, presenter::grouped(f.gpu.blocksTotal), presenter::grouped(f.gpu.block[0] * f.gpu.block[1] * f.gpu.block[2]));
  if (!compact()) {
    breadcrumb(c, w, crumbs, right);
    return;
  }
  // The thin one of a panel: the way down to the crew is always shown, the present level is bold.
  if (level_ != Level::Crew) {
    if (level_ == Level::Gpu) crumbs.push_back({"SM " + std::to_string(f.focusSm), {}, levelCommand(Command::Kind::ShowFloor), true});
    crumbs.push_back({presenter::say(Word::Block, language_, f.selection.warp.block), {}, levelCommand(Command::Kind::ShowFloor), true});
    crumbs.push_back({presenter::say(Word::Warp, language_, f.selection.warp.warp), {}, levelCommand(Command::Kind::ShowCrew), true});
  }
  const std::size_t current = level_ == Level::Gpu ? 0 : level_ == Level::Floor ? crumbs.size() - 3 : crumbs.size() - 1;
  c.rect(0, 0, w, 30, th.raised);
  float x = 14;
  for (std::size_t i = 0; i < crumbs.size(); ++i) {
    const float wide = c.text(x, 20, crumbs[i].text, textLook(i == current ? th.hi : th.mid, 13, i == current ? Weight::SemiBold : Weight::Regular));
    c.hit({.x = x - 4, .y = 0, .w = wide + 8, .h = 30, .outline = {}, .command = crumbs[i].command, .clickable = true, .text = crumbs[i].text});
    x += wide + 10;
    if (i + 1 < crumbs.size()) {
      const std::array<Vec2, 3> arrow{Vec2{x, 11.5f}, Vec2{x + 4, 15.5f}, Vec2{x, 19.5f}};
      c.polyline(arrow, th.low, 1.4f);
      x += 14;
    }
  }
  c.text(w - 14, 20, right, textLook(th.low, 12, Weight::Regular, Anchor::End));
}

void SceneView::drawCard(Canvas& c) {
  const presenter::Frame& f = *frame_;
  const presenter::CrewView& crew = f.crew;
  const Palette& th = c.palette();
  const Language l = language_;
  const float w = 470, x = static_cast<float>(width_) - 24 - w;
  const presenter::BlockView* block = nullptr;
  for (const presenter::BlockView& b : f.sms[f.focusSm].blocks)
    if (b.used && b.block == crew.warp.block) block = &b;
  const bool here = crew.any && crew.sm == f.focusSm && block != nullptr;
  const float h = crew.any ? 214 : 64, y = static_cast<float>(height_) - 24 - h;
  if (here) {
    const Camera cam = camera();
    const Iso iso(c, cam.x, cam.y, cam.tile);
    const Vec2 b = layout().bench(*block, crew.warp.warp), p = iso.at(b.x + 5.34f, b.y + 1.94f);
    if (p.x > x && p.x < x + w && p.y < y) c.line(p, {p.x, y}, th.lamp, 1.4f);
    else if (p.y < y) c.line(p, {x + 24, y}, th.lamp, 1.4f);
  }
  plate(c, x, y, w, h, 10, &th.lamp);
  const std::string title = presenter::say(Word::WarpOfBlock, l, crew.warp.warp, crew.warp.block);
  const float titleWidth = c.text(x + 18, y + 29, title, textLook(th.hi, 15, Weight::SemiBold));
  HitArea open{.x = x, .y = y, .w = w, .h = h, .outline = {}, .command = {}, .clickable = crew.any, .text = title};
  open.command.kind = Command::Kind::ShowCrew;
  open.command.warp = crew.warp;
  c.hit(std::move(open));
  if (!crew.any) {
    c.text(x + 18, y + 50, presenter::word(absenceOf(f), l), textLook(th.mid, 13));
    return;
  }
  const StallGroup g = crew.status.group;
  const std::string state(presenter::stateWord(g, l));
  if (titleWidth + c.width(state, {13, Weight::Medium, false}) < w - 200) c.text(x + 18 + titleWidth + 10, y + 29, presenter::say(Word::CrewOf, l, crew.threads), textLook(th.mid, 13));
  c.text(x + w - 72, y + 29, state, textLook(th.mid, 13, Weight::Medium, Anchor::End));
  chip(c, x + w - 62, y + 14, g);
  const float x0 = x + 18, cell = (w - 36) / 32, base = y + 96;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const float cx = x0 + cell * (static_cast<float>(lane) + 0.5f);
    using presenter::LaneMark;
    switch (crew.marks[lane]) {
      case LaneMark::Active:
        c.rect(cx - 3.8f, base - 22, 7.6f, 22, th.ivory.top, 1.5f);
        c.rect(cx, base - 22, 3.8f, 22, th.ivory.left, 1.5f);
        c.disc({cx, base - 28.5f}, 4.4f, th.ivory.top);
        c.halfDisc({cx, base - 28.5f}, 4.4f, th.ivory.left);
        break;
      case LaneMark::Diverged: {
        const std::array<Vec2, 4> p{Vec2{cx - 3.4f, base}, Vec2{cx - 3.4f, base - 21.6f}, Vec2{cx + 3.4f, base - 21.6f}, Vec2{cx + 3.4f, base}};
        for (std::size_t i = 1; i < p.size(); ++i) c.dashed(p[i - 1], p[i], th.mid, 1.2f, 2.5f, 2);
        c.ring({cx, base - 28.5f}, 4, th.mid, 1.2f);
        break;
      }
      case LaneMark::PredicatedOff:
        c.frame(cx - 3.2f, base - 21.2f, 6.4f, 20.4f, th.hi, 1.4f, 1);
        c.ring({cx, base - 28.5f}, 3.8f, th.hi, 1.4f);
        break;
      case LaneMark::Exited:
        c.frame(cx - 3.2f, base - 21.2f, 6.4f, 20.4f, th.low, 1);
        c.ring({cx, base - 28.5f}, 3.8f, th.low, 1);
        c.disc({cx, base - 11}, 1.6f, th.low);
        break;
      case LaneMark::Empty: c.frame(cx - 3, base - 4, 6, 3.5f, th.low, 1); break;
    }
  }
  c.rect(x0 - 4, y + 96, w - 28, 9, th.plinth.top, 1);
  if (g == StallGroup::Ready) c.rect(x0 - 4, y + 100, w - 28, 8, Paint{.fill = th.panel, .border = th.fill(g), .borderWidth = 1.5f, .radius = 1});
  else {
    Paint band = statePaint(c, g, true);
    band.radius = 1;
    c.rect(x0 - 4, y + 100, w - 28, 8, band);
  }
  maskBar(c, x0, y + 118, w - 36, 12, crew.lanes, 2, th.ivory.top, th.low);
  for (const std::uint32_t lane : {0u, 8u, 16u, 24u, 31u})
    c.text(x0 + cell * (static_cast<float>(lane) + 0.5f), y + 147, std::to_string(lane), monoLook(th.low, 12, Weight::Regular, Anchor::Middle));
  c.rect(x + 18, y + 158, w - 36, 1, th.line);
  const std::string where = crew.line != 0 ? presenter::say(Word::Line, l, crew.line) : std::string(presenter::word(Word::NoLine, l));
  const std::size_t blank = crew.instruction.find(' ');
  const std::string op = crew.instruction.substr(0, blank), rest = blank == std::string::npos ? std::string() : crew.instruction.substr(blank + 1);
  const float opWidth = c.text(x + 18, y + 180, op, monoLook(th.hi, 13, Weight::SemiBold));
  const float room = w - 36 - opWidth - 16 - c.width(where, {13, Weight::Medium, false});
  c.text(x + 18 + opWidth + 8, y + 180, c.fitted(rest, {13, Weight::Regular, true}, room), monoLook(th.mid, 13));
  c.text(x + w - 18, y + 180, where, textLook(th.mid, 13, Weight::Medium, Anchor::End));
  c.text(x + 18, y + 201, presenter::say(Word::ActiveOf, l, std::popcount(crew.executed), crew.threads), textLook(th.mid, 13));
  if (f.request.any && f.request.warp == crew.warp && f.request.pc == crew.pc)
    c.text(x + w - 18, y + 201, presenter::say(Word::RequestShort, l, f.request.usedBytes, f.request.pallets.size()), textLook(th.mid, 13, Weight::Regular, Anchor::End));
  else if (g != StallGroup::Working && f.cycle >= crew.status.since)
    c.text(x + w - 18, y + 201, presenter::say(Word::WaitingSince, l, f.cycle - crew.status.since + 1, presenter::stateShortWord(g, l)), textLook(th.mid, 13, Weight::Regular, Anchor::End));
}

bool SceneView::dragged(float dx, float dy, float, float) {
  if (level_ == Level::Gpu && !building()) return false;
  panX_ += dx;
  panY_ += dy;
  return true;
}

bool SceneView::wheeled(float steps, float x, float y) {
  if (level_ == Level::Gpu && !building()) return false;
  const float before = zoom_;
  zoom_ = std::clamp(zoom_ * std::pow(1.15f, steps), 0.4f, 8.0f);
  // The point under the pointer stays.
  const float cx = static_cast<float>(width_) / 2, cy = top() + (static_cast<float>(height_) - top()) / 2, k = zoom_ / before;
  panX_ = (x - cx) - (x - cx - panX_) * k;
  panY_ = (y - cy) - (y - cy - panY_) * k;
  return true;
}

}  // namespace warpmill::scene
