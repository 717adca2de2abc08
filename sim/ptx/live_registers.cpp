#include "ptx/live_registers.h"

namespace warpmill::ptx {
namespace {

using Bits = std::vector<std::uint64_t>;

void set(Bits& bits, std::uint32_t i) { bits[i / 64] |= std::uint64_t{1} << (i % 64); }
void clear(Bits& bits, std::uint32_t i) { bits[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }

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
      eachWritten(function, in.operands[k], [&](std::uint32_t r) { clear(live, r); });
  if (in.guard != none) set(live, in.guard);
  for (std::size_t k = 0; k < in.operands.size(); ++k)
    if (k >= in.destinationCount || in.operands[k].kind == Operand::Kind::Address)
      eachRead(function, in.operands[k], [&](std::uint32_t r) { set(live, r); });
}

}  // namespace

std::vector<std::vector<std::uint32_t>> liveAfter(const Function& function, const ControlFlow& flow, const std::vector<std::uint32_t>& places) {
  const std::size_t blocks = function.blockBegin.size(), words = function.registers.size() / 64 + 1;
  const auto blockEnd = [&](std::size_t b) {
    return b + 1 < blocks ? function.blockBegin[b + 1] : static_cast<std::uint32_t>(function.instructions.size());
  };
  std::vector<Bits> liveIn(blocks, Bits(words, 0));
  const auto liveOut = [&](std::size_t b) {
    Bits live(words, 0);
    for (const std::uint32_t s : flow.successors[b])
      for (std::size_t w = 0; w < words; ++w) live[w] |= liveIn[s][w];
    return live;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks; b-- > 0;) {
      Bits live = liveOut(b);
      for (std::uint32_t pc = blockEnd(b); pc-- > function.blockBegin[b];) stepBack(function, function.instructions[pc], live);
      if (live == liveIn[b]) continue;
      liveIn[b] = std::move(live);
      changed = true;
    }
  }
  std::vector<std::vector<std::uint32_t>> found(places.size());
  for (std::size_t p = 0; p < places.size(); ++p) {
    const std::uint32_t block = flow.blockOf[places[p]];
    Bits live = liveOut(block);
    for (std::uint32_t pc = blockEnd(block); --pc > places[p];) stepBack(function, function.instructions[pc], live);
    const Instruction& in = function.instructions[places[p]];
    for (std::size_t k = 0; k < in.destinationCount && in.guard == none; ++k)
      eachWritten(function, in.operands[k], [&](std::uint32_t r) { clear(live, r); });
    for (std::uint32_t r = 0; r < function.registers.size(); ++r)
      if ((live[r / 64] >> (r % 64) & 1) != 0) found[p].push_back(r);
  }
  return found;
}

}  // namespace warpmill::ptx
