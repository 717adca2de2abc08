// The same on another machine: over ssh, with this very program copied there. Nothing else is needed on it but an NVIDIA driver.
#pragma once

#include "base/result.h"
#include "lesson/measured.h"

#include <string>
#include <vector>

namespace warpmill::cuda {

// Launch files with all that they read, for a folder that is copied: the files that they name go into `target`, each once. Gives the text
// of one launch file for all, an array, in which the paths are those in `target`.
Result<std::string> packLaunches(const std::vector<std::string>& launchFiles, const std::string& target);

struct RemoteOptions {
  std::string host;                     // as ssh knows it
  std::vector<std::string> arguments;   // for `warpmill measure FILE` there
  double limitSeconds = 3600;
};

// Copies program and launches to the host (the program only when another one lies there), measures there, fetches the record.
Result<lesson::Measured> measureOnHost(const std::string& packedFolder, const RemoteOptions& options);

}  // namespace warpmill::cuda
