#include "cli/compare_command.h"

#include "base/error_with.h"
#include "base/text_file.h"
#include "cli/batch.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "lesson/measured.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <thread>

namespace warpmill::cli {
namespace {

using lesson::MeasuredResult;

struct Row {
  std::string name, verdict;
  double simulatedUs = 0, measuredUs = 0, bytes = 0, flops = 0, wallSeconds = 0;
  std::map<std::string, std::pair<double, double>> counters;   // both have: simulated, measured
  std::string stalls[2];                                       // most waited for: simulated, measured
  [[nodiscard]] double errorPct() const { return 100.0 * (simulatedUs - measuredUs) / measuredUs; }
};

// The kernel's own time where the profiler read it, else that of cold launches between two events.
double timeOf(const MeasuredResult& r) {
  const auto kernel = r.counters.find("gpu__time_duration.sum");
  return kernel != r.counters.end() ? kernel->second / 1000.0 : r.cold.median;
}

constexpr std::string_view stallBegin = "smsp__average_warps_issue_stalled_";

std::string topStall(const std::map<std::string, double>& counters) {
  std::string best;
  double most = 0;
  for (const auto& [name, value] : counters) {
    if (!name.starts_with(stallBegin) || value <= most) continue;
    const std::string reason = name.substr(stallBegin.size(), name.find("_per_issue") - stallBegin.size());
    if (reason == "selected") continue;
    most = value;
    best = reason;
  }
  return best;
}

Row rowOf(const Outcome& o, const MeasuredResult& m) {
  Row row;
  row.name = o.report.name;
  row.verdict = o.report.verdict;
  row.simulatedUs = o.report.timeUs.value_or(0);
  row.measuredUs = timeOf(m);
  row.wallSeconds = o.report.wallSeconds;
  row.bytes = o.report.usefulGbps * row.simulatedUs * 1000.0;
  row.flops = o.report.gflops * row.simulatedUs * 1000.0;
  for (const auto& [name, value] : o.report.counters)
    if (const auto there = m.counters.find(name); there != m.counters.end() && !name.starts_with(stallBegin) && name != "gpu__time_duration.sum")
      row.counters[name] = {value, there->second};
  row.stalls[0] = topStall(o.report.counters);
  row.stalls[1] = topStall(m.counters);
  return row;
}

// Of absolute errors.
struct Summary {
  std::size_t n = 0;
  double mean = 0, p90 = 0, worst = 0;
  std::string worstAt;
};

Summary summaryOf(const std::vector<Row>& rows) {
  std::vector<std::pair<double, std::string>> errors;
  for (const Row& r : rows) errors.emplace_back(std::fabs(r.errorPct()), r.name);
  std::sort(errors.begin(), errors.end());
  Summary s;
  s.n = errors.size();
  if (errors.empty()) return s;
  for (const auto& e : errors) s.mean += e.first / static_cast<double>(errors.size());
  s.p90 = errors[std::min(errors.size() - 1, static_cast<std::size_t>(0.9 * static_cast<double>(errors.size())))].first;
  s.worst = errors.back().first;
  s.worstAt = errors.back().second;
  return s;
}

std::string off(const Row& row, const std::string& counter) {
  const auto it = row.counters.find(counter);
  if (it == row.counters.end() || it->second.second == 0) return "-";
  return fmt::format("{:+.1f}", 100.0 * (it->second.first - it->second.second) / it->second.second);
}

// In points, since it is a percentage already.
std::string points(const Row& row, const std::string& counter) {
  const auto it = row.counters.find(counter);
  return it == row.counters.end() ? "-" : fmt::format("{:+.1f}", it->second.first - it->second.second);
}

std::string textOf(const std::vector<Row>& rows, const Summary& s) {
  std::size_t width = 6;
  for (const Row& r : rows) width = std::max(width, std::min<std::size_t>(r.name.size(), 44));
  std::string out = fmt::format("{:<{}} {:>11} {:>11} {:>8}  {:>16} {:>16}  {:>7} {:>7} {:>7} {:>6}  {}\n", "launch", width, "simulated", "measured", "error %",
                                "GB/s sim/gpu", "GFLOP/s sim/gpu", "instr %", "read %", "write %", "occ.", "waits most for, sim/gpu");
  for (const Row& r : rows) {
    const auto pair = [&](double amount) {
      return amount == 0 ? std::string("-") : fmt::format("{:.4g}/{:.4g}", amount / r.simulatedUs / 1000.0, amount / r.measuredUs / 1000.0);
    };
    out += fmt::format("{:<{}} {:>9.2f}us {:>9.2f}us {:>+8.1f}  {:>16} {:>16}  {:>7} {:>7} {:>7} {:>6}  {}\n", r.name.substr(0, 44), width, r.simulatedUs, r.measuredUs,
                       r.errorPct(), pair(r.bytes), pair(r.flops), off(r, "smsp__inst_executed.sum"), off(r, "dram__bytes_read.sum"), off(r, "dram__bytes_write.sum"),
                       points(r, "sm__warps_active.avg.pct_of_peak_sustained_active"), r.stalls[1].empty() ? r.stalls[0] : r.stalls[0] + "/" + r.stalls[1]);
  }
  if (s.n != 0) out += fmt::format("time, {}: mean error {:.1f} %, 90th percentile {:.1f} %, worst {:.1f} % ({})\n", counted(s.n, "launch", "launches"), s.mean, s.p90, s.worst, s.worstAt);
  return out;
}

std::string jsonOf(const std::vector<Row>& rows, const Summary& s, const lesson::Measured& measured) {
  nlohmann::json out = {{"measured_on", measured.device}, {"rows", nlohmann::json::array()}};
  for (const Row& r : rows) {
    nlohmann::json row = {{"name", r.name}, {"simulated_us", r.simulatedUs}, {"measured_us", r.measuredUs}, {"error_pct", r.errorPct()}, {"wall_s", r.wallSeconds}};
    if (r.bytes != 0) row["gbps"] = {r.bytes / r.simulatedUs / 1000.0, r.bytes / r.measuredUs / 1000.0};
    if (r.flops != 0) row["gflops"] = {r.flops / r.simulatedUs / 1000.0, r.flops / r.measuredUs / 1000.0};
    for (const auto& [name, both] : r.counters) row["counters"][name] = {both.first, both.second};
    row["top_stall"] = {r.stalls[0], r.stalls[1]};
    out["rows"].push_back(std::move(row));
  }
  out["time_error_pct"] = {{"n", s.n}, {"mean", s.mean}, {"p90", s.p90}, {"worst", s.worst}, {"worst_at", s.worstAt}};
  return out.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

int compare(const CompareOptions& options) {
  int exitCode = exitOk;
  const auto mode = parseMode(options.mode, exitCode);
  if (!mode) return exitCode;
  if (*mode == Mode::Functional) {
    return report({errorWith("--mode functional has no times to compare")}), exitBadInput;
  }
  const auto measured = lesson::readMeasured(options.measured);
  if (!measured) return report(measured.diagnostics()), exitBadInput;
  const auto profile = readDevice(options.device);
  if (!profile) return report(profile.diagnostics()), exitBadInput;
  auto inputs = readInputs(options.input);
  if (!inputs) return report(inputs.diagnostics()), exitBadInput;
  if (!options.json.empty() && options.json != "-")
    if (auto error = checkWritable(options.json)) return report({std::move(*error)}), exitBadInput;

  std::size_t without = 0;
  std::vector<launch::Launch> launches;
  for (const launch::Launch& l : inputs->launches) {
    const MeasuredResult* m = measured->result(l.name);
    if (m != nullptr && timeOf(*m) > 0) launches.push_back(l);
    else ++without;
  }
  if (launches.empty()) {
    Diagnostic d = errorWith("none of the " + counted(inputs->launches.size(), "launch", "launches") + " has a time in this record");
    d.file = options.measured;
    return report({d}), exitBadInput;
  }
  SimulateOptions how;
  how.mode = *mode;
  how.results = false;
  how.checks = {false, false, false, false};
  const unsigned jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  std::vector<Row> rows;
  for (const Outcome& o : simulateAll(launches, *profile, how, jobs, false)) {
    report(o.diagnostics);
    exitCode = std::max(exitCode, o.exitCode);
    if (o.report.timeUs) rows.push_back(rowOf(o, *measured->result(o.report.name)));
  }
  const Summary summary = summaryOf(rows);
  if (!options.json.empty() && options.json != "-")
    if (const auto error = writeFile(options.json, jsonOf(rows, summary, *measured))) report({*error}), exitCode = exitBadInput;
  print(options.json == "-" ? jsonOf(rows, summary, *measured) : textOf(rows, summary));
  if (without != 0) note(counted(without, "launch", "launches") + " not in the record, left out");
  return exitCode;
}

}  // namespace warpmill::cli
