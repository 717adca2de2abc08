// Who accessed a place when, in 64 bits: block 22, warp 5, lane 5, time 16, pc 14, strength 2. Time is the warp's own count of its acts
// of synchronisation. 0: nobody.
#pragma once

#include <cstdint>

namespace warpmill::faults {

using Epoch = std::uint64_t;

inline constexpr std::uint32_t mostBlocks = 1u << 22;       // launches with more are not checked for races between blocks
inline constexpr std::uint32_t lastTime = 0xFFFF;           // a warp that synchronised more often: from there on all counts as ordered
inline constexpr std::uint32_t unknownPc = 0x3FFF;

// Plain accesses race with any unordered one. Strong ones (atomics, volatile, relaxed) do not race with each other within their scope.
enum Strength : std::uint32_t { Plain = 0, Strong = 1, StrongInBlock = 2 };

inline Epoch makeEpoch(std::uint32_t block, std::uint32_t warp, std::uint32_t lane, std::uint32_t time, std::uint32_t pc, Strength strength) {
  return Epoch{block} << 42 | Epoch{warp} << 37 | Epoch{lane} << 32 | Epoch{time} << 16 | Epoch{pc < unknownPc ? pc : unknownPc} << 2 | strength;
}
inline std::uint32_t threadOf(Epoch e) { return static_cast<std::uint32_t>(e >> 32); }  // block, warp and lane together
inline std::uint32_t blockOf(Epoch e) { return static_cast<std::uint32_t>(e >> 42); }
inline std::uint32_t warpOf(Epoch e) { return static_cast<std::uint32_t>(e >> 37) & 31; }
inline std::uint32_t laneOf(Epoch e) { return static_cast<std::uint32_t>(e >> 32) & 31; }
inline std::uint32_t timeOf(Epoch e) { return static_cast<std::uint32_t>(e >> 16) & 0xFFFF; }
inline std::uint32_t pcOf(Epoch e) { return static_cast<std::uint32_t>(e >> 2) & unknownPc; }
inline Strength strengthOf(Epoch e) { return static_cast<Strength>(e & 3); }

}  // namespace warpmill::faults
