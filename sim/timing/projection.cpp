#include "timing/projection.h"

#include "exec/cluster.h"
#include "exec/scheduler.h"
#include "timing/memory_system.h"
#include "timing/others.h"
#include "timing/sharing.h"
#include "timing/work_observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpmill::timing {

namespace {

constexpr std::uint64_t probedBlocks = 24;
constexpr std::uint64_t probedInstructions = 4'000'000;
// Of a grid whose blocks are all run without time: instructions, and how much work they are (see GridEstimate).
constexpr double othersMost = 30'000'000, othersMostWork = 64'000'000;
// Instructions of blocks that are compared with each other; fewer where there are matrix products, which take long also without time.
constexpr std::uint64_t alikeMost = 6'000'000, alikeMostWithProducts = 400'000;

// Number of units (blocks, or clusters of them) that the dispatcher hands out.
std::uint64_t unitCount(const exec::PreparedLaunch& launch) { return exec::blockCount(*launch.code) / exec::clusterSize(launch.code->context()); }

struct Plan {
  std::uint32_t sms = 0, activeSms = 0;  // of the share; of the device, as many as get a block
  std::uint64_t units = 0;
  [[nodiscard]] double share() const { return static_cast<double>(sms) / activeSms; }
};

// As many SMs as the limit allows, out of those that have work.
Plan planShare(const Machine& whole, const GridEstimate& grid, const ProjectionLimits& limits) {
  const std::uint64_t clusterSize = exec::clusterSize(whole.launch().code->context());
  const std::uint64_t units = unitCount(whole.launch());
  Plan plan;
  plan.activeSms = static_cast<std::uint32_t>(std::min<double>(whole.profile().smCount, static_cast<double>(units * clusterSize)));
  const double share = std::min(1.0, static_cast<double>(limits.work) / std::max(1.0, grid.work()));
  const auto fewest = static_cast<std::uint32_t>(std::min<std::uint64_t>(clusterSize, plan.activeSms));
  plan.sms = std::clamp(static_cast<std::uint32_t>(std::lround(share * plan.activeSms)), std::max(1u, fewest), plan.activeSms);
  plan.units = std::min(units, static_cast<std::uint64_t>(std::ceil(static_cast<double>(units) * plan.share() - 1e-9)));
  return plan;
}

// The same SMs with the part of L2, DRAM and dispatcher that they would have. An SM that shares the device with fewer others has more.
// Of data that several SMs read the share reads more than its part, and has the room in L2 for it.
// Where the other blocks bring and throw out what they would, L2 is whole.
device::Profile shareOf(const device::Profile& whole, const Plan& plan, const Sharing& sharing, bool withOthers) {
  device::Profile p = whole;
  const auto atLeastOne = [](double v) { return std::max(1.0, std::round(v)); };
  const double share = plan.share();
  p.smCount = plan.sms;
  p.storeys = {plan.sms};
  const double ofData = sharing.ofWave() > 0 ? sharing.ofShare() / sharing.ofWave() : 0;
  if (!withOthers) p.l2Bytes = std::max(16.0 * 128, whole.l2Bytes * std::clamp(ofData, share, 1.0));
  p.l2Slices = atLeastOne(whole.l2Slices * share);
  const double ofSlice = whole.l2Slices * share / p.l2Slices;
  p.l2SectorsPerCycle = whole.l2SectorsPerCycle * ofSlice;
  p.l2RequestsPerCycle = whole.l2RequestsPerCycle * ofSlice;
  p.l2WritesPerCycle = whole.l2WritesPerCycle * ofSlice;
  p.atomicsPerCycle = whole.atomicsPerCycle * share;  // each address has its unit here, too, with the share's part of its time
  p.floatAtomicsPerCycle = whole.floatAtomicsPerCycle * share;
  p.dramChannels = atLeastOne(whole.dramChannels * share);
  p.dramRowCycleNs = whole.dramRowCycleNs * p.dramChannels / (whole.dramChannels * share);  // so that its banks open as many rows as their part would
  p.dramBytesPerSecond = whole.dramBytesPerSecond * share;
  p.blockLaunchInterval = whole.blockLaunchInterval / share;
  return p;
}

// Data that many SMs read is fetched once, as long as what is in use together fits into L2; else once for each wave of blocks.
std::vector<Allotment> allotmentsOf(const Machine& whole, const Plan& plan, const Sharing& sharing, std::uint64_t wave, double instructions) {
  std::vector<Allotment> allotments;
  const auto blocks = static_cast<double>(whole.blockCount());
  const double waves = std::max(1.0, blocks / static_cast<double>(wave)), share = static_cast<double>(plan.units) / static_cast<double>(unitCount(whole.launch()));
  const double room = 0.8 * whole.profile().l2Bytes * whole.profile().l2EffectiveFraction;
  const bool stays = sharing.ofWave() < room;
  double touched = 0;
  for (const BufferReads& b : sharing.buffers) touched += std::min(b.ofGrid, static_cast<double>(b.end - b.base));
  for (const BufferReads& b : sharing.buffers) {
    const double all = blocks * b.perBlock, once = std::min(b.ofGrid, static_cast<double>(b.end - b.base));
    // What only blocks far from each other read again is gone from L2 by then, unless there is room for everything.
    if (b.ofGrid > 0.9 * all && touched > room) continue;
    const double total = stays ? once : std::min(std::max(once, waves * b.ofWave), all);
    if (total > 0.9 * all) continue;  // each block reads its own
    // Blocks read on as they run: of the first wave's half comes soon, the rest as it gets on.
    const double soon = std::min(total, b.ofWave) / 2;
    const Allotment a{b.base, b.end, soon * share, (total - soon) * share / std::max(1.0, instructions)};
    allotments.push_back(a);
  }
  return allotments;
}

bool hasProducts(const ptx::Function& f) {
  return std::any_of(f.instructions.begin(), f.instructions.end(), [](const ptx::Instruction& i) {
    return i.opcode == ptx::Opcode::Mma || i.opcode == ptx::Opcode::Wmma || i.opcode == ptx::Opcode::Wgmma;
  });
}

bool canRunAll(const GridEstimate& grid) { return grid.instructions() <= othersMost && grid.work() <= othersMostWork; }

std::vector<std::uint64_t> basesOf(const std::vector<Allotment>& allotments) {
  std::vector<std::uint64_t> bases;
  for (const Allotment& a : allotments) bases.push_back(a.base);
  return bases;
}

std::uint64_t scaled(std::uint64_t value, double factor) { return static_cast<std::uint64_t>(std::llround(static_cast<double>(value) * factor)); }

void scale(Counters& c, double f) {
  for (std::uint64_t* v : {&c.ptxInstructions, &c.machineInstructions, &c.threadInstructions, &c.globalLoadRequests, &c.globalLoadSectors, &c.globalLoadHits,
                           &c.globalStoreRequests, &c.globalStoreSectors, &c.sharedLoadWavefronts, &c.sharedStoreWavefronts, &c.sharedLoadConflicts,
                           &c.sharedStoreConflicts, &c.l2ReadSectors, &c.l2WriteSectors, &c.l2Hits, &c.dramReadBytes, &c.dramWriteBytes, &c.fadd, &c.fmul,
                           &c.ffma, &c.flops, &c.issueCycles, &c.lsuBusy})
    *v = scaled(*v, f);
  for (std::uint64_t& v : c.stalledWarpCycles) v = scaled(v, f);
  for (std::uint64_t& v : c.pipeBusy) v = scaled(v, f);
}

// What the share did, as the whole device would have: `work` times as much, in `time` times the time.
MachineState wholeState(const MachineState& part, const Plan& plan, const device::Profile& share, const device::Profile& whole, double work, double time) {
  const auto sms = static_cast<std::uint32_t>(whole.smCount);
  MachineState s;
  s.sms.resize(sms);
  for (std::uint32_t i = 0; i < plan.activeSms && i < sms; ++i) {
    const SmState& like = part.sms[i % plan.sms];
    // Those that still run have been active until now.
    const std::uint64_t since = part.at.cycle - std::min(part.at.cycle, like.lastCounted);
    s.sms[i].activeCycles = scaled(like.activeCycles + (part.residentBlocks[i % plan.sms] != 0 ? since : 0), time);
    s.sms[i].residentWarpCycles = scaled(like.residentWarpCycles + since * like.residentWarps, time);
  }
  s.counters = part.counters;
  scale(s.counters, work);
  // The share's slices and channels are rounded to whole ones: as busy as they were, the device's are.
  s.counters.sliceBusy = scaled(part.counters.sliceBusy, whole.l2Slices / share.l2Slices * time);
  s.counters.channelBusy = scaled(part.counters.channelBusy, whole.dramChannels / share.dramChannels * time);
  for (const Ticks busy : part.atomicBusy) s.atomicBusy.push_back(scaled(busy, time));
  s.endCycle = scaled(part.endCycle, time);
  s.faults = part.faults;
  s.blocksDone = part.blocksDone;
  return s;
}

std::string partText(const Plan& plan, const Projection& p, const GridEstimate& grid, bool cut) {
  return fmt::format("{} of {} blocks were simulated in detail, on {} of {} SMs with their share of L2 and DRAM{}; the rest is projected from them.", p.simulatedBlocks,
                     grid.blocks, plan.sms, plan.activeSms, cut ? ", up to a limit of instructions" : "");
}

// Sampling error of a mean at two standard deviations, and what shares instead of the whole cost: the fewer SMs stand for all, the more.
// Seen against whole simulations (tests/bench/bench_projection): of 64 projections of launches with 1.5 to 8 million instructions, made as
// `auto` does and from a quarter, a sixteenth and a 64th of the work, the bar held in 97 of 100; most come out fast.
double errorBar(const Plan& plan, const GridEstimate& grid, double doneShare) {
  const double unseen = 1.0 - plan.share() * doneShare;
  const double sampling = 200.0 * grid.spread / std::sqrt(static_cast<double>(std::max<std::uint64_t>(1, plan.units)));
  constexpr double ofShares = 7, ofHalving = 3, ofRest = 12;
  return sampling * std::sqrt(unseen) + ofShares * unseen + ofHalving * std::log2(1.0 / plan.share()) + ofRest * (1.0 - doneShare);
}

}  // namespace

