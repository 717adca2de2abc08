#include "faults/report.h"

#include "exec/faults.h"

#include <fmt/format.h>

#include <bit>

namespace warpmill::faults {

using exec::LaneMask;
using machine::Fault;
using machine::FaultKind;
using ptx::Opcode;
using ptx::Space;

namespace {

std::string thread(const std::array<std::uint32_t, 3>& t) { return fmt::format("thread ({},{},{})", t[0], t[1], t[2]); }
std::string block(const std::array<std::uint32_t, 3>& b) { return fmt::format("block ({},{},{})", b[0], b[1], b[2]); }

std::string_view accessName(const ptx::Instruction& in) {
  switch (in.opcode) {
    case Opcode::Atom: case Opcode::Red: return "atomic";
    case Opcode::Ld: case Opcode::Ldu: case Opcode::Ldmatrix: return "load";
    case Opcode::CpAsync: return "asynchronous copy";
    default: return "store";
  }
}

std::string lineOf(const std::string& file, std::uint32_t line, std::uint32_t ptxLine) {
  if (line == 0) return ptxLine == 0 ? "an instruction that is not known any more" : fmt::format("PTX line {}", ptxLine);
  const auto slash = file.rfind('/');
  return fmt::format("{}:{}", slash == std::string::npos ? file : file.substr(slash + 1), line);
}

// Name of the variable in this space that holds the offset, and where it begins.
const ptx::Variable* variableAt(const exec::Code& code, Space space, std::uint64_t offset) {
  const ptx::Variable* found = nullptr;
  const auto look = [&](const std::vector<ptx::Variable>& variables) {
    for (const ptx::Variable& v : variables)
      if (v.space == space && offset >= v.offset && (offset - v.offset < v.sizeBytes || (v.isExtern && v.sizeBytes == 0 && found == nullptr))) found = &v;
  };
  look(code.function().variables);
  if (space == Space::Shared && found == nullptr) look(code.module().variables);
  return found;
}

}  // namespace

bool Reports::counted(FaultKind kind, std::uint32_t pc, std::uint64_t count) {
  const auto at = known_.find({kind, pc});
  if (at == known_.end()) return false;
  if (at->second < faults_->size()) (*faults_)[at->second].count += count;
  return true;
}

void Reports::add(Fault fault) {
  const bool kept = faults_->size() < mostFaults_;
  known_[{fault.kind, fault.pc}] = kept ? faults_->size() : ~std::size_t{0};
  if (kept) faults_->push_back(std::move(fault));
}

// "'tile' + 132 (shared memory)"; also sets buffer, offset and address.
std::string Reports::nameOf(const exec::Exec& x, const Place& p, Fault& f) const {
  f.address = p.address;
  f.bytes = p.bytes;
  f.offset = static_cast<std::int64_t>(p.address);
  if (p.space == Space::Shared || p.space == Space::Local) {
    const std::string_view memory = p.space == Space::Shared ? "shared memory" : "local memory";
    const ptx::Variable* v = variableAt(*code_, p.space, p.address);
    if (v == nullptr) return fmt::format("offset {} of {}", p.address, memory);
    const std::uint64_t begin = v->sizeBytes == 0 ? code_->function().dynamicSharedOffset : v->offset;
    return fmt::format("offset {} of '{}' ({})", p.address - begin, v->name, memory);
  }
  const machine::Allocation* a = x.memory->find(p.address, 1);
  if (a == nullptr) return fmt::format("address {:#x}", p.address);
  if (const machine::HeapBlock* block = x.memory->heapBlock(p.address)) {
    f.offset = static_cast<std::int64_t>(p.address - a->base - block->offset);
    return fmt::format("offset {} of a block of {} bytes from malloc", f.offset, block->bytes);
  }
  f.offset = static_cast<std::int64_t>(p.address - a->base);
  if (a->argument == 0xFFFFFFFFu) return fmt::format("offset {} of variable '{}'", f.offset, a->name);
  f.buffer = static_cast<std::int32_t>(a->argument);
  const std::string plain = fmt::format("argument {}", a->argument);
  return a->name.empty() || a->name == plain ? fmt::format("offset {} of {}", f.offset, plain) : fmt::format("offset {} of '{}' ({})", f.offset, a->name, plain);
}

machine::OtherParty Reports::partyOf(std::uint32_t pc) const {
  machine::OtherParty o;
  const auto& instructions = code_->function().instructions;
  if (pc >= instructions.size() || pc >= unknownPc) return o;
  o.pc = pc;
  o.location = instructions[pc].location;
  o.ptxLine = instructions[pc].position.line;
  if (o.location.file < code_->module().files.size()) o.file = code_->module().files[o.location.file];
  o.access = accessName(instructions[pc]);
  return o;
}

void Reports::race(const exec::Exec& x, const exec::Op& op, unsigned lane, const Place& place, Epoch other, bool sameInstruction) {
  races(op.pc);
  races(pcOf(other));
  const FaultKind kind = place.space == Space::Shared ? FaultKind::SharedRace : FaultKind::GlobalRace;
  if (counted(kind, op.pc, 1)) return;
  Fault f = exec::faultAt(*code_, *x.block, *x.warp, op.pc, lane);
  f.kind = kind;
  f.access = accessName(*op.instruction);
  const std::string where = nameOf(x, place, f);
  machine::OtherParty o = partyOf(pcOf(other));
  const exec::Dim3 &grid = code_->context().grid, &size = code_->context().block;
  const std::uint32_t b = blockOf(other), t = warpOf(other) * machine::warpSize + laneOf(other);
  o.block = {b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
  o.thread = {t % size.x, t / size.x % size.y, t / size.x / size.y};
  o.warp = warpOf(other);
  o.lane = laneOf(other);
  const bool sameBlock = o.block == f.block, sameWarp = sameBlock && o.warp == f.warp;
  const std::string otherAccess = o.access.empty() ? "access" : std::string(o.access);
  if (sameInstruction) {
    f.message = fmt::format("{} and {} of {} store different values to {} in the same instruction: which one stays is not defined", thread(f.thread),
                            thread(o.thread), block(f.block), where);
    f.remedy = "Let one thread do the store, give each thread a place of its own, or combine the values with an atomic operation";
    o.note = fmt::format("the other store is by {}", thread(o.thread));
  } else {
    const std::string line = lineOf(o.file, o.location.line, o.ptxLine);
    f.message = sameBlock ? fmt::format("{} of {} bytes at {} by {} of {} races with the {} by {} at {}: nothing orders the two", f.access, f.bytes, where,
                                        thread(f.thread), block(f.block), otherAccess, thread(o.thread), line)
                          : fmt::format("{} of {} bytes at {} by {} {} races with the {} by {} {} at {}: nothing orders the two blocks", f.access, f.bytes, where,
                                        block(f.block), thread(f.thread), otherAccess, block(o.block), thread(o.thread), line);
    o.note = fmt::format("the other access, a {}, is by {} {}", otherAccess, block(o.block), thread(o.thread));
    const bool oneIsAtomic = (f.access == "atomic") != (o.access == "atomic");
    if (sameWarp) f.remedy = "Put __syncwarp() between the two, or exchange the value with a shuffle: threads of a warp need not run in step";
    else if (sameBlock) f.remedy = "Put __syncthreads() between the two, where every thread of the block comes by";
    else if (strengthOf(other) == StrongInBlock || op.instruction->mods.scope == ptx::Scope::Cta)
      f.remedy = "A scope of one block (_block, .cta) promises nothing to other blocks: use the atomic or the fence without it";
    else if (oneIsAtomic) f.remedy = "An atomic protects only against other atomics: make both accesses atomic, or order them by a fence and a flag";
    else f.remedy = "Blocks run in any order: give each block its own elements, combine with atomics, or pass the data on by __threadfence() and an atomic flag";
  }
  f.other = std::move(o);
  add(std::move(f));
}

void Reports::settle() {
  for (auto& [at, p] : pending_) {
    if (p.origin < racing_.size() && racing_[p.origin]) continue;
    add(std::move(p.fault));
  }
  pending_.clear();
}

void Reports::uninitialized(const exec::Exec& x, const exec::Op& op, LaneMask lanes, std::string_view use, const Place* target, const Origin& origin) {
  if (lanes == 0) return;
  if (const auto at = pending_.find(op.pc); at != pending_.end()) {
    at->second.fault.count += static_cast<std::uint64_t>(std::popcount(lanes));
    return;
  }
  if (counted(FaultKind::Uninitialized, op.pc, static_cast<std::uint64_t>(std::popcount(lanes)))) return;
  Fault f = exec::faultAt(*code_, *x.block, *x.warp, op.pc, static_cast<unsigned>(std::countr_zero(lanes)));
  f.kind = FaultKind::Uninitialized;
  f.count = static_cast<std::uint64_t>(std::popcount(lanes));
  std::string what(use);
  if (target != nullptr) {
    f.access = accessName(*op.instruction);
    const std::string where = nameOf(x, *target, f);
    what += (use.ends_with("to") || use.ends_with("on") ? " " : " at ") + where;
  }
  if (origin.pc != ptx::none) {
    machine::OtherParty o = partyOf(origin.pc);
    Fault scratch;
    const std::string from = nameOf(x, origin.place, scratch) + (origin.place.wasStored ? ", where it had been stored undefined" : "");
    if (origin.pc == op.pc) {
      f.message = fmt::format("{} of {} {}, which nobody has written", thread(f.thread), block(f.block), what);
    } else {
      f.message = fmt::format("a value that nobody has written {} in {} of {}; it was loaded at {} from {}", what, thread(f.thread), block(f.block),
                              lineOf(o.file, o.location.line, o.ptxLine), from);
    }
    const bool shared = origin.place.space == Space::Shared, local = origin.place.space == Space::Local;
    f.remedy = origin.place.wasStored ? "Follow the value further back: what was stored there had never got a value itself"
               : shared  ? "Fill the shared array before it is read, and check that the threads that fill it cover all of it"
               : local ? "Give the variable or array a value on every way that leads here"
                       : "Fill the buffer before the launch, or let the kernel write each element before it reads it";
    o.block = f.block, o.thread = f.thread, o.warp = f.warp, o.lane = f.lane;
    o.note = "the value was loaded here";
    if (origin.pc != op.pc) f.other = std::move(o);
  } else {
    const auto& registers = code_->function().registers;
    const std::string name = origin.registerNumber < registers.size() ? registers[origin.registerNumber].name : std::string("a register");
    f.message = fmt::format("a value that was never set {} in {} of {}: nothing was written to register {} on the way here", what, thread(f.thread), block(f.block), name);
    f.remedy = "Give the variable a value on every way that leads here; of a masked load in Triton, say with other= what the masked lanes get";
  }
  pending_.emplace(op.pc, Pending{std::move(f), origin.pc});
}

}  // namespace warpmill::faults
