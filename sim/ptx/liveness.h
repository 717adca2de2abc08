// Which registers are live where a block begins: the fixed point that every liveness question starts from.
#pragma once

#include "ptx/module.h"

namespace warpmill::ptx {

class Liveness {
 public:
  using Bits = std::vector<std::uint64_t>;  // by register of the function
  static void set(Bits& b, std::uint32_t i) { b[i / 64] |= 1ull << (i % 64); }
  static void clear(Bits& b, std::uint32_t i) { b[i / 64] &= ~(1ull << (i % 64)); }
  static bool has(const Bits& b, std::uint32_t i) { return (b[i / 64] >> (i % 64) & 1) != 0; }

  // `successors[b]`: the blocks behind block b. `stepBack(pc, live)` turns what is live behind an instruction into what is live before it.
  template <class StepBack>
  Liveness(const Function& function, const std::vector<std::vector<std::uint32_t>>& successors, StepBack stepBack)
      : function_(function), successors_(successors), liveIn_(function.blockBegin.size(), Bits(function.registers.size() / 64 + 1, 0)) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t b = static_cast<std::uint32_t>(liveIn_.size()); b-- > 0;) {
        Bits live = behind(b);
        for (std::uint32_t pc = blockEnd(b); pc-- > function.blockBegin[b];) stepBack(pc, live);
        if (live == liveIn_[b]) continue;
        liveIn_[b] = std::move(live);
        changed = true;
      }
    }
  }

  // Live behind the last instruction of the block.
  [[nodiscard]] Bits behind(std::uint32_t block) const {
    Bits live(function_.registers.size() / 64 + 1, 0);
    for (const std::uint32_t s : successors_[block])
      for (std::size_t w = 0; w < live.size(); ++w) live[w] |= liveIn_[s][w];
    return live;
  }
  [[nodiscard]] std::uint32_t blockEnd(std::uint32_t block) const {
    return block + 1 < function_.blockBegin.size() ? function_.blockBegin[block + 1] : static_cast<std::uint32_t>(function_.instructions.size());
  }

 private:
  const Function& function_;
  const std::vector<std::vector<std::uint32_t>>& successors_;
  std::vector<Bits> liveIn_;
};

}  // namespace warpmill::ptx
