// One issue of a warp: executes the instruction of its current path and moves that path on.
#include "exec/access.h"
#include "exec/async.h"
#include "exec/calls.h"
#include "exec/cluster.h"
#include "exec/divergence.h"
#include "exec/issuer.h"
#include "exec/lanes.h"
#include "exec/special.h"
#include "exec/standstill.h"

#include <bit>

namespace warpmill::exec {

using machine::Path;
using machine::Warp;

namespace {

void clear(StepOutcome& o) {
  o.pc = machine::noPc;
  o.lanes = o.executed = 0;
  o.access.kind = MemoryAccess::Kind::None;
  o.access.space = ptx::Space::None;
  o.access.lanes = 0;
  o.access.bytesPerLane = 0;
  o.branch = o.diverged = o.reconverged = o.polled = o.arrivedAtBarrier = o.barrierOpened = o.queued = o.woke = o.warpDone = o.fault = false;
  o.barrier = 0;
  o.sleepNanoseconds = 0;
  o.faults.clear();
}

// Without the processor's own instruction std::popcount is a call; mostly all lanes are on.
std::uint64_t laneCount(LaneMask mask) { return mask == allLanes ? machine::warpSize : static_cast<std::uint64_t>(std::popcount(mask)); }

struct Stepper {
  Exec& x;
  const Op& op;
  std::uint32_t path, end;
  LaneMask executed;

  [[nodiscard]] unsigned firstLane() const { return static_cast<unsigned>(std::countr_zero(x.lanes)); }

  void branch() const {
    Warp& w = *x.warp;
    StepOutcome& out = *x.outcome;
    out.branch = true;
    const LaneMask rest = x.lanes & ~executed;
    const auto takenLane = static_cast<unsigned>(std::countr_zero(executed));
    if (rest == 0) {
      moveTo(w, path, op.target, end, out);
      choosePath(w, takenLane);
    } else if (executed == 0) {
      if (op.spinLoop && op.backward) w.paths[path].spins = 0;  // it leaves the loop
      moveTo(w, path, op.pc + 1, end, out);
      choosePath(w, firstLane());
      return;
    } else {
      out.diverged = true;
      const auto restLane = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint32_t taken = split(w, path, executed, op.reconvergence);
      if (op.spinLoop) w.paths[op.backward ? path : taken].spins = 0;
      // Either move may merge paths and shift indices, so each is found by a lane of its own.
      moveTo(w, pathOfLane(w, restLane), op.pc + 1, end, out);
      moveTo(w, pathOfLane(w, takenLane), op.target, end, out);
      choosePath(w, restLane);
    }
    if (op.spinLoop && op.backward) {
      out.polled = true;
      afterSpin(w, takenLane);
    }
  }

  void exit() const {
    const LaneMask rest = x.lanes & ~executed;
    if (op.handler != nullptr && executed != 0) op.handler(x, op, executed);
    exitLanes(*x.warp, executed, op.pc, end, *x.outcome);
    if (rest != 0) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      moveTo(*x.warp, pathOfLane(*x.warp, lane), op.pc + 1, end, *x.outcome);
    }
    choosePath(*x.warp, firstLane());
  }

  // Lanes whose guard is off go past the instruction and wait right behind it.
  std::uint32_t partUnguarded() const {
    const LaneMask rest = x.lanes & ~executed;
    if (rest == 0) return path;
    const auto lane = static_cast<unsigned>(std::countr_zero(executed));
    split(*x.warp, path, rest, op.pc + 1);
    moveTo(*x.warp, path + 1, op.pc + 1, end, *x.outcome);
    return pathOfLane(*x.warp, lane);
  }

