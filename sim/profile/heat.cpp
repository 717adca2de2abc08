#include "profile/heat.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace warpmill::profile {

using timing::Stall;

namespace {

constexpr std::uint32_t sectorBytes = 32;

std::uint64_t ptxOf(std::uint64_t value, double factor) { return static_cast<std::uint64_t>(std::llround(static_cast<double>(value) * factor)); }

}  // namespace

void HeatCounts::add(const HeatCounts& o) {
  ptxInstructions += o.ptxInstructions, instructions += o.instructions, threadInstructions += o.threadInstructions;
  requests += o.requests, sectors += o.sectors, idealSectors += o.idealSectors, dramSectors += o.dramSectors;
  sharedRequests += o.sharedRequests, sharedWavefronts += o.sharedWavefronts;
  for (std::size_t i = 0; i < warpCycles.size(); ++i) warpCycles[i] += o.warpCycles[i];
}

std::uint64_t HeatCounts::cycles() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t c : warpCycles) sum += c;
  return sum;
}

Stall HeatCounts::mostWaitedFor() const {
  std::size_t best = static_cast<std::size_t>(Stall::Selected);
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < warpCycles.size(); ++i)
    if (i != static_cast<std::size_t>(Stall::Selected) && warpCycles[i] > most) most = warpCycles[i], best = i;
  return static_cast<Stall>(best);
}

Heat::Heat(const timing::Machine& machine) : counts_(machine.launch().function->instructions.size()) {
  const exec::LaunchContext& c = machine.launch().code->context();
  const std::uint64_t warpsPerBlock = (std::uint64_t{c.block.x} * c.block.y * c.block.z + 31) / 32;
  prologue_ = warpsPerBlock * machine.lowered().prologueIssues;
}

void Heat::take(const timing::Trace& trace) {
  for (const timing::IssueEvent& e : trace.issues) {
    HeatCounts& c = counts_[e.pc];
    ++c.ptxInstructions;
    c.instructions += e.machine;
    c.threadInstructions += static_cast<std::uint64_t>(__builtin_popcount(e.executed)) * e.machine;
    c.warpCycles[static_cast<std::size_t>(Stall::Selected)] += e.machine;
  }
  for (const timing::StallInterval& s : trace.stalls) counts_[s.pc].warpCycles[static_cast<std::size_t>(s.reason)] += s.end - s.begin;
  for (const timing::Request& r : trace.requests) {
    HeatCounts& c = counts_[r.pc];
    if (r.isShared) {
      ++c.sharedRequests;
      c.sharedWavefronts += r.wavefronts;
      continue;
    }
    ++c.requests;
    c.sectors += r.sectorCount;
    c.idealSectors += (r.usedBytes + sectorBytes - 1) / sectorBytes;
    for (std::uint32_t k = 0; k < r.sectorCount; ++k)
      if (trace.sectors[r.firstSector + k].level == timing::Level::Dram) ++c.dramSectors;
  }
  if (!counts_.empty()) counts_.front().instructions += trace.blocks.size() * prologue_;
}

void Heat::scale(double f) {
  for (HeatCounts& c : counts_) {
    for (std::uint64_t* v : {&c.ptxInstructions, &c.instructions, &c.threadInstructions, &c.requests, &c.sectors, &c.idealSectors, &c.dramSectors, &c.sharedRequests, &c.sharedWavefronts})
      *v = ptxOf(*v, f);
    for (std::uint64_t& v : c.warpCycles) v = ptxOf(v, f);
  }
}

HeatCounts Heat::total() const {
  HeatCounts sum;
  for (const HeatCounts& c : counts_) sum.add(c);
  return sum;
}

HeatReport heatReport(const Heat& heat, const ptx::Module& module, const ptx::Function& function) {
  HeatReport report;
  report.total = heat.total();
  const auto all = static_cast<double>(report.total.cycles());
  std::map<std::pair<std::uint32_t, std::uint32_t>, HeatLine> lines;
  std::map<std::uint32_t, HeatLine> ptxLines;
  for (std::size_t pc = 0; pc < heat.ofInstructions().size(); ++pc) {
    const HeatCounts& c = heat.ofInstructions()[pc];
    if (c == HeatCounts{}) continue;
    const ptx::Instruction& in = function.instructions[pc];
    HeatLine& ptxLine = ptxLines[in.position.line];
    ptxLine.line = in.position.line;
    ptxLine.ptxLines = {in.position.line};
    ptxLine.counts.add(c);
    if (in.location.file >= module.files.size() || in.location.line == 0) continue;
    HeatLine& line = lines[{in.location.file, in.location.line}];
    line.file = module.files[in.location.file];
    line.line = in.location.line;
    line.ptxLines.push_back(in.position.line);
    line.counts.add(c);
  }
  const auto keep = [&](HeatLine& line, std::vector<HeatLine>& to) {
    std::sort(line.ptxLines.begin(), line.ptxLines.end());
    line.ptxLines.erase(std::unique(line.ptxLines.begin(), line.ptxLines.end()), line.ptxLines.end());
    line.share = all == 0 ? 0 : static_cast<double>(line.counts.cycles()) / all;
    to.push_back(std::move(line));
  };
  for (auto& [at, line] : lines) keep(line, report.lines);
  for (auto& [at, line] : ptxLines) keep(line, report.ptxLines);
  return report;
}

