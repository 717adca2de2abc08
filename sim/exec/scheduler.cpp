#include "exec/scheduler.h"

#include "exec/async.h"
#include "exec/divergence.h"
#include "exec/faults.h"
#include "exec/livelock.h"
#include "exec/standstill.h"

#include <algorithm>
#include <bit>

namespace warpmill::exec {
namespace {

constexpr std::uint64_t blockTurn = 1u << 22;      // instructions a block runs before another block is started beside it
constexpr std::uint64_t blockPolls = 2048;         // or rounds of polling loops, of all its warps together
constexpr std::size_t maxBlocksAtOnce = 2048;      // more than any device holds

}  // namespace

std::uint64_t blockCount(const Code& code) {
  const Dim3& grid = code.context().grid;
  return std::uint64_t{grid.x} * grid.y * grid.z;
}

Scheduler::Scheduler(const Code& code, machine::Memory& memory, const FunctionalLimits& limits, FunctionalRun& result)
    : code_(code), memory_(memory), limits_(limits), result_(result), issuer_(code, memory, outcome_), order_(blockCount(code), code.context().seed),
      blocks_(blockCount(code)), seed_(code.context().seed) {
  issuer_.observe(limits.observer);
}

void Scheduler::start(machine::Block& block, std::uint64_t position) const {
  const std::uint32_t sms = code_.context().smCount == 0 ? 1 : code_.context().smCount;
  code_.startBlock(block, order_.at(position), static_cast<std::uint32_t>(position % sms));
}

std::uint64_t Scheduler::turnLength(const machine::Warp& warp, const machine::Block& block) const {
  if (seed_ == 0) return warpTurn;
  return 1 + scramble(seed_ ^ scramble(block.linear << 8 ^ warp.indexInBlock) ^ scramble(warp.instructionsIssued)) % 256;
}

Scheduler::End Scheduler::warpRuns(machine::Block& block, machine::Warp& warp, Budget& budget) {
  issuer_.bind(block, warp);
  Issuer::Count spent;
  const End end = runTurn(issuer_, outcome_, limits_, result_, warp, turnLength(warp, block), spent,
                          [&] { return limits_.stopAtFirstFault && !result_.faults.empty(); });
  budget.instructions -= std::min(budget.instructions, spent.instructions);
  budget.polls -= std::min(budget.polls, spent.polls);
  return end;
}

Scheduler::End Scheduler::blockRuns(machine::Block& block) {
  Budget budget{blockTurn, blockPolls};
  while (budget.instructions != 0 && budget.polls != 0) {
    bool moved = false;
    warpOrder_.resize(block.warps.size());
    std::iota(warpOrder_.begin(), warpOrder_.end(), 0u);
    if (seed_ != 0) shuffle(warpOrder_, scramble(seed_ ^ scramble(block.linear)) ^ budget.instructions);
    for (const std::uint32_t w : warpOrder_) {
      machine::Warp& warp = block.warps[w];
      if (!runnable(warp)) continue;
      moved = true;
      const End end = warpRuns(block, warp, budget);
      if (end == End::Limit || end == End::Fault) return end;
    }
    if (block.done()) return End::Done;
    if (!moved && !expireWaits(block) && !letGoOn(block)) return End::Stuck;
  }
  return End::Turn;
}

std::size_t Scheduler::mostAtOnce() const {
  return limits_.residentBlocks == 0 ? maxBlocksAtOnce : std::min<std::size_t>(maxBlocksAtOnce, limits_.residentBlocks);
}

// After a turn of the first active block that did not end it: has nothing in it, or in all of them, any chance to change?
// Looked at ever more seldom, so that it costs a kernel that works nothing to speak of.
bool Scheduler::goesRoundForEver() {
  Active& first = active_.front();
  std::vector<const machine::Block*> blocks{&first.block};
  std::optional<std::vector<EndlessRound>> rounds;
  if (std::has_single_bit(++first.turns)) rounds = livelockOf(code_, memory_, blocks, true, false);
  std::uint64_t notStarted = 0;
  if (!rounds && ++idle_ >= std::max<std::uint64_t>(idleLimit_, active_.size()) && (next_ == blocks_ || active_.size() >= mostAtOnce())) {
    blocks.clear();
    for (const Active& a : active_) blocks.push_back(&a.block);
    rounds = livelockOf(code_, memory_, blocks, false, false);
    idleLimit_ = 2 * idle_;
    notStarted = blocks_ - next_;
  }
  if (!rounds) return false;
  mergeFault(result_.faults, livelockFault(code_, memory_, *rounds, blocks, notStarted), limits_.maxFaults);
  return true;
}

bool Scheduler::runTo(std::uint64_t position) {
  position = std::min(position, blocks_);
  while (next_ < position || !active_.empty()) {
    // A block that has had its turn may wait for one that has not started: start the next beside it.
    if (next_ < blocks_ && active_.size() < mostAtOnce() && (next_ < position || !active_.empty())) {
      active_.push_front({std::move(spare_), 0});
      start(active_.front().block, next_);
      ++next_;
    }
    machine::Block& block = active_.front().block;
    switch (blockRuns(block)) {
      case End::Done:
        spare_ = std::move(block);
        active_.pop_front();
        idle_ = idleLimit_ = 0;
        break;
      case End::Turn:
        if (goesRoundForEver()) return false;
        active_.push_back(std::move(active_.front()));
        active_.pop_front();
        break;
      case End::Stuck:
        if (const auto fault = deadlockOf(code_, block)) mergeFault(result_.faults, *fault, limits_.maxFaults);
        active_.pop_front();
        break;
      case End::Limit:
        if (const auto fault = unfinishedIn(code_, block, result_.warpInstructions)) mergeFault(result_.faults, *fault, limits_.maxFaults);
        return false;
      case End::Fault: return false;
    }
  }
  return true;
}

bool Scheduler::runAlone(std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t position = first; position < last; ++position) {
    start(spare_, position);
    const End end = blockRuns(spare_);
    if (end == End::Stuck) {
      if (const auto fault = deadlockOf(code_, spare_)) mergeFault(result_.faults, *fault, limits_.maxFaults);
    } else if (end != End::Done) {
      return false;
    }
    if (memory_.log() != nullptr && memory_.log()->turnNeeded()) return false;
  }
  return true;
}

}  // namespace warpmill::exec
