// What is told of a sum or product that wrapped on its way to an address, and of an access to the wrong array.
#include "base/texts.h"
#include "exec/faults.h"
#include "faults/report.h"

#include <fmt/format.h>

#include <bit>

namespace warpmill::faults {

using machine::Fault;
using machine::FaultKind;
using ptx::Opcode;

namespace {

// What was computed, with the values in place of the registers.
std::string expression(const ptx::Instruction& in, const Wrap& w) {
  const auto& v = w.operands;
  const auto factor = [](std::int64_t n) { return n < 0 ? fmt::format("({})", n) : std::to_string(n); };
  switch (in.opcode) {
    case Opcode::Add: return v[1] < 0 ? fmt::format("{} - {}", v[0], 0 - static_cast<std::uint64_t>(v[1])) : fmt::format("{} + {}", v[0], v[1]);
    case Opcode::Sub: return fmt::format("{} - {}", v[0], factor(v[1]));
    case Opcode::Mul: return fmt::format("{} * {}", factor(v[0]), factor(v[1]));
    case Opcode::Mad: return fmt::format("{} * {} + {}", factor(v[0]), factor(v[1]), factor(v[2]));
    case Opcode::Shl: return fmt::format("{} << {}", v[0], v[1]);
    default: return fmt::format("-{}", factor(v[0]));
  }
}

ptx::Space spaceAt(const exec::Op& op, std::uint64_t address) {
  if (op.space != ptx::Space::Generic) return op.space;
  return address >= machine::globalBase ? ptx::Space::Global : ptx::Space::Generic;
}

}  // namespace

void Reports::overflow(const exec::Exec& x, const exec::Op& op, exec::LaneMask lanes, std::uint64_t address, std::uint32_t origin, const Wrap& wrap) {
  const auto count = static_cast<std::uint64_t>(std::popcount(lanes));
  if (counted(FaultKind::IndexOverflow, origin, count)) return;
  Fault f = exec::faultAt(*code_, *x.block, *x.warp, origin, static_cast<unsigned>(std::countr_zero(lanes)));
  f.kind = FaultKind::IndexOverflow;
  f.count = count;
  const ptx::Modifiers& m = op.instruction->mods;
  const std::uint32_t bytes = std::max(1u, ptx::sizeBytes(m.type)) * std::max<std::uint32_t>(m.vectorWidth, 1);
  const Said place = nameOf(x, {spaceAt(op, address), address, bytes}, f);
  machine::OtherParty o = partyOf(op.pc);
  o.block = f.block;
  o.thread = f.thread;
  o.warp = f.warp;
  o.lane = f.lane;
  const Said access = machine::accessName(o.access);
  o.says = {Text::NoteUsesWrapped, {{"access", access}, {"place", place}}};
  const ptx::Instruction& in = code_->function().instructions[origin];
  f.says = {wrap.exact < 0 && wrap.isUnsigned ? Text::WrappedBelowZero : Text::Wrapped,
            {{"wrap", Said(wrap.isUnsigned ? Text::WrapUnsigned : Text::WrapSigned,
                           {{"expression", expression(in, wrap)}, {"exact", wrap.exact}, {"width", wrap.width}, {"became", wrap.became}, {"access", access}, {"place", place}})}}};
  f.about = machine::About::Operands;
  f.issue = issue_;
  f.other = std::move(o);
  add(x, std::move(f));
}

void Reports::otherArray(const exec::Exec& x, const exec::Op& op, exec::LaneMask lanes, const Place& place, const ptx::Variable& array, std::uint64_t begin, std::uint64_t size) {
  const auto count = static_cast<std::uint64_t>(std::popcount(lanes));
  if (counted(FaultKind::OutOfBounds, op.pc, count)) return;
  Fault f = exec::faultAt(*code_, *x.block, *x.warp, op.pc, static_cast<unsigned>(std::countr_zero(lanes)));
  f.kind = FaultKind::OutOfBounds;
  f.count = count;
  f.access = partyOf(op.pc).access;
  f.issue = issue_;
  f.about = machine::About::Address;
  const Said other = nameOf(x, place, f);
  f.says = {Text::OtherArray, {{"what", machine::accessPhrase(f.access)}, {"at", static_cast<std::int64_t>(place.address - begin)}, {"name", array.name}, {"size", size}, {"other", other}}};
  add(x, std::move(f));
}

}  // namespace warpmill::faults
