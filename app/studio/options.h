// The command line of `warpmill-studio`.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmill::studio {

struct Options {
  std::string lesson, launch, launchName, record, device;
  std::optional<std::uint64_t> atCycle;
  std::optional<int> step;               // of the lesson; 0 is its introduction
  bool everyStep = false;                // a picture of each
  std::string screenshot;
  int width = 1920, height = 1080;
  bool sizeGiven = false;
  std::string theme, language;           // empty: as saved, else the system's
  std::optional<double> scale;
  struct Select { std::uint64_t block = 0; std::uint32_t warp = 0; std::uint32_t lane = 0; };
  std::optional<Select> select;
  std::string level;                     // "gpu", "storey", "floor", "block", "crew", "thread"
  std::vector<std::string> panels;       // shown on top in their tab groups
  bool startupTime = false;
  bool resetSettings = false;            // start from the defaults, save nothing
};

struct CommandLine {
  Options options;
  bool exitNow = false;                  // --help, --version or an error
  int exitCode = 0;
  std::string output, error;             // to print before leaving
};

CommandLine parseCommandLine(int argc, const char* const* argv);

}  // namespace warpmill::studio
