// warpmill devices: the device profiles, every number with its unit and source.
#pragma once

#include <string>

namespace warpmill::cli {

struct DevicesOptions {
  std::string name;   // empty: the list of all
  std::string json;
};
int devices(const DevicesOptions& options);

}  // namespace warpmill::cli
