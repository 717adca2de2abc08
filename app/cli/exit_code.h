// What the program's exit status says; scripts and graders rely on it.
#pragma once

namespace warpmill::cli {

enum ExitCode : int {
  exitOk = 0,
  exitFailed = 1,    // the kernel or a check failed: a fault was found, a result is wrong
  exitBadInput = 2,  // the input or the command line is bad
  exitMissing = 3    // a part that was asked for is not there: on this machine or in this version
};

}  // namespace warpmill::cli
