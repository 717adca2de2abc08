#include "cli/devices_command.h"

#include "base/text_file.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "device/profile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace warpmill::cli {
namespace {

using device::Profile;

std::string shown(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:g}", value);
}

template <class T>
std::string joined(const std::vector<T>& values) {
  std::string out;
  for (const T& v : values) out += (out.empty() ? "" : ", ") + std::to_string(v);
  return out;
}

// "measured: BabelStream ..."; the kind once, where the source begins with it too.
std::string sourceOf(const device::Provenance& p) {
  return p.source.starts_with(p.kind) ? p.source : p.kind + ": " + p.source;
}

std::string tableOf(const std::vector<Profile>& profiles) {
  std::string out = fmt::format("{:<12} {:<34} {:>5} {:>8} {:>9} {:>10}\n", "name", "device", "SMs", "MHz", "L2 MiB", "DRAM GB/s");
  for (const Profile& p : profiles)
    out += fmt::format("{:<12} {:<34} {:>5} {:>8} {:>9} {:>10}\n", p.name, p.title, shown(p.smCount), shown(p.clockMHz),
                       shown(p.l2Bytes / 1048576), shown(p.dramBytesPerSecond));
  return out + "(warpmill devices NAME shows every number of one with its source)\n";
}

std::string textOf(const Profile& p) {
  std::string out = fmt::format("{}: {}, compute capability {}\n{}\n", p.name, p.title, p.computeCapability, p.about);
  std::string group;
  for (std::size_t i = 0; i < device::numbers().size(); ++i) {
    const device::NumberInfo& info = device::numbers()[i];
    const std::string_view head = info.path.substr(0, info.path.find('.'));
    if (head != group) out += fmt::format("\n{}\n", group = head);
    out += fmt::format("  {:<34} {:>10} {:<17} {}\n  {:<34} {}\n", info.path, shown(device::numberOf(p, i)), info.unit, info.meaning, "",
                       sourceOf(p.provenance[i]));
  }
  out += fmt::format("\nlists\n  {:<34} {} SMs\n  {:<34} {}\n", "storeys", joined(p.storeys), "", sourceOf(p.storeysSource));
  out += fmt::format("  {:<34} {} KiB\n  {:<34} {}\n", "shared_options", joined(p.sharedOptionsKiB), "", sourceOf(p.sharedOptionsSource));
  return out;
}

nlohmann::json jsonOf(const Profile& p) {
  nlohmann::json numbers = nlohmann::json::object();
  for (std::size_t i = 0; i < device::numbers().size(); ++i) {
    const device::NumberInfo& info = device::numbers()[i];
    numbers[std::string(info.path)] = {{"value", device::numberOf(p, i)},
                                       {"unit", std::string(info.unit)},
                                       {"meaning", std::string(info.meaning)},
                                       {"kind", p.provenance[i].kind},
                                       {"source", p.provenance[i].source}};
  }
  return {{"name", p.name},    {"title", p.title},     {"compute_capability", p.computeCapability},
          {"about", p.about},  {"storeys", p.storeys}, {"shared_options_kib", p.sharedOptionsKiB},
          {"numbers", numbers}};
}

}  // namespace

int devices(const DevicesOptions& options) {
  std::vector<Profile> profiles;
  int exitCode = exitOk;
  for (const std::string& name : options.name.empty() ? device::profileNames() : std::vector{options.name}) {
    auto profile = device::loadProfile(name);
    report(profile.diagnostics());
    if (profile)
      profiles.push_back(std::move(*profile));
    else
      exitCode = exitBadInput;
  }
  if (profiles.empty()) {
    if (options.name.empty()) note("no device profiles in " + device::assetsFolder() + "/devices");
    return exitBadInput;
  }
  if (!options.json.empty()) {
    nlohmann::json out = nlohmann::json::array();
    for (const Profile& p : profiles) out.push_back(jsonOf(p));
    const std::string text = (options.name.empty() ? out : out.at(0)).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    if (options.json == "-") return print(text), exitCode;
    if (const auto error = writeFile(options.json, text)) return report({*error}), exitBadInput;
  }
  print(options.name.empty() ? tableOf(profiles) : textOf(profiles.front()));
  return exitCode;
}

}  // namespace warpmill::cli
