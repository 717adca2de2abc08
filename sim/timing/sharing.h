// Which of the data that a block reads its neighbours read too, seen by running some blocks without time: along each axis of the grid
// blocks are compared with a few others of the same row, column or layer. A share of the SMs reads only its part of such data from DRAM;
// the rest the other SMs would have brought to L2.
// Simplified: a piece of data is read by all blocks along an axis or by as many as the few show; halos of neighbours are not looked for.
#pragma once

#include "exec/prepare.h"

#include <cstdint>
#include <vector>

namespace warpmill::timing {

// Of one buffer; in bytes that DRAM would move, counted in pieces of 64.
struct BufferReads {
  std::uint64_t base = 0, end = 0;     // addresses
  double perBlock = 0;                 // that a block reads
  // That all blocks read, and those that are resident together: what several read counts once. Where later blocks read again what the few do
  // not show, the former is more than the buffer has.
  double ofGrid = 0, ofWave = 0;
  double ofShare = 0;                  // the same of the share's resident blocks
};

struct Sharing {
  std::vector<BufferReads> buffers;    // those that blocks read
  double atomicSectors = 0;            // different sectors that atomics of the whole grid touch; 0: there are none
  [[nodiscard]] double perBlock() const;
  [[nodiscard]] double ofGrid() const;
  [[nodiscard]] double ofWave() const;
  [[nodiscard]] double ofShare() const;
};

// `wave`: blocks that are resident on the device together; `share`: on the share of it.
Sharing lookAtSharing(const exec::PreparedLaunch& launch, std::uint64_t wave, std::uint64_t share);

}  // namespace warpmill::timing
