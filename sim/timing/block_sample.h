// Which blocks of a grid stand for all of them: short runs of neighbours, one out of each of equal stretches of the grid, at a place
// that a hash chooses, so that no pattern of the grid meets a pattern of the choice.
#pragma once

#include "exec/order.h"

#include <cstdint>

namespace warpmill::timing {

class BlockSample {
 public:
  BlockSample() = default;  // all of them
  // `chosen` of `total`, in runs of `run`.
  BlockSample(std::uint64_t total, std::uint64_t chosen, std::uint64_t run) : total_(total), chosen_(chosen), run_(run), runs_((chosen + run - 1) / run) {}

  [[nodiscard]] bool isWhole() const { return runs_ == 0; }
  [[nodiscard]] std::uint64_t count() const { return chosen_; }
  [[nodiscard]] std::uint64_t at(std::uint64_t i) const {
    if (isWhole()) return i;
    const std::uint64_t r = i / run_;
    const std::uint64_t begin = share(r), length = share(r + 1) - begin;
    const std::uint64_t slack = length > run_ ? length - run_ : 0;
    return begin + (slack == 0 ? 0 : exec::scramble(r) % (slack + 1)) + i % run_;
  }

 private:
  // floor(total * r / runs) without overflow.
  [[nodiscard]] std::uint64_t share(std::uint64_t r) const { return total_ / runs_ * r + total_ % runs_ * r / runs_; }
  std::uint64_t total_ = 0, chosen_ = 0, run_ = 1, runs_ = 0;
};

}  // namespace warpmill::timing