namespace {

nlohmann::json jsonOf(const HeatLine& l) {
  nlohmann::json out;
  if (!l.file.empty()) out["file"] = l.file, out["line"] = l.line, out["ptx_lines"] = l.ptxLines;
  else out["ptx_line"] = l.line;
  const HeatCounts& c = l.counts;
  out["share_pct"] = 100 * l.share;
  out["warp_cycles"] = c.cycles();
  out["inst_executed"] = c.instructions;
  out["thread_inst_executed"] = c.threadInstructions;
  out["ptx_instructions"] = c.ptxInstructions;
  out["stalls"] = nlohmann::json::object();
  for (std::size_t i = 0; i < c.warpCycles.size(); ++i)
    if (c.warpCycles[i] != 0) out["stalls"][std::string(timing::stallName(static_cast<Stall>(i)))] = c.warpCycles[i];
  if (c.requests != 0)
    out["global"] = {{"requests", c.requests}, {"memory_l2_theoretical_sectors_global", c.sectors}, {"memory_l2_theoretical_sectors_global_ideal", c.idealSectors}, {"dram_sectors", c.dramSectors}};
  if (c.sharedRequests != 0) out["shared"] = {{"requests", c.sharedRequests}, {"memory_l1_wavefronts_shared", c.sharedWavefronts}};
  return out;
}

// "58.0 long_scoreboard, 12.1 wait": per cent of the line's cycles.
std::string stallsText(const HeatCounts& c) {
  std::vector<std::pair<std::uint64_t, std::string>> reasons;
  for (std::size_t i = 0; i < c.warpCycles.size(); ++i)
    if (c.warpCycles[i] != 0) reasons.emplace_back(c.warpCycles[i], std::string(timing::stallName(static_cast<Stall>(i))));
  std::sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, reasons.size()); ++i)
    out += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", reasons[i].second, 100.0 * static_cast<double>(reasons[i].first) / static_cast<double>(c.cycles()));
  return out;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

nlohmann::json toJson(const HeatReport& report) {
  nlohmann::json out = {{"lines", nlohmann::json::array()}, {"ptx_lines", nlohmann::json::array()}};
  for (const HeatLine& l : report.lines) out["lines"].push_back(jsonOf(l));
  for (const HeatLine& l : report.ptxLines) out["ptx_lines"].push_back(jsonOf(l));
  return out;
}

std::string toText(const HeatReport& report, const SourceLine& source, std::size_t most) {
  const bool hasSource = !report.lines.empty();
  std::vector<HeatLine> lines = hasSource ? report.lines : report.ptxLines;
  if (lines.empty()) return "";
  std::stable_sort(lines.begin(), lines.end(), [](const HeatLine& a, const HeatLine& b) { return a.share > b.share; });
  const std::size_t all = lines.size();
  if (lines.size() > most) lines.resize(most);
  std::size_t waits = 0, at = 0;
  std::vector<std::array<std::string, 2>> texts;
  for (const HeatLine& l : lines) {
    const std::size_t slash = l.file.find_last_of('/');
    texts.push_back({stallsText(l.counts), hasSource ? fmt::format("{}:{}", slash == std::string::npos ? l.file : l.file.substr(slash + 1), l.line) : fmt::format("PTX line {}", l.line)});
    waits = std::max(waits, texts.back()[0].size()), at = std::max(at, texts.back()[1].size());
  }
  std::string out = fmt::format("  where the warps' time goes, {}\n  {:>7} {:>11} {:>13} {:>11}  {:<{}}  {}\n", hasSource ? "by source line" : "by line of the PTX (it has no line table)", "share",
                                "warp instr.", "sectors/ideal", "wavefronts", "cycles spent on", waits, "line");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const HeatCounts& c = lines[i].counts;
    out += fmt::format("  {:>5.1f} % {:>11} {:>13} {:>11}  {:<{}}  {:<{}}  {}", 100 * lines[i].share, c.instructions, c.requests == 0 ? "-" : fmt::format("{}/{}", c.sectors, c.idealSectors),
                       c.sharedRequests == 0 ? "-" : std::to_string(c.sharedWavefronts), texts[i][0], waits, texts[i][1], at, trimmed(source ? source(lines[i].file, lines[i].line) : ""));
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  if (all > lines.size()) out += fmt::format("  ({} more lines in the JSON)\n", all - lines.size());
  return out;
}

}  // namespace warpmill::profile