namespace {

// Of a few blocks, looked at more closely.
double workPerInstruction(const exec::PreparedLaunch& launch) {
  machine::Memory memory = launch.memory;
  exec::FunctionalRun run;
  WorkObserver observer;
  std::vector<machine::Fault> faults;
  observer.begin(*launch.code, memory, faults, 1);
  exec::FunctionalLimits limits;
  limits.observer = &observer;
  limits.maxInstructions = 200'000;
  exec::Scheduler scheduler(*launch.code, memory, limits, run);
  const BlockSample sample(exec::blockCount(*launch.code), std::min<std::uint64_t>(3, exec::blockCount(*launch.code)), 1);
  for (std::uint64_t n = 0; n < sample.count(); ++n)
    if (!scheduler.runAlone(sample.at(n), sample.at(n) + 1)) break;
  return run.warpInstructions == 0 ? 1 : 1 + observer.extra() / static_cast<double>(run.warpInstructions);
}

}  // namespace

GridEstimate estimateGrid(const exec::PreparedLaunch& launch) {
  GridEstimate grid;
  grid.blocks = exec::blockCount(*launch.code);
  if (grid.blocks == 0) return grid;
  const std::uint64_t clusterSize = exec::clusterSize(launch.code->context());
  if (clusterSize > 1) {  // run by other means; their blocks need each other
    grid.alone = false;
    return grid;
  }
  machine::Memory memory = launch.memory;
  exec::FunctionalRun run;
  const exec::FunctionalLimits limits;
  exec::Scheduler scheduler(*launch.code, memory, limits, run);
  const std::uint64_t count = std::min(grid.blocks, probedBlocks);
  const BlockSample sample(grid.blocks, count, 1);
  double sum = 0, squares = 0;
  std::uint64_t n = 0;
  for (; n < count && (n < 3 || run.warpInstructions < probedInstructions); ++n) {
    const std::uint64_t before = run.warpInstructions;
    // From both ends towards the middle, so that the first few are far apart.
    const std::uint64_t position = sample.at(n % 2 == 0 ? n / 2 : count - 1 - n / 2);
    if (!scheduler.runAlone(position, position + 1)) grid.alone = false;
    const auto instructions = static_cast<double>(run.warpInstructions - before);
    sum += instructions;
    squares += instructions * instructions;
    if (!grid.alone) { ++n; break; }
  }
  grid.workPerInstruction = workPerInstruction(launch);
  const auto count64 = static_cast<double>(n);
  grid.instructionsPerBlock = sum / count64;
  grid.spread = grid.instructionsPerBlock == 0 ? 0 : std::sqrt(std::max(0.0, squares / count64 - grid.instructionsPerBlock * grid.instructionsPerBlock)) / grid.instructionsPerBlock;
  return grid;
}

