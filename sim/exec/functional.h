// A whole grid run for its results only, without time: blocks in their order, warps in turn (see scheduler.h), on one thread or
// several (parallel.h); the order is the natural one or a seed's (order.h).
#pragma once

#include "exec/code.h"

namespace warpmill::exec {

class Observer;

struct FunctionalLimits {
  std::uint64_t maxInstructions = 0;  // warp instructions; 0: none. Reaching it gives the fault `hang`
  std::uint32_t maxFaults = 64;       // faults are counted by kind and line; so many different ones are kept
  bool stopAtFirstFault = false;
  std::uint64_t residentBlocks = 0;   // that the device holds at a time; 0: not known, any number
  unsigned jobs = 1;                  // threads; the results do not depend on it
  Observer* observer = nullptr;       // sees the instructions of the run, which then has one thread only; its faults are the run's
};

struct FunctionalRun {
  std::vector<machine::Fault> faults;       // by kind and instruction, first occurrence each, with counts
  std::uint64_t warpInstructions = 0;       // PTX instructions issued, a warp counts one
  std::uint64_t threadInstructions = 0;     // sum of executing lanes
};

// Adds a run of later blocks: what is collected in the order of blocks is put together here.
void append(FunctionalRun& run, const FunctionalRun& later, std::uint32_t maxFaults);

FunctionalRun runFunctional(const Code& code, machine::Memory& memory, const FunctionalLimits& limits);

}  // namespace warpmill::exec
