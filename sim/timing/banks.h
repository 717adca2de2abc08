// In how many passes (wavefronts) an SM's memory array serves a request. L1 and shared memory are one array of 32 banks of 4 bytes: lanes
// that want different words of one bank are served one after another.
// Simplified: loads of 8 and 16 bytes go in halves and quarters of a warp unless all lanes together meet no conflict.
// Source: measured on an H200 with strides of 0 to 33 words, 4 to 16 bytes a lane.
#pragma once

#include "exec/code.h"

#include <array>
#include <cstdint>
#include <vector>

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

// The same with a memory of late patterns: instructions mostly access the same pattern again, moved by a multiple of 16 bytes, which meets
// the same conflicts.
class KnownWavefronts {
 public:
  Wavefronts of(const exec::MemoryAccess& access, bool serial);

 private:
  struct Pattern {
    std::array<std::uint32_t, 32> distance{};  // from the first lane's address
    exec::LaneMask lanes = 0;
    std::uint32_t how = 0;                     // bytes of a lane, kind, first lane's address modulo 16
    Wavefronts wavefronts;
  };
  std::vector<Pattern> patterns_;              // made when first asked
};

}  // namespace warpmill::timing
