// Where in the program the time goes: what every instruction and every source line issued, moved and waited for, by Nsight Compute's names.
// Gathered from the records of a run in time (timing::Trace), all of them or part by part as they come.
// Simplified: a wait belongs to the instruction that waits, as the profiler's samples do; what the machine issues before the first PTX
// instruction counts for that one.
#pragma once

#include "profile/fault_text.h"
#include "timing/machine.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <string>
#include <vector>

namespace warpmill::profile {

struct HeatCounts {
  std::uint64_t ptxInstructions = 0;       // of warps
  std::uint64_t instructions = 0;          // of the machine: "inst_executed"
  std::uint64_t threadInstructions = 0;    // "thread_inst_executed"
  std::array<std::uint64_t, timing::stallCount> warpCycles{};   // by reason; Selected: cycles in which it issued
  std::uint64_t requests = 0, sectors = 0, idealSectors = 0;    // of global and local memory; ideal: the bytes wanted, in whole sectors
  std::uint64_t dramSectors = 0;                                // of the sectors: those for which DRAM was read
  std::uint64_t sharedRequests = 0, sharedWavefronts = 0;
  void add(const HeatCounts& other);
  [[nodiscard]] std::uint64_t cycles() const;                   // of all reasons
  [[nodiscard]] timing::Stall mostWaitedFor() const;            // Selected: nothing
  bool operator==(const HeatCounts&) const = default;
};

class Heat {
 public:
  explicit Heat(const timing::Machine& machine);
  void take(const timing::Trace& trace);
  void scale(double factor);               // counts of a part to those of the whole
  [[nodiscard]] const std::vector<HeatCounts>& ofInstructions() const { return counts_; }   // by instruction number
  [[nodiscard]] HeatCounts total() const;

 private:
  std::vector<HeatCounts> counts_;
  std::uint64_t prologue_ = 0;             // machine instructions of a block before its first
};

// A source line, or a line of PTX (then `file` is empty).
struct HeatLine {
  std::string file;
  std::uint32_t line = 0;
  std::vector<std::uint32_t> ptxLines;     // rising
  HeatCounts counts;
  double share = 0;                        // of all warps' cycles
};

struct HeatReport {
  std::vector<HeatLine> lines;             // by file and number; empty: the PTX has no line table
  std::vector<HeatLine> ptxLines;
  HeatCounts total;
};
HeatReport heatReport(const Heat& heat, const ptx::Module& module, const ptx::Function& function);

nlohmann::json toJson(const HeatReport& report);
// The lines with the largest shares, each with its text where it can be read.
std::string toText(const HeatReport& report, const SourceLine& source, std::size_t most = 12);

}  // namespace warpmill::profile