  void blockBarrier() const {
    if (executed == 0) return next();
    const auto lane = static_cast<unsigned>(std::countr_zero(executed));
    const auto barrier = static_cast<std::uint8_t>(x.at(op.a)[lane] & 15);
    const std::uint32_t expected = op.b.present ? x.at(op.b)[lane] : 0;
    StepOutcome& out = *x.outcome;
    out.arrivedAtBarrier = true;
    out.barrier = barrier;
    const bool waits = (op.aux & 1) == 0;  // bar.arrive does not
    if (waits) {
      Path& p = x.warp->paths[partUnguarded()];
      p.status = Path::Status::AtBarrier;
      p.barrier = barrier;
      arriveAtBarrier(*x.code, *x.block, *x.warp, barrier, executed, expected, out);
    } else {
      moveTo(*x.warp, path, op.pc + 1, end, out);
      arriveAtBarrier(*x.code, *x.block, *x.warp, barrier, executed, expected, out);
    }
    choosePath(*x.warp, lane);
  }

  // Groups of lanes with masks of their own go one after the other and meet again behind the instruction; shuffles go together.
  // Returns whom the executing lanes name, of those that live.
  LaneMask namedLanes() {
    const Warp& w = *x.warp;
    const LaneMask living = w.threads & ~endedLanes(*x.code, w);
    if (!op.e.present) return executed;
    const std::uint32_t* masks = x.at(op.e);
    const std::uint32_t given = masks[std::countr_zero(executed)];
    const LaneMask first = given & living;
    if (op.e.base == Slot::Constants) {
      reportMask(x, op, executed & ~given, given);
      return first;
    }
    LaneMask same = 0, named = 0, lacking = 0;
    for (LaneMask m = executed; m != 0; m &= m - 1) {
      const LaneMask lane = m & (0u - m), mine = masks[std::countr_zero(m)] & living;
      named |= mine;
      if (mine == first) same |= lane;
      if ((mine & lane) == 0) lacking |= lane;
    }
    if (lacking != 0) reportMask(x, op, lacking, masks[std::countr_zero(lacking)]);
    if (same == executed || op.instruction->opcode == ptx::Opcode::Shfl) return named;
    const LaneMask later = executed & ~same;
    split(*x.warp, path, later, op.pc + 1);
    x.lanes &= ~later;
    executed = same;
    x.outcome->lanes = x.lanes;
    return first;
  }

  // Does the path wait for the same exchange? Warp barriers at different places open each other.
  [[nodiscard]] bool waitsHere(const Path& p, LaneMask wanted) const {
    if (p.status != Path::Status::AtWarpBarrier || (p.lanes & wanted) == 0) return false;
    if (p.pc == op.pc) return true;
    const Op& other = x.code->ops()[p.pc];
    return other.handler == op.handler && op.instruction->opcode == other.instruction->opcode && isWarpBarrier() && (p.awaited & ~x.warp->exited) == wanted;
  }
  [[nodiscard]] bool isWarpBarrier() const { return op.instruction->opcode == ptx::Opcode::Bar || op.instruction->opcode == ptx::Opcode::Barrier; }

  // Lanes that make the same call at another place of the program: that is allowed.
  [[nodiscard]] LaneMask elsewhere(LaneMask wanted) const {
    LaneMask lanes = 0;
    for (const Path& p : x.warp->paths) {
      const ptx::Instruction& there = *x.code->ops()[p.pc].instruction;
      if (p.status == Path::Status::AtWarpBarrier && there.opcode == op.instruction->opcode && (p.awaited & ~x.warp->exited) == wanted) lanes |= p.lanes;
    }
    return lanes;
  }

  // shfl.sync and its like: when all lanes of the mask that can come are here, or wait at this instruction, they execute together.
  void warpCollective() {
    if (executed == 0) return next();
    Warp& w = *x.warp;
    const LaneMask wanted = namedLanes();
    const auto lane = static_cast<unsigned>(std::countr_zero(executed));
    LaneMask all = executed;
    for (const Path& p : w.paths)
      if (waitsHere(p, wanted)) all |= p.lanes;
    const bool resumed = w.paths[path].awaited != 0;
    if ((wanted & ~all) != 0 && !resumed) {
      Path& p = w.paths[partUnguarded()];
      p.status = Path::Status::AtWarpBarrier;
      p.awaited = wanted;
      x.outcome->executed = 0;
      choosePath(w, lane);
      return;
    }
    if (resumed && (wanted & ~all) != 0) reportMissing(x, op, all, wanted & ~all & ~elsewhere(wanted));
    x.outcome->executed = all;
    w.paths[path].awaited = 0;
    op.handler(x, op, all);
    LaneMask toMove = all | x.lanes;
    for (Path& p : w.paths)
      if ((p.lanes & toMove) != 0) {
        p.status = Path::Status::Runnable;
        p.awaited = 0;
        ++p.pc;
      }
    mergeEqualPaths(w);
    while (toMove != 0) {
      const std::uint32_t i = pathOfLane(w, static_cast<unsigned>(std::countr_zero(toMove)));
      toMove &= toMove - 1;
      if (i == ptx::none || w.paths[i].status != Path::Status::Runnable) continue;
      toMove &= ~w.paths[i].lanes;
      moveTo(w, i, w.paths[i].pc, end, *x.outcome);
    }
    choosePath(w, lane);
  }

