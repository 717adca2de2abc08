// One resident block (CTA): its warps, shared memory and barriers.
#pragma once

#include "machine/warp.h"

#include <array>
#include <cstdint>
#include <vector>

namespace warpmill::machine {

struct BlockBarrier {
  std::uint32_t arrivedThreads = 0;
  std::uint32_t expectedThreads = 0;   // 0: all threads of the block that have not exited
  std::uint64_t generation = 0;        // how often it has opened
  bool operator==(const BlockBarrier&) const = default;
};

struct Block {
  std::uint64_t linear = 0;                    // x + y * grid.x + z * grid.x * grid.y
  std::array<std::uint32_t, 3> index{0, 0, 0};
  std::uint32_t sm = 0;                        // %smid
  std::uint32_t threadCount = 0;
  std::vector<Warp> warps;
  std::vector<std::uint8_t> shared;            // static part first, then the dynamic part
  std::array<BlockBarrier, 16> barriers{};
  std::vector<Arrival> arrivals;               // to mbarriers of this block, in the order of issue
  std::uint32_t expiredWaits = 0;              // times in a row that suspended waits were let go because nothing else could run

  [[nodiscard]] bool done() const {
    for (const Warp& w : warps)
      if (!w.done()) return false;
    return true;
  }
  bool operator==(const Block&) const = default;
};

}  // namespace warpmill::machine
