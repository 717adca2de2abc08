// warpmill check: everything that is wrong with a PTX or launch file.
#pragma once

#include "cli/inputs.h"

namespace warpmill::cli {

struct CheckOptions {
  std::string file;
  DeviceOptions device;
};
int check(const CheckOptions& options);

}  // namespace warpmill::cli
