#include "timing/engine.h"

#include "exec/async.h"
#include "exec/cluster.h"
#include "exec/faults.h"
#include "timing/banks.h"
#include "timing/queue.h"

#include <algorithm>

namespace warpmill::timing {

using lowering::Pipe;
using lowering::TimedOp;

namespace {

bool isOfWholeSm(Pipe pipe) { return pipe == Pipe::Lsu || pipe == Pipe::Constant || pipe == Pipe::SpecialRegister; }

// Lanes that count up one word of shared memory by a constant one do it together (the machine counts the lanes).
bool countsLanes(const ptx::Instruction& i) {
  return (i.opcode == ptx::Opcode::Red || i.opcode == ptx::Opcode::Atom) && i.mods.space == ptx::Space::Shared && !i.operands.empty() &&
         i.operands.back().kind == ptx::Operand::Kind::Immediate && i.operands.back().bits == 1;
}

// A fragment that lies across is read as the other kind (and turned in registers): lanes that go over columns in pairs would want two rows each.
void layAlong(exec::MemoryAccess& access) {
  const std::uint64_t row = (access.address[1] - access.address[0]) / 2, column = access.address[4] - access.address[0];
  if (access.address[1] - access.address[0] <= column) return;
  for (std::uint32_t lane = 0; lane < 32; ++lane) access.address[lane] = access.address[0] + lane / 4 * row + lane % 4 * 2 * column;
  access.bytesPerLane = static_cast<std::uint32_t>(2 * column);
}

// Without the processor's own instruction a popcount is a call; mostly all lanes are on.
std::uint64_t laneCount(machine::LaneMask lanes) { return lanes == ~0u ? machine::warpSize : static_cast<std::uint64_t>(__builtin_popcount(lanes)); }

}  // namespace

Engine::Engine(const Machine& machine, const MemoryRates& rates, MachineState& state, Trace* trace)
    : machine_(machine), lowered_(machine.lowered_), profile_(machine.profile_), rates_(rates), state_(state), trace_(trace), memory_(rates, state, trace),
      counters_(&state.counters), endCycle_(&state.endCycle), blocksDone_(&state.blocksDone), nextRequest_(&state.nextRequest),
      parts_(static_cast<std::uint32_t>(state.sms.size()) * 4), issuer_(*machine.launch_.code, state.memory, outcome_),
      nsPerCycle_(machine.profile_.nsPerCycle()),
      mioInterval_(ticks(profile_.mioInterval)), barrierInterval_(ticks(profile_.barrierInterval)) {}

machine::Block& Engine::own(ResidentBlock& resident) {
  if (resident.block.use_count() != 1) resident.block = std::make_shared<machine::Block>(*resident.block);
  return *resident.block;
}

Engine::Seat Engine::seatOf(const Place& at) {
  const std::uint32_t slot = at.place * 4 + at.part;
  if (runs_)
    if (const Seat& known = common_->seats[at.sm * 64 + slot]; known.warp != nullptr) return known;
  SmState& sm = state_.sms[at.sm];
  ResidentBlock& resident = sm.blocks[sm.warps[slot].blockSlot];
  machine::Block& block = own(resident);
  if (runs_)
    for (std::uint32_t w = 0; w < resident.warpSlots.size(); ++w)
      if (const WarpSlot& ws = sm.warps[resident.warpSlots[w]]; ws.used && ws.warp == w && &sm.blocks[ws.blockSlot] == &resident)
        common_->seats[at.sm * 64 + resident.warpSlots[w]] = {&block, &block.warps[w]};
  return {&block, &block.warps[sm.warps[slot].warp]};
}

std::uint64_t Engine::fetch(SmState& sm, std::uint32_t pc, std::uint64_t now) {
  const std::uint32_t line = machine_.lineOfPc_[pc];
  std::uint64_t& ready = sm.lineReadyAt[line];
  if (ready != never && (line + 1 == sm.lineReadyAt.size() || sm.lineReadyAt[line + 1] != never)) return ready;
  const auto miss = static_cast<std::uint64_t>(profile_.instructionMissLatency);
  if (ready == never) ready = now + miss;
  // The next line is fetched ahead; it comes half a miss later.
  if (line + 1 < sm.lineReadyAt.size() && sm.lineReadyAt[line + 1] == never) sm.lineReadyAt[line + 1] = std::max(now, ready) + miss / 2;
  return ready;
}

void Engine::plan(const Place& at, std::uint64_t earliest, Stall earliestReason) {
  const SmState& sm = state_.sms[at.sm];
  plan(at, earliest, earliestReason, {sm.lsuFreeAt, sm.mioFreeAt});
}

void Engine::plan(const Place& at, std::uint64_t earliest, Stall earliestReason, const Backlog& backlog) {
  SmState& sm = state_.sms[at.sm];
  WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  SubPartition& part = sm.parts[at.part];
  const Seat known = runs_ ? common_->seats[at.sm * 64 + at.place * 4 + at.part] : Seat{};
  const machine::Warp& warp = known.warp != nullptr ? *known.warp : sm.blocks[slot.blockSlot].block->warps[slot.warp];
  if ((warp.current >= warp.paths.size() || warp.path().status != machine::Path::Status::Runnable) && !exec::runnable(warp)) {
    if (const std::uint64_t arrival = resumeAtArrival(at); arrival != never) return plan(at, std::max(earliest, arrival), Stall::LongScoreboard);
    part.pipe[at.place] = Pipe::Barrier;
    slot.reason = Stall::Barrier;
    return readyAt(at, never);
  }
  const std::uint32_t pc = warp.path().pc;
  const TimedOp& op = opOf(slot, pc);
  std::uint64_t ready = earliest;
  slot.reason = earliestReason;
  part.pipe[at.place] = op.pipe;
  if (op.pipe != Pipe::None) {
    bool open = false;
    const auto wait = [&](const Scoreboard& s) {
      if (isOpen(s.readyAt)) {
        open = true;
      } else if (s.readyAt > ready) {
        ready = s.readyAt;
        slot.reason = s.reason;
      }
    };
    if (!op.sinks) {
      // A branch gets its predicate later than arithmetic would. Measured on an H200: a loop of addition, comparison and branch takes 29.5
      // cycles a round, one of 32 dependent additions 8.6 more than these.
      const std::uint64_t toBranch = op.pipe == Pipe::Branch ? 10 : 0;
      for (std::uint32_t r : op.reads) {
        const Scoreboard& s = slot.registers[r];
        wait(toBranch == 0 || isOpen(s.readyAt) ? s : Scoreboard{s.readyAt + toBranch, s.reason});
      }
      if (!op.isMemory)  // ptxas gives a load that goes past others a register of its own
        for (std::uint32_t r : op.writes) wait(slot.registers[r]);
    }
    if (op.joins || (op.joinsEvery != 0 && slot.rounds[op.loop] % op.joinsEvery == 0)) wait(slot.sunk);
    if (op.role == lowering::AsyncRole::Wait && op.async != lowering::AsyncKind::None)
      wait({asyncReadyAt(slot, op), op.async == lowering::AsyncKind::Products ? Stall::Wait : Stall::LongScoreboard});
    const std::uint64_t fetched = fetch(sm, pc, earliest);
    if (fetched > ready) {
      ready = fetched;
      slot.reason = Stall::NoInstruction;
    }
    if (open) {
      quantum_->waiting.push_back({static_cast<std::uint8_t>(at.place * 4 + at.part), earliestReason, earliest, backlog.lsuFreeAt, backlog.mioFreeAt});
      ready = waitsForOpen;
    } else if (op.pipe != Pipe::Lsu && isOfWholeSm(op.pipe)) {
      if (const std::uint64_t backlogEnds = backlog.mioFreeAt / ticksPerCycle; backlogEnds > ready + queueCycles) {
        ready = backlogEnds - queueCycles;
        slot.reason = Stall::MioThrottle;
      }
    }
  }
  readyAt(at, ready);
}

void Engine::readyAt(const Place& at, std::uint64_t ready) {
  state_.sms[at.sm].parts[at.part].readyAt[at.place] = ready;
  if (quantum_ != nullptr) wakeUps_.add(at.part, at.place, ready, now_, state_.sms[at.sm].parts[at.part].pipe[at.place] == Pipe::None);
  else if (!refreshesLater_) refresh(at.sm, at.part);
}

void Engine::refresh(std::uint32_t smIndex, std::uint32_t partIndex) {
  SmState& sm = state_.sms[smIndex];
  SubPartition& part = sm.parts[partIndex];
  std::array<std::uint64_t, lowering::pipeCount> free;
  for (std::size_t k = 0; k < free.size(); ++k) free[k] = std::max(part.pipeFreeAt[k], part.issueFreeAt);
  free[static_cast<std::size_t>(Pipe::None)] = 0;
  std::uint64_t next = never;
  for (std::uint32_t i = 0; i < 16; ++i) next = std::min(next, std::max(part.readyAt[i], free[static_cast<std::size_t>(part.pipe[i])]));
  part.nextTry = next;
  state_.nextTry[smIndex] = std::min({sm.parts[0].nextTry, sm.parts[1].nextTry, sm.parts[2].nextTry, sm.parts[3].nextTry});
}

void Engine::accountWait(const Place& at, const TimedOp& op, std::uint32_t pc) {
  SmState& sm = state_.sms[at.sm];
  const SubPartition& part = sm.parts[at.part];
  WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  const std::uint64_t now = now_;
  const auto add = [&](std::uint64_t begin, std::uint64_t end, Stall reason) {
    if (end <= begin) return;
    counters_->stalledWarpCycles[static_cast<std::size_t>(reason)] += end - begin;
    if (trace_)
      trace_->stalls.push_back({begin, end, static_cast<std::uint16_t>(at.sm), static_cast<std::uint8_t>(at.place * 4 + at.part), reason,
                                {sm.blocks[slot.blockSlot].block->linear, slot.warp}, pc});
  };
  const std::uint64_t ready = std::min(std::max(part.readyAt[at.place], slot.waitingSince), now);
  add(slot.waitingSince, ready, slot.reason);
  // Until its pipe is free others issue to that pipe, one in each of its intervals: in their cycles it was another that was selected.
  const std::uint64_t pipeFree = std::min(std::max(part.pipeFreeAt[static_cast<std::size_t>(op.pipe)], ready), now);
  std::uint64_t throttled = pipeFree;
  Stall reason = Stall::MathPipeThrottle;
  if (op.pipe == Pipe::Lsu) {
    const ptx::Space space = machine_.launch_.function->instructions[pc].mods.space;
    reason = op.isMemory && space != ptx::Space::Shared ? Stall::LgThrottle : Stall::MioThrottle;
  } else if (pipeFree != ready) {
    if (op.crowdsPorts) reason = Stall::DispatchStall;
    throttled -= (pipeFree - ready) / std::max<std::uint64_t>(1, op.interval + (op.crowdsPorts ? 1u : 0u));
  }
  add(ready, throttled, reason);
  add(throttled, now, Stall::NotSelected);
}

void Engine::countFlops(FloatArithmetic kind, std::uint32_t lanes) {
  const std::uint64_t n = laneCount(lanes);
  Counters& c = *counters_;
  switch (kind) {
    case FloatArithmetic::None: break;
    case FloatArithmetic::Fadd: c.fadd += n; c.flops += n; break;
    case FloatArithmetic::Fmul: c.fmul += n; c.flops += n; break;
    case FloatArithmetic::Ffma: c.ffma += n; c.flops += 2 * n; break;
  }
}

void Engine::addFaults(const machine::Block& block, const machine::Warp& warp) {
  constexpr std::size_t mostFaults = 64;
  if (quantum_ != nullptr && looksForMeetings_) {  // which fault is the first is seen cycle by cycle
    meets_ = true;
    return;
  }
  for (machine::Fault f : outcome_.faults) {
    f.cycle = now_;
    exec::keepFault(state_.faults, std::move(f), mostFaults, *machine_.launch_.code, block, warp);
  }
}

void Engine::issue(const Place& at) {
  SmState& sm = state_.sms[at.sm];
  WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  const Seat seat = seatOf(at);
  machine::Block& block = *seat.block;
  machine::Warp& warp = *seat.warp;
  const std::uint32_t pc = warp.path().pc;
  const TimedOp& op = opOf(slot, pc);
  const bool folded = op.pipe == Pipe::None;

  exec::StepOutcome& outcome = outcome_;
  if (quantum_ != nullptr && plain_[pc] != 0) return issuePlainly(at, op, pc, block, warp);
  const exec::Clock& clock = clockNow();
  ResidentBlock& resident = sm.blocks[slot.blockSlot];
  std::vector<machine::Block*> cluster;
  if (!resident.cluster.empty()) cluster = clusterOf(resident);
  issuer_.bind(block, warp, {cluster.empty() ? nullptr : cluster.data(), static_cast<std::uint32_t>(cluster.size())});
  if (runs_) issuer_.issueQuickly(clock);
  else issuer_.issue(clock);
  if (op.mergedBytes != 0) {
    outcome.access.bytesPerLane = op.mergedBytes;
    for (std::uint64_t& address : outcome.access.address) address += static_cast<std::uint64_t>(std::int64_t{op.mergedOffset});
  }
  if (op.pieces > 1 && outcome.access.lanes == ~0u) layAlong(outcome.access);
  if (op.pieces > 1 && outcome.access.address[1] - outcome.access.address[0] == 8) outcome.access.bytesPerLane = 8;  // two words that follow each other
  if (op.guardOf != ptx::none) {
    const exec::Op& user = machine_.launch_.code->ops()[op.guardOf];
    outcome.access.lanes &= user.guardNegated ? ~warp.predicates[user.guard] : warp.predicates[user.guard];
  }
  if (op.oneLane && outcome.access.lanes != 0) outcome.access.lanes &= ~outcome.access.lanes + 1;
  Counters& c = *counters_;
  const std::uint64_t machineBefore = c.machineInstructions;
  ++c.ptxInstructions;
  c.machineInstructions += op.issues;
  c.threadInstructions += laneCount(outcome.executed) * op.issues;
  if (machine_.arithmetic_[pc] != FloatArithmetic::None) countFlops(machine_.arithmetic_[pc], outcome.executed);
  if (outcome.fault) addFaults(block, warp);

  if (!folded) takeScheduler(at, op, pc);
  std::uint32_t requestId = noRequest;
  finishScoreboard(at, op, pc, outcome, requestId);
  if (op.pipe == Pipe::Lsu) holdBack(sm, sm.parts[at.part]);
  const std::uint64_t armIssues = outcome.executed == outcome.lanes ? op.armIssues : 0;
  if (trace_)
    trace_->issues.push_back({state_.at, static_cast<std::uint16_t>(at.sm), static_cast<std::uint8_t>(at.part),
                              static_cast<std::uint8_t>(at.place * 4 + at.part), {block.linear, slot.warp}, pc, outcome.lanes, outcome.executed,
                              requestId, outcome.diverged, outcome.reconverged,
                              static_cast<std::uint16_t>(std::min<std::uint64_t>(0xFFFF, c.machineInstructions - machineBefore + armIssues))});
  c.machineInstructions += armIssues;
  finishIssue(at, op, outcome, folded);
}

// An instruction that a quantum meets often: it executes, and its result is there some cycles later.
void Engine::issuePlainly(const Place& at, const TimedOp& op, std::uint32_t pc, machine::Block& block, machine::Warp& warp) {
  issuer_.bind(block, warp);
  const machine::LaneMask executed = issuer_.issuePlainly(clockNow());
  if (outcome_.fault) addFaults(block, warp);
  Counters& c = *counters_;
  ++c.ptxInstructions;
  c.machineInstructions += op.issues;
  c.threadInstructions += laneCount(executed) * op.issues;
  if (machine_.arithmetic_[pc] != FloatArithmetic::None) countFlops(machine_.arithmetic_[pc], executed);
  const bool folded = op.pipe == Pipe::None;
  if (!folded) takeScheduler(at, op, pc);
  SmState& sm = state_.sms[at.sm];
  WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  Scoreboard result = resultOf(at, op, slot);
  if (isOfWholeSm(op.pipe)) result.readyAt = takeTurn(sm, op) + op.latency;
  if (op.pipe == Pipe::Lsu) holdBack(sm, sm.parts[at.part]);
  for (std::uint32_t r : op.writes) slot.registers[r] = isOpen(result.readyAt) ? noted(at, static_cast<std::uint16_t>(r), result) : result;
  plan(at, folded ? now_ : now_ + std::max<std::uint64_t>(1, op.issues), Stall::Wait);
}

void Engine::takeScheduler(const Place& at, const TimedOp& op, std::uint32_t pc) {
  SmState& sm = state_.sms[at.sm];
  SubPartition& part = sm.parts[at.part];
  WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  accountWait(at, op, pc);
  Counters& c = *counters_;
  c.stalledWarpCycles[static_cast<std::size_t>(Stall::Selected)] += op.issues;
  c.issueCycles += op.issues;
  const bool waitsForPort = op.crowdsPorts && !(op.reusesOperand && part.lastPlace == at.place);
  const std::uint32_t taken = op.interval + (waitsForPort ? 1u : 0u);
  part.pipeFreeAt[static_cast<std::size_t>(op.pipe)] = now_ + taken;
  part.issueFreeAt = now_ + op.issues;
  part.lastPlace = at.place;
  c.pipeBusy[static_cast<std::size_t>(op.pipe)] += taken;
  slot.lastIssueAt = now_;
  slot.waitingSince = now_ + op.issues;
}

const exec::Clock& Engine::clockNow() {
  if (clock_.cycle != now_) clock_ = {now_, static_cast<std::uint64_t>(static_cast<double>(now_) * nsPerCycle_)};
  return clock_;
}

// While the queue to the load/store unit is full, no warp of the sub-partition gets into it: which one goes next is chosen when there is room,
// so that a warp's accesses stay together.
void Engine::holdBack(const SmState& sm, SubPartition& part) {
  std::uint64_t& freeAt = part.pipeFreeAt[static_cast<std::size_t>(Pipe::Lsu)];
  if (const std::uint64_t backlogEnds = sm.lsuFreeAt / ticksPerCycle; backlogEnds > freeAt + queueCycles) freeAt = backlogEnds - queueCycles;
}

// Units that the four sub-partitions share, in order of issue; gives the cycle at which it has taken the instruction.
std::uint64_t Engine::takeTurn(SmState& sm, const TimedOp& op) {
  if (op.pipe == Pipe::Lsu) counters_->lsuBusy += op.interval * ticksPerCycle;
  if (op.pipe == Pipe::Lsu) return serve(sm.lsuFreeAt, now_, op.interval * ticksPerCycle) - 1;
  const std::uint64_t taken = serve(sm.mioFreeAt, now_, mioInterval_) - 1;
  // Special registers come by the same queue as memory's answers: behind what the load/store unit has not taken yet.
  return op.pipe == Pipe::SpecialRegister ? std::max(taken, sm.lsuFreeAt / ticksPerCycle) : taken;
}

// A loop in place of one instruction: the scheduler issues it all, and the warp goes on behind it.
void Engine::goRound(const Place& at, const MemoryTiming& t) {
  SubPartition& part = state_.sms[at.sm].parts[at.part];
  part.issueFreeAt = std::max(part.issueFreeAt, now_) + t.loopIssues;
  counters_->machineInstructions += t.loopIssues;
  counters_->issueCycles += t.loopIssues;
  loopEndsAt_ = t.doneAt;
}

// Arrivals are counted one after another; gives the cycle at which a barrier that this one opens lets warps go.
std::uint64_t Engine::arriveAtBarrier(SmState& sm) {
  serve(sm.barrierFreeAt, now_, barrierInterval_);
  return cycleUp(sm.barrierFreeAt + ticks(profile_.barrierLatency));
}

namespace {

// The other quarters of a matrix fragment, eight rows or columns on; lanes go over rows in fours, and over columns in pairs.
exec::MemoryAccess quarterOf(exec::MemoryAccess access, unsigned piece) {
  const std::uint64_t rows = 8 * (access.address[4] - access.address[0]), columns = 4 * (access.address[1] - access.address[0]);
  for (std::uint64_t& address : access.address) address += (piece & 1 ? columns : 0) + (piece & 2 ? rows : 0);
  return access;
}

}  // namespace

// ---- Times that may be open (see quantum.h) ----

// The latest of `start` and of what the registers wait for; of two at once, the first.
Scoreboard Engine::latestOf(Scoreboard start, const std::vector<std::uint32_t>& registers, const WarpSlot& slot) {
  Scoreboard latest = start;
  bool open = false;
  for (std::uint32_t r : registers) {
    const Scoreboard& s = slot.registers[r];
    open |= isOpen(s.readyAt);
    if (s.readyAt > latest.readyAt) latest = s;
  }
  if (!open) return latest;
  const Pending p{start, static_cast<std::uint32_t>(quantum_->parts.size()), static_cast<std::uint32_t>(registers.size())};
  for (std::uint32_t r : registers) quantum_->parts.push_back(slot.registers[r]);
  return {quantum_->open(p), Stall::Wait};
}

Scoreboard Engine::latestOfTwo(const Scoreboard& first, const Scoreboard& second) {
  const Pending p{{0, Stall::Wait}, static_cast<std::uint32_t>(quantum_->parts.size()), 2};
  quantum_->parts.push_back(first);
  quantum_->parts.push_back(second);
  return {quantum_->open(p), Stall::Wait};
}

std::uint64_t Engine::afterwards(const Scoreboard& s, std::uint32_t latency) {
  if (!isOpen(s.readyAt)) return s.readyAt + latency;
  const Pending p{{0, Stall::Wait}, static_cast<std::uint32_t>(quantum_->parts.size()), 1, latency};
  quantum_->parts.push_back(s);
  return quantum_->open(p);
}

std::uint64_t Engine::laterOf(std::uint64_t a, std::uint64_t b) {
  return isOpen(a) || isOpen(b) ? quantum_->later(a, b, Stall::LongScoreboard) : std::max(a, b);
}

// An open time that the warp's scoreboard holds from now on.
Scoreboard Engine::noted(const Place& at, std::uint16_t entry, const Scoreboard& open) {
  quantum_->written.push_back({static_cast<std::uint16_t>(at.place * 4 + at.part), entry, open.readyAt});
  return open;
}

// When is the result there, of what is not memory's?
Scoreboard Engine::resultOf(const Place& at, const TimedOp& op, WarpSlot& slot) {
  Scoreboard result{now_ + op.latency, Stall::Wait};
  switch (op.pipe) {
    case Pipe::None: result = latestOf({0, Stall::Wait}, op.reads, slot); break;  // folded into its user: that one waits for the sources
    case Pipe::Sfu: case Pipe::SpecialRegister: case Pipe::Constant: case Pipe::Lsu: result.reason = Stall::ShortScoreboard; break;
    default: break;
  }
  if (!op.sinks) return result;
  // What comes next need not wait for it.
  const Scoreboard issued = latestOf({now_, Stall::Wait}, op.reads, slot);
  // A user waits for what the instruction waits for.
  if (issued.readyAt > now_) result.reason = issued.reason;
  result.readyAt = afterwards(issued, op.latency);
  if (isOpen(issued.readyAt) || isOpen(slot.sunk.readyAt)) slot.sunk = noted(at, SmQuantum::sunk, latestOfTwo(slot.sunk, issued));
  else if (issued.readyAt > slot.sunk.readyAt) slot.sunk = issued;
  return result;
}

namespace {

// Lanes whose words of shared memory lie in one bank are written one after another.
std::uint32_t passesOfCopy(const exec::MemoryAccess& from, const ResidentBlock& resident, const WarpSlot& slot) {
  if (from.kind != exec::MemoryAccess::Kind::AsyncCopy) return 0;
  const auto& copies = resident.block->warps[slot.warp].async.copies;
  if (copies.empty()) return 0;
  exec::MemoryAccess to;
  to.kind = exec::MemoryAccess::Kind::Store;
  to.space = ptx::Space::Shared;
  to.lanes = copies.back().lanes;
  to.bytesPerLane = copies.back().bytes;
  std::copy(copies.back().target.begin(), copies.back().target.end(), to.address.begin());
  return wavefrontsOf(to, false).passes;
}

}  // namespace

// When are the results there?
void Engine::finishScoreboard(const Place& at, const TimedOp& op, std::uint32_t pc, const exec::StepOutcome& outcome, std::uint32_t& requestId) {
  WarpSlot& slot = state_.sms[at.sm].warps[at.place * 4 + at.part];
  const std::uint64_t now = now_;
  Scoreboard result = resultOf(at, op, slot);
  if (op.isMemory && outcome.access.lanes != 0) {
    Request* request = nullptr;
    if (trace_) {
      requestId = *nextRequest_;
      trace_->requests.emplace_back();
      request = &trace_->requests.back();
      request->id = requestId;
      request->warp = {state_.sms[at.sm].blocks[slot.blockSlot].block->linear, slot.warp};
      request->sm = static_cast<std::uint16_t>(at.sm);
      request->warpSlot = static_cast<std::uint8_t>(at.place * 4 + at.part);
      request->pc = pc;
    }
    ++*nextRequest_;
    const ptx::Instruction& in = machine_.launch_.function->instructions[pc];
    const bool bypassL1 = in.mods.cache == ptx::CacheOp::Cg || in.mods.cache == ptx::CacheOp::Cv;
    const std::uint32_t residentWarp = at.sm * 64 + at.place * 4 + at.part;
    const bool waitsForData = op.sinks && std::any_of(op.reads.begin(), op.reads.end(), [&](std::uint32_t r) { return slot.registers[r].readyAt > now; });
    MemoryTiming t = memory_.issue(at.sm, now, {outcome.access, bypassL1, isFloat(in.mods.type), countsLanes(in), residentWarp, waitsForData,
                                               passesOfCopy(outcome.access, state_.sms[at.sm].blocks[slot.blockSlot], slot)}, request);
    if (t.loopIssues != 0) goRound(at, t);
    for (unsigned piece = 1; piece < op.pieces; ++piece)
      t.doneAt = laterOf(t.doneAt, memory_.issue(at.sm, now, {quarterOf(outcome.access, piece), bypassL1, false, false, residentWarp}, nullptr).doneAt);
    result = {t.doneAt, t.isShared ? Stall::ShortScoreboard : Stall::LongScoreboard};
    if (outcome.access.kind != exec::MemoryAccess::Kind::Load) {
      if (isOpen(t.doneAt)) quantum_->pendingOf(t.doneAt).ends = true;
      else *endCycle_ = std::max(*endCycle_, t.doneAt);
    }
  } else if (op.isMemory) {
    result.readyAt = now + 2;  // nobody's guard held
  }
  else if (op.pipe != Pipe::None && isOfWholeSm(op.pipe)) result.readyAt = takeTurn(state_.sms[at.sm], op) + op.latency;
  if (outcome.queued) stampArrivals(at, op.isMemory && outcome.access.lanes != 0 ? result.readyAt : now + op.latency + static_cast<std::uint64_t>(profile_.sharedLatency));
  if (op.async != lowering::AsyncKind::None) trackAsync(at, op, result.readyAt);
  if (op.async == lowering::AsyncKind::Products) return;  // its registers are waited for by wgmma.wait_group
  for (std::uint32_t r : op.writes) slot.registers[r] = isOpen(result.readyAt) ? noted(at, static_cast<std::uint16_t>(r), result) : result;
}

void Engine::finishIssue(const Place& at, const TimedOp& op, const exec::StepOutcome& outcome, bool folded) {
  SmState& sm = state_.sms[at.sm];
  WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  const std::uint64_t now = now_;
  const std::uint64_t open = outcome.arrivedAtBarrier ? arriveAtBarrier(sm) : 0;
  if (outcome.barrierOpened) {
    const ResidentBlock& resident = sm.blocks[slot.blockSlot];
    for (std::uint32_t w = 0; w < resident.warpSlots.size(); ++w) {
      const std::uint32_t other = resident.warpSlots[w];
      const Place there{at.sm, other % 4, other / 4};
      if (w == slot.warp || sm.parts[there.part].readyAt[there.place] != never) continue;
      if (sm.warps[other].used && sm.warps[other].blockSlot == slot.blockSlot && sm.warps[other].warp == w) plan(there, open, Stall::Barrier);
    }
  }
  if (outcome.woke)
    eachOfCluster(at.sm, sm.blocks[slot.blockSlot], [&](std::uint32_t there, const ResidentBlock& resident) {
      replanBlock(there, resident, now + 1, &resident == &sm.blocks[slot.blockSlot] ? slot.warp : ~0u);
    });
  if (outcome.warpDone) {
    retireWarp(at);
    return readyAt(at, never);
  }
  if (op.endsRound) slot.rounds[op.loop] = static_cast<std::uint16_t>((slot.rounds[op.loop] + 1) % op.every);
  std::uint64_t earliest = folded ? now : now + std::max<std::uint64_t>(1, op.issues);
  if (op.armIssues != 0 && outcome.executed == outcome.lanes) {
    earliest += op.armIssues;
  }
  Stall reason = Stall::Wait;
  if (outcome.branch && !folded) {
    earliest = now + static_cast<std::uint64_t>(profile_.branchLatency);
    reason = Stall::BranchResolving;
  }
  if (outcome.barrierOpened) {
    earliest = open;
    reason = Stall::Barrier;
  }
  if (outcome.sleepNanoseconds != 0) {
    earliest = now + static_cast<std::uint64_t>(outcome.sleepNanoseconds / profile_.nsPerCycle());
    reason = Stall::Sleeping;
  }
  if (loopEndsAt_ > earliest) {
    earliest = loopEndsAt_;
    reason = Stall::ShortScoreboard;
  }
  loopEndsAt_ = 0;
  plan(at, earliest, reason);
}

}  // namespace warpmill::timing
