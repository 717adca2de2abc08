// The parts of the floor that do not change with the state.
#include "scene/floor.h"

#include <algorithm>

namespace warpmill::scene {
namespace {

constexpr BoxLook plain{.shadow = false, .rim = true, .top = {}, .left = {}, .right = {}};
constexpr BoxLook bare{.shadow = false, .rim = false, .top = {}, .left = {}, .right = {}};

void island(const Iso& iso, float x0, float y0, float x1, float y1, float h) {
  iso.shadow(x0, y0, x1, y1, 1.2f, -h);
  iso.box(x0, y0, x1, y1, -h, 0, iso.palette().slab, plain);
}

void roads(const Iso& iso, const FloorLayout& l) {
  const Palette& th = iso.palette();
  const Material road{th.road, mix(th.road, th.canvas, 0.35f), mix(th.road, th.canvas, 0.5f)};
  for (const float lane : {FloorLayout::laneOut, FloorLayout::laneBack}) {
    const float x = lane - 0.5f;
    iso.box(x, l.depth, x + 2.3f, 47 + l.shift, -0.3f, 0, road, bare);
    iso.dashed({x + 1.15f, l.depth + 0.3f, 0}, {x + 1.15f, 46 + l.shift, 0}, th.paint, 1, 6, 7, 0.7f);
  }
}

void hall(const Iso& iso, float x) {
  const Palette& th = iso.palette();
  for (int i = 0; i < 4; ++i) iso.box(x + 0.5f + static_cast<float>(i) * 0.55f, 0.7f, x + 0.9f + static_cast<float>(i) * 0.55f, 2.8f, 0, 1.05f, th.stone);
  for (int i = 0; i < 2; ++i) iso.box(x + 3.05f + static_cast<float>(i) * 0.55f, 0.7f, x + 3.45f + static_cast<float>(i) * 0.55f, 2.8f, 0, 0.8f, th.stone);
  iso.box(x + 4.45f, 1.5f, x + 5.45f, 2.8f, 0, 0.5f, th.stone);
  iso.canvas().ellipse(iso.at(x + 4.95f, 2.15f, 0.5f), iso.tile() * 0.24f, iso.tile() * 0.12f, th.stone.right);
  iso.box(x + 5.75f, 0.7f, x + 7.4f, 2.8f, 0, 0.4f, th.stone);
  for (const float px : {x + 5.9f, x + 7.0f}) iso.box(px, 0.9f, px + 0.25f, 1.2f, 0.4f, 1.2f, th.stone, bare);
  iso.box(x + 6.1f, 1.2f, x + 7.05f, 2.4f, 0.62f, 0.8f, th.wall, plain);
  iso.box(x + 5.75f, 0.7f, x + 7.4f, 1.4f, 1.2f, 1.5f, th.stone, plain);
}

void foreman(const Iso& iso, float x) {
  const Palette& th = iso.palette();
  const float board = x + 2.95f;
  iso.shadow(board, 6.7f, board + 2.3f, 6.82f, 1.2f);
  for (const float px : {board, board + 2.1f}) iso.box(px, 6.72f, px + 0.1f, 6.82f, 0, 0.14f, th.wall, bare);
  iso.box(board - 0.08f, 6.7f, board + 2.28f, 6.82f, 0.14f, 1.62f, th.wall, plain);
  const float p = x + 5.9f;
  iso.box(p - 0.5f, 6.1f, p + 0.6f, 7.2f, 0, 0.38f, th.plinth);
  worker(iso, x + 5.7f, 6.45f, 0.38f, {.mark = presenter::LaneMark::Active, .k = 1.5f, .outline = 0, .ground = 0});
}

void store(const Iso& iso, const Room& room, Language language) {
  const Palette& th = iso.palette();
  const float end = room.y1 - 0.7f, start = room.y0 + std::min(0.6f, (room.y1 - room.y0) * 0.1f);
  iso.box(0.9f, start, 2.7f, end, 0, 1.5f, th.slate);
  const float step = (end - start - 0.2f) / 16;
  for (int i = 0; i < 16; ++i)
    for (const float z : {0.16f, 0.82f}) {
      const float a = start + 0.14f + static_cast<float>(i) * step;
      iso.right(2.7f, a, a + step * 0.68f, z, z + 0.48f, th.deep(th.slate.right));
    }
  for (const float y : {room.y0 + 1.0f, room.y1 - 1.4f}) iso.box(4.5f, y, 4.8f, y + 0.3f, 0, 0.9f, th.plinth);
  if (room.rows > 1) iso.paint(3.9f, room.y0 + 3.6f, presenter::word(Word::PaintGate, language), 12.5f, th.paintHi, Iso::Axis::Y);
}

}  // namespace

void drawFloorBase(const Iso& iso, const FloorLayout& l, Language language) {
  const Palette& th = iso.palette();
  constexpr float fx = FloorLayout::width;
  const float shift = l.shift;
  roads(iso, l);
  iso.shadow(0, 0, fx, l.depth, 1.8f, -0.8f);
  iso.box(0, 0, fx, l.depth, -0.8f, 0, th.slab, plain);
  iso.box(-0.25f, -0.25f, fx, 0, -0.8f, 0.9f, th.wall, plain);
  iso.box(-0.25f, 0, 0, l.depth, -0.8f, 0.9f, th.wall, plain);
  for (int b = 1; b < 4; ++b) {
    const float x = FloorLayout::bay0 + static_cast<float>(b) * FloorLayout::bayWidth - 0.3f;
    iso.line({{x, 0.4f, 0}, {x, 7.6f, 0}}, th.paint, 1.2f, 0.8f);
  }
  for (int b = 0; b < 4; ++b) {
    const float x = FloorLayout::bay0 + static_cast<float>(b) * FloorLayout::bayWidth;
    iso.paint(x + 0.25f, 6.5f, presenter::say(Word::PaintBay, language, b), 14, th.paintHi);
    hall(iso, x);
    const std::array<std::pair<float, Word>, 4> names{std::pair{0.5f, Word::PaintFp32}, {3.0f, Word::PaintInt}, {4.3f, Word::PaintSfu}, {5.6f, Word::PaintTensor}};
    for (const auto& [at, name] : names) iso.paint(x + at, 4.1f, presenter::word(name, language), 12.5f, th.paintHi, Iso::Axis::X, 0, 0.2f);
  }
  for (const Room& room : l.rooms) {
    iso.flat(0.5f, room.y0, fx - 0.4f, room.y1, th.room.top);
    iso.box(0.5f, room.y0 - 0.14f, fx - 0.4f, room.y0, 0, 0.24f, th.wall, plain);
    iso.box(0.36f, room.y0 - 0.14f, 0.5f, room.y1, 0, 0.24f, th.wall, plain);
  }
  for (int b = 0; b < 4; ++b) {
    const float x = FloorLayout::bay0 + static_cast<float>(b) * FloorLayout::bayWidth + 7.0f;
    iso.line({{x, 7.2f, 0}, {x, 21.4f + shift, 0}}, th.paint, 1, 0.55f);
  }
  for (int b = 0; b < 4; ++b) foreman(iso, FloorLayout::bay0 + static_cast<float>(b) * FloorLayout::bayWidth);
  for (const Room& room : l.rooms) store(iso, room, language);
  iso.box(22.4f, 23.6f + shift, 36, 25 + shift, 0, 1.35f, th.slate);
  const float dockY = 23.4f + shift;
  iso.box(FloorLayout::dockX0, dockY, FloorLayout::dockX1, l.depth, 0, 0.3f, th.plinth);
  iso.box(FloorLayout::dockX0, dockY, FloorLayout::dockX1, dockY + 1, 0.3f, 1.4f, th.stone);
  for (int i = 0; i < 4; ++i) {
    const float a = FloorLayout::dockX0 + static_cast<float>(i) * 2.8f;
    iso.left(a + 0.6f, a + 2.7f, dockY + 1, 0.3f, 1.15f, th.deep(th.stone.right));
  }
  iso.paint(FloorLayout::dockX0 + 0.3f, l.depth - 0.35f, presenter::word(Word::PaintDock, language), 13.5f, mix(th.paintHi, th.hi, 0.55f), Iso::Axis::X, 0.3f, 0.6f);
  iso.paint(22.5f, 26.2f + shift, presenter::word(Word::PaintShelf, language), 14, th.paintHi);
}

void drawYardBase(const Iso& iso, const FloorLayout& l, std::size_t floors) {
  const Palette& th = iso.palette();
  const float shift = l.shift, more = static_cast<float>(floors - 1) * floorPitch;
  island(iso, 37.6f + more, 11.6f, 41.2f + more, 15.2f, 0.8f);
  iso.line({{37 + more, 13.4f, 0.01f}, {38.2f + more, 13.4f, 0.01f}}, th.paint, 1.2f, 0.9f);
  iso.box(38.4f + more, 12.2f, 40.2f + more, 14.0f, 0, 1.7f, th.stone);
  iso.box(38.25f + more, 12.05f, 40.35f + more, 14.15f, 1.7f, 1.85f, th.plinth, plain);
  iso.left(38.7f + more, 39.9f + more, 14.0f, 0.75f, 1.45f, th.deep(th.stone.right));
  island(iso, 9.2f, 36.9f + shift, 21.8f + more, 40.6f + shift, 0.7f);
  island(iso, 8.2f, 45.6f + shift, 22.8f + more, 50.4f + shift, 0.7f);
  for (float x = 9.0f; x < 21 + more; x += 2.3f) iso.flat(x, 45.8f + shift, x + 1.6f, 46.6f + shift, th.paint, 0, 0.55f);
}

}  // namespace warpmill::scene
