// One SM as a factory floor: four bays (sub-partitions) across, workshops (blocks) down, the road to depot (L2) and warehouse (DRAM).
// Simplified: the roads show the trucks that have room and count the rest in words; a truck moves evenly between two time stamps of its
// request; the L1 shelf has 72 compartments filled by their share of valid sectors, not L1's sets; halls follow FP32, INT, SFU and tensor
// pipes only (FP64 and FP16 count as FP32).
#pragma once

#include "scene/parts.h"

#include <span>
#include <vector>

namespace warpmill::scene {

struct Room { float y0, y1; std::size_t rows; };

// Where things stand, in grid units: follows from how many blocks and warps the launch puts on an SM.
struct FloorLayout {
  static constexpr float width = 37, bay0 = 5, bayWidth = 8, laneOut = 11.6f, laneBack = 16.6f, dockX0 = 8.6f, dockX1 = 20.6f, benchLength = 5, benchDepth = 1.6f;
  std::vector<Room> rooms;
  float rowPitch = 3.1f, firstRow = 0.9f;
  float depth = 27.6f;      // of the floor; the rest follows it
  float shift = 0;          // depth beyond the smallest floor's
  [[nodiscard]] Vec2 bench(const presenter::BlockView& block, std::size_t warp) const;
};

// `leastRows`: rows of benches a workshop has at least, so that a floor does not jump when later blocks lie less evenly.
FloorLayout layoutOf(const presenter::SmView& sm, std::size_t leastRows = 1);

// The tile size and origin at which the whole floor fits between the margins.
struct Fit { float x = 0, y = 0, tile = 0; };
Fit fitFloor(const FloorLayout& layout, float width, float height, float top, float bottom);

// Floors of one building stand beside each other along x; depot and warehouse before them are theirs together.
inline constexpr float floorPitch = 40;
FloorLayout layoutOfAll(const presenter::Frame& frame, std::size_t leastRows);
Fit fitBuilding(const FloorLayout& layout, std::size_t floors, float width, float height, float top, float bottom);

struct FloorInput {
  const presenter::Frame& frame;
  const presenter::SmView& sm;
  const FloorLayout& layout;
  Language language;
  Vec2 corner{0, 0};   // an overlay takes the top right corner: its left edge and its lower edge
};

// What stays while layout and camera stay.
void drawFloorBase(const Iso& iso, const FloorLayout& layout, Language language);
// The yard's ground: islands of clerk, depot and warehouse. `floors` share it; `iso` is the first floor's.
void drawYardBase(const Iso& iso, const FloorLayout& layout, std::size_t floors);
// What the frame moves: bars, boards, routes, benches, goods.
void drawFloor(const Iso& iso, const FloorInput& input);
// Trucks, with the buildings that hide them; one input a floor, `iso` is the first floor's.
void drawYard(const Iso& iso, std::span<const FloorInput> inputs);
void drawChips(const Iso& iso, const FloorInput& input);
// A whole small machine: up to four floors beside each other.
void drawBuildingBase(const Iso& iso, const presenter::Frame& frame, const FloorLayout& layout, Language language);
void drawBuilding(const Iso& iso, const presenter::Frame& frame, const FloorLayout& layout, Language language);
// Annotations; `compact`: the few of the small view.
void drawFloorNotes(const Iso& iso, const FloorInput& input, bool compact);

// Trucks that find room on the roads, and how many do not.
struct PlacedTruck { const presenter::TruckView* truck; float x, y; bool back; bool beforeDepot; std::size_t firstPallet; };
struct RoadTraffic {
  std::vector<PlacedTruck> placed;
  std::size_t outTotal = 0, outSeen = 0, backTotal = 0, backSeen = 0;
  std::uint64_t backUsed = 0, backMoved = 0;
};
RoadTraffic placeTrucks(const presenter::Frame& frame, const FloorLayout& layout, std::uint32_t sm);

}  // namespace warpmill::scene
