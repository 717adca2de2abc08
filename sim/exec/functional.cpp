#include "exec/functional.h"

#include "exec/cluster.h"
#include "exec/cluster_run.h"
#include "exec/faults.h"
#include "exec/parallel.h"
#include "exec/scheduler.h"

namespace warpmill::exec {

void append(FunctionalRun& run, const FunctionalRun& later, std::uint32_t maxFaults) {
  run.warpInstructions += later.warpInstructions;
  run.threadInstructions += later.threadInstructions;
  for (const machine::Fault& f : later.faults) mergeFault(run.faults, f, maxFaults);
}

FunctionalRun runFunctional(const Code& code, machine::Memory& memory, const FunctionalLimits& limits) {
  FunctionalRun result;
  if (limits.observer != nullptr) limits.observer->begin(code, memory, result.faults, limits.maxFaults);
  if (clusterSize(code.context()) > 1) runClusters(code, memory, limits, result);
  else if (limits.observer == nullptr && limits.jobs > 1 && blockCount(code) > 1) runParallel(code, memory, limits, result);
  else Scheduler(code, memory, limits, result).runTo(blockCount(code));
  if (limits.observer != nullptr) limits.observer->end();
  return result;
}

}  // namespace warpmill::exec
