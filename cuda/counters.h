// The hardware's own counters, read by Nsight Compute's command line (`ncu`) where it is installed and the user may read them.
#pragma once

#include "base/result.h"

#include <map>
#include <string>
#include <vector>

namespace warpmill::cuda {

using Counters = std::map<std::string, double>;   // by Nsight Compute's names

// The counters that our reports have, in the words of `ncu --metrics`.
std::string counterNames();

// Runs the command (words) under ncu; it launches the kernels to be counted once each. One set a kernel, in the order of the launches.
// Errors in plain words: ncu not there, no permission (and how to get it).
Result<std::vector<Counters>> countKernels(const std::vector<std::string>& words, double limitSeconds);

// What `ncu --csv --print-units base` printed, as above.
Result<std::vector<Counters>> parseCounters(const std::string& csv);

}  // namespace warpmill::cuda
