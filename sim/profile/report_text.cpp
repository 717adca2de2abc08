#include "profile/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpmill::profile {

namespace {

double counter(const Report& r, const char* name) {
  const auto found = r.counters.find(name);
  return found == r.counters.end() ? 0 : found->second;
}

// "0.083 FLOP a useful byte, 0.12 a byte that DRAM moved".
std::string intensities(const Roofline& f) {
  std::string out = f.usefulBytes > 0 ? fmt::format("{:.3g} FLOP a useful byte", f.usefulIntensity()) : "";
  if (f.movedBytes > 0) out += fmt::format("{}{:.3g} {}a byte that DRAM moved", out.empty() ? "" : ", ", f.movedIntensity(), out.empty() ? "FLOP " : "");
  return out;
}

}  // namespace

std::string toText(const Report& r, const TextOptions& options) {
  std::string out = fmt::format("{}: {}\n", r.name.empty() ? "launch" : r.name, r.verdict);
  out += faultsToText(r.faults, options);
  for (const Report::Note& n : r.notes) out += noteToText(n.message, n.file, n.line, n.ptxLine, options);
  if (!r.timeUs) {
    out += fmt::format("  functional run, no time: {} warp instructions of {} blocks\n", r.warpInstructions, r.ofBlocks);
    return out;
  }
  const auto row = [&](std::string_view what, const std::string& value) { out += fmt::format("  {:<22}{}\n", what, value); };
  row("time", fmt::format("{:.2f} us, {:.0f} cycles ({}, {} of {} blocks)", *r.timeUs, *r.cycles, r.timingMode, r.simulatedBlocks, r.ofBlocks));
  if (!r.part.empty()) row("projected", fmt::format("to within about {:.0f} %: {}", r.errorPct, r.part));
  if (r.usefulGbps > 0) row("useful bandwidth", fmt::format("{:.0f} GB/s", r.usefulGbps));
  row("DRAM bandwidth", fmt::format("{:.0f} GB/s, {:.1f} % of peak ({:.2f} MB read, {:.2f} MB written)", r.dramGbps,
                                    counter(r, "dram__throughput.avg.pct_of_peak_sustained_elapsed"), counter(r, "dram__bytes_read.sum") / 1e6,
                                    counter(r, "dram__bytes_write.sum") / 1e6));
  row("arithmetic", fmt::format("{:.1f} GFLOP/s, {:.1f} % of FP32 peak", r.gflops, 100 * r.gflops / r.roofline.peakGflops));
  if (const Roofline& f = r.roofline; f.flops > 0 && f.usefulBytes + f.movedBytes > 0)
    row("roofline", fmt::format("{}, {} below the roof of {:.4g} GFLOP/s: {:.0f} % of it", intensities(f),
                                f.roofGflops() < f.peakGflops ? "memory's side" : "arithmetic's side", f.roofGflops(), 100 * f.gflops / f.roofGflops()));
  const double loads = counter(r, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), stores = counter(r, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum");
  if (loads + stores > 0)
    row("sectors per request", fmt::format("{:.2f} loading, {:.2f} storing", loads > 0 ? counter(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") / loads : 0.0,
                                           stores > 0 ? counter(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") / stores : 0.0));
  row("occupancy", fmt::format("{:.1f} % achieved; {} blocks an SM, limited by {}; {:.2f} waves", r.occupancyPct, r.blocksPerSm, r.occupancyLimiter, r.waves));
  row("warp instructions", fmt::format("{:.0f}, {} registers a thread (estimated)", counter(r, "smsp__inst_executed.sum"), r.registersPerThread));

  std::vector<std::pair<double, std::string>> stalls;
  for (const auto& [name, value] : r.stalls)
    if (value >= 0.05) stalls.emplace_back(value, name);
  std::sort(stalls.rbegin(), stalls.rend());
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, stalls.size()); ++i)
    list += fmt::format("{}{} {:.1f}", i == 0 ? "" : ", ", stalls[i].second, stalls[i].first);
  if (!list.empty()) row("stalls", list + " (cycles an instruction)");
  row("bound by", r.verdictOnTime.bound);
  out += "  " + r.verdictOnTime.sentence + "\n";
  if (!r.verdictOnTime.advice.empty()) row("would help", r.verdictOnTime.advice);
  if (r.heat) out += toText(*r.heat, options.sourceLine);
  return out;
}

}  // namespace warpmill::profile
