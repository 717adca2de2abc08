// Undefined bytes through calls: arguments and returned values are copied from frame to frame, and a function's frame begins undefined each
// time, whatever the one before it has left there.
#include "exec/lanes.h"
#include "faults/poison.h"

#include <algorithm>

namespace warpmill::faults {

using exec::Exec;
using exec::Op;
using exec::portable::eachLane;
using machine::CallRecord;
using machine::CallStack;
using ptx::Routine;
using ptx::Space;

namespace {

std::uint64_t frameOf(const Exec& x, unsigned lane) {
  const auto* frames = reinterpret_cast<const exec::portable::PlaneWord64*>(x.base[exec::Slot::Registers] + std::size_t{x.code->function().frameSlot} * exec::planeWords);
  return frames[lane];
}

// Of the innermost call of the lane; false: it is in none.
bool innermost(const machine::Warp& warp, unsigned lane, CallRecord& record) {
  const CallStack& stack = warp.calls;
  if (lane >= stack.lanes.size() || stack.lanes[lane].used < CallRecord::wordCount) return false;
  const std::uint32_t* words = stack.words.data() + std::size_t{lane} * stack.wordsPerLane + stack.lanes[lane].used - CallRecord::wordCount;
  record = {words[0], words[1], words[2], words[3]};
  return true;
}

// Local memory has grown: each lane's part lies elsewhere now.
void growTo(DefinedBytes& local, std::uint64_t bytes) {
  const std::uint64_t lanes = machine::warpSize, before = local.defined.size() / lanes, now = bytes / lanes;
  if (now <= before) return;
  DefinedBytes grown;
  grown.reset(bytes);
  for (std::uint64_t lane = 0; lane < lanes; ++lane)
    std::copy_n(local.defined.begin() + static_cast<std::ptrdiff_t>(lane * before), before, grown.defined.begin() + static_cast<std::ptrdiff_t>(lane * now));
  grown.missing = static_cast<std::uint64_t>(std::count_if(grown.defined.begin(), grown.defined.end(), [](std::uint8_t d) { return d != 1; }));
  local = std::move(grown);
}

}  // namespace

void Poison::handOver(const Exec& x, BlockPoison& block, unsigned lane, std::uint64_t from, const Routine::Place& source, std::uint64_t to, const Routine::Place& target) {
  for (std::uint64_t k = 0; k < std::min(source.bytes, target.bytes); ++k) {
    const std::uint32_t undefined = undefinedAt(x, block, Space::Local, from + source.offset + k, lane, 1);
    define(x, block, Space::Local, to + target.offset + k, lane, 1, undefined);
  }
}

// Behind the call: in the function, or past it where the system has done it.
void Poison::called(const Exec& x, const Op& op, BlockPoison& block) {
  const ptx::Function& f = code_.function();
  const ptx::CallSite* site = op.aux < x.code->calls().size() ? x.code->calls()[op.aux].site : nullptr;
  if (!tracksLocal_ || site == nullptr || f.frameSlot == ptx::none) return;
  DefinedBytes& local = block.local[x.warp->indexInBlock];
  growTo(local, x.warp->local.size());
  const std::uint64_t size = local.defined.size() / machine::warpSize;
  eachLane(x.outcome->executed, [&](unsigned i) {
    CallRecord record{};
    const std::uint64_t frame = frameOf(x, i);
    if (!innermost(*x.warp, i, record) || record.site != op.aux) {
      for (const Routine::Place& r : site->results) define(x, block, Space::Local, frame + r.offset, i, static_cast<std::uint32_t>(r.bytes), 0);
      return;
    }
    const Routine& routine = f.routines[record.routine];
    for (std::uint64_t at = frame; at < std::min(frame + routine.frameBytes, size); ++at) {
      std::uint8_t& d = local.defined[i * size + at];
      local.missing += d == 1 ? 1 : 0;
      d = 0;
    }
    for (std::size_t k = 0; k < site->arguments.size() && k < routine.params.size(); ++k) handOver(x, block, i, record.frame, site->arguments[k], frame, routine.params[k]);
  });
}

void Poison::returns(const Exec& x, LaneMask lanes, BlockPoison& block) {
  if (!tracksLocal_) return;
  WarpPoison& w = block.warps[x.warp->indexInBlock];
  eachLane(lanes, [&](unsigned i) {
    CallRecord record{};
    if (!innermost(*x.warp, i, record)) return;
    const exec::CallPlan& plan = x.code->calls()[record.site];
    const Routine& routine = code_.function().routines[record.routine];
    for (std::size_t k = 0; k < plan.site->results.size() && k < routine.returns.size(); ++k)
      handOver(x, block, i, frameOf(x, i), routine.returns[k], record.frame, plan.site->results[k]);
    for (const exec::CallPlan::Saved& s : plan.saved) {
      if (s.words == 0) w.set(w.predicates, s.offset, 1u << i, 0);
      for (std::uint32_t k = 0; k < 4u * s.words; ++k) w.set(w.bytes, s.offset / exec::planeWords * 4 + k, 1u << i, 0);
    }
  });
}

}  // namespace warpmill::faults
