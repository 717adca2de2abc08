// warpmill run: simulates launches and reports on them.
#pragma once

#include "cli/inputs.h"

namespace warpmill::cli {

struct RunOptions {
  InputOptions input;
  DeviceOptions device;
  std::string mode = "auto", checks = "all", json;
  std::uint64_t seed = 0, maxInstructions = 0;
  std::vector<std::string> dumps;   // ARG=FILE
  unsigned jobs = 0;                // 0: as many as there are processors
  bool noResults = false, whatIf = false, lines = false;
  bool stopAtFirstFault = false;
  std::string language = "en";      // of what is said of faults
};
int run(const RunOptions& options);

}  // namespace warpmill::cli
