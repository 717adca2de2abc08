#include "exec/livelock.h"

#include "exec/divergence.h"
#include "exec/issuer.h"

#include <algorithm>
#include <bit>

namespace warpmill::exec {
namespace {

using machine::Block;
using machine::Path;
using machine::Warp;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;

constexpr std::uint32_t mostIssues = 20'000;  // of a warp, until it must have come round

// Registers that an instruction reads and writes, by number; the carry flag is one more.
struct Uses {
  std::vector<std::uint32_t> reads, writes;
  bool matters = false;  // it does something besides writing registers
};

Uses usesOf(const ptx::Function& f, const Op& op) {
  const ptx::Instruction& in = *op.instruction;
  Uses u;
  const auto carry = static_cast<std::uint32_t>(f.registers.size());
  const auto operand = [&](auto&& self, const Operand& o, bool written) -> void {
    if (o.kind == Operand::Kind::Register) {
      (written ? u.writes : u.reads).push_back(o.index);
      if (o.hasPredicate && o.predicate != ptx::none) (written ? u.writes : u.reads).push_back(o.predicate);
    } else if (o.kind == Operand::Kind::Address) {
      if (o.scope == Operand::In::None && o.index != ptx::none) u.reads.push_back(o.index);
    } else if (o.kind == Operand::Kind::Vector) {
      for (std::uint32_t k = 0; k < o.count; ++k) self(self, f.vectorElements[o.index + k], written);
    }
  };
  for (std::size_t k = 0; k < in.operands.size(); ++k) operand(operand, in.operands[k], k < in.destinationCount);
  if (in.product != ptx::none)
    for (std::size_t k = 1; k < f.instructions[in.product].operands.size(); ++k) operand(operand, f.instructions[in.product].operands[k], false);
  if (in.mods.carryOut) u.writes.push_back(carry);
  if (in.opcode == Opcode::Addc || in.opcode == Opcode::Subc || in.opcode == Opcode::Madc) u.reads.push_back(carry);
  if (in.guard != ptx::none) u.reads.push_back(in.guard);
  const bool harmless = in.opcode == Opcode::Nanosleep || in.opcode == Opcode::Membar || in.opcode == Opcode::Fence || in.opcode == Opcode::Prefetch;
  u.matters = op.flow != Flow::Next || in.opcode == Opcode::Atom || in.opcode == Opcode::Mbarrier || in.opcode == Opcode::Alloca ||
              (in.destinationCount == 0 && !harmless);
  return u;
}

// The registers that decide what the instructions of a round do, apart from writing registers that do not.
class Deciding {
 public:
  explicit Deciding(const Code& code) : code_(code), uses_(code.ops().size()), known_(code.ops().size()) {}

  const std::vector<bool>& of(const std::vector<bool>& round) {
    if (round == round_) return matter_;
    round_ = round;
    matter_.assign(code_.function().registers.size() + 1, false);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t pc = 0; pc < round.size(); ++pc) {
        if (!round[pc]) continue;
        const Uses& u = at(pc);
        const bool needed = u.matters || std::any_of(u.writes.begin(), u.writes.end(), [&](std::uint32_t r) { return matter_[r]; });
        if (!needed) continue;
        for (const std::uint32_t r : u.reads)
          if (!matter_[r]) matter_[r] = changed = true;
      }
    }
    return matter_;
  }

 private:
  const Uses& at(std::uint32_t pc) {
    if (!known_[pc]) {
      uses_[pc] = usesOf(code_.function(), code_.ops()[pc]);
      known_[pc] = true;
    }
    return uses_[pc];
  }
  const Code& code_;
  std::vector<Uses> uses_;
  std::vector<bool> known_, round_, matter_;
};

bool sameControl(const Warp& a, const Warp& b) {
  if (a.current != b.current || a.exited != b.exited || a.paths.size() != b.paths.size() || a.groups != b.groups) return false;
  for (std::size_t i = 0; i < a.paths.size(); ++i) {
    Path p = a.paths[i], q = b.paths[i];
    p.spins = std::min(p.spins, spinLimit);  // how often beyond it does not matter
    q.spins = std::min(q.spins, spinLimit);
    if (p != q) return false;
  }
  return true;
}

