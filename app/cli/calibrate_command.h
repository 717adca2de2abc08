// warpmill calibrate: a device profile of the GPU in this machine, or of a record of another one.
#pragma once

#include <string>

namespace warpmill::cli {

struct CalibrateOptions {
  std::string name = "my-gpu", output, base, from;
  unsigned gpu = 0;
  bool counters = false;
};
int calibrateGpu(const CalibrateOptions& options);

}  // namespace warpmill::cli
