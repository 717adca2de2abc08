#include "cli/calibrate_command.h"

#include "base/error_with.h"
#include "base/text_file.h"
#include "cli/calibrate.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/measure_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace warpmill::cli {
namespace {

namespace fs = std::filesystem;

std::string lineOf(const CalibrationStep& s) {
  std::string line = fmt::format("{:<28} {:>12.6g} -> {:<12.6g}", s.path, s.before, s.after);
  if (s.launch.empty()) return line + "  as the driver or its counter says\n";
  line += fmt::format("  {:<26} measured {:>9.4g}, simulated {:>9.4g} -> {:<9.4g}", s.launch, s.measured, s.simulatedBefore, s.simulatedAfter);
  return line + (s.kept ? "\n" : " (left: " + s.why + ")\n");
}

// The benchmarks measured here, into a file that is read back: what a record from elsewhere holds, this one holds.
Result<lesson::Measured> measureHere(const CalibrateOptions& o, const std::string& suite) {
  const std::string path = (fs::temp_directory_path() / fmt::format("warpmill-calibrate-{}.json", o.name)).string();
  MeasureCommandOptions m;
  m.input.file = suite;
  m.input.onlyNames = calibrationLaunches();
  m.json = path;
  m.gpu = o.gpu;
  m.counters = o.counters;
  m.noSimulator = true;
  const int exitCode = measure(m);
  auto record = exitCode == exitMissing ? Result<lesson::Measured>(Diagnostics{}) : lesson::readMeasured(path);
  std::error_code ignored;
  fs::remove(path, ignored);
  return record;
}

}  // namespace

int calibrateGpu(const CalibrateOptions& o) {
  const bool isPlain = !o.name.empty() && o.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == std::string::npos;
  if (!isPlain) return report({errorWith("--name " + o.name + ": letters, digits, '-', '_' and '.' make a profile's name")}), exitBadInput;
  const std::string output = o.output.empty() ? o.name + ".json" : o.output;
  if (const auto error = checkWritable(output)) return report({*error}), exitBadInput;
  const std::string suite = (fs::path(device::assetsFolder()) / "examples/calibration.json").string();
  const auto launches = launch::readLaunches(suite);
  if (!launches) return report(launches.diagnostics()), exitMissing;
  const auto measured = o.from.empty() ? measureHere(o, suite) : lesson::readMeasured(o.from);
  if (!measured) return report(measured.diagnostics()), o.from.empty() ? exitMissing : exitBadInput;
  const std::string base = o.base.empty() ? baseProfileFor(measured->computeCapability, measured->device) : o.base;
  const fs::path basePath = base.find('/') != std::string::npos || base.ends_with(".json") ? fs::path(base) : fs::path(device::assetsFolder()) / "devices" / (base + ".json");
  const auto text = readTextFile(basePath.string(), 1 << 20);
  if (!text) return report(text.diagnostics()), exitBadInput;
  note(fmt::format("calibrating {} from the profile {}", measured->device.empty() ? o.name : measured->device, base));
  const auto done = calibrate(*text, base, o.name, *measured, *launches, [](const CalibrationStep& s) { print(lineOf(s)), flushOutput(); });
  if (!done) return report(done.diagnostics()), exitBadInput;
  if (const auto error = writeFile(output, done->json)) return report({*error}), exitBadInput;
  const auto kept = std::count_if(done->steps.begin(), done->steps.end(), [](const CalibrationStep& s) { return s.kept; });
  print(fmt::format("{}: {} of {} numbers set; the others are {}'s. Use it with --device {}\n", output, kept, device::numbers().size(), base, output));
  return exitOk;
}

}  // namespace warpmill::cli
