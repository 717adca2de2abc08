#include "presenter/frame.h"

#include "presenter/frame_parts.h"

#include <algorithm>
#include <cmath>

namespace warpmill::presenter {
namespace {

constexpr std::uint64_t busyWindow = 64;
constexpr std::size_t compartments = 72;   // of the L1 shelf

std::optional<Hall> hallOf(lowering::Pipe pipe) {
  using lowering::Pipe;
  switch (pipe) {
    case Pipe::Fma:
    case Pipe::Fp16:
    case Pipe::Fp64: return Hall::Fp32;
    case Pipe::Alu:
    case Pipe::Imad: return Hall::Int;
    case Pipe::Sfu: return Hall::Sfu;
    case Pipe::Tensor: return Hall::Tensor;
    default: return std::nullopt;
  }
}

void fillPlaces(const FrameContext& c, SmView& view) {
  for (std::uint32_t p = 0; p < view.places.size(); ++p) {
    const timing::WarpStatus s = c.machine.warpStatus(c.state, view.sm, p, c.now);
    PlaceView& place = view.places[p];
    place.used = s.used;
    if (!s.used) continue;
    place.warp = s.warp;
    place.stall = s.stall;
    place.group = groupOf(s.stall);
    place.since = s.since;
    place.until = s.until;
    place.pc = s.pc;
    place.line = c.lineOf(s.pc);
    place.active = s.active;
    place.diverged = s.diverged;
    place.exited = s.exited;
    ++view.usedPlaces;
  }
}

void countStates(Frame& frame) {
  for (SmView& view : frame.sms) {
    for (const PlaceView& place : view.places)
      if (place.used) ++view.counts[static_cast<std::size_t>(place.group)];
    view.dominant = static_cast<StallGroup>(std::max_element(view.counts.begin(), view.counts.end()) - view.counts.begin());
    for (std::size_t g = 0; g < stallGroupCount; ++g) frame.counts[g] += view.counts[g];
  }
}

void fillBlocks(const FrameContext& c, SmView& view, std::size_t everUsed) {
  const timing::SmState& sm = c.state.sms[view.sm];
  std::size_t shown = std::min(everUsed, sm.blocks.size());
  for (std::size_t b = 0; b < sm.blocks.size(); ++b)
    if (sm.blocks[b].used) shown = std::max(shown, b + 1);
  view.blocks.resize(shown);
  for (std::size_t b = 0; b < shown; ++b) {
    const timing::ResidentBlock& resident = sm.blocks[b];
    BlockView& block = view.blocks[b];
    block.slot = static_cast<std::uint32_t>(b);
    block.used = resident.used;
    if (!resident.used) continue;
    block.block = resident.block->linear;
    block.places = resident.warpSlots;
    block.threads = resident.block->threadCount;
    block.sharedBytes = static_cast<std::uint32_t>(resident.block->shared.size());
    view.sharedBytesUsed += block.sharedBytes;
    for (const machine::BlockBarrier& barrier : resident.block->barriers) {
      if (barrier.arrivedThreads <= block.arrived && block.expected != 0) continue;
      if (barrier.arrivedThreads == 0) continue;
      block.arrived = barrier.arrivedThreads;
      block.expected = barrier.expectedThreads != 0 ? barrier.expectedThreads : block.threads;
    }
  }
  const auto& block = c.machine.launch().code->context().block;
  view.warpsPerBlock = (block.x * block.y * block.z + 31) / 32;
  view.sharedBytesConfigured = c.machine.occupancy().carveOutBytes;
}

void fillIssues(const FrameContext& c, Frame& frame) {
  std::uint64_t i = c.issues;
  while (i > 0) {
    const timing::IssueEvent& e = c.trace.issues[i - 1];
    if (e.at.cycle + busyWindow <= c.now) break;
    --i;
    if (e.sm >= frame.sms.size() || e.subPartition >= 4) continue;
    SmView& sm = frame.sms[e.sm];
    if (e.at.cycle == c.now && !sm.picks[e.subPartition].any) {   // newest first
      sm.picks[e.subPartition] = {true, e.warpSlot, e.warp, e.pc};
      PlaceView& place = sm.places[e.warpSlot % 64];
      if (place.used && place.warp == e.warp) place.group = StallGroup::Working;   // also where what it issued costs nothing
    }
    if (e.pc >= c.machine.lowered().ops.size()) continue;
    const lowering::TimedOp& op = c.machine.lowered().ops[e.pc];
    if (const auto hall = hallOf(op.pipe); hall && op.issues != 0)
      sm.busy[e.subPartition][static_cast<std::size_t>(*hall)] += static_cast<float>(op.interval * op.issues) / static_cast<float>(busyWindow);
  }
  for (SmView& sm : frame.sms)
    for (auto& scheduler : sm.busy)
      for (float& share : scheduler) share = std::min(share, 1.0f);
}

void fillShelf(const FrameContext& c, SmView& view) {
  const auto& l1 = c.state.sms[view.sm].l1;
  view.shelf.assign(compartments, 0);
  if (l1.size() == 0) return;
  std::array<std::uint32_t, compartments> lines{};
  for (std::size_t i = 0; i < l1.size(); ++i) {
    const std::size_t at = i * compartments / l1.size();
    ++lines[at];
    for (const std::uint64_t validAt : l1[i].validAt)
      if (validAt <= c.now) view.shelf[at] += 0.25f;
  }
  for (std::size_t i = 0; i < compartments; ++i)
    if (lines[i] != 0) view.shelf[i] /= static_cast<float>(lines[i]);
}

void fillGpu(const FrameContext& c, GpuView& gpu) {
  const device::Profile& p = c.machine.profile();
  const exec::PreparedLaunch& launch = c.machine.launch();
  const exec::LaunchContext& context = launch.code->context();
  gpu.name = p.name;
  gpu.title = p.title;
  gpu.kernel = launch.function->name;
  gpu.launch = launch.launch.name;
  gpu.grid = {context.grid.x, context.grid.y, context.grid.z};
  gpu.block = {context.block.x, context.block.y, context.block.z};
  gpu.storeys = p.storeys;
  gpu.blocksTotal = c.machine.blockCount();
  gpu.blocksLaunched = c.state.nextBlock;
  gpu.blocksDone = c.state.blocksDone;
  gpu.depotSlices = static_cast<std::uint32_t>(p.l2Slices);
  gpu.docks = static_cast<std::uint32_t>(p.dramChannels);
  gpu.peakBytesPerCycle = p.clockMHz > 0 ? p.dramBytesPerSecond * 1000 / p.clockMHz : 0;
}

}  // namespace

std::uint32_t FrameContext::lineOf(std::uint32_t pc) const {
  const auto& code = machine.launch().function->instructions;
  return pc < code.size() ? code[pc].location.line : 0;
}

std::string FrameContext::textOf(std::uint32_t pc) const {
  const auto& code = machine.launch().function->instructions;
  if (pc >= code.size()) return {};
  std::string out;
  for (const char ch : machine.launch().module->textOf(code[pc])) {
    const bool blank = ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r';
    if (!blank) out += ch;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

Frame makeFrame(const session::Session& session, const Selection& selection, const SourceText& sourceText) {
  const timing::MachineState& state = session.state();
  const timing::Trace& trace = session.trace();
  const session::Position at = session.position();
  const FrameContext c{session, session.machine(), state, trace, at.cycle, std::min<std::uint64_t>(session.stepIndex(), trace.issues.size()),
                       std::min<std::uint64_t>(state.nextRequest, trace.requests.size())};
  Frame frame;
  frame.cycle = at.cycle;
  frame.slot = at.slot;
  frame.stepIndex = session.stepIndex();
  frame.stepCount = session.stepCount();
  frame.endCycle = std::max(trace.endCycle, state.endCycle);
  frame.timingHolds = session.timingHolds();
  frame.atStart = frame.stepIndex == 0;
  frame.atEnd = c.machine.finished(state);
  frame.selection = selection;
  fillGpu(c, frame.gpu);

  std::uint32_t home = 0;
  const bool resident = c.machine.findWarp(state, selection.warp, &home) != nullptr;
  std::vector<std::size_t> everUsed(state.sms.size(), 0);
  for (const timing::BlockEvent& e : trace.blocks) {
    if (e.sm < everUsed.size()) everUsed[e.sm] = std::max<std::size_t>(everUsed[e.sm], e.slot + 1u);
    if (!resident && e.block == selection.warp.block) home = e.sm;     // where it will be, or was
  }
  frame.focusSm = std::min<std::uint32_t>(selection.sm.value_or(home), state.sms.empty() ? 0 : static_cast<std::uint32_t>(state.sms.size() - 1));

  frame.sms.resize(state.sms.size());
  for (std::uint32_t s = 0; s < frame.sms.size(); ++s) {
    SmView& view = frame.sms[s];
    view.sm = s;
    fillPlaces(c, view);
    fillBlocks(c, view, everUsed[s]);
  }
  fillIssues(c, frame);
  countStates(frame);
  if (!frame.sms.empty()) fillShelf(c, frame.sms[frame.focusSm]);
  fillCrew(c, selection, sourceText, frame);
  fillRequest(c, selection, frame);
  fillTraffic(c, selection, frame);
  for (const machine::Fault& fault : state.faults) {
    frame.faults.push_back(messageOf(fault, Language::English));
    frame.faultsRu.push_back(messageOf(fault, Language::Russian));
  }
  return frame;
}

}  // namespace warpmill::presenter