namespace {

// To the end, or to the limit; in steps, so that the other blocks keep up. False: one of the others does not end alone.
bool runWithOthers(const Machine& part, const BlockSample& sample, MachineState& state, Others& others, std::uint64_t most, double expected, const TraceTaker& taker,
                   Advance& advance) {
  constexpr double steps = 32;
  const auto step = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(expected / steps));
  for (std::uint64_t until = 1;; until += step) {
    advance = part.runUntil(state, std::min(until, most), taker);
    if (advance != Advance::Issued || until >= most) return true;
    const std::uint64_t begun = std::min(state.nextBlock, sample.count() - 1);
    if (!others.runTo(sample.at(begun), &state)) return false;
  }
}

void setCounts(Counters& k, const GridCounts& c) {
  k.globalLoadRequests = c.loadRequests;
  k.globalLoadSectors = c.loadSectors;
  k.globalStoreRequests = c.storeRequests;
  k.globalStoreSectors = c.storeSectors;
}

// What is seen of the whole grid without time: exact where the machine makes the accesses as they are written, else in the proportion in
// which it makes those of the sample.
void countWhole(const Machine& part, const BlockSample& sample, const GridEstimate& grid, const MachineState& simulated, bool cut, Others* others, Counters& k) {
  const bool asWritten = accessesAsWritten(part);
  const std::uint64_t alike = hasProducts(*part.launch().function) ? alikeMostWithProducts : alikeMost;
  if (asWritten && others == nullptr)
    if (const auto counts = countsOfAlike(part, alike)) return setCounts(k, *counts);
  if (!canRunAll(grid) || (cut && !asWritten)) return;
  std::unique_ptr<Others> own;
  if (others == nullptr) {
    if (const auto counts = countsOfAlike(part, alike)) return;  // scaled exactly as it is
    own = std::make_unique<Others>(part, sample);
    others = own.get();
  }
  if (!others->runTo(part.gridBlocks(), nullptr)) return;
  if (asWritten) return setCounts(k, others->counts());
  const GridCounts &all = others->counts(), &ofSample = others->countsOfSample();
  const auto set = [](std::uint64_t& counter, std::uint64_t made, std::uint64_t whole, std::uint64_t sampled) {
    if (sampled != 0) counter = scaled(made, static_cast<double>(whole) / static_cast<double>(sampled));
  };
  set(k.globalLoadRequests, simulated.counters.globalLoadRequests, all.loadRequests, ofSample.loadRequests);
  set(k.globalLoadSectors, simulated.counters.globalLoadSectors, all.loadSectors, ofSample.loadSectors);
  set(k.globalStoreRequests, simulated.counters.globalStoreRequests, all.storeRequests, ofSample.storeRequests);
  set(k.globalStoreSectors, simulated.counters.globalStoreSectors, all.storeSectors, ofSample.storeSectors);
}

}  // namespace