bool sameValues(const Code& code, const Warp& a, const Warp& b, const std::vector<bool>& matter) {
  const ptx::Function& f = code.function();
  for (std::uint32_t r = 0; r <= f.registers.size(); ++r) {
    if (!matter[r]) continue;
    if (r == f.registers.size() || f.registers[r].type == ptx::Type::Pred) {
      const std::uint32_t slot = r == f.registers.size() ? f.predicateCount : f.registers[r].slot;
      if (a.predicates[slot] != b.predicates[slot]) return false;
      continue;
    }
    const std::size_t begin = std::size_t{f.registers[r].slot} * planeWords, words = std::max<std::size_t>(ptx::sizeBytes(f.registers[r].type) / 4, 1) * planeWords;
    if (!std::equal(a.planes.begin() + static_cast<std::ptrdiff_t>(begin), a.planes.begin() + static_cast<std::ptrdiff_t>(begin + words),
                    b.planes.begin() + static_cast<std::ptrdiff_t>(begin)))
      return false;
  }
  return a.local == b.local && a.calls == b.calls && a.async == b.async;
}

class Watch {
 public:
  Watch(const Code& code, machine::Memory& memory, bool alone) : code_(code), issuer_(code, memory, outcome_), deciding_(code), alone_(alone) {}

  // Runs the warp until it is where it was before.
  std::optional<EndlessRound> round(Block& block, Warp& warp, ClusterView cluster) {
    issuer_.bind(block, warp, cluster);
    Warp saved;
    std::uint64_t turns = 0, nextSave = 1;
    EndlessRound r;
    std::vector<bool> done(code_.ops().size());
    for (std::uint32_t n = 0; n < mostIssues; ++n) {
      if (!runnable(warp)) return std::nullopt;
      const std::uint32_t pc = warp.path().pc;
      if (nextSave > 1 && pc == saved.path().pc && n != savedAt_ && sameControl(saved, warp) && sameValues(code_, saved, warp, deciding_.of(done))) return r;
      clock_.cycle += 1;
      clock_.nanoseconds += 1;
      issuer_.issue(clock_);
      if (outcome_.arrivedAtBarrier || outcome_.queued || outcome_.woke || outcome_.warpDone) return std::nullopt;
      done[pc] = true;
      if (!note(pc, r)) return std::nullopt;
      if (!runnable(warp) || warp.path().pc > pc) continue;
      r.pc = pc;
      r.lanes |= outcome_.executed;
      if (++turns != nextSave) continue;
      nextSave *= 2;
      saved = warp;
      savedAt_ = n + 1;
      r.polled.reset();
      r.lanes = 0;
      done.assign(done.size(), false);
    }
    return std::nullopt;
  }

 private:
  // What the round reads of memory that others may write; false: that is not to be.
  bool note(std::uint32_t pc, EndlessRound& r) const {
    const MemoryAccess& a = outcome_.access;
    const bool reads = a.kind == MemoryAccess::Kind::Load || a.kind == MemoryAccess::Kind::Atomic;
    if (a.kind == MemoryAccess::Kind::None || a.lanes == 0 || (a.space != Space::Global && a.space != Space::Shared)) return true;
    if (alone_ && a.space == Space::Global) return false;
    if (reads) r.polled = {pc, a.kind == MemoryAccess::Kind::Atomic, a.space, a.address[static_cast<unsigned>(std::countr_zero(a.lanes))]};
    return true;
  }

  const Code& code_;
  StepOutcome outcome_{};
  Issuer issuer_;
  Deciding deciding_;
  Clock clock_{1u << 30, 1u << 30};
  std::uint32_t savedAt_ = 0;
  bool alone_;
};

}  // namespace

std::optional<std::vector<EndlessRound>> livelockOf(const Code& code, const machine::Memory& memory, std::span<const Block* const> blocks, bool alone, bool clustered) {
  machine::Memory after = memory;
  Watch watch(code, after, alone);
  std::vector<EndlessRound> rounds;
  std::vector<Block> copies;
  std::vector<Block*> view;
  if (clustered) {  // they see each other's shared memory
    for (const Block* b : blocks) copies.push_back(*b);
    for (Block& b : copies) view.push_back(b.done() ? nullptr : &b);
  }
  Block one;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!clustered) one = *blocks[i];
    Block& copy = clustered ? copies[i] : one;
    for (Warp& warp : copy.warps) {
      if (!runnable(warp)) continue;
      auto round = watch.round(copy, warp, {view.data(), static_cast<std::uint32_t>(view.size())});
      if (!round) return std::nullopt;
      round->block = blocks[i];
      round->warp = warp.indexInBlock;
      rounds.push_back(*round);
    }
    if (!clustered && copy.shared != blocks[i]->shared) return std::nullopt;
  }
  for (std::size_t i = 0; i < copies.size(); ++i)
    if (copies[i].shared != blocks[i]->shared) return std::nullopt;
  if (rounds.empty() || !(after == memory)) return std::nullopt;
  return rounds;
}

}  // namespace warpmill::exec
