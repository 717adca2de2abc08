// In how many passes (wavefronts) an SM's memory array serves a request. L1 and shared memory are one array of 32 banks of 4 bytes: lanes
// that want different words of one bank are served one after another.
// Simplified: loads of 8 and 16 bytes go in halves and quarters of a warp unless all lanes together meet no conflict.
// Source: measured on an H200 with strides of 0 to 33 words, 4 to 16 bytes a lane.
#pragma once

#include "exec/code.h"

#include <cstdint>

namespace warpmill::timing {

struct Wavefronts {
  std::uint32_t passes = 0;
  std::uint32_t ideal = 0;  // without conflicts
};

// `serial`: lanes that want the same word take a pass each, too (atomics).
// A loop of load, addition and compare-and-swap in which each bank lets one lane through a round: how often it goes round, and the passes of all
// its loads.
struct SwapLoop { std::uint32_t rounds = 0, passes = 0; };
SwapLoop swapLoopOf(const exec::MemoryAccess& access);

Wavefronts wavefrontsOf(const exec::MemoryAccess& access, bool serial);

}  // namespace warpmill::timing
