#include "scene/parts.h"

#include <algorithm>
#include <cmath>

namespace warpmill::scene {

TextLook textLook(Rgb colour, float size, Weight weight, Anchor anchor) {
  TextLook look;
  look.style = {size, weight, false};
  look.colour = colour;
  look.anchor = anchor;
  return look;
}

TextLook monoLook(Rgb colour, float size, Weight weight, Anchor anchor) {
  TextLook look = textLook(colour, size, weight, anchor);
  look.style.mono = true;
  return look;
}

TextLook capsLook(const Palette& palette) {
  TextLook look = textLook(palette.low, 12, Weight::SemiBold);
  look.track = 0.8f;
  return look;
}

void plate(Canvas& c, float x, float y, float w, float h, float radius, const Rgb* stroke) {
  const Palette& th = c.palette();
  c.rect(x + 1, y + 3, w, h, th.shadow, radius, th.shadowAlpha * 0.6f);
  c.rect(x - 0.5f, y - 0.5f, w + 1, h + 1, Paint{.fill = th.panel, .border = stroke != nullptr ? *stroke : th.line, .borderWidth = 1, .radius = radius + 0.5f});
}

Paint statePaint(const Canvas& c, StallGroup g, bool patterned) {
  Paint paint{.fill = c.palette().fill(g), .border = c.palette().patternInk(g)};
  if (patterned && g != StallGroup::Working && g != StallGroup::Ready) paint.tile = &c.fonts().pattern(g);
  return paint;
}

void swatch(Canvas& c, float x, float y, float w, float h, StallGroup g, float radius) {
  const Palette& th = c.palette();
  if (g == StallGroup::Ready) {
    c.rect(x, y, w, h, Paint{.fill = th.panel, .border = th.fill(g), .borderWidth = 1.5f, .radius = radius});
    return;
  }
  Paint paint = statePaint(c, g, w >= 9 && h >= 9);
  paint.radius = radius;
  c.rect(x, y, w, h, paint);
}

void chip(Canvas& c, float x, float y, StallGroup g, float w, float h) {
  const Palette& th = c.palette();
  c.rect(x - 0.5f, y - 0.5f, w + 1, h + 1, Paint{.fill = th.panel, .border = th.strong, .borderWidth = 1, .radius = 5.5f});
  const char letter = presenter::letterOf(g);
  c.text(x + 10, y + h / 2 + 4.3f, std::string_view(&letter, 1), textLook(th.hi, 12, Weight::Bold, Anchor::Middle));
  swatch(c, x + 19, y + 4, w - 24, h - 8, g);
}

void letterChip(Canvas& c, float x, float y, StallGroup g) {
  const Palette& th = c.palette();
  c.rect(x - 0.5f, y - 0.5f, 18, 18, Paint{.fill = th.panel, .border = th.strong, .borderWidth = 1, .radius = 4.5f});
  const char letter = presenter::letterOf(g);
  c.text(x + 8.5f, y + 13.2f, std::string_view(&letter, 1), textLook(th.hi, 13, Weight::Bold, Anchor::Middle));
}

bool label(Canvas& c, float x, float y, std::string_view text, std::string_view sub, Anchor anchor) {
  const Palette& th = c.palette();
  constexpr float size = 13, pad = 7;
  const float w = std::max(c.width(text, {size, Weight::SemiBold, false}), sub.empty() ? 0 : c.width(sub, {12, Weight::Regular, false})) + 2 * pad;
  const float h = size + 11 + (sub.empty() ? 0 : 16), top = std::round(y - h / 2);
  const float wanted = std::round(anchor == Anchor::Start ? x : anchor == Anchor::Middle ? x - w / 2 : x - w);
  const float x0 = std::max(6.0f, std::min(wanted, c.width() - w - 6));
  if (!c.claim(x0, top, w, h)) return false;
  plate(c, x0, top, w, h, 5);
  c.text(x0 + pad, top + size + 4, text, textLook(th.hi, size, Weight::SemiBold));
  if (!sub.empty()) c.text(x0 + pad, top + size + 20, sub, textLook(th.mid, 12));
  return true;
}

bool note(Canvas& c, float x, float y, std::string_view head, std::string_view sub, Vec2 target, Anchor anchor) {
  const Palette& th = c.palette();
  // Kept inside the picture, with its leader.
  const float wide = std::max(c.width(head, {13, Weight::SemiBold, false}), sub.empty() ? 0 : c.width(sub, {12, Weight::Regular, false}));
  if (anchor == Anchor::Start) x = std::min(x, c.width() - 8 - wide);
  if (anchor == Anchor::End) x = std::max(x, 8 + wide);
  if (!c.claim(anchor == Anchor::Start ? x : x - wide, y - 12, wide, sub.empty() ? 16 : 32)) return false;
  const float lx = anchor == Anchor::Start ? x - 6 : x + 6;
  c.line({lx, y - 4}, target, th.low, 1, 0.9f);
  c.disc(target, 2.2f, th.mid);
  TextLook look = textLook(th.hi, 13, Weight::SemiBold, anchor);
  look.halo = true;
  look.haloColour = th.canvas;
  c.text(x, y, head, look);
  if (sub.empty()) return true;
  TextLook second = textLook(th.mid, 12, Weight::Regular, anchor);
  second.halo = true;
  second.haloColour = th.canvas;
  c.text(x, y + 16, sub, second);
  return true;
}

void maskBar(Canvas& c, float x, float y, float w, float h, std::uint32_t bits, float gap, Rgb on, Rgb off) {
  const float cell = w / 32;
  for (std::uint32_t i = 0; i < 32; ++i) {
    const float at = x + static_cast<float>(i) * cell;
    if (bits >> i & 1) c.rect(at, y, cell - gap, h, on);
    else c.frame(at + 0.5f, y + 0.5f, cell - gap - 1, h - 1, off, 1);
  }
}

void icon(Canvas& c, float x, float y, Glyph glyph, Rgb colour) {
  switch (glyph) {
    case Glyph::Play: c.triangle({x - 5, y - 7}, {x + 7, y}, {x - 5, y + 7}, colour); break;
    case Glyph::Back:
      c.triangle({x + 3, y - 6}, {x - 6, y}, {x + 3, y + 6}, colour);
      c.rect(x + 4.5f, y - 6, 2.5f, 12, colour);
      break;
    case Glyph::Forward:
      c.triangle({x - 3, y - 6}, {x + 6, y}, {x - 3, y + 6}, colour);
      c.rect(x - 7, y - 6, 2.5f, 12, colour);
      break;
    case Glyph::Start:
      c.triangle({x + 6, y - 6}, {x - 3, y}, {x + 6, y + 6}, colour);
      c.rect(x - 6, y - 6, 2.5f, 12, colour);
      break;
    case Glyph::PlayBackward: c.triangle({x + 5, y - 7}, {x - 7, y}, {x + 5, y + 7}, colour); break;
    case Glyph::Pause:
      c.rect(x - 5, y - 6, 3.5f, 12, colour);
      c.rect(x + 1.5f, y - 6, 3.5f, 12, colour);
      break;
  }
}

void breadcrumb(Canvas& c, float width, const std::vector<Crumb>& crumbs, std::string_view right) {
  const Palette& th = c.palette();
  c.rect(0, 0, width, 48, th.panel);
  c.rect(0, 48, width, 1, th.line);
  float x = 24;
  for (std::size_t i = 0; i < crumbs.size(); ++i) {
    const Crumb& crumb = crumbs[i];
    const bool last = i + 1 == crumbs.size();
    const TextStyle style{14, last ? Weight::SemiBold : Weight::Medium, false};
    const float w = c.width(crumb.text, style), sub = crumb.sub.empty() ? 0 : c.width(crumb.sub, {12, Weight::Regular, false}) + 8;
    if (last) c.rect(x - 10, 10, w + 20 + sub, 28, th.raised, 6);
    TextLook look = textLook(last ? th.hi : th.mid, 14, style.weight);
    c.text(x, 29, crumb.text, look);
    if (!crumb.sub.empty()) c.text(x + w + 8, 29, crumb.sub, textLook(last ? th.mid : th.low, 12));
    c.hit({.x = x - 10, .y = 10, .w = w + 20 + sub, .h = 28, .outline = {}, .command = crumb.command, .clickable = crumb.clickable, .text = crumb.text});
    x += w + sub + 16;
    if (!last) {
      const std::array<Vec2, 3> arrow{Vec2{x - 2, 19.5f}, Vec2{x + 3, 24.5f}, Vec2{x - 2, 29.5f}};
      c.polyline(arrow, th.low, 1.5f);
      x += 18;
    }
  }
  if (!right.empty()) c.text(width - 24, 29, right, textLook(th.mid, 13, Weight::Medium, Anchor::End));
}

namespace {

struct HudPlan { std::string cycle, slot; float slotX, buttonsX, speedX, unitX, width; };

HudPlan planHud(const Canvas& c, const presenter::Frame& f, const Playback& p, Language l) {
  HudPlan plan;
  plan.cycle = presenter::grouped(f.cycle);
  plan.slot = f.atStart ? "\u2013" : std::to_string(f.slot);
  const TextStyle caps{12, Weight::SemiBold, false};
  const auto capsWidth = [&](Word w) { return c.width(presenter::word(w, l), caps) + 0.8f * 10; };
  plan.slotX = 18 + std::max({c.width(plan.cycle, {20, Weight::SemiBold, true}), capsWidth(Word::Cycle), 60.0f}) + 22;
  plan.buttonsX = plan.slotX + std::max(capsWidth(Word::IssueSlot), 84.0f) + 20;
  plan.speedX = plan.buttonsX + 216;
  plan.unitX = plan.speedX + std::max({c.width(p.speed, {14, Weight::Medium, false}), capsWidth(Word::Speed), 70.0f}) + 22;
  plan.width = plan.unitX + std::max({c.width(p.unit, {14, Weight::Medium, false}), capsWidth(Word::Unit), 44.0f}) + 18;
  return plan;
}

}  // namespace

float hudWidth(const Canvas& c, const presenter::Frame& f, const Playback& playback, Language l) { return planHud(c, f, playback, l).width; }

void hud(Canvas& c, float x, float y, const presenter::Frame& f, const Playback& playback, Language l) {
  const Palette& th = c.palette();
  const HudPlan plan = planHud(c, f, playback, l);
  plate(c, x, y, plan.width, 56, 10);
  c.text(x + 18, y + 21, presenter::word(Word::Cycle, l), capsLook(th));
  c.text(x + 18, y + 44, plan.cycle, monoLook(th.hi, 20, Weight::SemiBold));
  c.text(x + plan.slotX, y + 21, presenter::word(Word::IssueSlot, l), capsLook(th));
  c.text(x + plan.slotX, y + 44, plan.slot, monoLook(th.mid, 20, Weight::Medium));
  c.rect(x + plan.buttonsX - 12, y + 12, 1, 32, th.line);
  struct Key { Glyph glyph; Command::Kind kind; Word word; };
  const std::array<Key, 5> keys{Key{Glyph::Start, Command::Kind::ToStart, Word::ToStart}, Key{Glyph::PlayBackward, Command::Kind::PlayBackward, Word::PlayBackward},
                                Key{Glyph::Back, Command::Kind::StepBack, Word::StepBack}, Key{playback.playing ? Glyph::Pause : Glyph::Play, Command::Kind::PlayPause, Word::PlayPause},
                                Key{Glyph::Forward, Command::Kind::Step, Word::StepOn}};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const float at = x + plan.buttonsX + static_cast<float>(i) * 40;
    const bool main = i == 3;
    c.rect(at, y + 10, 36, 36, main ? th.lamp : th.control, 8);
    icon(c, at + 18, y + 28, keys[i].glyph, main ? th.onLamp : th.hi);
    HitArea area{.x = at, .y = y + 10, .w = 36, .h = 36, .outline = {}, .command = {}, .clickable = true, .text = std::string(presenter::word(keys[i].word, l))};
    area.command.kind = keys[i].kind;
    c.hit(std::move(area));
  }
  const auto field = [&](float at, Word caption, const std::string& value, Command::Kind kind) {
    c.text(x + at, y + 21, presenter::word(caption, l), capsLook(th));
    c.text(x + at, y + 43, value, textLook(th.hi, 14, Weight::Medium));
    HitArea area{.x = x + at - 6, .y = y + 6, .w = std::max(60.0f, c.width(value, {14, Weight::Medium, false}) + 12), .h = 44, .outline = {}, .command = {}, .clickable = true, .text = value};
    area.command.kind = kind;
    c.hit(std::move(area));
  };
  field(plan.speedX, Word::Speed, playback.speed, Command::Kind::ChangeSpeed);
  field(plan.unitX, Word::Unit, playback.unit, Command::Kind::ChangeUnit);
  if (!f.timingHolds) c.text(x + plan.width / 2, y - 8, presenter::word(Word::FrozenNote, l), textLook(th.lampInk, 12, Weight::SemiBold, Anchor::Middle));
}

