// A device profile from measurements: a shipped profile of the same or the nearest architecture, with what the driver says of the GPU and
// what microbenchmarks of assets/examples/calibration.json took on it. Each number is found by the simulator itself: a benchmark that hangs
// on it is simulated, the difference to what was measured changes the number, and the change is kept only when the next simulation is
// nearer. So what a benchmark does besides (its loop, its addresses) is not mistaken for the number.
// Simplified: what no benchmark tells apart (queues, cache ways, slices) stays the base profile's, and so do the latencies of L1 and L2: the
// benchmarks that hang on them start with what the host had left in L2 and in the TLBs, which a simulation does not.
#pragma once

#include "device/profile.h"
#include "lesson/measured.h"
#include "launch/launch.h"

#include <functional>
#include <string>
#include <vector>

namespace warpmill::cli {

struct CalibrationStep {
  std::string path;            // of the number
  std::string launch;          // that told it; empty: the driver did
  double before = 0, after = 0;
  double measured = 0;         // of the benchmark: cycles a step, or microseconds
  double simulatedBefore = 0, simulatedAfter = 0;
  bool kept = false;
  std::string why;             // where it was not changed
};

struct Calibration {
  device::Profile profile;
  std::vector<CalibrationStep> steps;
  std::string json;            // the profile's file
};

// The names of the benchmarks that are wanted, in the order of the rules; each once.
std::vector<std::string> calibrationLaunches();

// The shipped profile to start from: the one that the device's name contains ("NVIDIA H200"), else one of the same compute capability, else
// of the nearest older one, else the first.
std::string baseProfileFor(const std::string& computeCapability, const std::string& device);

// `baseJson`: the base profile's file. Errors: a base that cannot be read, a record without any of the launches.
Result<Calibration> calibrate(const std::string& baseJson, const std::string& baseName, const std::string& name, const lesson::Measured& measured,
                              const std::vector<launch::Launch>& launches, const std::function<void(const CalibrationStep&)>& tell);

}  // namespace warpmill::cli
