// One warp's turn in a functional run, the same whether blocks run one by one (scheduler.h) or in clusters (cluster_run.h).
#pragma once

#include "exec/faults.h"
#include "exec/functional.h"
#include "exec/issuer.h"

#include <algorithm>

namespace warpmill::exec {

inline constexpr std::uint64_t warpTurn = 2048;   // instructions a warp runs before the next one's turn
inline constexpr std::uint64_t warpPolls = 32;    // or rounds of a polling loop

enum class RunEnd : std::uint8_t { Done, Turn, Stuck, Limit, Fault };

// Runs the warp that `issuer` is bound to until it waits, ends or has issued `turn` instructions; adds what it issued to `result` and
// gives it in `spent`. `stop`: asked after each stretch, when its faults are in the result; true ends the run.
template <class Stop>
RunEnd runTurn(Issuer& issuer, const StepOutcome& outcome, const FunctionalLimits& limits, FunctionalRun& result, const machine::Warp& warp,
               std::uint64_t turn, Issuer::Count& spent, Stop stop) {
  spent = {};
  while (spent.instructions < turn && spent.polls < warpPolls && runnable(warp)) {
    std::uint64_t most = turn - spent.instructions;
    if (limits.maxInstructions != 0) {
      if (result.warpInstructions >= limits.maxInstructions) return RunEnd::Limit;
      most = std::min(most, limits.maxInstructions - result.warpInstructions);
    }
    const Issuer::Count count = issuer.run(most, warpPolls - spent.polls);
    result.warpInstructions += count.instructions;
    result.threadInstructions += count.threads;
    spent.instructions += count.instructions;
    spent.threads += count.threads;
    spent.polls += count.polls;
    if (outcome.fault)
      for (const machine::Fault& f : outcome.faults) keepFault(result.faults, issuer.atLast(f), limits.maxFaults, issuer.code(), issuer.block(), warp);
    if (stop()) return RunEnd::Fault;
  }
  return RunEnd::Turn;
}

}  // namespace warpmill::exec
