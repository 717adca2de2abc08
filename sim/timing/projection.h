// The time of a whole launch from a detailed simulation of part of it: a share of the SMs with their share of L2, DRAM and of the
// dispatcher runs its share of the blocks, chosen all over the grid; what it counts is scaled up to the grid.
// How much is simulated follows from the number of instructions alone, so that the result is the same on every machine.
// Simplified: hardware runs every block on every SM; here what differs between blocks that were simulated and others is not seen. Blocks
// that wait for other blocks cannot be taken out of the grid: such launches are simulated whole.
// Source: sampling by time and by thread block as published for simulators (ARCHITECTURE.md, "Timing").
#pragma once

#include "timing/machine.h"

#include <optional>
#include <string>

namespace warpmill::timing {

// What a look at some blocks, run without time, says about the whole grid.
struct GridEstimate {
  std::uint64_t blocks = 0;            // of the grid
  double instructionsPerBlock = 0;     // PTX instructions of warps, mean
  double spread = 0;                   // standard deviation over mean
  double workPerInstruction = 1;       // of simulating it in detail: 1 for plain instructions, more where memory or matrices are much used
  bool alone = true;                   // every block that was looked at ended without the others
  [[nodiscard]] double instructions() const { return instructionsPerBlock * static_cast<double>(blocks); }
  [[nodiscard]] double work() const { return instructions() * workPerInstruction; }
};
GridEstimate estimateGrid(const exec::PreparedLaunch& launch);

// In plain PTX instructions of warps.
struct ProjectionLimits {
  std::uint64_t work = 4'000'000;       // that a part of the device does in about two seconds
  std::uint64_t wholeWork = 3'000'000;  // that the whole device does in them: its warps do not fit into the processor's caches
};

struct Projection {
  std::shared_ptr<const Machine> whole;  // the launch on the whole device
  MachineState state;                    // of the whole launch, as far as counters, cycles and faults go
  std::uint64_t simulatedBlocks = 0;
  std::uint32_t simulatedSms = 0;
  double errorPct = 0;                   // of the time: how far a detailed simulation of everything may be away
  std::string part;                      // what was simulated, in a sentence
  double factor = 1;                     // counts of the whole launch over those of the part
};

// Nothing when the launch can only be simulated whole. `taker` is shown what happens in the part.
std::optional<Projection> project(const std::shared_ptr<const Machine>& whole, const GridEstimate& grid, const ProjectionLimits& limits, const TraceTaker& taker = {});

}  // namespace warpmill::timing
