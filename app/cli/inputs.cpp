#include "cli/inputs.h"

#include "base/error_with.h"
#include "base/json.h"
#include "base/suggest.h"
#include "base/text_file.h"
#include "cli/console.h"
#include "machine/fault.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <tuple>

namespace warpmill::cli {
namespace {

// "4", "4,2", "4x2x1".
Result<std::array<std::uint32_t, 3>> parseShape(const std::string& option, const std::string& text) {
  std::array<std::uint32_t, 3> shape{1, 1, 1};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [next, error] = std::from_chars(at, end, shape[i]);
    if (error != std::errc{} || shape[i] == 0) break;
    if (next == end) return shape;
    if (*next != ',' && *next != 'x') break;
    at = next + 1;
  }
  return errorWith(option + " " + text + ": one to three whole numbers from 1 on are wanted",
                    "as in " + option + " 4 or " + option + " 16,16");
}

Result<Inputs> launchOfCommandLine(const InputOptions& options) {
  launch::Launch launch;
  launch.ptxPath = options.file;
  launch.kernel = options.kernel;
  launch.name = !options.kernel.empty() ? options.kernel : std::filesystem::path(options.file).stem().string();
  launch.dynamicSharedBytes = options.dynamicSharedBytes;
  Diagnostics errors;
  const auto keep = [&](const auto& result) { errors.insert(errors.end(), result.diagnostics().begin(), result.diagnostics().end()); };
  for (const auto& [option, text, into] :
       {std::tuple{"--grid", &options.grid, &launch.grid}, std::tuple{"--block", &options.block, &launch.block}}) {
    if (text->empty()) {
      errors.push_back(errorWith(fmt::format("{} is missing: a PTX file alone does not say its launch", option),
                                  "as in --grid 4 --block 256 --arg buffer:f32:1024:random:1 --arg i32:1024"));
      continue;
    }
    const auto shape = parseShape(option, *text);
    if (shape)
      *into = *shape;
    else
      keep(shape);
  }
  for (const std::string& text : options.arguments) {
    auto argument = launch::parseArgument(text);
    if (argument)
      launch.arguments.push_back(std::move(*argument));
    else
      keep(argument);
  }
  if (!std::filesystem::exists(options.file)) keep(readTextFile(options.file));
  if (!errors.empty()) return errors;
  Inputs inputs;
  inputs.launches.push_back(std::move(launch));
  return inputs;
}

void checkVerdicts(const std::vector<launch::Launch>& launches, Diagnostics& errors) {
  std::vector<std::string> verdicts;
  for (int k = 0; k <= static_cast<int>(machine::FaultKind::ParseError); ++k)
    verdicts.emplace_back(machine::faultName(static_cast<machine::FaultKind>(k)));
  for (const launch::Launch& l : launches) {
    checkVerdicts(l.sequence, errors);
    if (l.expectedVerdict.empty() || std::find(verdicts.begin(), verdicts.end(), l.expectedVerdict) != verdicts.end()) continue;
    Diagnostic d = errorWith("unknown verdict '" + l.expectedVerdict + "'", didYouMean(l.expectedVerdict, verdicts));
    d.file = l.file;
    d.position = l.verdictPosition;
    errors.push_back(std::move(d));
  }
}

bool isWanted(const InputOptions& options, const std::string& name) {
  if (!options.onlyNames.empty() && std::find(options.onlyNames.begin(), options.onlyNames.end(), name) == options.onlyNames.end()) return false;
  return options.only.empty() || ::fnmatch(options.only.c_str(), name.c_str(), 0) == 0;
}
Diagnostic noneWanted(const InputOptions& options) { return errorWith("no launch of " + options.file + " has a name like '" + (options.onlyNames.empty() ? options.only : options.onlyNames.front()) + "'"); }

}  // namespace

Result<std::vector<std::string>> launchFiles(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return std::vector<std::string>{path};
  const std::string lesson = (fs::path(path) / "lesson.json").string();
  const auto text = readTextFile(lesson);
  if (!text) return errorWith(path + ": this is a folder, and no lesson's (there is no lesson.json in it)", "a launch file or a lesson's folder is wanted");
  const auto document = JsonDocument::parse(*text, lesson);
  if (!document) return document.diagnostics();
  std::vector<std::string> files;
  const JsonValue root = (*document)->root();
  const auto launches = root.isObject() ? root.member("launches") : std::nullopt;
  if (launches && launches->isObject())
    for (const JsonValue& file : launches->children())
      if (file.isString()) files.push_back((fs::path(path) / file.string()).string());
  if (files.empty()) return root.error("this lesson names no launch files", "\"launches\": {\"scale\": ..., \"full\": ...}");
  return files;
}

bool isPtxFile(const std::string& path) {
  return path.ends_with(".ptx");
}

Result<Inputs> readInputs(const InputOptions& options) {
  if (isPtxFile(options.file)) return launchOfCommandLine(options);
  if (!options.kernel.empty() || !options.grid.empty() || !options.block.empty() || !options.arguments.empty() ||
      options.dynamicSharedBytes != 0)
    return errorWith("--kernel, --grid, --block, --arg and --dynamic-shared go with a .ptx file; a launch file says all that itself");
  const auto files = launchFiles(options.file);
  if (!files) return files.diagnostics();
  if (files->size() != 1) {
    Inputs all;
    all.isSuite = true;
    for (const std::string& file : *files) {
      auto part = launch::readLaunches(file);
      if (!part) return part.diagnostics();
      for (launch::Launch& l : *part)
        if (isWanted(options, l.name)) all.launches.push_back(std::move(l));
    }
    if (all.launches.empty()) return noneWanted(options);
    return all;
  }
  const auto text = readTextFile(files->front());
  if (!text) return text.diagnostics();
  auto launches = launch::readLaunches(files->front());
  if (!launches) return launches.diagnostics();
  report(launches.diagnostics());  // warnings
  Diagnostics errors;
  checkVerdicts(*launches, errors);
  if (!errors.empty()) return errors;
  Inputs inputs;
  const std::size_t first = text->find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  inputs.isSuite = first != std::string::npos && (*text)[first] == '[';
  for (launch::Launch& l : *launches)
    if (isWanted(options, l.name)) inputs.launches.push_back(std::move(l));
  if (inputs.launches.empty()) return noneWanted(options);
  return inputs;
}

Result<device::Profile> readDevice(const DeviceOptions& options) {
  auto profile = device::loadProfile(options.device);
  if (!profile || options.sms == 0) return profile;
  if (options.sms > profile->smCount)
    return errorWith(fmt::format("--sms {}: {} has {} SMs", options.sms, profile->name, profile->smCount), "a scale model has fewer");
  return device::scaleModel(*profile, options.sms);
}

Result<Modules::Parsed> Modules::get(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto found = parsed_.find(path);
  if (found != parsed_.end()) return found->second;
  auto module = ptx::parseFile(path);
  Result<Parsed> result = module ? Result<Parsed>(std::make_shared<const ptx::Module>(std::move(*module)), module.diagnostics())
                                 : Result<Parsed>(module.diagnostics());
  return parsed_.emplace(path, std::move(result)).first->second;
}

}  // namespace warpmill::cli
