#include "scene/floor.h"

#include <algorithm>
#include <cmath>

namespace warpmill::scene {
namespace {

std::size_t rowsOf(const presenter::SmView& sm) {
  std::size_t rows = std::max<std::size_t>(1, (sm.warpsPerBlock + 3) / 4);
  for (const presenter::BlockView& b : sm.blocks) {
    std::array<std::size_t, 4> inBay{};
    for (const std::uint8_t place : b.places) rows = std::max(rows, ++inBay[place % 4]);
  }
  return rows;
}

}  // namespace

FloorLayout layoutOf(const presenter::SmView& sm, std::size_t leastRows) {
  FloorLayout l;
  const std::size_t blocks = std::max<std::size_t>(1, sm.blocks.size()), rows = std::max(leastRows, rowsOf(sm));
  if (blocks * rows > 4) l.rowPitch = 2.5f;   // many crews: benches stand closer
  const bool many = blocks > 3;
  const float before = many ? 0.6f : 0.9f, after = many ? 0.6f : 1.0f, between = many ? 0.5f : 0.8f;
  float y = 8.0f;
  for (std::size_t b = 0; b < blocks; ++b) {
    const float height = before + static_cast<float>(rows - 1) * l.rowPitch + FloorLayout::benchDepth + after;
    l.rooms.push_back({y, y + height, rows});
    y += height + between;
  }
  l.firstRow = before;
  l.shift = std::max(0.0f, y - between - 22.0f);
  l.depth = 27.6f + l.shift;
  return l;
}

FloorLayout layoutOfAll(const presenter::Frame& frame, std::size_t leastRows) {
  std::size_t rows = leastRows;
  const presenter::SmView* deepest = &frame.sms[frame.focusSm];
  for (const presenter::SmView& sm : frame.sms) {
    rows = std::max(rows, rowsOf(sm));
    if (sm.blocks.size() > deepest->blocks.size()) deepest = &sm;
  }
  return layoutOf(*deepest, rows);
}

Fit fitBuilding(const FloorLayout& layout, std::size_t floors, float width, float height, float top, float bottom) {
  // In tiles: left of the first floor's corner, right of the last one's, above, below.
  const float more = static_cast<float>(floors - 1) * floorPitch;
  const float left = 21.1f + layout.shift / 2, right = (41.2f + more - 11.6f) / 2 + 4, up = 2.2f, down = (22.8f + more + 50.4f + layout.shift) / 4 + 1;
  Fit fit;
  fit.tile = std::max(3.0f, std::min((width - 80) / (left + right), (height - top - bottom - 50) / (up + down)));
  fit.x = std::round((width - (left + right) * fit.tile) / 2 + left * fit.tile);
  fit.y = std::round(top + std::max(30.0f, (height - top - bottom - (up + down) * fit.tile) * 0.5f) + up * fit.tile);
  return fit;
}

Vec2 FloorLayout::bench(const presenter::BlockView& block, std::size_t warp) const {
  const std::uint8_t place = warp < block.places.size() ? block.places[warp] : static_cast<std::uint8_t>(warp % 64);
  std::size_t row = 0;
  for (std::size_t w = 0; w < warp && w < block.places.size(); ++w)
    if (block.places[w] % 4 == place % 4) ++row;
  const Room& room = rooms[std::min<std::size_t>(block.slot, rooms.size() - 1)];
  return {bay0 + static_cast<float>(place % 4) * bayWidth + 1.0f, room.y0 + firstRow + static_cast<float>(row) * rowPitch};
}

Fit fitFloor(const FloorLayout& layout, float width, float height, float top, float bottom) {
  const float wide = 39.7f + layout.shift / 2, high = 19.4f + layout.shift / 4;
  const float margin = width < 1200 ? 40 : 45;
  Fit fit;
  fit.tile = std::max(4.0f, std::min((width - 2 * margin) / wide, (height - top - bottom - 40) / high));
  fit.x = width / 2 + (1.25f + layout.shift / 4) * fit.tile - (width < 1200 ? 0.0f : 0.9f * fit.tile);
  const float spare = std::max(0.0f, height - top - bottom - high * fit.tile);
  fit.y = std::round(top + spare * 0.42f + 0.68f * fit.tile);
  fit.x = std::round(fit.x);
  return fit;
}

RoadTraffic placeTrucks(const presenter::Frame& frame, const FloorLayout& layout, std::uint32_t sm) {
  using presenter::Station;
  RoadTraffic out;
  const float near = layout.depth + 0.5f, far = layout.depth + 5.6f, nearTwo = 41.3f + layout.shift, farTwo = 42.1f + layout.shift;
  struct Wish { const presenter::TruckView* truck; float y; bool back, one; };
  std::vector<Wish> wishes;
  const auto along = [](float a, float b, float t) { return a + (b - a) * t; };
  for (const presenter::TruckView& t : frame.trucks) {
    if (t.sm != sm) continue;
    const std::size_t cars = std::max<std::size_t>(1, (t.used.size() + 3) / 4);
    const auto leave = [&](float y, bool back, bool one) {
      (back ? out.backTotal : out.outTotal) += cars;
      if (back) {
        out.backUsed += t.usedBytes;
        out.backMoved += t.movedBytes;
      }
      wishes.push_back({&t, y, back, one});
    };
    if (t.from == Station::Shelf && t.to == Station::Depot) leave(along(near, far, t.fraction), false, true);
    else if (t.from == Station::Depot && t.to == Station::Warehouse) leave(along(nearTwo, farTwo, t.fraction), false, false);
    else if (t.returning && t.from == Station::Depot) leave(along(far, near, t.fraction), true, true);
    else if (t.returning && t.from == Station::Warehouse) {
      if (t.fraction < 0.4f) leave(along(farTwo, nearTwo, t.fraction / 0.4f), true, false);
      else leave(along(far, near, (t.fraction - 0.4f) / 0.6f), true, true);
    }
  }
  // The one that is farthest on its way goes first; the selected request always finds room.
  std::stable_sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) { return a.truck->focused > b.truck->focused; });
  const auto place = [&](const Wish& w, float y, std::size_t pallet) {
    if (w.one ? (y < near - 0.01f || y > far + 0.01f) : (y < nearTwo - 0.01f || y > farTwo + 0.01f)) return false;
    for (const PlacedTruck& p : out.placed)
      if (p.back == w.back && std::fabs(p.y - y) < 4.0f) return false;
    out.placed.push_back({w.truck, w.back ? FloorLayout::laneBack : FloorLayout::laneOut, y, w.back, w.one, pallet});
    ++(w.back ? out.backSeen : out.outSeen);
    return true;
  };
  for (const Wish& w : wishes) {
    if (!place(w, w.y, 0)) continue;
    for (std::size_t pallet = 4; pallet < w.truck->used.size(); pallet += 4)   // the rest of a long request follows
      if (!place(w, w.y + (w.back ? 4.2f : -4.2f) * static_cast<float>(pallet / 4), pallet)) break;
  }
  std::stable_sort(out.placed.begin(), out.placed.end(), [](const PlacedTruck& a, const PlacedTruck& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
  return out;
}

}  // namespace warpmill::scene
