// Launch files from disk, with a look at the files that they name.
#include "base/suggest.h"
#include "base/text_file.h"
#include "launch/launch.h"

#include <algorithm>
#include <filesystem>

namespace warpmill::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t mostErrors = 20;

// Files that launches name: are they there, and long enough?
void checkFiles(const Launch& launch, Diagnostics& errors) {
  for (const Launch& step : launch.sequence) checkFiles(step, errors);
  std::error_code ignored;
  const auto complain = [&](SourcePosition position, std::string message, std::string hint) {
    Diagnostic d;
    d.file = launch.file;
    d.position = position;
    d.message = std::move(message);
    d.hint = std::move(hint);
    errors.push_back(std::move(d));
  };
  const std::string& program = launch.ptxPath.empty() ? launch.sourcePath : launch.ptxPath;
  if (launch.sequence.empty() && !fs::exists(program, ignored)) {
    std::vector<std::string> others;
    const fs::path parent = fs::path(program).parent_path();
    for (fs::directory_iterator it(parent.empty() ? fs::path(".") : parent, ignored), end; it != end; it.increment(ignored))
      if (it->path().extension() == fs::path(program).extension()) others.push_back(it->path().filename().string());
    std::sort(others.begin(), others.end());
    const std::string near = closest(fs::path(program).filename().string(), others);
    complain(launch.ptxPosition, "there is no file " + program,
             near.empty() ? "paths are relative to the launch file" : "did you mean '" + near + "'?");
  }
  const bool isSequence = !launch.sequence.empty();
  std::vector<Argument> all = isSequence ? launch.buffers : launch.arguments;
  all.insert(all.end(), launch.textures.begin(), launch.textures.end());
  for (const Argument& argument : all) {
    if (argument.init.kind != Init::Kind::File || (!isSequence && argument.shared != noBuffer)) continue;
    if (!fs::exists(argument.init.path, ignored)) {
      complain(argument.initPosition, "there is no file " + argument.init.path, "paths are relative to the launch file");
      continue;
    }
    const auto size = fs::is_regular_file(argument.init.path, ignored) ? fs::file_size(argument.init.path, ignored) : argument.sizeBytes();
    if (size < argument.sizeBytes())
      complain(argument.initPosition, argument.init.path + " is too short: it has " + std::to_string(size) + " bytes",
               std::to_string(argument.count) + " elements of " + std::string(dtypeName(argument.type)) + " want " +
                   std::to_string(argument.sizeBytes()));
  }
}

}  // namespace

Result<std::vector<Launch>> readLaunches(const std::string& path) {
  const auto text = readTextFile(path);
  if (!text) return text.diagnostics();
  auto launches = parseLaunches(*text, path, fs::path(path).parent_path().string());
  if (!launches) return launches;
  Diagnostics errors;
  for (const Launch& launch : *launches)
    if (errors.size() < mostErrors) checkFiles(launch, errors);
  if (errors.empty()) return launches;
  for (Diagnostic& d : errors) d.sourceLine = lineOf(*text, d.position.line);
  return errors;
}

}  // namespace warpmill::launch
