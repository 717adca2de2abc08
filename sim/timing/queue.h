// Stations of the machine as queues that remember when they are free next; internal to the room.
#pragma once

#include "timing/state.h"

#include <algorithm>
#include <cmath>

namespace warpmill::timing {

inline std::uint64_t cycleUp(Ticks t) { return (t + ticksPerCycle - 1) / ticksPerCycle; }
inline Ticks ticks(double cycles) { return static_cast<Ticks>(std::llround(cycles * static_cast<double>(ticksPerCycle))); }

// Takes `cost` of a queue at `now`; gives the cycle at which it is served.
inline std::uint64_t serve(Ticks& freeAt, std::uint64_t now, Ticks cost) {
  freeAt = std::max(freeAt, now * ticksPerCycle) + cost;
  return cycleUp(freeAt);
}

// The same of a queue that requests reach out of order, because each is followed to its end when it is issued: what the queue could have
// served of late, within `slack` cycles, it still can.
inline std::uint64_t serveOutOfOrder(Ticks& freeAt, std::uint64_t now, Ticks cost, std::uint64_t slack) {
  freeAt = std::max(freeAt, (now > slack ? now - slack : 0) * ticksPerCycle) + cost;
  return std::max(cycleUp(freeAt), now + cycleUp(cost));
}

// Spreads lines over sets, slices and channels, so that power-of-two strides do not meet in one place (hardware hashes too).
inline std::uint64_t spread(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 29;
  return x;
}

inline constexpr std::uint32_t sectorBytes = 32, lineBytes = 128;

}  // namespace warpmill::timing
