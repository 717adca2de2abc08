#include "profile/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace warpmill::profile {

namespace {

using lowering::Pipe;
using timing::Stall;

double ratio(double a, double b) { return b <= 0 ? 0 : a / b; }

// How long each could have worked, in cycles times units.
struct Time {
  double elapsed = 0, active = 0;      // of the device; of its SMs that had blocks, summed
  double activeSms = 0;                // share of the SMs that had blocks at all
};

Time timeOf(const timing::MachineState& s) {
  Time t;
  t.elapsed = static_cast<double>(s.endCycle);
  double working = 0;
  for (const timing::SmState& sm : s.sms) {
    t.active += static_cast<double>(sm.activeCycles);
    if (sm.activeCycles != 0) ++working;
  }
  t.activeSms = ratio(working, static_cast<double>(s.sms.size()));
  return t;
}

std::vector<Resource> resourcesOf(const timing::Machine& m, const timing::MachineState& s, double timeNs, double dramGbps) {
  const device::Profile& p = m.profile();
  const timing::Counters& c = s.counters;
  const Time t = timeOf(s);
  std::vector<Resource> all;
  const auto add = [&](std::string name, std::string bound, double share, std::string says) {
    const bool isOfSm = name == "memory_pipe" || name == "issue" || name == "branch" || name.starts_with("pipe_");
    all.push_back({std::move(name), std::move(bound), std::clamp(share, 0.0, 1.0), isOfSm, std::move(says)});
    all.back().says += fmt::format(" {:.0f} % of the time", 100 * all.back().share);
  };
  const auto ticks = [](std::uint64_t busy) { return static_cast<double>(busy) / static_cast<double>(timing::ticksPerCycle); };
  add("dram", "memory bandwidth", ratio(ticks(c.channelBusy), p.dramChannels * t.elapsed), fmt::format("DRAM moves {:.0f} GB/s, {:.0f} % of its peak, and is busy", dramGbps, 100 * ratio(dramGbps, p.dramBytesPerSecond)));
  add("l2", "L2 bandwidth", ratio(ticks(c.sliceBusy), p.l2Slices * t.elapsed), "L2's slices are busy");
  const double shared = static_cast<double>(c.sharedLoadWavefronts + c.sharedStoreWavefronts);
  add("memory_pipe", shared * 2 > ticks(c.lsuBusy) ? "shared memory" : "L1", ratio(ticks(c.lsuBusy), t.active), "the SMs' memory pipelines are busy");
  add("issue", "compute", ratio(static_cast<double>(c.machineInstructions), t.active * p.schedulersPerSm), "the schedulers issue");
  for (const Pipe pipe : {Pipe::Fma, Pipe::Alu, Pipe::Imad, Pipe::Fp64, Pipe::Fp16, Pipe::Sfu, Pipe::Tensor})
    add("pipe_" + std::string(lowering::pipeName(pipe)), "compute", ratio(static_cast<double>(c.pipeBusy[static_cast<std::size_t>(pipe)]), t.active * p.schedulersPerSm),
        fmt::format("the {} pipe is busy", lowering::pipeName(pipe)));
  add("branch", "branches", ratio(static_cast<double>(c.pipeBusy[static_cast<std::size_t>(Pipe::Branch)]), t.active * p.schedulersPerSm), "the branch units are busy");
  const std::uint64_t fullest = s.atomicBusy.empty() ? 0 : *std::max_element(s.atomicBusy.begin(), s.atomicBusy.end());
  add("atomics", "atomics", ratio(ticks(fullest), t.elapsed), "the busiest unit for atomics works");
  add("block_launch", "block launch", ratio(static_cast<double>(m.blockCount()) * p.blockLaunchInterval, t.elapsed), "the device starts blocks");
  add("launch", "launch overhead", ratio(p.launchOverheadNs, timeNs), "the kernel's start and end take");
  std::stable_sort(all.begin(), all.end(), [](const Resource& a, const Resource& b) { return a.share > b.share; });
  return all;
}

// What a warp waits for most, and what that is a sign of.
struct Waits { Stall reason = Stall::Wait; double share = 0, perIssue = 0; };

Waits waitsOf(const timing::Counters& c) {
  Waits w;
  double all = 0;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < timing::stallCount; ++i) {
    all += static_cast<double>(c.stalledWarpCycles[i]);
    if (static_cast<Stall>(i) == Stall::Selected || c.stalledWarpCycles[i] <= most) continue;
    most = c.stalledWarpCycles[i];
    w.reason = static_cast<Stall>(i);
  }
  w.share = ratio(static_cast<double>(most), all);
  w.perIssue = ratio(static_cast<double>(most), static_cast<double>(c.machineInstructions));
  return w;
}

std::string_view boundOf(Stall reason) {
  switch (reason) {
    case Stall::LongScoreboard: case Stall::Membar: case Stall::Drain: case Stall::LgThrottle: return "memory latency";
    case Stall::ShortScoreboard: case Stall::MioThrottle: return "shared memory latency";
    case Stall::Barrier: return "barriers";
    case Stall::BranchResolving: return "branches";
    case Stall::NoInstruction: return "instruction fetch";
    case Stall::Sleeping: return "sleep";
    default: return "instruction latency";
  }
}

