#include "lesson/layout.h"

#include "base/assert.h"

namespace warpmill::lesson {

std::uint32_t BlockedLayout::elementsPerThread() const {
  const std::uint32_t pass = threads() * perThread;
  return block >= pass ? block / threads() : perThread;
}

std::uint32_t BlockedLayout::copies() const {
  const std::uint32_t pass = threads() * perThread;
  return block >= pass ? 1 : pass / block;
}

std::uint32_t BlockedLayout::elementAt(Place place) const {
  WM_ASSERT(place.warp < warps && place.lane < 32 && place.slot < elementsPerThread(), "a place outside the layout");
  const std::uint32_t thread = place.warp * 32 + place.lane;
  const std::uint32_t pass = threads() * perThread;
  return (place.slot / perThread * pass + thread * perThread + place.slot % perThread) % block;
}

std::vector<BlockedLayout::Place> BlockedLayout::placesOf(std::uint32_t element) const {
  WM_ASSERT(element < block, "an element outside the block");
  const std::uint32_t pass = threads() * perThread;
  std::vector<Place> places;
  for (std::uint32_t copy = 0; copy < copies(); ++copy) {
    const std::uint32_t at = element % pass + copy * block;   // with one copy, block is no less than a pass
    const std::uint32_t thread = at / perThread;
    places.push_back({thread / 32, thread % 32, element / pass * perThread + at % perThread});
  }
  return places;
}

}  // namespace warpmill::lesson