void legend(Canvas& c, float x, float y, float w, const presenter::SmView& sm, Language l) {
  const Palette& th = c.palette();
  plate(c, x, y, w, legendHeight);
  c.text(x + 16, y + 27, presenter::word(Word::CrewsByState, l), textLook(th.hi, 13, Weight::SemiBold));
  c.text(x + w - 16, y + 27, presenter::say(Word::OfPlaces, l, sm.usedPlaces, sm.places.size()), textLook(th.low, 12, Weight::Medium, Anchor::End));
  float at = y + 44;
  for (const StallGroup g : presenter::stallGroups) {
    const std::uint32_t count = sm.counts[static_cast<std::size_t>(g)];
    const Rgb colour = count != 0 ? th.hi : th.low;
    chip(c, x + 14, at, g);
    c.text(x + 66, at + 15, presenter::stateWord(g, l), textLook(colour, 13));
    c.text(x + w - 16, at + 15, std::to_string(count), monoLook(colour, 13, count != 0 ? Weight::SemiBold : Weight::Regular, Anchor::End));
    at += 26;
  }
  c.hit({.x = x, .y = y, .w = w, .h = legendHeight, .outline = {}, .command = {}, .clickable = false, .text = {}});
}

void legendStrip(Canvas& c, float x, float y, Language l, bool emptyPlace) {
  const Palette& th = c.palette();
  for (const StallGroup g : presenter::stallGroups) {
    swatch(c, x, y - 10, 14, 13, g);
    const char letter = presenter::letterOf(g);
    c.text(x + 27, y + 1, std::string_view(&letter, 1), textLook(th.hi, 13, Weight::Bold, Anchor::Middle));
    x += 52 + c.text(x + 39, y + 1, presenter::stateShortWord(g, l), textLook(th.mid, 13)) + 12;
  }
  if (!emptyPlace) return;
  c.frame(x + 0.5f, y - 9.5f, 12, 11, th.strong, 1);
  c.text(x + 20, y + 1, presenter::word(Word::EmptyPlace, l), textLook(th.mid, 13));
}

