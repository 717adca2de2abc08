#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/exit_code.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

int main(int argc, char** argv) {
  using namespace warpmill::cli;
  // A reader that has seen enough ("| head") is no reason to lose the files that are still to be written.
  std::signal(SIGPIPE, SIG_IGN);
  int exitCode = exitBadInput;
  try {
    exitCode = runCommandLine(argc, argv);
  } catch (const std::bad_alloc&) {
    note("out of memory: the launch's buffers or its grid are too large for this machine");
  } catch (const std::exception& error) {
    note(std::string("internal error: ") + error.what());
  }
  if (!flushOutput()) {
    note("writing to standard output failed");
    return exitBadInput;
  }
  return exitCode;
}
