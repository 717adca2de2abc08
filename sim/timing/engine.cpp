#include "timing/engine.h"

#include "exec/async.h"
#include "exec/cluster.h"

#include <algorithm>

namespace warpmill::timing {

using lowering::Pipe;
using lowering::TimedOp;

Engine::Engine(const Machine& machine, const MemoryRates& rates, MachineState& state, Trace* trace)
    : machine_(machine), lowered_(machine.lowered_), profile_(machine.profile_), state_(state), trace_(trace), memory_(rates, state, trace),
      parts_(static_cast<std::uint32_t>(state.sms.size()) * 4) {}

machine::Block& Engine::own(ResidentBlock& resident) {
  if (resident.block.use_count() != 1) resident.block = std::make_shared<machine::Block>(*resident.block);
  return *resident.block;
}

// ---- Scheduling ----

bool Engine::allowed(const Filter& filter, std::uint32_t sm, std::uint32_t part, std::uint32_t place) const {
  if (filter.kind == Filter::Kind::All) return true;
  const WarpSlot& slot = state_.sms[sm].warps[place * 4 + part];
  if (!slot.used) return false;
  const machine::Block& block = *state_.sms[sm].blocks[slot.blockSlot].block;
  return block.linear == filter.warp.block && (filter.kind == Filter::Kind::Block || slot.warp == filter.warp.warp);
}

std::uint64_t Engine::earliestIssue(const SubPartition& part, std::uint32_t place) const {
  const std::uint64_t ready = part.readyAt[place];
  if (ready == never || part.pipe[place] == Pipe::None) return ready;
  return std::max({ready, part.pipeFreeAt[static_cast<std::size_t>(part.pipe[place])], part.issueFreeAt});
}

bool Engine::pick(std::uint32_t sm, std::uint32_t part, const Filter& filter, bool foldedOnly, std::uint32_t& place) const {
  const SubPartition& p = state_.sms[sm].parts[part];
  const std::uint64_t now = state_.at.cycle;
  bool found = false;
  std::uint64_t bestAge = never;
  for (std::uint32_t i = 0; i < 16; ++i) {
    if (p.readyAt[i] > now) continue;
    if (filter.kind != Filter::Kind::All && !allowed(filter, sm, part, i)) continue;
    if (p.pipe[i] == Pipe::None) {  // folded: goes along with what the warp issued
      place = i;
      return true;
    }
    if (foldedOnly || earliestIssue(p, i) > now) continue;
    // Greedy, then oldest: the warp that issued last goes on while it can.
    const std::uint64_t age = i == p.lastPlace ? 0 : p.age[i] + 1;
    if (age < bestAge) {
      bestAge = age;
      place = i;
      found = true;
    }
  }
  return found;
}

std::uint64_t Engine::nextAllowed(const Filter& filter) const {
  std::uint64_t next = never;
  for (std::uint32_t s = 0; s < state_.sms.size(); ++s) {
    if (filter.kind == Filter::Kind::All) {
      next = std::min(next, state_.sms[s].nextTry);
      continue;
    }
    for (std::uint32_t part = 0; part < 4; ++part)
      for (std::uint32_t i = 0; i < 16; ++i)
        if (allowed(filter, s, part, i)) next = std::min(next, earliestIssue(state_.sms[s].parts[part], i));
  }
  return next;
}

Advance Engine::step(const Filter& filter) {
  const Position before = state_.at;
  const std::uint32_t cursorBefore = state_.cursor;
  const bool partIssuedBefore = state_.partIssued;
  for (;;) {
    if (state_.cursor == 0 && !state_.partIssued && state_.nextDispatch <= state_.at.cycle) dispatch();
    while (state_.cursor < parts_) {
      const std::uint32_t sm = state_.cursor / 4, part = state_.cursor % 4;
      SmState& s = state_.sms[sm];
      if (s.nextTry > state_.at.cycle) {
        state_.cursor = (sm + 1) * 4;
        state_.partIssued = false;
        continue;
      }
      std::uint32_t place = 0;
      if (s.parts[part].nextTry <= state_.at.cycle && pick(sm, part, filter, state_.partIssued, place)) {
        const bool folded = s.parts[part].pipe[place] == Pipe::None;
        issue({sm, part, place});
        if (!folded) state_.partIssued = true;
        ++state_.at.slot;
        return Advance::Issued;
      }
      ++state_.cursor;
      state_.partIssued = false;
    }
    // Nothing more in this cycle: to the next one in which something can happen.
    state_.cursor = 0;
    state_.at.slot = 0;
    const std::uint64_t next = std::min(nextAllowed(filter), state_.nextDispatch);
    if (next == never && filter.kind == Filter::Kind::All && expireWaits()) continue;
    if (next == never) {
      // A call that issues nothing leaves the clock where it was.
      state_.at = before;
      state_.cursor = cursorBefore;
      state_.partIssued = partIssuedBefore;
      return machine_.finished(state_) ? Advance::Finished : Advance::Blocked;
    }
    state_.at.cycle = std::max(state_.at.cycle + 1, next);
  }
}

// ---- Blocks ----

// The free place of an SM that is ready first, or none.
std::uint32_t Engine::freePlace(const SmState& sm) const {
  std::uint32_t best = ~0u;
  for (std::uint32_t b = 0; b < sm.blocks.size(); ++b)
    if (!sm.blocks[b].used && (best == ~0u || sm.blocks[b].freeAt < sm.blocks[best].freeAt)) best = b;
  return best;
}

void Engine::updatePlace(SmState& sm) {
  const std::uint32_t place = freePlace(sm);
  sm.placeFreeAt = place == ~0u ? never : sm.blocks[place].freeAt;
}

// When can the next block start? Free places decide, and the dispatcher's rate.
void Engine::planDispatch() {
  state_.nextDispatch = never;
  if (state_.nextBlock >= machine_.blockCount_) return;
  std::uint64_t earliest = never;
  if (const std::uint32_t size = exec::clusterSize(machine_.launch_.code->context()); size > 1) {
    std::vector<std::uint64_t> freeAt;
    for (const SmState& sm : state_.sms)
      for (const ResidentBlock& b : sm.blocks)
        if (!b.used) freeAt.push_back(b.freeAt);
    if (freeAt.size() >= size) {
      std::nth_element(freeAt.begin(), freeAt.begin() + (size - 1), freeAt.end());
      earliest = freeAt[size - 1];
    }
  } else {
    for (const SmState& sm : state_.sms) earliest = std::min(earliest, sm.placeFreeAt);
  }
  if (earliest != never) state_.nextDispatch = std::max(earliest, (state_.dispatcherFreeAt + ticksPerCycle - 1) / ticksPerCycle);
}

void Engine::dispatch() {
  const std::uint64_t now = state_.at.cycle;
  while (state_.nextBlock < machine_.blockCount_ && state_.dispatcherFreeAt <= now * ticksPerCycle) {
    if (exec::clusterSize(machine_.launch_.code->context()) > 1) {
      if (!dispatchCluster()) break;
      state_.dispatcherFreeAt = std::max(state_.dispatcherFreeAt, now >= 1 ? (now - 1) * ticksPerCycle : 0) + machine_.blockInterval_;
      continue;
    }
    // The SM with the fewest blocks gets the next one; among equals the first.
    std::uint32_t best = ~0u;
    for (std::uint32_t sm = 0; sm < state_.sms.size(); ++sm)
      if (state_.sms[sm].placeFreeAt <= now && (best == ~0u || state_.sms[sm].residentBlocks < state_.sms[best].residentBlocks)) best = sm;
    if (best == ~0u) break;
    startBlock(best, freePlace(state_.sms[best]));
    state_.dispatcherFreeAt = std::max(state_.dispatcherFreeAt, now >= 1 ? (now - 1) * ticksPerCycle : 0) + machine_.blockInterval_;
  }
  planDispatch();
}

void Engine::startBlock(std::uint32_t smIndex, std::uint32_t blockSlot) {
  SmState& sm = state_.sms[smIndex];
  countResidency(smIndex);
  ResidentBlock& resident = sm.blocks[blockSlot];
  const std::uint64_t now = state_.at.cycle;
  resident.used = true;
  resident.startedAt = now;
  const std::uint64_t linear = exec::clusterSize(machine_.launch_.code->context()) > 1 ? linearOf(state_.nextBlock) : machine_.order_.at(machine_.sample_.at(state_.nextBlock));
  resident.block = std::make_shared<machine::Block>(machine_.launch_.code->makeBlock(linear, smIndex));
  resident.warpsLeft = static_cast<std::uint32_t>(resident.block->warps.size());
  resident.warpSlots.assign(resident.block->warps.size(), 0);
  ++sm.residentBlocks;
  updatePlace(sm);
  if (trace_) trace_->blocks.push_back({linear, static_cast<std::uint16_t>(smIndex), static_cast<std::uint16_t>(blockSlot), now, 0});
  ++state_.nextBlock;

  for (std::uint32_t w = 0; w < resident.block->warps.size(); ++w) {
    // The sub-partition with the fewest warps, so that a block's warps go round all four.
    std::uint32_t slot = 0, fewest = ~0u;
    for (std::uint32_t k = 0; k < 4; ++k) {
      std::uint32_t usedCount = 0, firstFree = ~0u;
      for (std::uint32_t place = 0; place < 16; ++place) {
        if (sm.warps[place * 4 + k].used) ++usedCount;
        else if (firstFree == ~0u) firstFree = place * 4 + k;
      }
      if (firstFree != ~0u && usedCount < fewest) {
        fewest = usedCount;
        slot = firstFree;
      }
    }
    WarpSlot& ws = sm.warps[slot];
    ws.used = true;
    ws.blockSlot = blockSlot;
    ws.warp = w;
    const auto start = now + static_cast<std::uint64_t>(static_cast<double>(w) * profile_.warpLaunchInterval);
    ws.startedAt = start;
    ws.lastIssueAt = never;
    ws.waitingSince = start;
    ws.groupsDoneAt = {};
    ws.openGroupDoneAt = {};
    ws.registers.assign(machine_.launch_.function->registers.size(), Scoreboard{});
    ws.sunk = {};
    ws.rounds.assign(lowered_.loops, 0);
    resident.warpSlots[w] = static_cast<std::uint8_t>(slot);
    const Place at{smIndex, slot % 4, slot / 4};
    sm.parts[at.part].age[at.place] = ++state_.sequence;
    ++sm.residentWarps;
    state_.counters.machineInstructions += lowered_.prologueIssues;
    plan(at, start + lowered_.prologueIssues * 2, Stall::Wait);
  }
}

void Engine::finishBlock(std::uint32_t smIndex, std::uint32_t blockSlot) {
  SmState& sm = state_.sms[smIndex];
  ResidentBlock& resident = sm.blocks[blockSlot];
  if (trace_)
    for (auto it = trace_->blocks.rbegin(); it != trace_->blocks.rend(); ++it)
      if (it->block == resident.block->linear) {
        it->end = state_.at.cycle + 1;
        break;
      }
  resident.used = false;
  resident.block.reset();
  resident.warpSlots.clear();
  resident.cluster.clear();
  resident.freeAt = state_.at.cycle + static_cast<std::uint64_t>(profile_.blockTurnover);
  --sm.residentBlocks;
  updatePlace(sm);
  ++state_.blocksDone;
  planDispatch();
}

void Engine::countResidency(std::uint32_t smIndex) {
  SmState& sm = state_.sms[smIndex];
  const std::uint64_t now = state_.at.cycle, passed = now - sm.lastCounted;
  sm.residentWarpCycles += passed * sm.residentWarps;
  if (sm.residentBlocks != 0) sm.activeCycles += passed;
  sm.lastCounted = now;
}

void Engine::retireWarp(const Place& at) {
  SmState& sm = state_.sms[at.sm];
  countResidency(at.sm);
  WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  const std::uint32_t blockSlot = slot.blockSlot;
  slot.used = false;
  slot.registers.clear();
  sm.parts[at.part].readyAt[at.place] = never;
  --sm.residentWarps;
  state_.endCycle = std::max(state_.endCycle, state_.at.cycle + 1);
  if (--sm.blocks[blockSlot].warpsLeft == 0) finishBlock(at.sm, blockSlot);
}

// ---- Issue ----

std::uint64_t Engine::fetch(SmState& sm, std::uint32_t pc, std::uint64_t now) {
  const std::uint32_t line = machine_.lineOfPc_[pc];
  std::uint64_t& ready = sm.lineReadyAt[line];
  const auto miss = static_cast<std::uint64_t>(profile_.instructionMissLatency);
  if (ready == never) ready = now + miss;
  // The next line is fetched ahead; it comes half a miss later.
  if (line + 1 < sm.lineReadyAt.size() && sm.lineReadyAt[line + 1] == never) sm.lineReadyAt[line + 1] = std::max(now, ready) + miss / 2;
  return ready;
}

void Engine::plan(const Place& at, std::uint64_t earliest, Stall earliestReason) {
  SmState& sm = state_.sms[at.sm];
  WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  SubPartition& part = sm.parts[at.part];
  const machine::Warp& warp = sm.blocks[slot.blockSlot].block->warps[slot.warp];
  if (!exec::runnable(warp)) {
    if (const std::uint64_t arrival = resumeAtArrival(at); arrival != never) return plan(at, std::max(earliest, arrival), Stall::LongScoreboard);
    part.readyAt[at.place] = never;
    part.pipe[at.place] = Pipe::Barrier;
    slot.reason = Stall::Barrier;
    refresh(at.sm, at.part);
    return;
  }
  const std::uint32_t pc = warp.path().pc;
  const TimedOp& op = opOf(slot, pc);
  std::uint64_t ready = earliest;
  slot.reason = earliestReason;
  part.pipe[at.place] = op.pipe;
  if (op.pipe != Pipe::None) {
    const auto wait = [&](const Scoreboard& s) {
      if (s.readyAt > ready) {
        ready = s.readyAt;
        slot.reason = s.reason;
      }
    };
    if (!op.sinks) {
      for (std::uint32_t r : op.reads) wait(slot.registers[r]);
      if (!op.isMemory)  // ptxas gives a load that goes past others a register of its own
        for (std::uint32_t r : op.writes) wait(slot.registers[r]);
    }
    if (op.joins) wait(slot.sunk);
    if (op.role == lowering::AsyncRole::Wait && op.async != lowering::AsyncKind::None)
      wait({asyncReadyAt(slot, op), op.async == lowering::AsyncKind::Products ? Stall::Wait : Stall::LongScoreboard});
    const std::uint64_t fetched = fetch(sm, pc, earliest);
    if (fetched > ready) {
      ready = fetched;
      slot.reason = Stall::NoInstruction;
    }
    if (op.pipe == Pipe::Lsu) {
      // The queue before the load/store unit holds so many requests; a full one holds the warp back.
      constexpr std::uint64_t queueCycles = 64;
      const std::uint64_t backlogEnds = sm.lsuFreeAt / ticksPerCycle;
      if (backlogEnds > ready + queueCycles) {
        ready = backlogEnds - queueCycles;
        slot.reason = op.isMemory ? Stall::LgThrottle : Stall::MioThrottle;
      }
    }
  }
  part.readyAt[at.place] = ready;
  refresh(at.sm, at.part);
}

void Engine::refresh(std::uint32_t smIndex, std::uint32_t partIndex) {
  SmState& sm = state_.sms[smIndex];
  SubPartition& part = sm.parts[partIndex];
  std::uint64_t next = never;
  for (std::uint32_t i = 0; i < 16; ++i) next = std::min(next, earliestIssue(part, i));
  part.nextTry = next;
  sm.nextTry = std::min({sm.parts[0].nextTry, sm.parts[1].nextTry, sm.parts[2].nextTry, sm.parts[3].nextTry});
}

void Engine::accountWait(const Place& at, const TimedOp& op, std::uint32_t pc) {
  SmState& sm = state_.sms[at.sm];
  const SubPartition& part = sm.parts[at.part];
  WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  const std::uint64_t now = state_.at.cycle;
  const auto add = [&](std::uint64_t begin, std::uint64_t end, Stall reason) {
    if (end <= begin) return;
    state_.counters.stalledWarpCycles[static_cast<std::size_t>(reason)] += end - begin;
    if (trace_)
      trace_->stalls.push_back({begin, end, static_cast<std::uint16_t>(at.sm), static_cast<std::uint8_t>(at.place * 4 + at.part), reason,
                                {sm.blocks[slot.blockSlot].block->linear, slot.warp}, pc});
  };
  const std::uint64_t ready = std::min(std::max(part.readyAt[at.place], slot.waitingSince), now);
  add(slot.waitingSince, ready, slot.reason);
  const std::uint64_t pipeFree = std::min(std::max(part.pipeFreeAt[static_cast<std::size_t>(op.pipe)], ready), now);
  add(ready, pipeFree, op.pipe == Pipe::Lsu ? Stall::MioThrottle : Stall::MathPipeThrottle);
  add(pipeFree, now, Stall::NotSelected);
}

void Engine::countFlops(std::uint32_t pc, std::uint32_t lanes) {
  const ptx::Instruction& i = machine_.launch_.function->instructions[pc];
  if (i.mods.type != ptx::Type::F32) return;
  const auto n = static_cast<std::uint64_t>(__builtin_popcount(lanes));
  Counters& c = state_.counters;
  switch (i.opcode) {
    case ptx::Opcode::Add: case ptx::Opcode::Sub:
      if (i.product != ptx::none) {
        c.ffma += n;
        c.flops += 2 * n;
      } else {
        c.fadd += n;
        c.flops += n;
      }
      break;
    case ptx::Opcode::Mul:
      if (!i.takenIn) c.fmul += n, c.flops += n;
      break;
    case ptx::Opcode::Fma: case ptx::Opcode::Mad: c.ffma += n; c.flops += 2 * n; break;
    default: break;
  }
}

void Engine::addFaults(const exec::StepOutcome& outcome) {
  for (machine::Fault f : outcome.faults) {
    f.cycle = state_.at.cycle;
    const auto same = std::find_if(state_.faults.begin(), state_.faults.end(), [&](const machine::Fault& o) { return o.kind == f.kind && o.pc == f.pc; });
    if (same != state_.faults.end()) same->count += f.count;
    else if (state_.faults.size() < 64) state_.faults.push_back(std::move(f));
  }
}

void Engine::issue(const Place& at) {
  SmState& sm = state_.sms[at.sm];
  SubPartition& part = sm.parts[at.part];
  WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  ResidentBlock& resident = sm.blocks[slot.blockSlot];
  machine::Block& block = own(resident);
  machine::Warp& warp = block.warps[slot.warp];
  const std::uint64_t now = state_.at.cycle;
  const std::uint32_t pc = warp.path().pc;
  const TimedOp& op = opOf(slot, pc);
  const bool folded = op.pipe == Pipe::None;

  exec::StepOutcome outcome;
  const exec::Clock clock{now, static_cast<std::uint64_t>(static_cast<double>(now) * profile_.nsPerCycle())};
  const std::vector<machine::Block*> cluster = clusterOf(resident);
  exec::step(*machine_.launch_.code, state_.memory, block, warp, clock, outcome, {cluster.empty() ? nullptr : cluster.data(), static_cast<std::uint32_t>(cluster.size())});
  if (op.mergedBytes != 0) {
    outcome.access.bytesPerLane = op.mergedBytes;
    for (std::uint64_t& address : outcome.access.address) address += static_cast<std::uint64_t>(std::int64_t{op.mergedOffset});
  }
  Counters& c = state_.counters;
  ++c.ptxInstructions;
  c.machineInstructions += op.issues;
  c.threadInstructions += static_cast<std::uint64_t>(__builtin_popcount(outcome.executed)) * op.issues;
  countFlops(pc, outcome.executed);
  if (outcome.fault) addFaults(outcome);

  if (!folded) {
    accountWait(at, op, pc);
    c.stalledWarpCycles[static_cast<std::size_t>(Stall::Selected)] += op.issues;
    c.issueCycles += op.issues;
    part.pipeFreeAt[static_cast<std::size_t>(op.pipe)] = now + op.interval;
    part.issueFreeAt = now + op.issues;
    part.lastPlace = at.place;
    c.pipeBusy[static_cast<std::size_t>(op.pipe)] += op.interval;
    slot.lastIssueAt = now;
    slot.waitingSince = now + op.issues;
  }
  std::uint32_t requestId = noRequest;
  finishScoreboard(at, op, pc, outcome, requestId);
  if (trace_)
    trace_->issues.push_back({state_.at, static_cast<std::uint16_t>(at.sm), static_cast<std::uint8_t>(at.part),
                              static_cast<std::uint8_t>(at.place * 4 + at.part), {block.linear, slot.warp}, pc, outcome.lanes, outcome.executed,
                              requestId, outcome.diverged, outcome.reconverged});
  finishIssue(at, op, outcome, folded);
}

// When are the results there?
void Engine::finishScoreboard(const Place& at, const TimedOp& op, std::uint32_t pc, const exec::StepOutcome& outcome, std::uint32_t& requestId) {
  WarpSlot& slot = state_.sms[at.sm].warps[at.place * 4 + at.part];
  const std::uint64_t now = state_.at.cycle;
  Scoreboard result{now + op.latency, Stall::Wait};
  switch (op.pipe) {
    case Pipe::None: {
      // Folded into its user: that one waits for the sources.
      result.readyAt = 0;
      for (std::uint32_t r : op.reads)
        if (slot.registers[r].readyAt > result.readyAt) result = slot.registers[r];
      break;
    }
    case Pipe::Sfu: case Pipe::SpecialRegister: case Pipe::Constant: case Pipe::Lsu: result.reason = Stall::ShortScoreboard; break;
    default: break;
  }
  if (op.sinks) {  // what comes next need not wait for it
    Scoreboard issued{now, Stall::Wait};
    for (std::uint32_t r : op.reads)
      if (slot.registers[r].readyAt > issued.readyAt) issued = slot.registers[r];
    result.readyAt = issued.readyAt + op.latency;
    if (issued.readyAt > slot.sunk.readyAt) slot.sunk = issued;
  }
  if (op.isMemory && outcome.access.lanes != 0) {
    Request* request = nullptr;
    if (trace_) {
      requestId = state_.nextRequest;
      trace_->requests.emplace_back();
      request = &trace_->requests.back();
      request->id = requestId;
      request->warp = {state_.sms[at.sm].blocks[slot.blockSlot].block->linear, slot.warp};
      request->sm = static_cast<std::uint16_t>(at.sm);
      request->warpSlot = static_cast<std::uint8_t>(at.place * 4 + at.part);
      request->pc = pc;
    }
    ++state_.nextRequest;
    const ptx::CacheOp cache = machine_.launch_.function->instructions[pc].mods.cache;
    const bool bypassL1 = cache == ptx::CacheOp::Cg || cache == ptx::CacheOp::Cv;
    const MemoryTiming t = memory_.issue(at.sm, now, outcome.access, bypassL1, request);
    result = {t.doneAt, t.isShared ? Stall::ShortScoreboard : Stall::LongScoreboard};
    if (outcome.access.kind != exec::MemoryAccess::Kind::Load) state_.endCycle = std::max(state_.endCycle, t.doneAt);
  } else if (op.isMemory) {
    result.readyAt = now + 2;  // nobody's guard held
  }
  if (outcome.queued) stampArrivals(at, op.isMemory && outcome.access.lanes != 0 ? result.readyAt : now + op.latency + static_cast<std::uint64_t>(profile_.sharedLatency));
  if (op.async != lowering::AsyncKind::None) trackAsync(at, op, result.readyAt);
  if (op.async == lowering::AsyncKind::Products) return;  // its registers are waited for by wgmma.wait_group
  for (std::uint32_t r : op.writes) slot.registers[r] = result;
}

void Engine::finishIssue(const Place& at, const TimedOp& op, const exec::StepOutcome& outcome, bool folded) {
  SmState& sm = state_.sms[at.sm];
  WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  const std::uint64_t now = state_.at.cycle;
  if (outcome.barrierOpened) {
    const auto open = now + static_cast<std::uint64_t>(profile_.barrierLatency);
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
    refresh(at.sm, at.part);
    return;
  }
  if (op.endsRound) slot.rounds[op.loop] = static_cast<std::uint16_t>((slot.rounds[op.loop] + 1) % op.every);
  std::uint64_t earliest = folded ? now : now + std::max<std::uint64_t>(1, op.issues);
  if (op.armIssues != 0 && outcome.executed == outcome.lanes) {
    earliest += op.armIssues;
    state_.counters.machineInstructions += op.armIssues;
  }
  Stall reason = Stall::Wait;
  if (outcome.branch && !folded) {
    earliest = now + static_cast<std::uint64_t>(profile_.branchLatency);
    reason = Stall::BranchResolving;
  }
  if (outcome.barrierOpened) {
    earliest = now + static_cast<std::uint64_t>(profile_.barrierLatency);
    reason = Stall::Barrier;
  }
  if (outcome.sleepNanoseconds != 0) {
    earliest = now + static_cast<std::uint64_t>(outcome.sleepNanoseconds / profile_.nsPerCycle());
    reason = Stall::Sleeping;
  }
  plan(at, earliest, reason);
}

}  // namespace warpmill::timing
