// The order of a functional run: blocks one after the other, each with all its warps in turn. A block whose turn is over without having
// ended (it waits for others, or is long) goes on later, and the next ones are started beside it. This order defines the results; running
// blocks side by side (see parallel.h) must give the same.
#pragma once

#include "exec/functional.h"
#include "exec/issuer.h"
#include "exec/order.h"
#include "exec/warp_turn.h"

#include <deque>

namespace warpmill::exec {

class Scheduler {
 public:
  Scheduler(const Code& code, machine::Memory& memory, const FunctionalLimits& limits, FunctionalRun& result);

  // Runs blocks in their order until `position` blocks have started and all that have started have ended. False when the run is over: a
  // limit was reached, or the first fault where that ends it.
  bool runTo(std::uint64_t position);
  // The same for blocks [first, last) that need nobody: false when one does not end within its turn, or anything else is out of the
  // ordinary, and the stretch must be done again by runTo.
  bool runAlone(std::uint64_t first, std::uint64_t last);

  [[nodiscard]] std::uint64_t position() const { return next_; }  // blocks started so far
  void setPosition(std::uint64_t position) { next_ = position; }

 private:
  using End = RunEnd;
  struct Budget { std::uint64_t instructions, polls; };

  End warpRuns(machine::Block& block, machine::Warp& warp, Budget& budget);
  End blockRuns(machine::Block& block);
  void start(machine::Block& block, std::uint64_t position) const;
  bool goesRoundForEver();
  [[nodiscard]] std::size_t mostAtOnce() const;
  [[nodiscard]] std::uint64_t turnLength(const machine::Warp& warp, const machine::Block& block) const;

  const Code& code_;
  machine::Memory& memory_;
  const FunctionalLimits& limits_;
  FunctionalRun& result_;
  StepOutcome outcome_{};
  Issuer issuer_;
  BlockOrder order_;
  std::uint64_t blocks_, seed_, next_ = 0;
  // Blocks that run beside one another, and how many turns each has had without ending.
  struct Active {
    machine::Block block;
    std::uint64_t turns = 0;
  };
  std::deque<Active> active_;
  std::uint64_t idle_ = 0, idleLimit_ = 0;  // turns since a block ended last, and how many there must be until the next look at all of them
  machine::Block spare_;
  std::vector<std::uint32_t> warpOrder_;
};

std::uint64_t blockCount(const Code& code);

}  // namespace warpmill::exec
