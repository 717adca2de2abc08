// Block barriers: arrival, opening, the reduction that bar.red makes.
#include "base/texts.h"
#include "exec/divergence.h"
#include "exec/faults.h"
#include "exec/lanes.h"
#include "exec/standstill.h"

#include <bit>

namespace warpmill::exec {

using machine::Block;
using machine::BlockBarrier;
using machine::Path;
using machine::Warp;

namespace {

std::uint32_t liveThreads(const Code& code, const Block& block) {
  std::uint32_t n = 0;
  for (const Warp& w : block.warps) n += static_cast<std::uint32_t>(std::popcount(w.threads & ~endedLanes(code, w)));
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

// bar.sync is for all threads of a warp at a time. Where they come to it from several places, or only some of them come, PTX leaves open what
// happens; an H200 may hang.
void checkTogether(const Code& code, const Block& block, std::uint8_t barrier, StepOutcome& outcome) {
  for (const Warp& w : block.warps) {
    if (w.paths.size() < 2) continue;
    const LaneMask living = w.threads & ~endedLanes(code, w);
    for (const Path& p : w.paths) {
      const bool here = p.status == Path::Status::AtBarrier && p.barrier == barrier && (code.ops()[p.pc].aux & alignedBarrier) != 0;
      LaneMask same = 0;
      for (const Path& q : w.paths)
        if (q.pc == p.pc && q.status == p.status) same |= q.lanes;
      if (!here || (living & ~same) == 0) continue;
      outcome.faults.push_back(apartAtBarrier(code, block, w, p, living & ~same));
      outcome.fault = true;
      break;
    }
  }
}

void open(const Code& code, Block& block, std::uint8_t barrier, StepOutcome& outcome) {
  checkTogether(code, block, barrier, outcome);
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

// The number of threads that a barrier is given: whole warps, and the same by all who use it at a time. An H200 stops with an illegal
// instruction otherwise.
std::uint32_t checkCount(const Code& code, const Block& block, const Warp& warp, std::uint8_t barrier, LaneMask lanes, std::uint32_t expected, StepOutcome& outcome) {
  const BlockBarrier& b = block.barriers[barrier];
  const bool odd = expected % machine::warpSize != 0, differs = !odd && b.arrivedThreads != 0 && b.expectedThreads != 0 && b.expectedThreads != expected;
  if (!odd && !differs) return expected;
  machine::Fault f = faultAt(code, block, warp, outcome.pc, static_cast<unsigned>(std::countr_zero(lanes)));
  f.kind = machine::FaultKind::DivergentBarrier;
  f.count = static_cast<std::uint64_t>(std::popcount(lanes));
  f.about = machine::About::Operands;
  f.says = {odd ? Text::BarrierCountOdd : Text::BarrierCountsDiffer, {{"barrier", std::uint32_t{barrier}}, {"wanted", expected}, {"had", b.expectedThreads}}};
  outcome.faults.push_back(std::move(f));
  outcome.fault = true;
  return odd ? (expected + machine::warpSize - 1) / machine::warpSize * machine::warpSize : b.expectedThreads;
}

}  // namespace

void arriveAtBarrier(const Code& code, Block& block, Warp& warp, std::uint8_t barrier, LaneMask lanes, std::uint32_t expected, StepOutcome& outcome) {
  BlockBarrier& b = block.barriers[barrier];
  if (expected != 0) {
    expected = checkCount(code, block, warp, barrier, lanes, expected, outcome);
    // With a count the hardware counts whole warps: lanes that hold no thread any more arrive with the last one that does.
    if ((warp.threads & ~endedLanes(code, warp) & ~lanes) == 0) b.arrivedThreads += static_cast<std::uint32_t>(32 - std::popcount(lanes));
    b.expectedThreads = expected;
  }
  b.arrivedThreads += static_cast<std::uint32_t>(std::popcount(lanes));
  if (b.arrivedThreads >= (b.expectedThreads != 0 ? b.expectedThreads : liveThreads(code, block))) open(code, block, barrier, outcome);
}

void openBarriersAfterExit(const Code& code, Block& block, StepOutcome& outcome) {
  for (std::uint8_t i = 0; i < block.barriers.size(); ++i) {
    const BlockBarrier& b = block.barriers[i];
    if (b.arrivedThreads != 0 && b.expectedThreads == 0 && b.arrivedThreads >= liveThreads(code, block)) open(code, block, i, outcome);
  }
}

}  // namespace warpmill::exec
