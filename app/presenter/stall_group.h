// Eight groups of stall reasons, each with a letter: what a crew's chip shows. Nsight's fifteen names map onto them.
#pragma once

#include "timing/stall.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpmill::presenter {

enum class StallGroup : std::uint8_t {
  Working,       // W: issued in the cycle shown
  Ready,         // R: could issue, another warp was picked
  Global,        // G: waits for global or local memory
  Short,         // S: waits for shared memory or a special function
  Queue,         // Q: the load/store queue is full
  Barrier,       // B: waits at a barrier or for its own stores
  Machine,       // M: pipe busy or fixed latency
  Instruction    // I: no instruction to issue
};
inline constexpr std::size_t stallGroupCount = 8;
inline constexpr std::array<StallGroup, stallGroupCount> stallGroups{StallGroup::Working, StallGroup::Ready,   StallGroup::Global,
                                                                      StallGroup::Short,   StallGroup::Queue,   StallGroup::Barrier,
                                                                      StallGroup::Machine, StallGroup::Instruction};

[[nodiscard]] char letterOf(StallGroup group);
[[nodiscard]] StallGroup groupOf(timing::Stall stall);

}  // namespace warpmill::presenter
