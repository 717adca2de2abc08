#include "exec/faults.h"

#include "base/texts.h"
#include "exec/expression.h"

#include <fmt/format.h>

#include <bit>

namespace warpmill::exec {

using machine::Fault;
using machine::FaultKind;
using ptx::Space;

std::array<std::uint32_t, 3> threadIndex(const Code& code, const machine::Warp& warp, unsigned lane) {
  const Dim3& block = code.context().block;
  const std::uint32_t t = warp.indexInBlock * machine::warpSize + lane;
  return {t % block.x, t / block.x % block.y, t / block.x / block.y};
}

Fault faultAt(const Code& code, const machine::Block& block, const machine::Warp& warp, std::uint32_t pc, unsigned lane) {
  Fault f;
  f.pc = pc;
  const auto& instructions = code.function().instructions;
  if (pc < instructions.size()) {
    f.location = instructions[pc].location;
    f.ptxLine = instructions[pc].position.line;
    if (f.location.file < code.module().files.size()) f.file = code.module().files[f.location.file];
  }
  f.block = block.index;
  f.thread = threadIndex(code, warp, lane);
  f.warp = warp.indexInBlock;
  f.lane = lane;
  f.issue = warp.instructionsIssued;
  return f;
}

namespace {

Said nameOf(const machine::Allocation& a) {
  if (a.argument == 0xFFFFFFFFu) return {a.isBuffer ? Text::BufferPlain : Text::BufferVariable, {{"name", a.name}, {"size", a.sizeBytes}}};
  if (a.name.empty() || a.name == fmt::format("argument {}", a.argument)) return {Text::BufferArgument, {{"number", a.argument}, {"size", a.sizeBytes}}};
  return {Text::BufferNamed, {{"number", a.argument}, {"name", a.name}, {"size", a.sizeBytes}}};
}

// The place, and how it lies to the end of what it is nearest to.
Said withEnd(Said place, std::int64_t offset, std::uint32_t bytes, std::uint64_t size) {
  const auto end = static_cast<std::int64_t>(size);
  if (offset < 0) return {Text::AtBefore, {{"place", std::move(place)}, {"before", -offset}}};
  if (offset == end) return {Text::AtEnd, {{"place", std::move(place)}}};
  if (offset > end) return {Text::AtBehind, {{"place", std::move(place)}, {"past", offset - end}}};
  if (offset + bytes > end) return {Text::AtStraddling, {{"place", std::move(place)}, {"over", offset + bytes - end}}};
  return place;
}

// What the address lies in or near; sets buffer and offset of the fault.
Said whereIs(const Exec& x, Space space, std::uint64_t address, Fault& f) {
  const auto inSpace = [&](Text text, std::uint64_t size) {
    f.offset = static_cast<std::int64_t>(address);
    return withEnd({text, {{"at", f.offset}, {"size", size}}}, f.offset, f.bytes, size);
  };
  switch (space) {
    case Space::Shared: return inSpace(Text::AtShared, x.block->shared.size());
    case Space::Local: return inSpace(Text::AtLocal, x.warp->local.size() / machine::warpSize);
    case Space::Param: return inSpace(Text::AtParameters, x.code->context().parameters.size());
    default: break;
  }
  const machine::Allocation* a = x.memory->nearest(address);
  const bool near = a != nullptr && address - a->base + (1u << 24) < a->sizeBytes + (2u << 24);
  if (!near) return Text::AtNoBuffer;
  if (a->argument != 0xFFFFFFFFu) f.buffer = static_cast<std::int32_t>(a->argument);
  if (const machine::HeapBlock* block = x.memory->heapBlock(address); block != nullptr) {
    f.offset = static_cast<std::int64_t>(address - (a->base + block->offset));
    const Said place{block->live ? Text::AtHeap : Text::AtFreed, {{"at", f.offset}, {"size", block->bytes}}};
    return block->live ? withEnd(place, f.offset, f.bytes, block->bytes) : place;
  }
  f.offset = static_cast<std::int64_t>(address - a->base);
  return withEnd({Text::AtBuffer, {{"at", f.offset}, {"buffer", nameOf(*a)}}}, f.offset, f.bytes, a->sizeBytes);
}

Text textOf(FaultKind kind) {
  switch (kind) {
    case FaultKind::NullAccess: return Text::NullAccess;
    case FaultKind::Misaligned: return Text::Misaligned;
    case FaultKind::WriteToConstant: return Text::WriteToConstant;
    default: return Text::OutOfBounds;
  }
}

}  // namespace

void reportAccess(Exec& x, const Op& op, FaultKind kind, LaneMask lanes, Space space, std::string_view access, std::uint32_t bytes,
                  const std::array<std::uint64_t, 32>& address) {
  if (lanes == 0) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  Fault f = faultAt(*x.code, *x.block, *x.warp, op.pc, lane);
  f.kind = kind;
  f.access = access;
  f.bytes = bytes;
  f.address = address[lane];
  f.about = machine::About::Address;
  f.count = static_cast<std::uint64_t>(std::popcount(lanes));
  Said place = whereIs(x, space, f.address, f);
  f.says = {textOf(kind), {{"what", machine::accessPhrase(access)}, {"place", std::move(place)}}};
  x.outcome->faults.push_back(std::move(f));
  x.outcome->fault = true;
}

void reportPlain(Exec& x, const Op& op, FaultKind kind, LaneMask lanes, Said says) {
  if (lanes == 0) return;
  Fault f = faultAt(*x.code, *x.block, *x.warp, op.pc, static_cast<unsigned>(std::countr_zero(lanes)));
  f.kind = kind;
  f.count = static_cast<std::uint64_t>(std::popcount(lanes));
  f.about = kind == FaultKind::Trap ? machine::About::Decision : machine::About::Nothing;
  f.says = std::move(says);
  x.outcome->faults.push_back(std::move(f));
  x.outcome->fault = true;
}

void complete(Fault& f, const Code& code, const machine::Block& block, const machine::Warp& warp) {
  f.expression = expressionOf(code, block, warp, f.pc, f.lane, f.about);
  machine::putIntoWords(f);
}

void keepFault(std::vector<Fault>& faults, Fault fault, std::size_t maxKept, const Code& code, const machine::Block& block, const machine::Warp& warp) {
  if (machine::countFault(faults, fault) || faults.size() >= maxKept) return;
  complete(fault, code, block, warp);
  faults.push_back(std::move(fault));
}

void mergeFault(std::vector<Fault>& faults, const Fault& fault, std::size_t maxKept) {
  if (!machine::countFault(faults, fault) && faults.size() < maxKept) faults.push_back(fault);
}

void executeNothing(Exec&, const Op&, LaneMask) {}

void executeUnsupported(Exec& x, const Op& op, LaneMask mask) {
  reportPlain(x, op, FaultKind::Unsupported, mask, {Text::Unsupported, {{"text", x.code->module().textOf(*op.instruction)}}});
}

void reportOutsideShared(Exec& x, const Op& op, LaneMask mask) {
  reportPlain(x, op, FaultKind::OutOfBounds, mask, {Text::DescriptorOutside, {{"size", x.block->shared.size()}}});
}

void executeTrap(Exec& x, const Op& op, LaneMask mask) { reportPlain(x, op, FaultKind::Trap, mask, Text::Trap); }

void executeSleep(Exec& x, const Op& op, LaneMask mask) {
  const std::uint32_t* t = x.at(op.a);
  for (LaneMask m = mask; m != 0; m &= m - 1) {
    const std::uint32_t ns = t[std::countr_zero(m)];
    if (ns > x.outcome->sleepNanoseconds) x.outcome->sleepNanoseconds = ns < 1000000 ? ns : 1000000;
  }
}

}  // namespace warpmill::exec
