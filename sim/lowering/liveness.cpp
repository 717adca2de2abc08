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

// Greatest sum of the weights of what is live at one time, with the instructions of each block in this order. `standsFor`: what a register that
// folds into its readers is made of.
std::uint32_t pressure(const ptx::Function& f, const Lowered& lowered, const std::vector<std::uint32_t>& weight, const std::vector<std::uint32_t>& order,
                       const std::vector<std::vector<std::uint32_t>>& standsFor) {
  const std::size_t blocks = f.blockBegin.size(), words = f.registers.size() / 64 + 1;
  const auto transfer = [&](std::uint32_t position, Bits& live) {
    const std::uint32_t pc = order[position];
    const bool always = f.instructions[pc].guard == ptx::none;
    if (always)
      for (std::uint32_t r : lowered.ops[pc].writes) ptx::Liveness::clear(live, r);
    for (std::uint32_t r : lowered.ops[pc].reads) {
      ptx::Liveness::set(live, r);
      for (std::uint32_t source : standsFor[r]) ptx::Liveness::set(live, source);
    }
  };
  std::vector<std::vector<std::uint32_t>> next(blocks);
  for (std::size_t b = 0; b < blocks; ++b) next[b] = successors(f, static_cast<std::uint32_t>(b));
  const ptx::Liveness liveness(f, next, transfer);
  std::uint32_t most = 0;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    Bits live = liveness.behind(b);
    for (std::uint32_t position = liveness.blockEnd(b); position-- > f.blockBegin[b];) {
      std::uint32_t sum = 0;
      for (std::size_t w = 0; w < words; ++w)
        for (std::uint64_t bits = live[w]; bits != 0; bits &= bits - 1) sum += weight[w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))];
      for (std::uint32_t r : lowered.ops[order[position]].writes)
        if (!ptx::Liveness::has(live, r)) sum += weight[r];
      most = std::max(most, sum);
      transfer(position, live);
    }
  }
  return most;
}

std::vector<std::uint32_t> naturalOrder(const ptx::Function& f) {
  std::vector<std::uint32_t> order(f.instructions.size());
  for (std::uint32_t pc = 0; pc < order.size(); ++pc) order[pc] = pc;
  return order;
}

bool isAddress(const ptx::Instruction& i) {
  using ptx::Opcode;
  if (ptx::isFloat(i.mods.type)) return false;
  const bool wide = ptx::sizeBytes(i.mods.type) == 8 || i.mods.part == ptx::MulPart::Wide;
  return wide && (i.opcode == Opcode::Add || i.opcode == Opcode::Sub || i.opcode == Opcode::Mul || i.opcode == Opcode::Mad || i.opcode == Opcode::Shl || i.opcode == Opcode::Cvt);
}

// Loads from shared memory take little time, so they are issued when registers are there for their results: just before the first use, as far as
// no barrier or store stands between. So are addresses, which take more registers than what they are computed from.
std::vector<std::uint32_t> orderOfLoads(const ptx::Function& f, const Lowered& lowered) {
  std::vector<std::uint32_t> order = naturalOrder(f);
  std::vector<std::uint32_t> place = order;   // where an instruction stands: in front of this one
  std::vector<std::uint32_t> firstUse(f.registers.size(), ptx::none);
  for (std::size_t b = 0; b < f.blockBegin.size(); ++b) {
    const std::uint32_t begin = f.blockBegin[b], end = b + 1 < f.blockBegin.size() ? f.blockBegin[b + 1] : static_cast<std::uint32_t>(f.instructions.size());
    std::uint32_t wall = end;  // the next barrier or store behind
    for (std::uint32_t pc = end; pc-- > begin;) {
      const ptx::Instruction& i = f.instructions[pc];
      const TimedOp& op = lowered.ops[pc];
      const bool shared = i.mods.space == ptx::Space::Shared;
      if (op.pipe == Pipe::Barrier || op.async != AsyncKind::None || (shared && i.opcode == ptx::Opcode::St)) wall = pc;
      const bool load = (shared && i.opcode == ptx::Opcode::Ld) || i.opcode == ptx::Opcode::Ldmatrix;
      if (i.guard == ptx::none && (load || isAddress(i))) {
        std::uint32_t use = end;
        for (std::uint32_t r : op.writes)
          if (firstUse[r] < use) use = firstUse[r];
        if (use < end) place[pc] = load ? std::min(use, wall) : use;
      }
      for (std::uint32_t r : op.writes) firstUse[r] = ptx::none;
      for (std::uint32_t r : op.reads) firstUse[r] = place[pc];
    }
    std::stable_sort(order.begin() + begin, order.begin() + end, [&](std::uint32_t x, std::uint32_t y) {
      return place[x] != place[y] ? place[x] < place[y] : (place[x] != x) > (place[y] != y);
    });
    for (std::uint32_t pc = begin; pc < end; ++pc) {
      for (std::uint32_t r : lowered.ops[pc].writes) firstUse[r] = ptx::none;
      for (std::uint32_t r : lowered.ops[pc].reads) firstUse[r] = ptx::none;
    }
  }
  return order;
}

