// warpmill measure: launches on a real GPU, here or on another machine, with times, counters and a comparison of results.
#pragma once

#include "cli/inputs.h"

namespace warpmill::cli {

struct MeasureCommandOptions {
  InputOptions input;
  std::string json, host, origin;
  unsigned gpu = 0, repeats = 30;
  double limitSeconds = 60;
  bool once = false;          // results only
  bool counters = false;      // by Nsight Compute
  bool noSimulator = false;   // do not compare the results
  bool inProcess = false;     // for profilers: in this very process, and nothing else in it
  unsigned jobs = 0;
};
int measure(const MeasureCommandOptions& options);

}  // namespace warpmill::cli
