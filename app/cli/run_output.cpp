#include "cli/run_output.h"

#include "base/text_file.h"
#include "cli/console.h"
#include "cli/what_if.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace warpmill::cli {
namespace {

nlohmann::json jsonOf(const Outcome& outcome);

// A sequence: its sums, and its launches one by one.
nlohmann::json jsonOfSequence(const Outcome& outcome) {
  nlohmann::json out = profile::toJson(outcome.report);
  for (const char* ofOneLaunch : {"launch", "counters", "stalls"}) out.erase(ofOneLaunch);
  if (out.contains("achieved")) out["achieved"].erase("limit"), out["achieved"].erase("sentence");
  out["launches"] = nlohmann::json::array();
  std::size_t fault = 0;
  for (const Outcome& step : outcome.steps) {
    for (std::size_t k = 0; k < step.report.faults.size(); ++k) out["faults"].at(fault++)["launch"] = out["launches"].size();
    out["launches"].push_back(jsonOf(step));
  }
  out["buffers"] = nlohmann::json::array();
  for (std::size_t b = 0; b < outcome.bufferHashes.size(); ++b)
    out["buffers"].push_back({{"name", outcome.bufferNames[b]}, {"sha256", outcome.bufferHashes[b]}});
  return out;
}

nlohmann::json jsonOf(const Outcome& outcome) {
  nlohmann::json out = outcome.steps.empty() ? profile::toJson(outcome.report) : jsonOfSequence(outcome);
  if (outcome.expectation) {
    const Expectation& e = *outcome.expectation;
    out["expect"] = {{"met", e.met}, {"text", e.text}, {"compared", e.compared}, {"wrong", e.wrong}, {"worst", e.worst}};
  }
  for (const Remedy& r : outcome.remedies)
    out["what_if"].push_back({{"name", r.name}, {"limit", r.limit}, {"says", r.says}, {"advice", r.advice}, {"time_us", r.timeUs}, {"gain_pct", r.gainPct}});
  return out;
}

double counter(const profile::Report& r, const char* name) {
  const auto found = r.counters.find(name);
  return found == r.counters.end() ? 0 : found->second;
}

// 12.3 us, 4.56 ms: three digits that mean something.
std::string shownTime(double us) {
  if (us < 1000) return fmt::format("{:.2f} us", us);
  return fmt::format("{:.3f} ms", us / 1000);
}

std::string topStall(const profile::Report& r) {
  std::string name = "-";
  double most = 0;
  for (const auto& [stall, value] : r.stalls)
    if (value > most) most = value, name = stall;
  return name;
}

std::string lineOf(std::string_view text, std::uint32_t line) {
  for (; line > 1 && !text.empty(); --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return std::string(text.substr(0, text.find('\n')));
}

// A kernel's source is looked for where its PTX says that it was, and beside the PTX.
std::string sourceLine(const Outcome& o, const std::string& file, std::uint32_t line) {
  if (!o.prepared) return "";
  if (file.empty()) return lineOf(o.prepared->module->text, line);
  namespace fs = std::filesystem;
  const fs::path beside = fs::path(o.prepared->launch.ptxPath).parent_path() / fs::path(file).filename();
  for (const fs::path& path : {fs::path(file), beside}) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) > (4u << 20)) continue;
    if (const auto text = readTextFile(path.string())) return lineOf(*text, line);
  }
  return "";
}

std::string tableOf(const std::vector<Outcome>& outcomes) {
  std::size_t width = 6;
  for (const Outcome& o : outcomes) width = std::max(width, std::min<std::size_t>(o.report.name.size(), 44));
  std::string out = fmt::format("{:<{}}  {:<14} {:>11} {:>11} {:>6} {:>9} {:>5}  {:<18} {}\n", "launch", width, "verdict", "time",
                                "DRAM GB/s", "% peak", "GFLOP/s", "occ.%", "bound by", "most waited for");
  for (const Outcome& o : outcomes) {
    const profile::Report& r = o.report;
    out += fmt::format("{:<{}}  {:<14} ", r.name.substr(0, 44), width, r.verdict);
    if (r.timeUs)
      out += fmt::format("{:>11} {:>11.4g} {:>6.1f} {:>9.4g} {:>5.0f}  {:<18} {}", shownTime(*r.timeUs), r.dramGbps,
                         counter(r, "dram__throughput.avg.pct_of_peak_sustained_elapsed"), r.gflops, r.occupancyPct, r.verdictOnTime.bound, topStall(r));
    else if (!r.faults.empty())
      out += r.faults.front().message;
    else
      out += fmt::format("{} warp instructions", r.warpInstructions);
    if (o.expectation && !o.expectation->met) out += "  [" + o.expectation->text + "]";
    out += "\n";
  }
  return out;
}