namespace {
std::size_t longestStorey(const presenter::GpuView& g) {
  std::uint32_t most = 1;
  for (const std::uint32_t n : g.storeys) most = std::max(most, n);
  return most;
}
}  // namespace

Vec2 minimapSize(const presenter::Frame& f, bool compact) {
  const auto rows = static_cast<float>(std::max<std::size_t>(1, f.gpu.storeys.size()));
  const auto cells = static_cast<float>(longestStorey(f.gpu));
  if (compact) return {cells * 6.6f + 32, rows * 6.6f + 24 + (rows > 4 ? 6.0f : 0.0f)};
  return {std::max(170.0f, cells * 9 + 78), rows * 9 + 54 + (rows > 4 ? 4.0f : 0.0f)};
}

void minimap(Canvas& c, float x, float y, const presenter::Frame& f, Language l, bool compact) {
  const Palette& th = c.palette();
  const Vec2 size = minimapSize(f, compact);
  const float pitch = compact ? 6.6f : 9, cell = compact ? 4.8f : 7, left = compact ? 16 : 70, top = compact ? 12 : 42;
  plate(c, x, y, size.x, size.y, compact ? 6 : 8);
  if (!compact) {
    c.text(x + 16, y + 27, "GPU", textLook(th.hi, 13, Weight::SemiBold));
    c.text(x + size.x - 16, y + 27, presenter::say(Word::Floors, l, f.sms.size()), textLook(th.low, 12, Weight::Medium, Anchor::End));
  }
  std::vector<std::uint32_t> storeys = f.gpu.storeys;
  if (storeys.empty()) storeys.push_back(static_cast<std::uint32_t>(f.sms.size()));
  std::uint32_t sm = 0;
  for (std::size_t g = 0; g < storeys.size(); ++g) {
    const float yy = y + top + static_cast<float>(g) * pitch + (g > 3 ? (compact ? 6.0f : 4.0f) : 0.0f);
    if (!compact && (g == 0 || g + 1 == storeys.size())) c.text(x + 16, yy + 7.5f, presenter::say(Word::StoreyLow, l, g), textLook(th.mid, 12));
    for (std::uint32_t j = 0; j < storeys[g] && sm < f.sms.size(); ++j, ++sm) {
      const float xx = x + left + static_cast<float>(j) * pitch;
      const bool here = sm == f.focusSm;
      c.rect(xx, yy, cell, cell, here ? th.lamp : f.sms[sm].usedPlaces != 0 ? mix(th.control, th.strong, 0.55f) : th.control);
      if (here && !compact) c.frame(xx - 2.5f, yy - 2.5f, cell + 5, cell + 5, th.hi, 1.5f, 2);
      HitArea area{.x = xx - 1, .y = yy - 1, .w = pitch, .h = pitch, .outline = {}, .command = {}, .clickable = true, .text = "SM " + std::to_string(sm)};
      area.command.kind = Command::Kind::SelectSm;
      area.command.sm = sm;
      c.hit(std::move(area));
    }
  }
}

