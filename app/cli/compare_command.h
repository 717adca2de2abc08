// warpmill compare: the simulator's time and counters beside those of a real GPU, a row a launch.
#pragma once

#include "cli/inputs.h"

namespace warpmill::cli {

struct CompareOptions {
  InputOptions input;
  DeviceOptions device;
  std::string measured;             // a record as `warpmill measure` writes it
  std::string mode = "auto", json;
  unsigned jobs = 0;
};
int compare(const CompareOptions& options);

}  // namespace warpmill::cli
