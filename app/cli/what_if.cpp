#include "cli/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpmill::cli {
namespace {

using device::Profile;

struct Lifted {
  const char* name;
  const char* limit;       // what bounds a launch for which this helps most
  const char* says;
  void (*apply)(Profile&);
};

void freeDram(Profile& p) {
  p.dramBytesPerSecond *= 1000;
  p.dramExtra = 0;
  p.dramRowCycleNs = 0;
}

void twiceL2(Profile& p) {
  p.l2SectorsPerCycle *= 2;
  p.l2RequestsPerCycle *= 2;
  p.l2WritesPerCycle *= 2;
  p.smReadBytesPerCycle *= 2;
  p.smWriteBytesPerCycle *= 2;
}

void freeArithmetic(Profile& p) {
  for (double* n : {&p.fp32Interval, &p.intInterval, &p.imadInterval, &p.fp64Interval, &p.fp16Interval, &p.sfuInterval, &p.tensorInterval, &p.aluLatency, &p.imadLatency,
                    &p.fp64Latency, &p.fp16Latency, &p.sfuLatency, &p.tensorLatency, &p.tensorShortInterval, &p.tensorShortLatency})
    *n = 1;
  p.portConflict = 0;
}

void freeAtomics(Profile& p) {
  p.atomicsPerCycle *= 1000;
  p.floatAtomicsPerCycle *= 1000;
}

void freeBarriers(Profile& p) {
  p.barrierLatency = 1;
  p.barrierInterval = 0;
}

void freeLaunch(Profile& p) {
  p.launchOverheadNs = 0;
  p.blockLaunchInterval = 0;
  p.blockTurnover = 0;
}

constexpr std::array<Lifted, 9> lifted{{
    {"dram_bandwidth_x2", "memory bandwidth", "twice the DRAM bandwidth", [](Profile& p) { p.dramBytesPerSecond *= 2; }},
    {"perfect_cache", "memory latency", "a cache that never goes to DRAM", freeDram},
    {"l2_bandwidth_x2", "L2 bandwidth", "twice the bandwidth of L2", twiceL2},
    {"no_conflicts", "shared memory", "a memory pipeline of the SM that is never busy", [](Profile& p) { p.lsuInterval = 0; }},
    {"free_arithmetic", "compute", "arithmetic that takes one cycle", freeArithmetic},
    {"free_atomics", "atomics", "atomics that take no turns", freeAtomics},
    {"free_barriers", "barriers", "barriers that let go at once", freeBarriers},
    {"free_branches", "branches", "branches without delay", [](Profile& p) { p.branchLatency = 1; }},
    {"free_launch", "launch overhead", "no cost of starting the kernel and its blocks", freeLaunch},
}};

}  // namespace

std::vector<Remedy> whatIf(const launch::Launch& launch, const profile::Report& base, const Profile& profile, Modules& modules, const SimulateOptions& options) {
  std::vector<Remedy> out;
  if (!base.timeUs) return out;
  SimulateOptions how = options;
  how.results = how.heat = false;
  how.checks = {false, false, false, false};
  how.mode = base.timingMode == "projected" ? Mode::Projected : Mode::Detailed;
  for (const Lifted& l : lifted) {
    Profile changed = profile;
    l.apply(changed);
    const Outcome o = simulate(launch, changed, modules, how);
    if (!o.report.timeUs) continue;
    out.push_back({l.name, l.limit, l.says, std::string(profile::adviceFor(l.limit)), *o.report.timeUs, 100.0 * (1.0 - *o.report.timeUs / *base.timeUs)});
  }
  std::stable_sort(out.begin(), out.end(), [](const Remedy& a, const Remedy& b) { return a.gainPct > b.gainPct; });
  return out;
}

std::string textOf(const std::vector<Remedy>& remedies) {
  if (remedies.empty()) return "";
  constexpr double worth = 5;
  const Remedy& first = remedies.front();
  std::string out = first.gainPct < worth ? "  what would help        nothing alone: no bottleneck that is lifted gains 5 %\n"
                                          : fmt::format("  what would help        most, against {}: {}\n", first.limit, first.advice);
  for (const Remedy& r : remedies)
    if (r.gainPct >= 1) out += fmt::format("    {:>5.1f} % less time with {} ({:.4g} us)\n", r.gainPct, r.says, r.timeUs);
  return out;
}

}  // namespace warpmill::cli
