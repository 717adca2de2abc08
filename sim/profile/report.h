// A run's figures by the interface's and Nsight Compute's names, and the JSON of `warpmill run`.
#pragma once

#include "exec/functional.h"
#include "profile/fault_text.h"
#include "profile/heat.h"
#include "profile/verdict.h"
#include "timing/machine.h"
#include "timing/projection.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmill::profile {

struct Report {
  std::string name;
  std::string verdict = "ok";
  std::vector<machine::Fault> faults;
  std::string timingMode;                  // "detailed", "functional"
  std::optional<double> cycles, timeUs;    // kernel time on the GPU, launch overhead included
  std::uint64_t simulatedBlocks = 0, ofBlocks = 0;
  double errorPct = 0;                     // of a projected time
  std::string part;                        // which part was simulated, in a sentence; empty: all
  std::map<std::string, double> counters;  // Nsight Compute's names
  std::map<std::string, double> stalls;    // cycles a warp waits for each reason per instruction issued
  double occupancyPct = 0, dramGbps = 0, usefulGbps = 0, gflops = 0;
  Verdict verdictOnTime;                   // what bounds it; empty without a time
  Roofline roofline;
  std::optional<HeatReport> heat;          // where it was asked for
  std::uint32_t registersPerThread = 0, blocksPerSm = 0;
  std::string occupancyLimiter;
  double waves = 0;
  struct Buffer { std::uint32_t argument; std::string sha256; };
  std::vector<Buffer> buffers;
  struct Note { std::string message, file; std::uint32_t line = 0, ptxLine = 0; std::uint64_t count = 0; };
  std::vector<Note> notes;                 // worth knowing, and no faults
  std::string printed;                     // by the kernel's printf
  double wallSeconds = 0;
  std::uint64_t warpInstructions = 0;
  unsigned threads = 1;
};

// The same from a projection: nothing is known of the buffers.
Report reportOf(const timing::Projection& projection);
// Fills everything that follows from a finished timing run. Without results the buffers are not hashed.
Report reportOf(const timing::Machine& machine, const timing::MachineState& state, bool withResults = true);
Report reportOf(const exec::PreparedLaunch& launch, const exec::FunctionalRun& run, const machine::Memory& memory, bool withResults = true);
// The first 16 hex digits of the SHA-256 of an allocation's bytes.
std::string hashOf(const machine::Memory& memory, std::uint32_t allocation);
nlohmann::json toJson(const Report& report);
// The figures back from that: time, counters, stalls, what bounds it; not faults, buffers and lines. Whatever is missing stays as it is by default.
Report reportFromJson(const nlohmann::json& json);
// For people. Faults are told of in the language that is asked for, figures in English.
std::string toText(const Report& report, const TextOptions& options = {});

}  // namespace warpmill::profile
