// What the verbs take in: launches from a file or the command line, devices, PTX modules.
#pragma once

#include "device/profile.h"
#include "launch/launch.h"
#include "ptx/module.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace warpmill::cli {

// A launch file, or a PTX file with its launch on the command line.
struct InputOptions {
  std::string file;                 // or a lesson's folder: all its launches
  std::string only;                 // glob over launch names
  std::vector<std::string> onlyNames;   // these alone; empty: all
  std::string kernel, grid, block;  // with a PTX file
  std::vector<std::string> arguments;
  std::uint32_t dynamicSharedBytes = 0;
};

struct Inputs {
  std::vector<launch::Launch> launches;
  bool isSuite = false;             // the file holds an array
};
// Says what is wrong; warnings are printed. Known verdicts only in "expect".
Result<Inputs> readInputs(const InputOptions& options);

bool isPtxFile(const std::string& path);

// The launch files that a path stands for: of a lesson's folder all that its lesson.json names, of a file itself.
Result<std::vector<std::string>> launchFiles(const std::string& path);

struct DeviceOptions {
  std::string device = "h200";
  std::uint32_t sms = 0;            // 0: all; else a scale model
};
Result<device::Profile> readDevice(const DeviceOptions& options);

// PTX files parsed once each, whoever asks; for several threads.
class Modules {
 public:
  using Parsed = std::shared_ptr<const ptx::Module>;
  Result<Parsed> get(const std::string& path);

 private:
  std::mutex mutex_;
  std::map<std::string, Result<Parsed>> parsed_;
};

}  // namespace warpmill::cli
