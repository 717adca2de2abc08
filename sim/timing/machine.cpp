#include "timing/machine.h"

#include "base/texts.h"
#include "exec/cluster.h"
#include "exec/faults.h"
#include "exec/standstill.h"
#include "timing/engine.h"
#include "timing/quantum.h"

#include <algorithm>
#include <cmath>

namespace warpmill::timing {
namespace {

constexpr std::size_t mostFaults = 64;

}  // namespace

namespace {

FloatArithmetic floatArithmetic(const ptx::Instruction& i) {
  if (i.mods.type != ptx::Type::F32) return FloatArithmetic::None;
  switch (i.opcode) {
    case ptx::Opcode::Add: case ptx::Opcode::Sub: return i.product != ptx::none ? FloatArithmetic::Ffma : FloatArithmetic::Fadd;
    case ptx::Opcode::Mul: return i.takenIn ? FloatArithmetic::None : FloatArithmetic::Fmul;
    case ptx::Opcode::Fma: case ptx::Opcode::Mad: return FloatArithmetic::Ffma;
    default: return FloatArithmetic::None;
  }
}

// How long SMs can run without hearing of each other (see quantum.h); 0: not at all.
std::uint64_t quantumOf(const device::Profile& profile, const MemoryRates& rates, const ptx::Function& function, const exec::LaunchContext& context) {
  if (exec::clusterSize(context) > 1 || !runsInQuanta(function) || rates.l2Latency <= rates.l1Latency) return 0;
  constexpr std::uint64_t shortest = 16, longest = WakeUps::most;  // cycles
  const std::uint64_t quantum = std::min({(rates.l2Latency - rates.l1Latency) / 2 * 2, static_cast<std::uint64_t>(profile.blockTurnover), longest});
  return quantum < shortest ? 0 : quantum;
}

}  // namespace

Machine::Machine() = default;
Machine::~Machine() = default;

Result<std::shared_ptr<const Machine>> Machine::create(exec::PreparedLaunch launch, device::Profile profile) {
  return createSample(std::move(launch), std::move(profile), {}, {});
}

Result<std::shared_ptr<const Machine>> Machine::createSample(exec::PreparedLaunch launch, device::Profile profile, const BlockSample& sample, std::vector<Allotment> allotments) {
  std::shared_ptr<Machine> m(new Machine);
  m->launch_ = std::move(launch);
  m->profile_ = std::move(profile);
  const ptx::Function& f = *m->launch_.function;
  m->lowered_ = lowering::lower(*m->launch_.module, f, m->profile_);
  const auto& ops = m->lowered_.ops;
  if (std::any_of(ops.begin(), ops.end(), [](const lowering::TimedOp& op) { return op.pipe == lowering::Pipe::Tensor; })) m->profile_.clockMHz = m->profile_.tensorClockMHz;
  const exec::LaunchContext& context = m->launch_.code->context();
  const std::uint32_t threads = context.block.x * context.block.y * context.block.z;
  const std::uint32_t shared = context.staticSharedBytes + context.dynamicSharedBytes;
  Diagnostics refused = device::checkLaunch(m->profile_, {context.grid.x, context.grid.y, context.grid.z},
                                            {context.block.x, context.block.y, context.block.z}, m->lowered_.registersPerThread, shared);
  if (hasErrors(refused)) {
    for (Diagnostic& d : refused) {
      d.file = m->launch_.launch.file;
      if (d.position.line == 0) d.position = m->launch_.launch.blockPosition;
    }
    return refused;
  }
  m->occupancy_ = device::occupancy(m->profile_, threads, m->lowered_.registersPerThread, shared);
  const std::uint64_t places = std::uint64_t{m->occupancy_.blocksPerSm} * static_cast<std::uint64_t>(m->profile_.smCount);
  if (const std::uint32_t cluster = context.cluster.x * context.cluster.y * context.cluster.z; cluster > places) {
    Diagnostic d;
    d.file = m->launch_.launch.file;
    d.position = m->launch_.launch.blockPosition;
    d.message = "the " + std::to_string(cluster) + " blocks of a cluster run together, but the device has room for " + std::to_string(places);
    d.hint = "make the cluster or its blocks smaller, or simulate more SMs";
    return d;
  }
  m->rates_ = std::make_unique<MemoryRates>(m->profile_, m->occupancy_.carveOutBytes);
  m->rates_->localLines = (m->launch_.function->localBytes + 3) / 4;
  m->rates_->allotments = std::move(allotments);
  m->blockCount_ = static_cast<std::uint64_t>(context.grid.x) * context.grid.y * context.grid.z;
  m->order_ = exec::BlockOrder(m->blockCount_, context.seed);
  m->sample_ = sample;
  if (!sample.isWhole()) m->blockCount_ = sample.count() * exec::clusterSize(context);
  m->blockInterval_ = static_cast<Ticks>(std::llround(m->profile_.blockLaunchInterval * static_cast<double>(ticksPerCycle)));

  m->quantum_ = quantumOf(m->profile_, *m->rates_, f, context);

  for (const ptx::Instruction& i : f.instructions) m->arithmetic_.push_back(floatArithmetic(i));
  constexpr std::uint32_t instructionsPerLine = 8;  // 16 bytes each
  std::uint32_t machineInstruction = m->lowered_.prologueIssues;
  m->lineOfPc_.reserve(m->lowered_.ops.size());
  for (const lowering::TimedOp& op : m->lowered_.ops) {
    m->lineOfPc_.push_back(machineInstruction / instructionsPerLine);
    machineInstruction += op.issues;
  }
  return std::shared_ptr<const Machine>(std::move(m));
}

MachineState Machine::initialState() const {
  MachineState s;
  s.memory = launch_.memory;
  const auto smCount = static_cast<std::size_t>(profile_.smCount);
  s.sms.resize(smCount);
  s.nextTry.assign(smCount, never);
  s.placeFreeAt.assign(smCount, 0);
  s.residentBlocks.assign(smCount, 0);
  for (SmState& sm : s.sms) {
    sm.blocks.resize(occupancy_.blocksPerSm);
    sm.l1 = CowVector<CacheLine, 64>(static_cast<std::size_t>(rates_->l1Sets) * rates_->l1Ways);
    sm.missesDoneAt.assign(rates_->missesInFlight, 0);
    sm.writesDoneAt.assign(MemoryRates::writesInFlight, 0);
    sm.lineReadyAt.assign(lowered_.machineInstructions / 8 + 2, never);
    for (SubPartition& part : sm.parts) part.nextTry = never;
  }
  s.l2 = CowVector<CacheLine, 64>(static_cast<std::size_t>(rates_->l2Sets) * rates_->l2Ways);
  s.l2Sets = CowVector<L2Set, 32>(rates_->l2Sets);
  s.sliceFreeAt.assign(rates_->slices, 0);
  s.channelFreeAt.assign(rates_->channels, 0);
  s.fetchedBytes.assign(rates_->allotments.size(), 0);
  s.atomicFreeAt.assign(rates_->atomicUnits, 0);
  s.atomicBusy.assign(rates_->atomicUnits, 0);
  s.banks.resize(static_cast<std::size_t>(rates_->channels) * rates_->banksPerChannel);
  s.nextDispatch = blockCount_ == 0 ? never : 0;
  return s;
}

Advance Machine::step(MachineState& state, const Filter& filter, Trace* trace) const {
  return Engine(*this, *rates_, state, trace).step(filter);
}

// Until so many instructions have been issued (0: no limit); for a taker in parts that fit into memory.
Advance Machine::runOn(MachineState& state, std::uint64_t instructions, bool exactly, Trace* trace, const TraceTaker& taker, unsigned jobs) const {
  if (!taker) return Engine(*this, *rates_, state, trace).run(instructions, exactly, jobs);
  constexpr std::uint64_t part = 1u << 16;
  Trace some;
  for (;;) {
    const std::uint64_t next = state.counters.ptxInstructions + part, until = instructions == 0 ? next : std::min(instructions, next);
    const Advance a = Engine(*this, *rates_, state, &some).run(until, exactly);
    taker(some);
    some.issues.clear(), some.stalls.clear(), some.requests.clear(), some.sectors.clear(), some.blocks.clear();
    if (a != Advance::Issued || until == instructions) return a;
  }
}

Advance Machine::runToEnd(MachineState& state, Trace* trace, std::uint64_t maxInstructions) const { return runWhole(state, trace, {}, maxInstructions, 1); }

Advance Machine::runToEnd(MachineState& state, const TraceTaker& taker, std::uint64_t maxInstructions, unsigned jobs) const { return runWhole(state, nullptr, taker, maxInstructions, jobs); }

Advance Machine::runWhole(MachineState& state, Trace* trace, const TraceTaker& taker, std::uint64_t maxInstructions, unsigned jobs) const {
  constexpr std::uint64_t firstLook = 1u << 20;  // instructions until the first look whether anything can still change; then twice as many
  for (std::uint64_t look = std::max(firstLook, 2 * state.counters.ptxInstructions);; look *= 2) {
    const bool last = maxInstructions != 0 && maxInstructions <= look;
    const Advance a = runOn(state, last ? maxInstructions : look, last, trace, taker, jobs);
    if (a == Advance::Issued && !last) {
      if (!recordLivelock(state)) continue;
      return Advance::Blocked;
    }
    if (a == Advance::Blocked || a == Advance::Issued) recordHang(state, a == Advance::Blocked);
    if (a == Advance::Finished && trace) trace->endCycle = state.endCycle;
    return a;
  }
}

std::vector<const machine::Block*> Machine::residentIn(const MachineState& state) {
  std::vector<const machine::Block*> blocks;
  for (const SmState& sm : state.sms)
    for (const ResidentBlock& b : sm.blocks)
      if (b.used) blocks.push_back(b.block.get());
  return blocks;
}

// Do all warps go round loops in which nothing changes?
bool Machine::recordLivelock(MachineState& state) const {
  if (exec::clusterSize(launch_.code->context()) > 1) return false;
  const std::vector<const machine::Block*> blocks = residentIn(state);
  const auto rounds = exec::livelockOf(*launch_.code, state.memory, blocks, false, false);
  if (!rounds) return false;
  machine::Fault f = exec::livelockFault(*launch_.code, state.memory, *rounds, blocks, blockCount_ - state.nextBlock);
  f.cycle = state.at.cycle;
  exec::mergeFault(state.faults, f, mostFaults);
  return true;
}

Advance Machine::runUntil(MachineState& state, std::uint64_t instructions, const TraceTaker& taker) const { return runOn(state, instructions, false, nullptr, taker, 1); }

std::unique_ptr<MemorySystem> Machine::memorySystem(MachineState& state) const { return std::make_unique<MemorySystem>(*rates_, state, nullptr); }

std::uint64_t Machine::gridBlocks() const {
  const exec::Dim3& g = launch_.code->context().grid;
  return std::uint64_t{g.x} * g.y * g.z;
}

bool Machine::finished(const MachineState& state) const { return state.blocksDone == blockCount_; }

void Machine::recordHang(MachineState& state, bool deadlock) const {
  bool told = false;
  for (const machine::Block* b : residentIn(state)) {
    if (!deadlock) break;
    auto fault = exec::deadlockOf(*launch_.code, *b);
    if (!fault) continue;
    fault->cycle = state.at.cycle;
    exec::mergeFault(state.faults, *fault, mostFaults);
    told = true;
  }
  if (told) return;
  machine::Fault f;
  f.kind = machine::FaultKind::Hang;
  f.cycle = state.at.cycle;
  std::uint64_t waiting = 0, resident = 0;
  for (std::uint32_t sm = 0; sm < state.sms.size(); ++sm)
    for (std::uint32_t slot = 0; slot < 64; ++slot) {
      const WarpStatus w = warpStatus(state, sm, slot, state.at.cycle);
      if (!w.used) continue;
      if (resident++ == 0 && w.pc < launch_.function->instructions.size()) {
        const ptx::Instruction& i = launch_.function->instructions[w.pc];
        f.pc = w.pc;
        f.ptxLine = i.position.line;
        f.location = i.location;
        if (i.location.file < launch_.module->files.size()) f.file = launch_.module->files[i.location.file];
        f.warp = w.warp.warp;
      }
      if (w.until == never) ++waiting;
    }
  f.says = {deadlock ? Text::NobodyGoesOn : Text::NotEndedInTime, {{"waiting", waiting}, {"resident", resident}}};
  machine::putIntoWords(f);
  state.faults.push_back(std::move(f));
}

WarpStatus Machine::warpStatus(const MachineState& state, std::uint32_t smIndex, std::uint32_t warpSlot, std::uint64_t now) const {
  WarpStatus out;
  const SmState& sm = state.sms[smIndex];
  const WarpSlot& slot = sm.warps[warpSlot];
  if (!slot.used) return out;
  const SubPartition& part = sm.parts[warpSlot % 4];
  const std::uint32_t place = warpSlot / 4;
  const machine::Block& block = *sm.blocks[slot.blockSlot].block;
  const machine::Warp& warp = block.warps[slot.warp];
  out.used = true;
  out.warp = {block.linear, slot.warp};
  out.pathCount = warp.paths.size();
  if (!warp.paths.empty()) {
    out.pc = warp.path().pc;
    out.active = warp.path().lanes;
  }
  out.exited = warp.exited | ~warp.threads;
  out.diverged = ~(out.active | out.exited);
  out.since = slot.waitingSince;
  out.until = part.readyAt[place];
  const bool issuing = slot.lastIssueAt != never && now < slot.waitingSince && now >= slot.lastIssueAt;
  if (issuing) out.stall = Stall::Selected;
  else if (out.until > now) out.stall = slot.reason;
  else if (part.pipe[place] != lowering::Pipe::None && part.pipeFreeAt[static_cast<std::size_t>(part.pipe[place])] > now)
    out.stall = part.pipe[place] == lowering::Pipe::Lsu ? Stall::MioThrottle : Stall::MathPipeThrottle;
  else out.stall = Stall::NotSelected;
  return out;
}

const machine::Warp* Machine::findWarp(const MachineState& state, WarpId id, std::uint32_t* smOut, std::uint32_t* slotOut) const {
  for (std::uint32_t s = 0; s < state.sms.size(); ++s)
    for (const ResidentBlock& b : state.sms[s].blocks) {
      if (!b.used || b.block->linear != id.block || id.warp >= b.block->warps.size()) continue;
      const std::uint32_t slot = b.warpSlots[id.warp];
      const WarpSlot& ws = state.sms[s].warps[slot];
      const bool there = ws.used && ws.warp == id.warp && &state.sms[s].blocks[ws.blockSlot] == &b;
      if (smOut) *smOut = s;
      if (slotOut) *slotOut = slot;
      return there ? &b.block->warps[id.warp] : nullptr;  // nullptr: it has exited, its place may have been given on
    }
  return nullptr;
}

bool Machine::inFlight(const MachineState& state, std::uint32_t sm, std::uint32_t warpSlot, std::uint32_t r, std::uint64_t now) const {
  const WarpSlot& slot = state.sms[sm].warps[warpSlot];
  return slot.used && r < slot.registers.size() && slot.registers[r].readyAt > now;
}

}  // namespace warpmill::timing