  // mbarrier.try_wait, barrier.cluster.wait: the instruction is issued again when there is something new.
  void await() const {
    if (executed == 0) return next();
    x.waitsAs = Path::Status::Runnable;
    op.handler(x, op, executed);
    if (x.waitsAs == Path::Status::Runnable) return next();
    const auto lane = static_cast<unsigned>(std::countr_zero(executed));
    Path& p = x.warp->paths[partUnguarded()];
    p.status = x.waitsAs;
    p.awaited = x.waitsFor;
    choosePath(*x.warp, lane);
  }

  void next() const {
    Path& p = x.warp->paths[path];
    const std::uint32_t pc = op.pc + 1;
    if (pc < end && (p.group == machine::noGroup || x.warp->groups[p.group].pc != pc)) {
      p.pc = pc;
      return;
    }
    moveTo(*x.warp, path, pc, end, *x.outcome);
    choosePath(*x.warp, firstLane());
  }
};

}  // namespace

bool runnable(const Warp& warp) {
  if (warp.current < warp.paths.size() && warp.path().status == Path::Status::Runnable) return true;
  for (const Path& p : warp.paths)
    if (p.status == Path::Status::Runnable) return true;
  return false;
}

Issuer::Issuer(const Code& code, machine::Memory& memory, StepOutcome& outcome)
    : ops_(code.ops().data()), end_(static_cast<std::uint32_t>(code.ops().size())) {
  x_.base[Slot::Constants] = const_cast<std::uint32_t*>(code.constants().data());  // never a destination
  x_.base[Slot::Scratch] = scratch_;
  x_.carry = code.function().predicateCount;
  x_.code = &code;
  x_.memory = &memory;
  x_.outcome = &outcome;
  x_.parameters = code.context().parameters.data();
  x_.parameterBytes = code.context().parameters.size();
}

void Issuer::bind(machine::Block& block, Warp& warp, ClusterView cluster) {
  x_.cluster = cluster;
  x_.base[Slot::Registers] = warp.planes.data();
  x_.predicates = warp.predicates.data();
  x_.block = &block;
  x_.warp = &warp;
  x_.shared = block.shared.data();
  x_.sharedBytes = block.shared.size();
  x_.local = warp.local.data();
  x_.frameBytes = warp.local.size() / machine::warpSize;
}

void Issuer::issue(const Clock& clock) {
  x_.clock = &clock;
  x_.last = nullptr;
  issueOne();
}

void Issuer::issueQuickly(const Clock& clock) {
  followPages();
  x_.clock = &clock;
  records_ = true;
  issueOne();
  records_ = false;
}

bool Issuer::isPlain(const Op& op) { return op.flow == Flow::Next && op.stride == Stride::Step && op.handler != nullptr; }

