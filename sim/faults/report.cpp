#include "faults/report.h"

#include "base/texts.h"
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

std::string_view accessName(const ptx::Instruction& in) {
  switch (in.opcode) {
    case Opcode::Atom: case Opcode::Red: return "atomic";
    case Opcode::Ld: case Opcode::Ldu: case Opcode::Ldmatrix: return "load";
    case Opcode::CpAsync: return "asynchronous copy";
    default: return "store";
  }
}

Said lineOf(const std::string& file, std::uint32_t line, std::uint32_t ptxLine) {
  if (line == 0) return ptxLine == 0 ? Said(Text::LineUnknown) : Said(Text::LinePtx, {{"line", ptxLine}});
  const auto slash = file.rfind('/');
  return {Text::LineSource, {{"file", slash == std::string::npos ? file : file.substr(slash + 1)}, {"line", line}}};
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

machine::About aboutOf(Text use) {
  switch (use) {
    case Text::UseBranch: case Text::UseGuard: return machine::About::Guard;
    case Text::UseStore: case Text::UseInAtomic: return machine::About::Value;
    default: return machine::About::Address;
  }
}

// What to do about two accesses that nothing orders: the text whose remedy says so.
Text remedyOf(const Fault& f, const machine::OtherParty& o, Strength other, const exec::Op& op) {
  if (o.block == f.block) return o.warp == f.warp ? Text::RaceInWarp : Text::RaceOfWarps;
  if (other == StrongInBlock || op.instruction->mods.scope == ptx::Scope::Cta) return Text::RaceByScope;
  return (f.access == "atomic") != (o.access == "atomic") ? Text::RaceWithAtomic : Text::RaceOfPlain;
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

void Reports::add(const exec::Exec& x, Fault fault) {
  exec::complete(fault, *code_, *x.block, *x.warp);
  add(std::move(fault));
}

// "offset 132 of 'tile' (shared memory)"; also sets buffer, offset and address.
Said Reports::nameOf(const exec::Exec& x, const Place& p, Fault& f) const {
  f.address = p.address;
  f.bytes = p.bytes;
  f.offset = static_cast<std::int64_t>(p.address);
  if (p.space == Space::Shared || p.space == Space::Local) {
    const bool shared = p.space == Space::Shared;
    const ptx::Variable* v = variableAt(*code_, p.space, p.address);
    if (v == nullptr) return {shared ? Text::SharedPlain : Text::LocalPlain, {{"at", p.address}}};
    const std::uint64_t begin = v->sizeBytes == 0 ? code_->function().dynamicSharedOffset : v->offset;
    return {shared ? Text::SharedAt : Text::LocalAt, {{"at", p.address - begin}, {"name", v->name}}};
  }
  const machine::Allocation* a = x.memory->find(p.address, 1);
  if (a == nullptr) return {Text::GlobalPlain, {{"at", p.address}}};
  if (const machine::HeapBlock* block = x.memory->heapBlock(p.address)) {
    f.offset = static_cast<std::int64_t>(p.address - a->base - block->offset);
    return {Text::HeapPlain, {{"at", f.offset}, {"size", block->bytes}}};
  }
  f.offset = static_cast<std::int64_t>(p.address - a->base);
  if (a->argument == 0xFFFFFFFFu) return {Text::GlobalVariable, {{"at", f.offset}, {"name", a->name}}};
  f.buffer = static_cast<std::int32_t>(a->argument);
  if (a->name.empty() || a->name == fmt::format("argument {}", a->argument)) return {Text::GlobalArgument, {{"at", f.offset}, {"number", a->argument}}};
  return {Text::GlobalNamed, {{"at", f.offset}, {"name", a->name}, {"number", a->argument}}};
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

void Reports::race(const exec::Exec& x, const exec::Op& op, unsigned lane, const Place& p, Epoch other, bool sameInstruction) {
  races(op.pc);
  races(pcOf(other));
  const FaultKind kind = p.space == Space::Shared ? FaultKind::SharedRace : FaultKind::GlobalRace;
  if (counted(kind, op.pc, 1)) return;
  Fault f = exec::faultAt(*code_, *x.block, *x.warp, op.pc, lane);
  f.kind = kind;
  f.issue = issue_;
  f.about = machine::About::Address;
  f.access = accessName(*op.instruction);
  const Said place = nameOf(x, p, f);
  machine::OtherParty o = partyOf(pcOf(other));
  const exec::Dim3 &grid = code_->context().grid, &size = code_->context().block;
  const std::uint32_t b = blockOf(other), t = warpOf(other) * machine::warpSize + laneOf(other);
  o.block = {b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
  o.thread = {t % size.x, t / size.x % size.y, t / size.x / size.y};
  o.warp = warpOf(other);
  o.lane = laneOf(other);
  if (o.block == f.block && o.thread == f.thread) {  // its own copy, which it has not waited for
    f.says = {Text::CopyNotAwaited, {{"what", machine::accessPhrase(f.access)}, {"place", place}, {"line", lineOf(o.file, o.location.line, o.ptxLine)}}};
    o.says = Text::NoteCopyIssued;
  } else if (sameInstruction) {
    f.says = {Text::StoresCollide, {{"place", place}}};
    o.says = Text::NoteOtherStore;
  } else {
    const bool sameBlock = o.block == f.block;
    const Said name = machine::accessName(o.access);
    const Said race(sameBlock ? Text::RaceInBlock : Text::RaceOfBlocks,
                    {{"what", machine::accessPhrase(f.access)}, {"place", place}, {"other", name}, {"line", lineOf(o.file, o.location.line, o.ptxLine)}});
    f.says = {remedyOf(f, o, strengthOf(other), op), {{"race", race}}};
    o.says = {Text::NoteOtherAccess, {{"other", name}}};
  }
  f.other = std::move(o);
  add(x, std::move(f));
}

void Reports::settle() {
  for (auto& [at, p] : pending_) {
    if (p.origin < racing_.size() && racing_[p.origin]) continue;
    add(std::move(p.fault));
  }
  pending_.clear();
}

void Reports::uninitialized(const exec::Exec& x, const exec::Op& op, LaneMask lanes, Text use, const Place* target, const Origin& origin) {
  if (lanes == 0) return;
  if (const auto at = pending_.find(op.pc); at != pending_.end()) {
    at->second.fault.count += static_cast<std::uint64_t>(std::popcount(lanes));
    return;
  }
  if (counted(FaultKind::Uninitialized, op.pc, static_cast<std::uint64_t>(std::popcount(lanes)))) return;
  Fault f = exec::faultAt(*code_, *x.block, *x.warp, op.pc, static_cast<unsigned>(std::countr_zero(lanes)));
  f.kind = FaultKind::Uninitialized;
  f.issue = issue_;
  f.count = static_cast<std::uint64_t>(std::popcount(lanes));
  f.about = aboutOf(use);
  Said what(use);
  if (target != nullptr) {
    f.access = accessName(*op.instruction);
    what.gaps.emplace_back("place", nameOf(x, *target, f));
  }
  if (origin.pc < code_->ops().size() && code_->ops()[origin.pc].instruction->opcode == Opcode::Shfl) return invalidShuffle(x, op, lanes, std::move(what), origin.pc);
  if (origin.isMaskedOut) {
    machine::OtherParty o = partyOf(origin.pc);
    f.says = {Text::UndefinedMasked, {{"use", what}, {"line", lineOf(o.file, o.location.line, o.ptxLine)}}};
    o.block = f.block, o.thread = f.thread, o.warp = f.warp, o.lane = f.lane;
    o.says = Text::NoteLoadedHere;
    f.other = std::move(o);
  } else if (origin.pc != ptx::none) {
    machine::OtherParty o = partyOf(origin.pc);
    Fault scratch;
    const Said from(origin.place.wasStored ? Text::OriginStored : Text::OriginPlace, {{"place", nameOf(x, origin.place, scratch)}});
    const Said sentence = origin.pc == op.pc
                              ? Said(Text::UndefinedHere, {{"use", what}})
                              : Said(Text::UndefinedLoaded, {{"use", what}, {"line", lineOf(o.file, o.location.line, o.ptxLine)}, {"from", from}});
    const bool shared = origin.place.space == Space::Shared, local = origin.place.space == Space::Local;
    f.says = {origin.place.wasStored ? Text::UndefinedStored : shared ? Text::UndefinedShared : local ? Text::UndefinedLocal : Text::UndefinedBuffer,
              {{"what", sentence}}};
    o.block = f.block, o.thread = f.thread, o.warp = f.warp, o.lane = f.lane;
    o.says = Text::NoteLoadedHere;
    if (origin.pc != op.pc) f.other = std::move(o);
  } else {
    const auto& registers = code_->function().registers;
    const std::string name = origin.registerNumber < registers.size() ? registers[origin.registerNumber].name : std::string("?");
    f.says = {Text::UndefinedRegister, {{"use", what}, {"register", name}}};
  }
  exec::complete(f, *code_, *x.block, *x.warp);
  pending_.emplace(op.pc, Pending{std::move(f), origin.pc});
}

void Reports::invalidShuffle(const exec::Exec& x, const exec::Op& use, LaneMask lanes, Said what, std::uint32_t shuffle) {
  const auto count = static_cast<std::uint64_t>(std::popcount(lanes));
  if (counted(FaultKind::InvalidShuffle, shuffle, count)) return;
  Fault f = exec::faultAt(*code_, *x.block, *x.warp, shuffle, static_cast<unsigned>(std::countr_zero(lanes)));
  f.kind = FaultKind::InvalidShuffle;
  f.count = count;
  machine::OtherParty o = partyOf(use.pc);
  f.says = {Text::ShuffledFromAbsent, {{"use", std::move(what)}, {"line", lineOf(o.file, o.location.line, o.ptxLine)}}};
  o.block = f.block, o.thread = f.thread, o.warp = f.warp, o.lane = f.lane;
  o.says = Text::NoteShuffledUse;
  f.other = std::move(o);
  add(x, std::move(f));
}

}  // namespace warpmill::faults