std::string_view limitOf(std::string_view bound) {
  for (const Bound& b : bounds())
    if (b.name == bound) return b.limit;
  return "latency";
}

}  // namespace

const std::vector<Bound>& bounds() {
  static const std::vector<Bound> all{
      {"memory bandwidth", "memory", "move fewer bytes: reuse what was loaded, fuse kernels, smaller types, whole sectors"},
      {"memory latency", "latency", "more loads in flight: more warps, more independent loads a thread; or data that fits in L2"},
      {"L2 bandwidth", "memory", "keep data in registers or shared memory; whole lines instead of scattered sectors"},
      {"L1", "memory", "neighbouring lanes on neighbouring words; wider loads; reuse in registers"},
      {"shared memory", "memory", "pad against bank conflicts; wider accesses; keep more of a tile in registers"},
      {"shared memory latency", "latency", "more warps, or more independent work between a read of shared memory and its use"},
      {"compute", "compute", "fewer or cheaper operations: no division or 64-bit indices in the loop, tensor cores"},
      {"divergence", "compute", "let the lanes of a warp take the same way: sort the work, or give a warp's lanes what is alike"},
      {"atomics", "memory", "add up in registers, in the warp or in shared memory first; spread the addresses"},
      {"barriers", "latency", "fewer barriers, smaller blocks, or work within a warp"},
      {"branches", "latency", "unroll the loop; fewer branches"},
      {"instruction latency", "latency", "more warps, or more independent instructions in each"},
      {"instruction fetch", "latency", "a shorter program, or more work for each start of it"},
      {"sleep", "latency", "the kernel sleeps of its own accord (nanosleep)"},
      {"parallelism", "latency", "more blocks: a grid that gives every SM work"},
      {"block launch", "overhead", "larger blocks, or more work a thread, so that there are fewer of them"},
      {"launch overhead", "overhead", "more work in one launch; fewer launches"},
  };
  return all;
}

std::string_view adviceFor(std::string_view bound) {
  for (const Bound& b : bounds())
    if (b.name == bound) return b.advice;
  return {};
}

Verdict verdictOf(const timing::Machine& machine, const timing::MachineState& state, double timeNs, double dramGbps) {
  constexpr double mostOfTime = 0.5, muchOfTime = 0.25, full = 0.75, fullOfStarts = 0.9, fewSms = 0.5, fewLanes = 0.6;
  Verdict v;
  v.resources = resourcesOf(machine, state, timeNs, dramGbps);
  const auto named = [&](std::string_view name) { return *std::find_if(v.resources.begin(), v.resources.end(), [&](const Resource& r) { return r.name == name; }); };
  const auto decide = [&](std::string_view bound, std::string why) {
    v.bound = bound;
    v.limit = limitOf(bound);
    v.advice = adviceFor(bound);
    why[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(why[0])));
    v.sentence = std::move(why) + ".";
  };
  const double activeSms = timeOf(state).activeSms;
  const std::string fewWork = activeSms < fewSms ? fmt::format("; only {:.0f} % of the SMs have blocks", 100 * activeSms) : "";
  const Resource launch = named("launch");
  const auto byLaunch = [&] { decide(launch.bound, launch.says + "; " + named("dram").says + fewWork); };
  if (launch.share > mostOfTime) return byLaunch(), v;
  std::vector<Resource> others;   // those that more work fills
  for (const Resource& r : v.resources)
    if (r.name != "launch") others.push_back(r);
  const auto first = std::find_if(others.begin(), others.end(), [&](const Resource& r) { return r.share >= (r.name == "block_launch" ? fullOfStarts : full); });
  if (first != others.end()) {
    const Resource& next = others[first == others.begin() ? 1 : 0];
    const double lanes = ratio(static_cast<double>(state.counters.threadInstructions), 32.0 * static_cast<double>(state.counters.issueCycles));
    if (!fewWork.empty() && first->isOfSm) decide("parallelism", first->says + fewWork);
    else if (first->bound == "compute" && lanes < fewLanes) decide("divergence", fmt::format("{}, but on average only {:.0f} of 32 lanes take part", first->says, 32 * lanes));
    else decide(first->bound, first->says + "; " + next.says);
    return v;
  }
  if (launch.share > muchOfTime) return byLaunch(), v;
  const Waits w = waitsOf(state.counters);
  decide(boundOf(w.reason), fmt::format("nothing is full ({}); a warp waits {:.0f} cycles an instruction for {}, {:.0f} % of its time{}", others.front().says, w.perIssue, timing::stallName(w.reason),
                                        100 * w.share, fewWork));
  return v;
}

double Roofline::roofGflops() const {
  const double intensity = usefulBytes > 0 ? usefulIntensity() : movedIntensity();
  return intensity > 0 ? std::min(peakGflops, intensity * peakGbps) : peakGflops;
}

double peakGflops(const device::Profile& p) { return p.smCount * p.schedulersPerSm * 32 / p.fp32Interval * 2 * p.clockMHz / 1000; }

}  // namespace warpmill::profile