LaneMask Issuer::issuePlainly(const Clock& clock) {
  followPages();
  x_.clock = &clock;
  x_.last = last_.data();
  Warp& warp = *x_.warp;
  Path& path = warp.paths[warp.current];
  const Op& op = ops_[path.pc];
  const LaneMask lanes = path.lanes;
  x_.lanes = lanes;
  x_.outcome->fault = false;
  if (!x_.outcome->faults.empty()) x_.outcome->faults.clear();
  LaneMask executed = lanes;
  if (op.guarded) executed &= op.guardNegated ? ~x_.predicates[op.guard] : x_.predicates[op.guard];
  ++warp.instructionsIssued;
  for (std::uint8_t k = 0; k < op.specialCount; ++k) fillSpecial(x_, op.specials[k]);
  if (executed != 0) op.handler(x_, op, executed);
  const std::uint32_t pc = op.pc + 1;
  if (pc < end_ && (path.group == machine::noGroup || warp.groups[path.group].pc != pc)) {
    path.pc = pc;
  } else {
    moveTo(warp, warp.current, pc, end_, *x_.outcome);
    choosePath(warp, static_cast<unsigned>(std::countr_zero(lanes)));
  }
  return executed;
}

// What the operations found where is good as long as the memory's table is.
void Issuer::followPages() {
  if (generation_ == x_.memory->tableGeneration()) return;
  last_.assign(end_, {});
  generation_ = x_.memory->tableGeneration();
}

// The quick handlers do not tell where they went. The general ones, which they leave the rest to, do it again.
void Issuer::recordQuickAccess(const Op& op, LaneMask executed) {
  x_.last = nullptr;
  if (op.general == nullptr) return;
  const bool stores = op.instruction->opcode == ptx::Opcode::St;
  recordAccess(x_, executed, stores ? MemoryAccess::Kind::Store : MemoryAccess::Kind::Load, op.space, std::uint32_t{op.elementBytes} * op.elementCount, op.a, op.offset);
  if (op.space == ptx::Space::Generic && resolveGeneric(x_, executed) != executed) return;  // more than one space
  x_.last = last_.data();
}

void Issuer::issueOne() {
  Warp& warp = *x_.warp;
  StepOutcome& outcome = *x_.outcome;
  clear(outcome);
  WM_ASSERT(warp.current < warp.paths.size() && warp.path().status == Path::Status::Runnable, "step of a warp that cannot issue");
  const Path& path = warp.path();
  const Op& op = ops_[path.pc];
  x_.lanes = path.lanes;

  LaneMask executed = path.lanes;
  if (op.guarded) executed &= op.guardNegated ? ~x_.predicates[op.guard] : x_.predicates[op.guard];
  outcome.pc = path.pc;
  outcome.lanes = path.lanes;
  outcome.executed = executed;
  ++warp.instructionsIssued;
  for (std::uint8_t k = 0; k < op.specialCount; ++k) fillSpecial(x_, op.specials[k]);
  if (records_ && executed != 0) recordQuickAccess(op, executed);

  const LaneMask exitedBefore = warp.exited;
  Stepper stepper{x_, op, warp.current, end_, executed};
  switch (op.flow) {
    case Flow::Next:
      if (executed != 0) op.handler(x_, op, executed);
      stepper.next();
      break;
    case Flow::Branch: stepper.branch(); break;
    case Flow::Exit: stepper.exit(); break;
    case Flow::BlockBarrier: stepper.blockBarrier(); break;
    case Flow::WarpCollective: stepper.warpCollective(); break;
    case Flow::Await: stepper.await(); break;
    case Flow::Table: stepTable(x_, op, warp.current, end_, executed); break;
    case Flow::Call: stepCall(x_, op, warp.current, end_, executed); break;
    case Flow::Return: stepReturn(x_, op, warp.current, end_, executed); break;
  }
  if (warp.exited != exitedBefore) {
    openBarriersAfterExit(*x_.code, *x_.block, outcome);
    if (!warp.async.stores.empty()) finishBulkStores(x_, warp.exited & ~exitedBefore, ~0u);
    if (x_.cluster.blocks != nullptr || warp.async.clusterArrived != 0) openClusterBarrier(x_);
    outcome.warpDone = warp.done();
  }
}

Issuer::Count Issuer::run(std::uint64_t most, std::uint64_t mostPolls) {
  followPages();
  x_.last = last_.data();
  x_.clock = nullptr;  // the block's own, see special.cpp
  x_.outcome->fault = false;
  x_.outcome->faults.clear();
  if (observer_ == nullptr) return runTurn<false>(most, mostPolls);
  observer_->runs(*x_.block, *x_.warp);
  return runTurn<true>(most, mostPolls);
}

