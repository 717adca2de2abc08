// What bounds a launch: how busy each of the machine's resources was in the time that the run took, and what that means.
// Rules, in order: the fixed cost of a launch is most of the time; the busiest resource works nearly all of the time (starting and ending take
// their part, so that is three quarters, and nine tenths where blocks are started beside everything else); the launch's cost is a quarter of
// the time; else nothing is full, and what the warps wait for most is the bound. Compared with what lifting each bottleneck gains in
// simulations of microbenchmarks, products of matrices, reductions and streams.
// A share is of the time in which the resource could have worked: of an SM's resources while it has blocks, of the device's all the time.
// Simplified: one bound for the whole launch, no phases; `warpmill run --what-if` simulates what lifting each would give.
#pragma once

#include "timing/machine.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmill::profile {

struct Resource {
  std::string name;      // "dram", "l2", "memory_pipe", "issue", "pipe_fma", "atomics", "block_launch", "launch"
  std::string bound;     // what a launch is bound by that fills it: "memory bandwidth"
  double share = 0;      // 0 to 1
  bool isOfSm = false;   // each SM has it; of the device else
  std::string says;      // "DRAM is busy 82 % of the time"
};

struct Verdict {
  std::string bound;     // see bounds()
  std::string limit;     // the same in four words: "memory", "compute", "latency", "overhead"
  std::string sentence;  // why, with the figures
  std::string advice;    // what would help
  std::vector<Resource> resources;   // the fullest first
};

// `timeNs` with the launch's overhead; `dramGbps` what DRAM moves in it.
Verdict verdictOf(const timing::Machine& machine, const timing::MachineState& state, double timeNs, double dramGbps);

// Everything that Verdict::bound may be, and what helps against it.
struct Bound { std::string_view name, limit, advice; };
const std::vector<Bound>& bounds();
std::string_view adviceFor(std::string_view bound);

// Where a launch stands under the device's two roofs. Bytes: what the launch file says is useful; moved: what DRAM moved.
struct Roofline {
  double flops = 0, usefulBytes = 0, movedBytes = 0;      // of the launch; 0: none
  double gflops = 0, peakGflops = 0, peakGbps = 0;        // reached; of the device, FP32 and DRAM
  [[nodiscard]] double usefulIntensity() const { return usefulBytes > 0 ? flops / usefulBytes : 0; }   // FLOP a byte
  [[nodiscard]] double movedIntensity() const { return movedBytes > 0 ? flops / movedBytes : 0; }
  [[nodiscard]] double roofGflops() const;                // at the useful intensity; at the moved one where nothing is said to be useful
};
double peakGflops(const device::Profile& profile);        // FP32, a fused multiply-add counts as two

}  // namespace warpmill::profile
