// The same on another machine: over ssh, with this very program copied there. Nothing else is needed on it but an NVIDIA driver.
#pragma once

#include "base/result.h"
#include "lesson/measured.h"

#include <string>
#include <vector>

namespace warpmill::cuda {

// A launch file (of these launches) with all that it reads, in a folder of its own that can be copied. `text`: the launch file; the paths
// in it are relative to `folder`. Gives the new launch file's text; files are copied into `target`.
Result<std::string> packLaunches(const std::string& text, const std::string& fileName, const std::string& folder, const std::string& target);

struct RemoteOptions {
  std::string host;                     // as ssh knows it
  std::vector<std::string> arguments;   // for `warpmill measure FILE` there
  double limitSeconds = 3600;
};

// Copies program and launches to the host (the program only when another one lies there), measures there, fetches the record.
Result<lesson::Measured> measureOnHost(const std::string& packedFolder, const RemoteOptions& options);

}  // namespace warpmill::cuda
