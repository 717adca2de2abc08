// Block barriers: arrival, opening, the reduction that bar.red makes, and what a block that cannot go on waits for.
#include "base/texts.h"
#include "exec/divergence.h"
#include "exec/faults.h"
#include "exec/lanes.h"

#include <fmt/format.h>

#include <bit>

namespace warpmill::exec {

using machine::Block;
using machine::BlockBarrier;
using machine::Path;
using machine::Warp;

namespace {

std::uint32_t liveThreads(const Block& block) {
  std::uint32_t n = 0;
  for (const Warp& w : block.warps) n += static_cast<std::uint32_t>(std::popcount(w.threads & ~w.exited));
  return n;
}

PredicateSource predicateOf(const Op& op) { return op.predicate; }

LaneMask predicateValue(const Warp& warp, const PredicateSource& p) {
  const LaneMask v = p.index == ptx::none ? p.constant : warp.predicates[p.index];
  return p.negated ? ~v : v;
}

// bar.red: over all waiting threads. aux bits 8 and up: 1 popc, 2 and, 3 or.
void reduce(const Code& code, Block& block, std::uint8_t barrier) {
  std::uint32_t count = 0, total = 0;
  for (const Warp& w : block.warps)
    for (const Path& p : w.paths)
      if (p.status == Path::Status::AtBarrier && p.barrier == barrier && (code.ops()[p.pc].aux >> 8) != 0) {
        count += static_cast<std::uint32_t>(std::popcount(p.lanes & predicateValue(w, predicateOf(code.ops()[p.pc]))));
        total += static_cast<std::uint32_t>(std::popcount(p.lanes));
      }
  for (Warp& w : block.warps)
    for (const Path& p : w.paths) {
      if (p.status != Path::Status::AtBarrier || p.barrier != barrier) continue;
      const Op& op = code.ops()[p.pc];
      switch (op.aux >> 8) {
        case 1: portable::eachLane(p.lanes, [&](unsigned i) { w.planes[op.dst.offset + i] = count; }); break;
        case 2: case 3: {
          const bool result = (op.aux >> 8) == 2 ? count == total : count != 0;
          if (op.dstPredicate != ptx::none) w.predicates[op.dstPredicate] = (w.predicates[op.dstPredicate] & ~p.lanes) | (result ? p.lanes : 0);
          break;
        }
        default: break;
      }
    }
}

void open(const Code& code, Block& block, std::uint8_t barrier, StepOutcome& outcome) {
  reduce(code, block, barrier);
  BlockBarrier& b = block.barriers[barrier];
  b.arrivedThreads = 0;
  b.expectedThreads = 0;
  ++b.generation;
  outcome.barrierOpened = true;
  const auto end = static_cast<std::uint32_t>(code.ops().size());
  for (Warp& w : block.warps) {
    LaneMask released = 0;
    for (Path& p : w.paths)
      if (p.status == Path::Status::AtBarrier && p.barrier == barrier) {
        p.status = Path::Status::Runnable;
        released |= p.lanes;
        ++p.pc;
      }
    if (released == 0) continue;
    mergeEqualPaths(w);
    // Those that now stand where their group meets arrive there; a lane that has been seen is not looked at again.
    while (released != 0) {
      const auto lane = static_cast<unsigned>(std::countr_zero(released));
      const std::uint32_t i = pathOfLane(w, lane);
      released &= released - 1;
      if (i == ptx::none || w.paths[i].status != Path::Status::Runnable) continue;
      released &= ~w.paths[i].lanes;
      moveTo(w, i, w.paths[i].pc, end, outcome);
    }
    if (!w.paths.empty() && w.paths[w.current].status != Path::Status::Runnable)
      choosePath(w, static_cast<unsigned>(std::countr_zero(w.paths[w.current].lanes)));
  }
}

}  // namespace

void arriveAtBarrier(const Code& code, Block& block, Warp& warp, std::uint8_t barrier, LaneMask lanes, std::uint32_t expected, StepOutcome& outcome) {
  BlockBarrier& b = block.barriers[barrier];
  b.arrivedThreads += static_cast<std::uint32_t>(std::popcount(lanes));
  if (expected != 0) {
    // With a count the hardware counts whole warps: lanes that hold no thread any more arrive with the last one that does.
    if (((warp.threads & ~warp.exited) & ~lanes) == 0) b.arrivedThreads += static_cast<std::uint32_t>(32 - std::popcount(lanes));
    b.expectedThreads = expected;
  }
  if (b.arrivedThreads >= (b.expectedThreads != 0 ? b.expectedThreads : liveThreads(block))) open(code, block, barrier, outcome);
}

void openBarriersAfterExit(const Code& code, Block& block, StepOutcome& outcome) {
  for (std::uint8_t i = 0; i < block.barriers.size(); ++i) {
    const BlockBarrier& b = block.barriers[i];
    if (b.arrivedThreads != 0 && b.expectedThreads == 0 && b.arrivedThreads >= liveThreads(block)) open(code, block, i, outcome);
  }
}

std::optional<machine::Fault> deadlockOf(const Code& code, const Block& block) {
  const Warp* stuck = nullptr;
  const Path* at = nullptr;
  for (const Warp& w : block.warps)
    for (const Path& p : w.paths) {
      if (p.status == Path::Status::Runnable) return std::nullopt;
      if (at == nullptr || (at->status != Path::Status::AtBarrier && p.status == Path::Status::AtBarrier)) {
        stuck = &w;
        at = &p;
      }
    }
  if (at == nullptr) return std::nullopt;
  machine::Fault f = faultAt(code, block, *stuck, at->pc, static_cast<unsigned>(std::countr_zero(at->lanes)));
  f.count = static_cast<std::uint64_t>(std::popcount(at->lanes));
  if (at->status == Path::Status::AtBarrier) {
    const BlockBarrier& b = block.barriers[at->barrier];
    const std::uint32_t wanted = b.expectedThreads != 0 ? b.expectedThreads : liveThreads(block);
    f.kind = machine::FaultKind::DivergentBarrier;
    f.says = {Text::BarrierStuck, {{"arrived", b.arrivedThreads}, {"barrier", std::uint32_t{at->barrier}}, {"wanted", wanted}}};
    f.about = machine::About::Decision;
  } else if (at->status == Path::Status::AtMbarrier) {
    f.kind = machine::FaultKind::Hang;
    f.says = {Text::MbarrierStuck, {{"at", at->awaited}}};
  } else if (at->status == Path::Status::AtClusterBarrier) {
    f.kind = machine::FaultKind::DivergentBarrier;
    f.says = Text::ClusterBarrierStuck;
    f.about = machine::About::Decision;
  } else {
    f.kind = machine::FaultKind::Hang;
    f.says = Text::WarpStuck;
    f.about = machine::About::Decision;
  }
  complete(f, code, block, *stuck);
  return f;
}

std::optional<machine::Fault> unfinishedIn(const Code& code, const Block& block, std::uint64_t warpInstructions) {
  for (const Warp& w : block.warps) {
    if (w.done()) continue;
    const Path& p = w.path();
    machine::Fault f = faultAt(code, block, w, p.pc, static_cast<unsigned>(std::countr_zero(p.lanes)));
    f.kind = machine::FaultKind::Hang;
    f.says = {Text::NotEnded, {{"issued", warpInstructions}}};
    f.about = machine::About::Decision;
    complete(f, code, block, w);
    return f;
  }
  return std::nullopt;
}

}  // namespace warpmill::exec