template <bool observed> Issuer::Count Issuer::runTurn(std::uint64_t most, std::uint64_t mostPolls) {
  const Warp& warp = *x_.warp;
  const StepOutcome& outcome = *x_.outcome;
  Count count;
  while (count.instructions < most && warp.current < warp.paths.size() && warp.path().status == Path::Status::Runnable) {
    const std::uint8_t* watched = observed ? observer_->watched() : nullptr;  // may be another one afterwards
    const bool stopped = runStraight<observed>(most, count, watched);
    if (outcome.fault || count.instructions == most) break;
    if (!stopped) continue;
    if (observed && watched[warp.path().pc] != Observer::Ignored) issueWatched(watched[warp.path().pc]);
    else issueOne();
    ++count.instructions;
    count.threads += laneCount(outcome.executed);
    if (outcome.polled && ++count.polls == mostPolls) break;
    if (outcome.fault) break;
  }
  return count;
}

// From where the current path stands to the first instruction that needs more than its handler (true), or until paths meet.
template <bool observed> bool Issuer::runStraight(std::uint64_t most, Count& count, const std::uint8_t*& watched) {
  Warp& warp = *x_.warp;
  Path& path = warp.paths[warp.current];
  const LaneMask lanes = path.lanes;
  const std::uint64_t threads = laneCount(lanes);
  const std::uint32_t meeting = path.group == machine::noGroup ? machine::noPc : warp.groups[path.group].pc;
  const bool& fault = x_.outcome->fault;
  std::uint32_t pc = path.pc;
  x_.lanes = lanes;
  std::uint64_t left = most - count.instructions;
  do {
    const Op& op = ops_[pc];
    if (op.stride == Stride::Stop) break;
    if (observed && watched[pc] != Observer::Ignored && (watched[pc] != Observer::Before || op.stride != Stride::Step)) break;
    LaneMask executed = lanes;
    if (op.guarded) executed &= op.guardNegated ? ~x_.predicates[op.guard] : x_.predicates[op.guard];
    if (observed && watched[pc] != Observer::Ignored) {
      observer_->before(x_, op, executed);
      watched = observer_->watched();
    }
    if (op.stride == Stride::Step) {
      for (std::uint8_t k = 0; k < op.specialCount; ++k) fillSpecial(x_, op.specials[k]);
      if (executed != 0) op.handler(x_, op, executed);
      ++pc;
    } else if (executed == lanes) {
      pc = op.target;
    } else if (executed == 0) {
      ++pc;
    } else {
      break;
    }
    count.threads += executed == lanes ? threads : laneCount(executed);
    ++warp.instructionsIssued;
    --left;
    if (pc == meeting) {
      moveTo(warp, warp.current, pc, end_, *x_.outcome);
      choosePath(warp, static_cast<unsigned>(std::countr_zero(lanes)));
      count.instructions = most - left;
      return false;
    }
  } while (left != 0 && !fault);
  path.pc = pc;
  count.instructions = most - left;
  return true;
}

void Issuer::issueWatched(std::uint8_t watch) {
  const Path& path = x_.warp->path();
  const Op& op = ops_[path.pc];
  x_.lanes = path.lanes;
  if ((watch & Observer::Before) != 0) {
    LaneMask executed = path.lanes;
    if (op.guarded) executed &= op.guardNegated ? ~x_.predicates[op.guard] : x_.predicates[op.guard];
    observer_->before(x_, op, executed);
  }
  if ((watch & Observer::After) != 0) x_.last = nullptr;
  issueOne();
  x_.last = last_.data();
  if ((watch & Observer::After) != 0) observer_->after(x_, op);
}

void step(const Code& code, machine::Memory& memory, machine::Block& block, Warp& warp, const Clock& clock, StepOutcome& outcome, ClusterView cluster) {
  Issuer issuer(code, memory, outcome);
  issuer.bind(block, warp, cluster);
  issuer.issue(clock);
}

}  // namespace warpmill::exec