Word absenceOf(const presenter::Frame& f) {
  if (f.crew.warp.block >= f.gpu.blocksTotal) return Word::NoSuchBlock;
  return f.crew.warp.block >= f.gpu.blocksLaunched ? Word::NotStarted : Word::Finished;
}

void worker(const Iso& iso, float x, float y, float z, const WorkerLook& look) {
  using presenter::LaneMark;
  Canvas& c = iso.canvas();
  const Palette& th = iso.palette();
  const float w = 0.30f * look.k, r = 0.17f * look.k * iso.tile() * 0.62f;
  const Vec2 head = iso.at(x + w / 2, y + w / 2, z + 0.84f * look.k);
  if (look.mark == LaneMark::Empty) {
    iso.outline(x, y, x + w, y + w, th.low, 1.2f);
    return;
  }
  if (look.mark == LaneMark::Active) {
    iso.shadow(x, y, x + w, y + w, 0.5f * look.k, z);
    iso.box(x, y, x + w, y + w, z, z + 0.62f * look.k, th.ivory, {.shadow = false, .rim = false, .top = {}, .left = {}, .right = {}});
    c.disc(head, r, th.ivory.top);
    c.halfDisc(head, r, th.ivory.left);
    return;
  }
  const float top = z + 0.62f * look.k;
  const std::array<Vec2, 7> p{iso.at(x, y + w, z), iso.at(x + w, y + w, z), iso.at(x + w, y, z), iso.at(x + w, y, top), iso.at(x, y, top), iso.at(x, y + w, top), iso.at(x, y + w, z)};
  if (look.mark == LaneMark::Diverged) {
    iso.box(x, y, x + w, y + w, z, top, {look.ground, look.ground, look.ground}, {.shadow = false, .rim = false, .top = {}, .left = {}, .right = {}});
    for (std::size_t i = 1; i < p.size(); ++i) c.dashed(p[i - 1], p[i], look.outline, 1.2f, 2.5f, 2);
    c.disc(head, r, look.ground);
    c.ring(head, r, look.outline, 1.2f);
    return;
  }
  const bool exited = look.mark == LaneMark::Exited;
  const Rgb stroke = exited ? th.low : th.hi;
  c.polyline(p, stroke, exited ? 1.4f : 1.6f);
  c.ring(head, r, stroke, exited ? 1.4f : 1.6f);
  if (exited) c.disc(iso.at(x + w / 2, y + w / 2, z + 0.3f * look.k), 0.04f * iso.tile() + 1, th.low);
}

}  // namespace warpmill::scene
