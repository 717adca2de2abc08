#include "exec/functional.h"

#include "exec/divergence.h"
#include "exec/faults.h"
#include "exec/issuer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>

namespace warpmill::exec {

namespace {

constexpr std::uint32_t warpTurn = 2048;           // instructions a warp runs before the next one's turn
constexpr std::uint64_t blockTurn = 1u << 20;      // instructions a block runs before another block is started beside it
constexpr std::size_t maxBlocksAtOnce = 2048;      // more than any device holds

enum class End : std::uint8_t { Done, Turn, Stuck, Limit, Fault };

struct Runner {
  const Code& code;
  machine::Memory& memory;
  const FunctionalLimits& limits;
  FunctionalRun& result;
  StepOutcome outcome{};
  Issuer issuer{code, memory, outcome};

  // Runs one warp until it waits, ends or its turn is over; counts what it issued.
  End warpRuns(machine::Block& block, machine::Warp& warp, std::uint64_t& budget) {
    issuer.bind(block, warp);
    for (std::uint64_t turn = warpTurn; turn != 0 && runnable(warp);) {
      std::uint64_t most = turn;
      if (limits.maxInstructions != 0) {
        if (result.warpInstructions >= limits.maxInstructions) return End::Limit;
        most = std::min(most, limits.maxInstructions - result.warpInstructions);
      }
      const Issuer::Count count = issuer.run(most);
      result.warpInstructions += count.instructions;
      result.threadInstructions += count.threads;
      turn -= count.instructions;
      budget -= std::min(budget, count.instructions);
      if (outcome.fault) {
        for (const machine::Fault& f : outcome.faults) mergeFault(result.faults, f, limits.maxFaults);
        if (limits.stopAtFirstFault) return End::Fault;
      }
    }
    return End::Turn;
  }

  End blockRuns(machine::Block& block) {
    std::uint64_t budget = blockTurn;
    while (budget != 0) {
      bool moved = false;
      for (machine::Warp& warp : block.warps) {
        if (!runnable(warp)) continue;
        moved = true;
        const End end = warpRuns(block, warp, budget);
        if (end == End::Limit || end == End::Fault) return end;
      }
      if (block.done()) return End::Done;
      if (!moved) return End::Stuck;
    }
    return End::Turn;
  }

  void reportHang(const machine::Block& block) {
    for (const machine::Warp& w : block.warps) {
      if (w.done()) continue;
      const machine::Path& p = w.path();
      machine::Fault f = faultAt(code, block, w, p.pc, static_cast<unsigned>(std::countr_zero(p.lanes)));
      f.kind = machine::FaultKind::Hang;
      f.message = fmt::format("the kernel had not ended after {} warp instructions; warp {} of block ({},{},{}) was at PTX line {}",
                              result.warpInstructions, w.indexInBlock, f.block[0], f.block[1], f.block[2], f.ptxLine);
      f.remedy = "Look for a loop whose condition never changes, or raise the limit on instructions";
      mergeFault(result.faults, f, limits.maxFaults);
      return;
    }
  }
};

}  // namespace

FunctionalRun runFunctional(const Code& code, machine::Memory& memory, const FunctionalLimits& limits) {
  FunctionalRun result;
  Runner runner{code, memory, limits, result};
  const Dim3& grid = code.context().grid;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  const std::uint32_t sms = code.context().smCount == 0 ? 1 : code.context().smCount;
  std::uint64_t next = 0;
  std::deque<machine::Block> active;
  machine::Block spare;
  while (next < blocks || !active.empty()) {
    // A block that has had its turn may wait for one that has not started: start the next beside it.
    if (next < blocks && active.size() < maxBlocksAtOnce) {
      active.push_front(std::move(spare));
      code.startBlock(active.front(), next, static_cast<std::uint32_t>(next % sms));
      ++next;
    }
    machine::Block& block = active.front();
    switch (runner.blockRuns(block)) {
      case End::Done:
        spare = std::move(block);
        active.pop_front();
        break;
      case End::Turn:
        active.push_back(std::move(block));
        active.pop_front();
        break;
      case End::Stuck:
        if (const auto fault = deadlockOf(code, block)) mergeFault(result.faults, *fault, limits.maxFaults);
        active.pop_front();
        break;
      case End::Limit: runner.reportHang(block); return result;
      case End::Fault: return result;
    }
  }
  return result;
}

}  // namespace warpmill::exec
