// The parts of the floor that follow the state.
#include "scene/floor.h"

#include <algorithm>
#include <cmath>

namespace warpmill::scene {
namespace {

using presenter::BlockView;
using presenter::PlaceView;

constexpr BoxLook plain{.shadow = false, .rim = true, .top = {}, .left = {}, .right = {}};
constexpr BoxLook bare{.shadow = false, .rim = false, .top = {}, .left = {}, .right = {}};

float bayX(std::size_t b) { return FloorLayout::bay0 + static_cast<float>(b) * FloorLayout::bayWidth; }
int detailOf(float tile) { return tile < 12 ? -1 : tile < 28 ? 0 : tile < 36 ? 1 : 2; }
bool focusedWarp(const FloorInput& in, const PlaceView& p) { return p.used && p.warp == in.frame.selection.warp; }

void bars(const Iso& iso, const FloorInput& in) {
  const Palette& th = iso.palette();
  constexpr std::array<std::array<float, 2>, 4> spans{{{0.5f, 2.55f}, {3.05f, 4.0f}, {4.45f, 5.45f}, {5.75f, 7.4f}}};
  for (std::size_t b = 0; b < 4; ++b)
    for (std::size_t h = 0; h < 4; ++h) {
      const float x = bayX(b), a = x + spans[h][0], e = x + spans[h][1], f = in.sm.busy[b][h];
      iso.flat(a, 3.05f, e, 3.24f, mix(th.paint, th.slab.top, 0.45f));
      if (f > 0) iso.flat(a, 3.05f, a + (e - a) * f, 3.24f, th.hi);
    }
}

void board(const Iso& iso, const FloorInput& in, std::size_t b) {
  const Palette& th = iso.palette();
  const float x0 = bayX(b) + 2.95f;
  for (std::size_t i = 0; i < 16; ++i) {
    const PlaceView& place = in.sm.places[i * 4 + b];
    const float a = x0 + 0.06f + static_cast<float>(i % 4) * 0.54f, z = 1.27f - static_cast<float>(i / 4) * 0.36f;
    if (!place.used) iso.left(a, a + 0.46f, 6.82f, z, z + 0.28f, th.deep(th.wall.left));
    else if (place.group == StallGroup::Ready) iso.left(a + 0.02f, a + 0.44f, 6.82f, z + 0.01f, z + 0.27f, Paint{.fill = th.panel, .border = th.fill(place.group), .borderWidth = 1.4f});
    else iso.left(a, a + 0.46f, 6.82f, z, z + 0.28f, statePaint(iso.canvas(), place.group, iso.patterned()));
  }
}

void gate(const Iso& iso, const Room& room, const BlockView& block) {
  Canvas& c = iso.canvas();
  const bool closed = block.used && block.expected != 0;
  const Vec2 foot = iso.at(4.65f, room.y1 - 1.3f, 0.85f);
  const Vec2 tip = closed ? iso.at(4.65f, room.y0 + 1.15f, 0.85f) : iso.at(4.65f, room.y1 - 2.8f, 2.3f);
  c.line(foot, tip, iso.palette().ivory.left, std::clamp(iso.tile() * 0.08f, 1.2f, 3.0f), 1, true);
}

void mask(const Iso& iso, const PlaceView& place, float x, float y, int detail) {
  const Palette& th = iso.palette();
  const Rgb on = detail >= 2 ? th.ivory.top : mix(th.plinth.top, th.ivory.top, 0.7f), off = mix(th.plinth.top, th.canvas, 0.35f);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const float a = x + 0.16f + static_cast<float>(lane) * 0.147f;
    const bool active = place.active >> lane & 1;
    iso.flat(a, y + 1.16f, a + 0.1f, y + 1.42f, active ? on : place.diverged >> lane & 1 ? mix(th.plinth.top, th.ivory.top, 0.3f) : off, 0.5f);
  }
}

void bench(const Iso& iso, const FloorInput& in, const BlockView& block, std::size_t w) {
  const Palette& th = iso.palette();
  Canvas& c = iso.canvas();
  const PlaceView& place = in.sm.places[block.places[w] % 64];
  if (!place.used) return;   // this warp has ended
  const Vec2 at = in.layout.bench(block, w);
  const float x = at.x, y = at.y, l = FloorLayout::benchLength, d = FloorLayout::benchDepth;
  const bool selected = focusedWarp(in, place), focusedBlock = block.block == in.frame.selection.warp.block;
  int detail = detailOf(iso.tile());
  if (detail >= 2 && !focusedBlock) detail = 1;
  if (selected) {
    iso.flat(x - 0.34f, y - 0.34f, x + l + 0.34f, y + d + 0.34f, th.lamp, 0, 0.16f);
    iso.outline(x - 0.34f, y - 0.34f, x + l + 0.34f, y + d + 0.34f, th.lamp, 2.2f);
  }
  const StallGroup g = place.group;
  BoxLook look;
  if (g == StallGroup::Ready) look.left = th.panel;
  iso.box(x, y, x + l, y + d, 0, 0.5f, th.plinth, look);
  if (g == StallGroup::Ready) iso.left(x + 0.04f, x + l - 0.04f, y + d, 0.06f, 0.44f, Paint{.fill = th.panel, .border = th.fill(g), .borderWidth = 1.5f});
  else iso.left(x, x + l, y + d, 0.03f, 0.47f, statePaint(c, g, iso.patterned()));
  if (detail >= 2)
    for (std::uint32_t row = 0; row < 2; ++row)
      for (std::uint32_t col = 0; col < 16; ++col) {
        const std::uint32_t lane = row * 16 + col;
        const float px = x + 0.16f + static_cast<float>(col) * 0.295f, py = y + 0.22f + static_cast<float>(row) * 0.42f;
        if (place.active >> lane & 1) iso.box(px, py, px + 0.15f, py + 0.15f, 0.5f, 0.86f, th.ivory, bare);
        else if (place.diverged >> lane & 1) iso.box(px, py, px + 0.15f, py + 0.15f, 0.5f, 0.86f, th.room, bare);
        else iso.flat(px, py, px + 0.15f, py + 0.15f, th.deep(th.plinth.top), 0.5f);
      }
  if (detail == 0) {
    // One strip whose lit part is the share of active lanes.
    const float share = static_cast<float>(__builtin_popcount(place.active)) / 32;
    iso.flat(x + 0.16f, y + 1.1f, x + l - 0.16f, y + 1.44f, mix(th.plinth.top, th.canvas, 0.35f), 0.5f);
    iso.flat(x + 0.16f, y + 1.1f, x + 0.16f + (l - 0.32f) * share, y + 1.44f, mix(th.plinth.top, th.ivory.top, 0.75f), 0.5f);
  } else if (detail > 0) {
    mask(iso, place, x, y, detail);
  }
  HitArea area;
  area.outline = iso.silhouette(x, y, x + l, y + d, 0, detail >= 2 ? 0.86f : 0.5f);
  area.clickable = true;
  area.command.kind = Command::Kind::SelectWarp;
  area.command.warp = place.warp;
  area.text = presenter::say(Word::WarpOfBlock, in.language, place.warp.warp, place.warp.block) + ": " + std::string(presenter::stateWord(g, in.language));
  if (g != StallGroup::Working && in.frame.cycle >= place.since)
    area.text = presenter::say(Word::WarpOfBlock, in.language, place.warp.warp, place.warp.block) + ": " +
                presenter::say(Word::WaitingSince, in.language, in.frame.cycle - place.since + 1, presenter::stateWord(g, in.language));
  if (place.line != 0) area.text += ", " + presenter::say(Word::Line, in.language, place.line);
  c.hit(std::move(area));
}

void tag(const Iso& iso, const FloorInput& in, const BlockView& block, std::size_t w, std::vector<Vec2>& taken) {
  const PlaceView& place = in.sm.places[block.places[w] % 64];
  if (!place.used || iso.tile() < 12) return;
  const Vec2 at = in.layout.bench(block, w), p = iso.at(at.x + 0.25f, at.y + 0.3f, 0.5f);
  Canvas& c = iso.canvas();
  bool letter = iso.tile() < 28;
  for (const Vec2& other : taken) letter |= std::fabs(other.x - p.x) < 50 && std::fabs(other.y - p.y) < 26;
  for (const Vec2& other : taken)
    if (std::fabs(other.x - p.x) < 20 && std::fabs(other.y - p.y) < 20) return;   // no room: the band alone tells
  taken.push_back(p);
  c.line(p, {p.x, p.y - (letter ? 6.0f : 13.0f)}, iso.palette().mid, 1.2f);
  if (letter) letterChip(c, std::round(p.x - 4.5f), std::round(p.y - 23), place.group);
  else chip(c, std::round(p.x - 9), std::round(p.y - 32), place.group, 41);
}

void routes(const Iso& iso, const FloorInput& in) {
  const Palette& th = iso.palette();
  Canvas& c = iso.canvas();
  for (std::size_t b = 0; b < 4; ++b) {
    const presenter::Pick& pick = in.sm.picks[b];
    const float x = bayX(b);
    const Vec2 hand = iso.at(x + 6.14f, 6.7f, 1.18f);
    const BlockView* block = nullptr;
    std::size_t warp = 0;
    if (pick.any)
      for (const BlockView& candidate : in.sm.blocks)
        for (std::size_t w = 0; w < candidate.places.size(); ++w)
          if (candidate.used && candidate.block == pick.warp.block && candidate.places[w] == pick.place) block = &candidate, warp = w;
    if (block == nullptr || !in.sm.places[pick.place % 64].used) {
      c.line({hand.x - 1, hand.y}, {hand.x + 1, hand.y + iso.tile() * 0.32f}, th.ivory.top, iso.tile() * 0.09f, 1, true);
      continue;
    }
    const Vec2 to = in.layout.bench(*block, warp);
    const float aisle = x + 7.0f, middle = to.y + FloorLayout::benchDepth / 2;
    iso.arrow({{aisle, 6.7f, 0.02f}, {aisle, middle, 0.02f}, {to.x + FloorLayout::benchLength + 0.12f, middle, 0.02f}}, th.lamp, 3, 11);
    const Vec2 point = iso.at(aisle, 6.7f, 0.34f);
    c.line(hand, point, th.ivory.top, std::max(1.6f, iso.tile() * 0.095f), 1, true);
    c.disc(point, std::max(1.8f, iso.tile() * 0.09f), th.lamp);
  }
}

void goods(const Iso& iso, float x0, float x1, float a, float z, float used) {
  const Palette& th = iso.palette();
  const float b = a + 0.54f;
  if (used >= 1) iso.box(x0, a, x1, b, z, z + 0.54f, th.lit, plain);
  else if (used <= 0) iso.box(x0, a, x1, b, z, z + 0.54f, th.darkPallet, plain);
  else {
    const float e = a + 0.54f * (1 - used);
    iso.box(x0, a, x1, e, z, z + 0.54f, th.darkPallet, bare);
    iso.box(x0, e, x1, b, z, z + 0.54f, th.lit, {.shadow = false, .rim = false, .top = {}, .left = th.darkPallet.left, .right = {}});
  }
}

void truck(const Iso& iso, const FloorInput& in, const PlacedTruck& p) {
  const Palette& th = iso.palette();
  constexpr float wide = 1.3f;
  const float x = p.x, y = p.y, bed = p.back ? y + 0.7f : y, cab = p.back ? y + 0.02f : y + 2.82f;
  const presenter::TruckView& t = *p.truck;
  if (t.focused) iso.flat(x - 0.3f, y - 0.25f, x + wide + 0.3f, y + 3.75f, th.lamp, 0.01f, 0.25f);
  iso.shadow(x, y, x + wide, y + 3.5f, 0.6f);
  const auto drawCab = [&] {
    iso.box(x + 0.08f, cab, x + wide - 0.08f, cab + 0.63f, 0.1f, 0.86f, th.cab, plain);
    if (!p.back) iso.left(x + 0.22f, x + wide - 0.22f, cab + 0.63f, 0.48f, 0.74f, mix(th.cab.left, th.canvas, 0.55f));
  };
  if (p.back) drawCab();
  iso.box(x, bed, x + wide, bed + 2.75f, 0.12f, 0.28f, th.cab, plain);
  for (std::size_t i = 0; i < 4 && p.firstPallet + i < t.used.size(); ++i) {
    const float a = bed + 0.12f + static_cast<float>(i) * 0.66f, used = t.used[p.firstPallet + i];
    // A load that drives out carries only its order: flat slips in the colours of what will come.
    if (!p.back && !t.isStore) iso.flat(x + 0.1f, a, x + wide - 0.1f, a + 0.54f, used >= 1 ? th.lit.right : used <= 0 ? th.darkPallet.top : mix(th.darkPallet.top, th.lit.right, used), 0.29f);
    else goods(iso, x + 0.1f, x + wide - 0.1f, a, 0.28f, used);
  }
  if (!p.back) drawCab();
  HitArea area;
  area.outline = iso.silhouette(x, y, x + wide, y + 3.45f, 0.1f, 0.86f);
  area.clickable = true;
  area.command.kind = Command::Kind::SelectRequest;
  area.command.request = t.request;
  area.command.warp = t.warp;
  area.text = presenter::say(Word::TruckText, in.language, presenter::word(t.isAtomic ? Word::TruckAtomic : t.isStore ? Word::TruckStore : Word::TruckLoad, in.language), t.warp.warp,
                             t.warp.block, t.usedBytes, t.movedBytes);
  iso.canvas().hit(std::move(area));
}

// Two halves for one floor; for several, one row of slices along them all.
void depot(const Iso& iso, float s, float more) {
  const Palette& th = iso.palette();
  const float half = (11.4f + more - 0.6f) / 2;
  for (const float a : {9.8f, 9.8f + half + 0.6f}) {
    iso.box(a, 37.4f + s, a + half, 39.9f + s, 0, 1.5f, th.slate);
    const int slices = static_cast<int>(half / 0.6f);
    const float step = half / static_cast<float>(slices);
    for (int i = 1; i < slices; ++i) {
      const float x = a + static_cast<float>(i) * step;
      iso.line({{x, 37.55f + s, 1.5f}, {x, 39.75f + s, 1.5f}}, th.slate.right, 1, iso.tile() < 16 ? 0.5f : 0.9f);
    }
    const int doors = std::max(1, static_cast<int>((half - 0.4f) / 0.62f));
    for (int i = 0; i < doors; ++i) {
      const float x = a + static_cast<float>(i) * 0.62f;
      iso.left(x + 0.25f, x + 0.7f, 39.9f + s, 0.15f, 1.2f, th.deep(th.slate.left, 0.35f));
    }
  }
}

void warehouse(const Iso& iso, float s, float more) {
  const Palette& th = iso.palette();
  const float wide = 13.4f + more;
  iso.box(8.8f, 46.6f + s, 8.8f + wide, 49.8f + s, 0, 2.2f, th.slate);
  for (float x = 8.8f + 1.117f; x < 8.8f + wide - 0.6f; x += 1.117f) iso.line({{x, 46.6f + s, 2.2f}, {x, 49.8f + s, 2.2f}}, th.slate.left, 1.2f, iso.tile() < 16 ? 0.5f : 0.9f);
  for (float x = 9.2f; x + 1.7f < 8.8f + wide; x += 2.2f) iso.left(x, x + 1.7f, 49.8f + s, 0, 1.3f, th.deep(th.slate.left, 0.35f));
}

void shelf(const Iso& iso, const FloorInput& in) {
  const Palette& th = iso.palette();
  for (std::size_t i = 0; i < 72 && i < in.sm.shelf.size(); ++i) {
    const float a = 22.6f + static_cast<float>(i / 3) * 0.555f, z = 0.12f + static_cast<float>(i % 3) * 0.41f, y = 25 + in.layout.shift, full = in.sm.shelf[i];
    iso.left(a, a + 0.44f, y, z, z + 0.3f, th.deep(th.slate.left));
    if (full > 0) iso.left(a, a + 0.44f, y, z, z + 0.3f * std::max(0.15f, full), th.slate.top);
  }
}

// Requests that wait for the load/store unit or are in it: their pallets stand on the platform.
void dock(const Iso& iso, const FloorInput& in) {
  float x = FloorLayout::dockX0 + 0.9f;
  const float y = 25 + in.layout.shift;
  const auto stack = [&](const presenter::TruckView& t) {
    if (x > FloorLayout::dockX1 - 0.8f) return;
    const std::size_t rows = std::min<std::size_t>(3, t.used.size());
    for (std::size_t i = 0; i < rows; ++i) goods(iso, x, x + 0.5f, y + static_cast<float>(i) * 0.62f, 0.3f, t.used[i]);
    x += 0.8f;
  };
  for (const presenter::TruckView& t : in.frame.trucks)
    if (t.sm == in.sm.sm && t.from == presenter::Station::Dock) stack(t);
  for (const presenter::TruckView& t : in.frame.dock)
    if (t.sm == in.sm.sm) stack(t);
}

}  // namespace