std::string suiteTable(const std::vector<Outcome>& outcomes) {
  std::string out = tableOf(outcomes);
  std::map<std::string, std::size_t> verdicts;
  std::size_t wrong = 0;
  for (const Outcome& o : outcomes) {
    ++verdicts[o.report.verdict];
    if (o.expectation && !o.expectation->met) ++wrong;
  }
  out += counted(outcomes.size(), "launch", "launches") + ":";
  for (const auto& [verdict, n] : verdicts) out += fmt::format(" {} {},", n, verdict);
  out.back() = ';';
  out += wrong == 0 ? " none differs from what its file expects\n"
                    : fmt::format(" {} from what the file expects\n", counted(wrong, "differs", "differ"));
  return out;
}

}  // namespace

std::string jsonOf(const std::vector<Outcome>& outcomes, bool asSuite) {
  nlohmann::json out = nlohmann::json::array();
  for (const Outcome& o : outcomes) out.push_back(jsonOf(o));
  // Texts from outside (names, PTX files) need not be UTF-8.
  return (asSuite ? out : out.at(0)).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string textOf(const std::vector<Outcome>& outcomes, bool asSuite, Language language) {
  std::string out;
  if (asSuite && outcomes.size() > 1) {
    out = suiteTable(outcomes);
    for (const Outcome& o : outcomes)
      if (o.report.heat) out += o.report.name + "\n" + profile::toText(*o.report.heat, [&](const std::string& file, std::uint32_t line) { return sourceLine(o, file, line); });
    return out;
  }
  for (const Outcome& o : outcomes) {
    profile::TextOptions options{[&](const std::string& file, std::uint32_t line) { return sourceLine(o, file, line); }, language, ""};
    if (o.prepared) options.ptxFile = o.prepared->module->fileName;
    if (o.steps.empty()) {
      out += profile::toText(o.report, options);
    } else {
      out += fmt::format("{}: {}, {}{}\n", o.report.name, o.report.verdict, counted(o.steps.size(), "launch", "launches"),
                         o.report.timeUs ? ", " + shownTime(*o.report.timeUs) + " together" : "");
      out += tableOf(o.steps);
      for (const Outcome& step : o.steps)
        if (!step.report.faults.empty() || step.report.heat) out += profile::toText(step.report, options);
    }
    out += textOf(o.remedies);
    if (o.expectation) out += fmt::format("  {:<22}{}{}\n", "result", o.expectation->met ? "" : "WRONG: ", o.expectation->text);
  }
  return out;
}

Result<Dump> parseDump(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals != 0 && equals + 1 != text.size()) return Dump{text.substr(0, equals), text.substr(equals + 1)};
  Diagnostic d;
  d.message = "--dump " + text + ": an argument and a file are wanted";
  d.hint = "as in --dump 2=out.bin";
  return d;
}

Result<std::uint32_t> dumpedArgument(const Dump& dump, const launch::Launch& launch) {
  std::uint32_t index = 0;
  const auto [end, error] = std::from_chars(dump.argument.data(), dump.argument.data() + dump.argument.size(), index);
  const bool isNumber = error == std::errc{} && end == dump.argument.data() + dump.argument.size();
  std::string buffers;
  const auto& arguments = launch.sequence.empty() ? launch.arguments : launch.buffers;
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    const launch::Argument& a = arguments[i];
    if (!a.isBuffer) continue;
    if (isNumber ? i == index : a.name == dump.argument) return i;
    buffers += (buffers.empty() ? "" : ", ") + std::to_string(i) + (a.name.empty() ? "" : " (" + a.name + ")");
  }
  Diagnostic d;
  d.message = "--dump " + dump.argument + "=" + dump.path + ": '" + launch.name + "' has no such buffer";
  d.hint = buffers.empty() ? "it has no buffers" : (launch.sequence.empty() ? "its buffers are the arguments " : "its buffers are ") + buffers;
  return d;
}

std::optional<Diagnostic> writeDump(const Dump& dump, const launch::Launch& launch, const Outcome& outcome) {
  const auto argument = dumpedArgument(dump, launch);
  if (!argument) return argument.diagnostics()[0];
  const std::uint32_t allocation = launch.sequence.empty() ? outcome.prepared->argumentAllocation[*argument] : outcome.buffers[*argument];
  std::vector<std::uint8_t> bytes(outcome.memory.allocations()[allocation].sizeBytes);
  outcome.memory.copyOut(allocation, 0, bytes);
  return writeFile(dump.path, bytes);
}

}  // namespace warpmill::cli