std::optional<Projection> project(const std::shared_ptr<const Machine>& whole, const GridEstimate& grid, const ProjectionLimits& limits, const TraceTaker& taker) {
  if (!grid.alone || grid.blocks == 0) return std::nullopt;
  const Plan plan = planShare(*whole, grid, limits);
  const std::uint64_t clusterSize = exec::clusterSize(whole->launch().code->context());
  const BlockSample sample(unitCount(whole->launch()), plan.units, std::max<std::uint64_t>(1, std::min<std::uint64_t>(plan.sms, plan.units / 16)));
  const std::uint64_t wave = std::uint64_t{plan.activeSms} * whole->occupancy().blocksPerSm;
  Sharing sharing;
  if (plan.sms < plan.activeSms) sharing = lookAtSharing(whole->launch(), wave, std::uint64_t{plan.sms} * whole->occupancy().blocksPerSm);
  const double expected = grid.instructionsPerBlock * static_cast<double>(plan.units * clusterSize);
  std::vector<Allotment> allotments = allotmentsOf(*whole, plan, sharing, wave, expected);
  const bool withOthers = plan.sms < plan.activeSms && clusterSize == 1 && canRunAll(grid) && blocksMeet(*whole, basesOf(allotments));
  if (withOthers) allotments.clear();
  const device::Profile share = shareOf(whole->profile(), plan, sharing, withOthers);
  const auto part = Machine::createSample(whole->launch(), share, sample, std::move(allotments));
  if (!part) return std::nullopt;
  MachineState state = (*part)->initialState();
  // What a share of one SM cannot do within the limit is cut off there.
  const auto most = static_cast<std::uint64_t>(1.5 * static_cast<double>(limits.work) / grid.workPerInstruction);
  Advance advance = Advance::Issued;
  std::unique_ptr<Others> others;
  if (withOthers) {
    others = std::make_unique<Others>(**part, sample);
    if (!runWithOthers(**part, sample, state, *others, most, expected, taker, advance)) return std::nullopt;
  } else {
    advance = (*part)->runUntil(state, most, taker);
  }
  const bool cut = advance == Advance::Issued;
  if (!cut && !(*part)->finished(state)) return std::nullopt;  // blocks that wait for others

  const double doneShare = cut ? std::min(1.0, static_cast<double>(state.counters.ptxInstructions) / std::max(1.0, expected)) : 1.0;
  if (cut) state.endCycle = std::max(state.endCycle, state.at.cycle);
  Projection p;
  p.whole = whole;
  p.simulatedSms = plan.sms;
  p.simulatedBlocks = state.blocksDone;
  const double unitsFactor = static_cast<double>(unitCount(whole->launch())) / static_cast<double>(plan.units);
  p.factor = unitsFactor / doneShare;
  p.state = wholeState(state, plan, share, whole->profile(), p.factor, 1.0 / doneShare);
  if (clusterSize == 1) countWhole(**part, sample, grid, state, cut, others.get(), p.state.counters);
  p.errorPct = errorBar(plan, grid, doneShare);
  p.part = partText(plan, p, grid, cut);
  return p;
}

}  // namespace warpmill::timing
