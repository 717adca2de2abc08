// The command line: verbs, their options, --help. Each verb has its options as a struct and its work in a file of its own.
#pragma once

namespace warpmill::cli {

// The whole program: gives its exit status.
int runCommandLine(int argc, char** argv);

}  // namespace warpmill::cli
