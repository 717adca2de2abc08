// One launch, or a sequence of them, run.
#pragma once

#include "cli/expectation.h"
#include "cli/inputs.h"
#include "faults/checker.h"
#include "profile/report.h"

namespace warpmill::cli {

enum class Mode : std::uint8_t { Auto, Detailed, Projected, Functional };

struct SimulateOptions {
  Mode mode = Mode::Auto;
  bool results = true;                // hashes of buffers, comparison with "expect"
  bool leavesMemory = false;          // a launch that finds the memory as this one leaves it comes after
  std::uint64_t seed = 0;
  unsigned jobs = 1;                  // threads for the blocks of a functional run, or the SMs of a detailed one
  faults::Checks checks;              // of accesses; what else is checked belongs to the instructions
  std::shared_ptr<faults::UndefinedMemory> undefined;  // of a launch in a sequence: what nobody has written so far
  bool heat = false;                  // gather where in the program the time goes; takes about twice the time
  bool stopAtFirstFault = false;      // the run ends there, its results are those at that moment
  std::uint64_t maxInstructions = 0;  // 0: as many as the launch's size lets expect
};

// One bottleneck lifted (see what_if.h).
struct Remedy {
  std::string name, limit, says, advice;
  double timeUs = 0, gainPct = 0;
};

struct Outcome {
  profile::Report report;
  std::optional<Expectation> expectation;
  int exitCode = 0;
  Diagnostics diagnostics;            // why it did not start
  std::optional<exec::PreparedLaunch> prepared;  // when it ran
  machine::Memory memory;             // as the kernel left it
  std::string unchecked;              // what the checks left out, in a few words
  std::vector<Outcome> steps;         // of a sequence: its launches as far as they ran; the report sums them up
  std::vector<std::uint32_t> buffers; // of a sequence: allocations of its buffers
  std::vector<std::string> bufferNames, bufferHashes;
  std::vector<Remedy> remedies;       // when they were asked for
};

// A sequence ends with the first launch that has a fault, as a device's context does.
Outcome simulate(const launch::Launch& launch, const device::Profile& profile, Modules& modules, const SimulateOptions& options);

// The outcome of a launch that was not started.
Outcome refusal(const launch::Launch& launch, machine::FaultKind kind, const std::string& message, const std::string& hint = {});

// Warp instructions after which a launch counts as hanging when the user names no limit: 50 million, and a million a warp.
std::uint64_t defaultInstructionLimit(const launch::Launch& launch);
std::uint64_t warpCount(const launch::Launch& launch);

}  // namespace warpmill::cli