namespace {

struct BenchAt { const BlockView* block; std::size_t warp; float depth; };

// Benches are low: rows from the back, each from left to right.
std::vector<BenchAt> benchOrder(const FloorInput& in) {
  std::vector<BenchAt> order;
  for (const BlockView& block : in.sm.blocks)
    if (block.used)
      for (std::size_t w = 0; w < block.places.size(); ++w) {
        const Vec2 p = in.layout.bench(block, w);
        order.push_back({&block, w, p.y * 100 + p.x});
      }
  std::stable_sort(order.begin(), order.end(), [](const BenchAt& a, const BenchAt& b) { return a.depth < b.depth; });
  return order;
}

}  // namespace

void drawFloor(const Iso& iso, const FloorInput& in) {
  bars(iso, in);
  for (std::size_t b = 0; b < 4; ++b) board(iso, in, b);
  routes(iso, in);
  for (const BlockView& block : in.sm.blocks)
    if (block.slot < in.layout.rooms.size()) gate(iso, in.layout.rooms[block.slot], block);
  for (const BenchAt& a : benchOrder(in)) bench(iso, in, *a.block, a.warp);
  shelf(iso, in);
  dock(iso, in);
}

void drawYard(const Iso& iso, std::span<const FloorInput> inputs) {
  const float shift = inputs.front().layout.shift, more = static_cast<float>(inputs.size() - 1) * floorPitch;
  std::vector<RoadTraffic> traffic;
  for (const FloorInput& in : inputs) traffic.push_back(placeTrucks(in.frame, in.layout, in.sm.sm));
  const auto trucks = [&](bool beforeDepot) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      for (const PlacedTruck& t : traffic[i].placed)
        if (t.beforeDepot == beforeDepot) truck(iso.shifted(static_cast<float>(i) * floorPitch), inputs[i], t);
  };
  trucks(true);
  depot(iso, shift, more);
  trucks(false);
  warehouse(iso, shift, more);
}

void drawChips(const Iso& iso, const FloorInput& in) {
  std::vector<Vec2> taken;
  for (const BenchAt& a : benchOrder(in)) tag(iso, in, *a.block, a.warp, taken);
}

}  // namespace warpmill::scene
