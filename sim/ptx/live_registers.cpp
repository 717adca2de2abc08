#include "ptx/live_registers.h"

#include "ptx/liveness.h"

namespace warpmill::ptx {
namespace {

using Bits = Liveness::Bits;

template <class F> void eachWritten(const Function& function, const Operand& o, F f) {
  if (o.kind == Operand::Kind::Register) f(o.index);
  if (o.hasPredicate && o.predicate != none) f(o.predicate);
  if (o.kind == Operand::Kind::Vector)
    for (std::uint32_t e = 0; e < o.count; ++e) eachWritten(function, function.vectorElements[o.index + e], f);
}

template <class F> void eachRead(const Function& function, const Operand& o, F f) {
  if (o.kind == Operand::Kind::Register || (o.kind == Operand::Kind::Address && o.scope == Operand::In::None && o.index != none)) f(o.index);
  if (o.hasPredicate && o.predicate != none) f(o.predicate);
  if (o.kind == Operand::Kind::Vector)
    for (std::uint32_t e = 0; e < o.count; ++e) eachRead(function, function.vectorElements[o.index + e], f);
}

// From what is live behind an instruction to what is live before it.
void stepBack(const Function& function, const Instruction& in, Bits& live) {
  for (std::size_t k = 0; k < in.operands.size(); ++k)
    if (k < in.destinationCount && in.operands[k].kind != Operand::Kind::Address && in.guard == none)
      eachWritten(function, in.operands[k], [&](std::uint32_t r) { Liveness::clear(live, r); });
  if (in.guard != none) Liveness::set(live, in.guard);
  for (std::size_t k = 0; k < in.operands.size(); ++k)
    if (k >= in.destinationCount || in.operands[k].kind == Operand::Kind::Address)
      eachRead(function, in.operands[k], [&](std::uint32_t r) { Liveness::set(live, r); });
}

}  // namespace

std::vector<std::vector<std::uint32_t>> liveAfter(const Function& function, const ControlFlow& flow, const std::vector<std::uint32_t>& places) {
  const Liveness liveness(function, flow.successors, [&](std::uint32_t pc, Bits& live) { stepBack(function, function.instructions[pc], live); });
  std::vector<std::vector<std::uint32_t>> found(places.size());
  for (std::size_t p = 0; p < places.size(); ++p) {
    const std::uint32_t block = flow.blockOf[places[p]];
    Bits live = liveness.behind(block);
    for (std::uint32_t pc = liveness.blockEnd(block); --pc > places[p];) stepBack(function, function.instructions[pc], live);
    const Instruction& in = function.instructions[places[p]];
    for (std::size_t k = 0; k < in.destinationCount && in.guard == none; ++k)
      eachWritten(function, in.operands[k], [&](std::uint32_t r) { Liveness::clear(live, r); });
    for (std::uint32_t r = 0; r < function.registers.size(); ++r)
      if (Liveness::has(live, r)) found[p].push_back(r);
  }
  return found;
}

}  // namespace warpmill::ptx
