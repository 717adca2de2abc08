#include "lowering/liveness.h"

#include "ptx/liveness.h"

#include <algorithm>

namespace warpmill::lowering {

namespace {
using Bits = ptx::Liveness::Bits;

std::uint32_t planesOf(ptx::Type type) {
  if (type == ptx::Type::Pred) return 0;
  return std::max(1u, ptx::sizeBytes(type) / 4);
}

// Successors of basic block b.
std::vector<std::uint32_t> successors(const ptx::Function& f, std::uint32_t b) {
  std::vector<std::uint32_t> out;
  const std::uint32_t end = b + 1 < f.blockBegin.size() ? f.blockBegin[b + 1] : static_cast<std::uint32_t>(f.instructions.size());
  if (end == 0) return out;
  const ptx::Instruction& last = f.instructions[end - 1];
  const auto blockOf = [&](std::uint32_t pc) {
    return static_cast<std::uint32_t>(std::upper_bound(f.blockBegin.begin(), f.blockBegin.end(), pc) - f.blockBegin.begin() - 1);
  };
  const bool leaves = last.opcode == ptx::Opcode::Ret || last.opcode == ptx::Opcode::Exit || last.opcode == ptx::Opcode::Bra;
  if (last.opcode == ptx::Opcode::Bra && last.target < f.instructions.size()) out.push_back(blockOf(last.target));
  if ((!leaves || last.guard != ptx::none) && end < f.instructions.size()) out.push_back(blockOf(end));
  return out;
}

}  // namespace

namespace {

// Greatest sum of the weights of what is live at one time.
std::uint32_t pressure(const ptx::Function& f, const Lowered& lowered, const std::vector<std::uint32_t>& weight) {
  const std::size_t blocks = f.blockBegin.size(), words = f.registers.size() / 64 + 1;
  const auto transfer = [&](std::uint32_t pc, Bits& live) {
    const bool always = f.instructions[pc].guard == ptx::none;
    if (always)
      for (std::uint32_t r : lowered.ops[pc].writes) ptx::Liveness::clear(live, r);
    for (std::uint32_t r : lowered.ops[pc].reads) ptx::Liveness::set(live, r);
  };
  std::vector<std::vector<std::uint32_t>> next(blocks);
  for (std::size_t b = 0; b < blocks; ++b) next[b] = successors(f, static_cast<std::uint32_t>(b));
  const ptx::Liveness liveness(f, next, transfer);
  std::uint32_t most = 0;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    Bits live = liveness.behind(b);
    for (std::uint32_t pc = liveness.blockEnd(b); pc-- > f.blockBegin[b];) {
      std::uint32_t sum = 0;
      for (std::size_t w = 0; w < words; ++w)
        for (std::uint64_t bits = live[w]; bits != 0; bits &= bits - 1) sum += weight[w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))];
      for (std::uint32_t r : lowered.ops[pc].writes)
        if (!ptx::Liveness::has(live, r)) sum += weight[r];
      most = std::max(most, sum);
      transfer(pc, live);
    }
  }
  return most;
}

}  // namespace

std::uint32_t livePredicates(const ptx::Function& f, const Lowered& lowered) {
  std::vector<std::uint32_t> weight(f.registers.size());
  for (std::size_t r = 0; r < f.registers.size(); ++r) weight[r] = f.registers[r].type == ptx::Type::Pred ? 1 : 0;
  return pressure(f, lowered, weight);
}

std::uint32_t estimateRegisters(const ptx::Function& f, const Lowered& lowered) {
  if (f.blockBegin.empty() || f.instructions.empty()) return 16;

  // A parameter is read from the constant bank where it is wanted: its loads take no register for long. Addresses and constants that
  // fold away take none of their own, but keep their sources alive; treating them as copies overstates a little.
  std::vector<std::uint32_t> weight(f.registers.size());
  for (std::size_t r = 0; r < f.registers.size(); ++r) weight[r] = planesOf(f.registers[r].type);
  for (std::size_t pc = 0; pc < f.instructions.size(); ++pc) {
    const ptx::Instruction& i = f.instructions[pc];
    const bool constant = (i.opcode == ptx::Opcode::Ld && i.mods.space == ptx::Space::Param) ||
                          (lowered.ops[pc].issues == 0 && (i.opcode == ptx::Opcode::Cvta || i.opcode == ptx::Opcode::Mov || i.opcode == ptx::Opcode::Add));
    if (constant)
      for (std::uint32_t r : lowered.ops[pc].writes) weight[r] = 0;
  }

  const std::uint32_t most = pressure(f, lowered, weight);
  // R1 (stack pointer) and a few that address arithmetic takes; never fewer than the machine hands out.
  return std::min(255u, std::max(16u, (most + 6 + 7) / 8 * 8));
}

}  // namespace warpmill::lowering
