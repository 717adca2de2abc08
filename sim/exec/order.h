// What hardware leaves open, chosen by a seed: the order of blocks, of the warps of a block and how long each runs before the next one's
// turn, and the order in which lanes of one atomic instruction take effect. Seed 0 is the natural order: rising numbers.
// Simplified: hardware interleaves in any way; here blocks follow one another and warps take turns, in an order that the seed chooses.
#pragma once

#include "exec/op.h"

#include <numeric>
#include <utility>

namespace warpmill::exec {

// The finaliser of splitmix64: every bit of the result hangs on every bit of x.
inline std::uint64_t scramble(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// A permutation of 0 ... count-1 that needs no table: a Feistel network over the next larger square, walked until it is inside.
class BlockOrder {
 public:
  BlockOrder(std::uint64_t count, std::uint64_t seed) : count_(count), seed_(seed) {
    while ((std::uint64_t{1} << (2 * halfBits_)) < count) ++halfBits_;
  }
  [[nodiscard]] std::uint64_t at(std::uint64_t position) const {
    if (seed_ == 0) return position;
    const std::uint64_t mask = (std::uint64_t{1} << halfBits_) - 1;
    do {
      std::uint64_t left = position >> halfBits_, right = position & mask;
      for (std::uint64_t round = 0; round < 4; ++round)
        left = std::exchange(right, left ^ (scramble(seed_ ^ scramble(round << 32 ^ right)) & mask));
      position = left << halfBits_ | right;
    } while (position >= count_);
    return position;
  }

 private:
  std::uint64_t count_, seed_;
  unsigned halfBits_ = 1;
};

// Rearranges numbers by a key.
template <class Numbers> void shuffle(Numbers& numbers, std::uint64_t key) {
  for (std::size_t i = numbers.size(); i > 1; --i) {
    key = scramble(key);
    std::swap(numbers[i - 1], numbers[key % i]);
  }
}

// The lanes of an atomic instruction in the order in which they take effect.
template <class F> void eachLaneInOrder(const Exec& x, LaneMask mask, F body) {
  const std::uint64_t seed = x.code->context().seed;
  if (seed == 0 || (mask & (mask - 1)) == 0) {
    for (; mask != 0; mask &= mask - 1) body(static_cast<unsigned>(std::countr_zero(mask)));
    return;
  }
  std::array<std::uint8_t, machine::warpSize> lanes{};
  std::iota(lanes.begin(), lanes.end(), std::uint8_t{0});
  shuffle(lanes, scramble(seed ^ scramble(x.block->linear ^ std::uint64_t{x.warp->indexInBlock} << 40)) ^ x.warp->instructionsIssued);
  for (const std::uint8_t lane : lanes)
    if ((mask >> lane & 1) != 0) body(lane);
}

}  // namespace warpmill::exec
