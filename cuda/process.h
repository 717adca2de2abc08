// Other programs (Nsight Compute, ssh, Python) run to their end, with what they printed.
#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace warpmill::cuda {

struct ProgramRun {
  int exitCode = 0;      // 128 + signal when one ended it
  std::string out, err;
};

// words[0] is looked for in PATH; no shell is between. Errors: not found; not ended after so many seconds (it is ended then).
Result<ProgramRun> runProgram(const std::vector<std::string>& words, double limitSeconds);

// The path of the program that runs.
std::string ownProgram();

}  // namespace warpmill::cuda
