#include "cli/sweep_command.h"

#include "base/error_with.h"
#include "base/text_file.h"
#include "cli/batch.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/run_output.h"
#include "cli/sweep_spec.h"
#include "cuda/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <thread>

namespace warpmill::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

int refused(Diagnostic d) { return report({std::move(d)}), exitBadInput; }

std::string dumped(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

// "7" or "7:12", counted from 1: [first, last).
std::optional<std::pair<std::size_t, std::size_t>> rangeOf(const std::string& text, std::size_t count) {
  std::size_t first = 0, last = 0;
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, first);
  if (error != std::errc{}) return std::nullopt;
  last = first;
  if (at != end) {
    if (*at != ':') return std::nullopt;
    const auto more = std::from_chars(at + 1, end, last);
    if (more.ec != std::errc{} || more.ptr != end) return std::nullopt;
  }
  if (first == 0 || first > last || last > count) return std::nullopt;
  return std::pair{first - 1, last};
}

// A word that the shell hands on as it is.
std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%") == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

int emitJobs(const SweepOptions& o, std::size_t count) {
  const std::size_t digits = std::to_string(count).size();
  for (std::size_t i = 1; i <= count; ++i)
    print(fmt::format("{} sweep {} --point {} --mode {}{} --jobs 1 --json {}\n", quoted(cuda::ownProgram()), quoted(fs::absolute(o.spec).string()), i, o.mode, o.noResults ? " --no-results" : "",
                      quoted(fmt::format("{}/sweep-{:0{}}.json", o.jobsFolder, i, digits))));
  return exitOk;
}

// The points as a launch file, for `warpmill measure` on a real GPU; its paths lead from where it lies.
int emitLaunches(const SweepOptions& o, std::vector<SweepPoint> points) {
  const fs::path from = fs::absolute(o.spec).parent_path(), to = fs::absolute(o.emitLaunches).parent_path();
  Json all = Json::array();
  for (SweepPoint& p : points) {
    if (p.launch.contains("ptx") && p.launch["ptx"].is_string()) p.launch["ptx"] = fs::proximate(from / p.launch["ptx"].get<std::string>(), to).string();
    all.push_back(std::move(p.launch));
  }
  if (const auto error = writeFile(o.emitLaunches, dumped(all))) return refused(*error);
  return exitOk;
}

// One job's part of the JSON: what it was a point of, then its report.
Json partOf(const SweepPoint& point, const Outcome& outcome) {
  Json part = Json::object();
  for (const auto& [axis, value] : point.values) part["sweep"][axis] = value;
  const Json reportJson = Json::parse(jsonOf({outcome}, false));
  for (const auto& [key, value] : reportJson.items()) part[key] = value;
  return part;
}

std::string number(const Json& part, const char* group, const char* key) {
  if (!part.contains(group) || !part[group].is_object() || !part[group].contains(key) || !part[group][key].is_number()) return "";
  return fmt::format("{:.5g}", part[group][key].get<double>());
}

