// What is told of a sum or product that wrapped on its way to an address, and of an access to the wrong array.
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
  const std::string where = nameOf(x, {spaceAt(op, address), address, bytes}, f);
  machine::OtherParty o = partyOf(op.pc);
  o.block = f.block;
  o.thread = f.thread;
  o.warp = f.warp;
  o.lane = f.lane;
  o.note = fmt::format("the {} that uses it goes to {}", o.access, where);
  const ptx::Instruction& in = code_->function().instructions[origin];
  f.message = fmt::format("{} = {} does not fit into {} {} bits and wraps to {}: the {} that is computed from it, by thread ({},{},{}) of block ({},{},{}), goes to {}",
                          expression(in, wrap), wrap.exact, wrap.width, wrap.isUnsigned ? "unsigned" : "signed", wrap.became, o.access, f.thread[0], f.thread[1],
                          f.thread[2], f.block[0], f.block[1], f.block[2], where);
  f.remedy = wrap.exact < 0 && wrap.isUnsigned ? "An unsigned index cannot be negative: compare before the subtraction, or compute the index with signed numbers"
                                               : "Compute the index in 64 bits: convert an operand first, as in (size_t)row * width + column";
  f.other = std::move(o);
  add(std::move(f));
}

void Reports::otherArray(const exec::Exec& x, const exec::Op& op, exec::LaneMask lanes, const Place& place, const ptx::Variable& array, std::uint64_t begin, std::uint64_t size) {
  const auto count = static_cast<std::uint64_t>(std::popcount(lanes));
  if (counted(FaultKind::OutOfBounds, op.pc, count)) return;
  Fault f = exec::faultAt(*code_, *x.block, *x.warp, op.pc, static_cast<unsigned>(std::countr_zero(lanes)));
  f.kind = FaultKind::OutOfBounds;
  f.count = count;
  f.access = partyOf(op.pc).access;
  const std::string where = nameOf(x, place, f);
  f.message = fmt::format("{} of {} bytes at offset {} of '{}' ({} bytes of shared memory) by block ({},{},{}) thread ({},{},{}): that is {}", f.access, place.bytes,
                          static_cast<std::int64_t>(place.address - begin), array.name, size, f.block[0], f.block[1], f.block[2], f.thread[0], f.thread[1], f.thread[2], where);
  f.remedy = "Keep the index within the array's length: shared arrays lie side by side, so that an overrun reads or overwrites the neighbour without a sign";
  add(std::move(f));
}

}  // namespace warpmill::faults
