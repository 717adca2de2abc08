#include "studio/options.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <sstream>

namespace warpmill::studio {

namespace {

// "1920x1080"
std::string parseSize(const std::string& text, Options& options) {
  int width = 0, height = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 640 || height < 480 || width > 16384 || height > 16384)
    return "--size: '" + text + "' is not WIDTHxHEIGHT between 640x480 and 16384x16384";
  options.width = width;
  options.height = height;
  options.sizeGiven = true;
  return {};
}

// "B:W" or "B:W:LANE"
std::string parseSelect(const std::string& text, Options& options) {
  unsigned long long block = 0;
  unsigned warp = 0, lane = 0;
  int used = 0;
  const char* s = text.c_str();
  const bool three = std::sscanf(s, "%llu:%u:%u%n", &block, &warp, &lane, &used) == 3 && s[used] == 0;
  if (!three) {
    used = 0;
    lane = 0;
    if (std::sscanf(s, "%llu:%u%n", &block, &warp, &used) != 2 || s[used] != 0)
      return "--select: '" + text + "' is not BLOCK:WARP or BLOCK:WARP:LANE";
  }
  if (text.find('-') != std::string::npos || warp > 31 || lane > 31) return "--select: warp and lane go from 0 to 31";
  options.select = Options::Select{block, warp, lane};
  return {};
}

// A number, or "all"
std::string parseStep(const std::string& text, Options& options) {
  options.everyStep = text == "all";
  if (options.everyStep) return options.screenshot.empty() ? "--step all needs --screenshot" : std::string();
  if (text.empty() || text.size() > 3 || text.find_first_not_of("0123456789") != std::string::npos)
    return "--step: '" + text + "' is neither the number of a step nor 'all'";
  options.step = std::stoi(text);
  return {};
}

}  // namespace

CommandLine parseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  Options& o = line.options;
  std::string size, select, step;
  std::int64_t at = 0;
  double scale = 0;
  CLI::App app("Warpmill: an interactive GPU simulator with a visual debugger (desktop program)", "warpmill-studio");
  app.set_version_flag("--version", "warpmill-studio " WARPMILL_VERSION);
  app.add_option("--lesson", o.lesson, "open this lesson (see `warpmill lesson list`)");
  CLI::Option* launch = app.add_option("--launch", o.launch, "open this launch file");
  CLI::Option* name = app.add_option("--launch-name", o.launchName, "of the launch file: this one (default: the first)");
  app.add_option("--record", o.record, "lay this record of a real GPU (of warpmill measure) beside the simulation");
  app.add_option("--device", o.device, "device profile: a name or a file");
  CLI::Option* atOption = app.add_option("--at", at, "go to this cycle")->check(CLI::NonNegativeNumber);
  CLI::Option* stepOption = app.add_option("--step", step, "go to this step of the lesson; 0: its introduction; all: a picture of each");
  app.add_option("--screenshot", o.screenshot, "write a picture of the window to this PNG file and exit; needs no display");
  app.add_option("--size", size, "window size, for example 1920x1080");
  app.add_option("--theme", o.theme, "colours")->check(CLI::IsMember({"dark", "light", "system"}));
  app.add_option("--language", o.language, "words")->check(CLI::IsMember({"en", "ru"}));
  CLI::Option* scaleOption = app.add_option("--scale", scale, "size of everything, 1 to 3")->check(CLI::Range(1.0, 3.0));
  app.add_option("--select", select, "focus BLOCK:WARP or BLOCK:WARP:LANE");
  app.add_option("--level", o.level, "how near the scene looks")->check(CLI::IsMember({"gpu", "storey", "floor", "block", "crew", "thread"}));
  app.add_option("--panel", o.panels, "bring this panel to the front")
      ->check(CLI::IsMember({"lesson", "source", "reference", "launch", "ptx", "ptx-all", "watch", "memory", "problems", "crew", "timeline",
                             "compare", "sizes", "why"}));
  app.add_flag("--startup-time", o.startupTime, "print the milliseconds from start to the first picture");
  app.add_flag("--defaults", o.resetSettings, "ignore saved settings and save none");
  launch->excludes("--lesson");
  launch->excludes(stepOption);
  name->needs(launch);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    line.exitNow = true;
    line.exitCode = app.exit(error, out, err) == 0 ? 0 : 2;
    line.output = out.str();
    line.error = err.str();
    return line;
  }
  std::string problem;
  if (!size.empty()) problem = parseSize(size, o);
  if (problem.empty() && !select.empty()) problem = parseSelect(select, o);
  if (problem.empty() && stepOption->count() > 0) problem = parseStep(step, o);
  if (atOption->count() > 0) o.atCycle = static_cast<std::uint64_t>(at);
  if (scaleOption->count() > 0) o.scale = scale;
  if (!problem.empty()) {
    line.exitNow = true;
    line.exitCode = 2;
    line.error = "warpmill-studio: " + problem + "\n";
  }
  return line;
}

}  // namespace warpmill::studio