std::string tableOf(const Json& parts) {
  std::vector<std::vector<std::string>> rows(1);
  for (const Json& part : parts)   // axes of the first that has some
    if (part.contains("sweep")) {
      for (const auto& [axis, value] : part["sweep"].items()) rows[0].push_back(axis);
      break;
    }
  const std::size_t axes = rows[0].size();
  for (const char* title : {"verdict", "time us", "DRAM GB/s", "useful GB/s", "GFLOP/s", "occ. %", "limit"}) rows[0].emplace_back(title);
  for (const Json& part : parts) {
    std::vector<std::string>& row = rows.emplace_back();
    if (part.contains("sweep"))
      for (const auto& [axis, value] : part["sweep"].items()) row.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    row.resize(axes);
    row.push_back(part.value("verdict", "?"));
    row.push_back(number(part, "timing", "time_us"));
    for (const char* key : {"dram_gbps", "useful_gbps", "gflops", "occupancy_pct"}) row.push_back(number(part, "achieved", key));
    row.push_back(part.contains("achieved") && part["achieved"].is_object() && part["achieved"].contains("limit") && part["achieved"]["limit"].is_string() ? part["achieved"]["limit"].get<std::string>() : "");
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::size_t width = 0;
      for (const auto& other : rows) width = std::max(width, other[c].size());
      const bool isText = c <= axes || c + 1 == row.size();
      line += isText ? fmt::format("{:<{}}  ", row[c], width) : fmt::format("{:>{}}  ", row[c], width);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

int give(const Json& parts, const std::string& json, int exitCode) {
  if (json == "-") return print(dumped(parts)), exitCode;
  if (!json.empty())
    if (const auto error = writeFile(json, dumped(parts))) return refused(*error);
  print(tableOf(parts));
  return exitCode;
}

int merge(const SweepOptions& o) {
  Json all = Json::array();
  for (const std::string& path : o.merge) {
    const auto text = readTextFile(path);
    if (!text) return report(text.diagnostics()), exitBadInput;
    const Json part = Json::parse(*text, nullptr, false);
    if (!part.is_array()) return refused(errorWith("'" + path + "' holds no results of a sweep", "the files are those that the jobs of --emit-jobs wrote with --json"));
    for (const Json& p : part) {
      if (!p.is_object() || !p.contains("sweep")) return refused(errorWith("'" + path + "' holds no results of a sweep"));
      all.push_back(p);
    }
  }
  int exitCode = exitOk;
  for (const Json& p : all)
    if (p.value("verdict", "") != "ok") exitCode = exitFailed;
  return give(all, o.json, exitCode);
}

}  // namespace

int sweep(const SweepOptions& o) {
  if (!o.merge.empty()) return merge(o);
  if (o.spec.empty()) return refused(errorWith("a sweep's file is missing", "as in 'warpmill sweep SPEC.json' (README.md shows one), or --merge FILES"));
  int exitCode = exitOk;
  const auto mode = parseMode(o.mode, exitCode);
  if (!mode) return exitCode;
  auto points = readSweep(o.spec);
  if (!points) return report(points.diagnostics()), exitBadInput;
  if (o.emitJobs) return emitJobs(o, points->size());
  if (!o.point.empty()) {
    const auto range = rangeOf(o.point, points->size());
    if (!range) return refused(errorWith(fmt::format("--point {}: a number from 1 to {} is wanted, or two as in 3:7", o.point, points->size())));
    points = std::vector<SweepPoint>(points->begin() + static_cast<std::ptrdiff_t>(range->first), points->begin() + static_cast<std::ptrdiff_t>(range->second));
  }
  if (!o.emitLaunches.empty()) return emitLaunches(o, std::move(*points));
  if (!o.json.empty() && o.json != "-")
    if (const auto error = checkWritable(o.json)) return refused(*error);

  const std::string folder = fs::path(o.spec).parent_path().string();
  std::vector<launch::Launch> launches;
  std::map<std::string, std::pair<device::Profile, std::vector<std::size_t>>> byDevice;   // with the points that run on it
  for (std::size_t i = 0; i < points->size(); ++i) {
    auto launch = launch::parseLaunches((*points)[i].launch.dump(), "", folder);
    if (!launch) {
      Diagnostic d = launch.diagnostics().front();
      d.file = o.spec, d.position = {}, d.sourceLine.clear();
      d.message = fmt::format("point {} ({}): {}", i + 1, (*points)[i].launch["name"].get<std::string>(), d.message);
      return refused(std::move(d));
    }
    launches.push_back(std::move(launch->front()));
    auto found = byDevice.find((*points)[i].device);
    if (found == byDevice.end()) {
      auto profile = readDevice({(*points)[i].device, 0});
      if (!profile) return report(profile.diagnostics()), exitBadInput;
      found = byDevice.emplace((*points)[i].device, std::pair{std::move(*profile), std::vector<std::size_t>()}).first;
    }
    found->second.second.push_back(i);
  }

  std::vector<Json> parts(points->size());
  const unsigned jobs = o.jobs != 0 ? o.jobs : std::max(1u, std::thread::hardware_concurrency());
  SimulateOptions how;
  how.mode = *mode;
  how.results = !o.noResults;
  for (const auto& [name, group] : byDevice) {
    std::vector<launch::Launch> mine;
    for (const std::size_t i : group.second) mine.push_back(launches[i]);
    const auto outcomes = simulateAll(mine, group.first, how, jobs, false);
    for (std::size_t k = 0; k < outcomes.size(); ++k) {
      parts[group.second[k]] = partOf((*points)[group.second[k]], outcomes[k]);
      exitCode = std::max(exitCode, outcomes[k].exitCode);
      report(outcomes[k].diagnostics);
    }
  }
  return give(Json(parts), o.json, exitCode);
}

}  // namespace warpmill::cli