// Global loads of a straight stretch and what they need for their addresses first, then the rest.
std::vector<std::uint32_t> orderAhead(const ptx::Function& f, const Lowered& lowered) {
  std::vector<std::uint32_t> order = naturalOrder(f);
  std::vector<std::uint8_t> late(f.registers.size(), 0), wanted(f.registers.size(), 0), rank(f.instructions.size(), 0);
  const auto isLoad = [&](std::uint32_t pc) { return f.instructions[pc].opcode == ptx::Opcode::Ld && lowered.ops[pc].isMemory && f.instructions[pc].mods.space != ptx::Space::Shared; };
  for (std::size_t b = 0; b < f.blockBegin.size(); ++b) {
    const std::uint32_t last = b + 1 < f.blockBegin.size() ? f.blockBegin[b + 1] : static_cast<std::uint32_t>(f.instructions.size());
    for (std::uint32_t begin = f.blockBegin[b], end = begin; begin < last; begin = end) {
      while (end < last && lowered.ops[end].pipe != Pipe::Barrier && lowered.ops[end].async == AsyncKind::None && !(f.instructions[end].opcode == ptx::Opcode::St && f.instructions[end].mods.space != ptx::Space::Shared)) ++end;
      for (std::uint32_t pc = begin; pc < end; ++pc) {  // what waits for a load
        bool waits = false;
        for (std::uint32_t r : lowered.ops[pc].reads) waits = waits || late[r] != 0;
        for (std::uint32_t r : lowered.ops[pc].writes) late[r] = waits || isLoad(pc);
        rank[pc] = waits ? 2 : 1;
      }
      for (std::uint32_t pc = end; pc-- > begin;) {     // what loads wait for
        bool feeds = isLoad(pc);
        for (std::uint32_t r : lowered.ops[pc].writes) feeds = feeds || wanted[r] != 0;
        if (!feeds || rank[pc] == 2) continue;
        rank[pc] = 0;
        for (std::uint32_t r : lowered.ops[pc].reads) wanted[r] = 1;
      }
      std::stable_sort(order.begin() + begin, order.begin() + end, [&](std::uint32_t x, std::uint32_t y) { return rank[x] < rank[y]; });
      for (std::uint32_t pc = begin; pc < end; ++pc) {
        for (std::uint32_t r : lowered.ops[pc].writes) late[r] = wanted[r] = 0;
        for (std::uint32_t r : lowered.ops[pc].reads) wanted[r] = 0;
      }
      if (end == begin || end < last) ++end;
    }
  }
  return order;
}

// Results of the global loads of an unrolled loop's further rounds.
std::uint32_t loadsOfOtherRounds(const ptx::Function& f, const Lowered& lowered, const std::vector<std::uint32_t>& weight) {
  std::uint32_t most = 0;
  for (std::uint32_t end = 0; end < lowered.ops.size(); ++end) {
    if (!lowered.ops[end].endsRound) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t pc = f.instructions[end].target; pc < end; ++pc)
      if (f.instructions[pc].opcode == ptx::Opcode::Ld && lowered.ops[pc].isMemory && f.instructions[pc].mods.space != ptx::Space::Shared)
        for (std::uint32_t r : lowered.ops[pc].writes) sum += weight[r];
    most = std::max(most, sum * (lowered.ops[end].every - 1u));
  }
  return most;
}

}  // namespace

std::uint32_t livePredicates(const ptx::Function& f, const Lowered& lowered) {
  std::vector<std::uint32_t> weight(f.registers.size());
  for (std::size_t r = 0; r < f.registers.size(); ++r) weight[r] = f.registers[r].type == ptx::Type::Pred ? 1 : 0;
  return pressure(f, lowered, weight, naturalOrder(f), std::vector<std::vector<std::uint32_t>>(f.registers.size()));
}

std::uint32_t estimateRegisters(const ptx::Function& f, const Lowered& lowered) {
  if (f.blockBegin.empty() || f.instructions.empty()) return 16;
  // A parameter is read from the constant bank where it is wanted. What folds into its readers takes no register of its own; its sources are
  // read where it is.
  std::vector<std::uint32_t> weight(f.registers.size()), definitions(f.registers.size(), 0);
  std::vector<std::vector<std::uint32_t>> standsFor(f.registers.size());
  for (std::size_t r = 0; r < f.registers.size(); ++r) weight[r] = planesOf(f.registers[r].type);
  for (const TimedOp& op : lowered.ops)
    for (std::uint32_t r : op.writes) ++definitions[r];
  for (std::size_t pc = 0; pc < f.instructions.size(); ++pc) {
    const ptx::Instruction& i = f.instructions[pc];
    const TimedOp& op = lowered.ops[pc];
    const bool parameter = i.opcode == ptx::Opcode::Ld && (i.mods.space == ptx::Space::Param || i.mods.space == ptx::Space::Const);
    const bool folded = op.pipe == Pipe::None && i.guard == ptx::none && i.opcode != ptx::Opcode::Ld;
    for (std::uint32_t r : op.writes) {
      if (parameter) weight[r] = 0;
      if (!folded || definitions[r] != 1) continue;
      weight[r] = 0;
      for (std::uint32_t source : op.reads) {
        standsFor[r].push_back(source);
        standsFor[r].insert(standsFor[r].end(), standsFor[source].begin(), standsFor[source].end());
      }
    }
  }
  const std::uint32_t least = pressure(f, lowered, weight, orderOfLoads(f, lowered), standsFor);
  const std::uint32_t ahead = pressure(f, lowered, weight, orderAhead(f, lowered), standsFor) + loadsOfOtherRounds(f, lowered, weight);
  // R1 (stack pointer) and what addresses and copies take; up to 32 registers nothing is saved, since no block more would fit for it. Never fewer
  // than the machine hands out.
  constexpr std::uint32_t usual = 9, tight = 6, enough = 32;
  return std::min(255u, std::max({16u, least + tight, std::min(std::max(least, ahead) + usual, enough)}));
}

}  // namespace warpmill::lowering
