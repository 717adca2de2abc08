#include "lowering/unroll.h"

#include <algorithm>
#include <optional>

namespace warpmill::lowering {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

namespace {

bool isImmediate(const Operand& o) { return o.kind == Operand::Kind::Immediate && !o.isFloat32 && !o.isFloat64; }
bool isRegister(const Operand& o) { return o.kind == Operand::Kind::Register; }

class LoopUnroller {
 public:
  LoopUnroller(const ptx::Module& module, const ptx::Function& f, const Graph& g, Lowered& out, std::uint32_t loop)
      : module_(module), f_(f), g_(g), out_(out), loop_(loop), begin_(g.blockBegin(g.loops()[loop].header)), end_(g.blockEnd(g.loops()[loop].header)) {}

  // By how much; 1: not at all.
  [[nodiscard]] std::uint32_t factor() {
    if (g_.loops()[loop_].blocks.size() != 1 || end_ - begin_ < 3) return 1;
    const Instruction& branch = f_.instructions[end_ - 1];
    if (branch.opcode != Opcode::Bra || branch.guard == ptx::none || branch.target != begin_ || branch.spinLoop || saysNo()) return 1;
    if (!findCounter(branch)) return 1;
    std::uint32_t size = 0, globalLoads = 0, sharedLoads = 0;
    for (std::uint32_t pc = begin_; pc < end_; ++pc) {
      const Instruction& i = f_.instructions[pc];
      const TimedOp& op = out_.ops[pc];
      size += op.issues;
      if (i.opcode == Opcode::Call || op.async != AsyncKind::None) return 1;
      if (!op.isMemory || i.opcode == Opcode::St || i.opcode == Opcode::Red) continue;
      (i.mods.space == ptx::Space::Shared ? sharedLoads : globalLoads) += 1;
    }
    constexpr std::uint32_t most = 1000;
    const std::optional<std::uint64_t> rounds = trips();
    if (rounds && *rounds > 1 && *rounds * size <= most) return static_cast<std::uint32_t>(*rounds);
    if (globalLoads > 15) return 1;
    return size <= (globalLoads != 0 ? 50 : 21 + sharedLoads * 3 / 2) ? 4 : 1;
  }

  void unroll(std::uint32_t by) {
    const auto number = out_.loops++;
    // Is there a whole round of four, one of two, one? Tests and branches, once for each time that the loop is entered.
    constexpr std::uint16_t choosing = 8;
    if (!trips() && begin_ > 0) {
      TimedOp& before = out_.ops[begin_ - 1];
      if (before.pipe == Pipe::None) setAlu(before);
      before.issues = static_cast<std::uint16_t>(before.issues + choosing);
    }
    findLinear();
    for (std::uint32_t pc = begin_; pc < end_; ++pc) {
      TimedOp& op = out_.ops[pc];
      const bool control = pc == end_ - 1 || pc == compare_;
      if (!control && linear_[pc - begin_] == 0) continue;
      op.every = static_cast<std::uint16_t>(std::min(by, 0xFFFFu));
      op.loop = number;
      op.endsRound = pc == end_ - 1;
      out_.between[pc] = op;
      TimedOp& other = out_.between[pc];
      other.pipe = Pipe::None;
      other.issues = other.latency = other.interval = 0;
    }
  }

 private:
  void setAlu(TimedOp& op) const {
    op.pipe = Pipe::Alu;
    op.latency = out_.ops[compare_].latency;
    op.interval = 1;
  }

  // .pragma "nounroll" stands in front of an instruction of the loop.
  [[nodiscard]] bool saysNo() const {
    for (std::uint32_t pc = begin_; pc < end_; ++pc) {
      if (pc == 0) continue;
      const Instruction &before = f_.instructions[pc - 1], &i = f_.instructions[pc];
      const std::size_t from = before.textBegin + before.textLength;
      if (i.textBegin <= from || i.textBegin > module_.text.size()) continue;
      if (std::string_view(module_.text).substr(from, i.textBegin - from).find("\"nounroll\"") != std::string_view::npos) return true;
    }
    return false;
  }

  // The one instruction of the loop that writes `r`; ptx::none.
  [[nodiscard]] std::uint32_t writer(std::uint32_t r) const {
    std::uint32_t found = ptx::none;
    for (std::uint32_t pc : g_.of(r).definitions) {
      if (pc < begin_ || pc >= end_) continue;
      if (found != ptx::none) return ptx::none;
      found = pc;
    }
    return found;
  }

  // r = r + constant once a round, perhaps by way of a copy: the constant.
  [[nodiscard]] std::optional<std::int64_t> step(std::uint32_t r) const {
    const std::uint32_t pc = writer(r);
    if (pc == ptx::none) return std::nullopt;
    const Instruction* i = &f_.instructions[pc];
    if (i->guard != ptx::none) return std::nullopt;
    if (i->opcode == Opcode::Mov && i->operands.size() == 2 && isRegister(i->operands[1])) {
      const std::uint32_t other = writer(i->operands[1].index);
      if (other == ptx::none) return std::nullopt;
      i = &f_.instructions[other];
    }
    if ((i->opcode != Opcode::Add && i->opcode != Opcode::Sub) || isFloat(i->mods.type) || i->operands.size() != 3) return std::nullopt;
    if (!isRegister(i->operands[1]) || i->operands[1].index != r || !isImmediate(i->operands[2])) return std::nullopt;
    const auto by = static_cast<std::int64_t>(i->operands[2].bits);
    return i->opcode == Opcode::Add ? by : -by;
  }

  bool findCounter(const Instruction& branch) {
    compare_ = writer(branch.guard);
    if (compare_ == ptx::none) return false;
    const Instruction& c = f_.instructions[compare_];
    if (c.opcode != Opcode::Setp || isFloat(c.mods.type) || c.operands.size() != 3 || c.guard != ptx::none) return false;
    const Operand &counted = c.operands[1], &bound = c.operands[2];
    if (!isRegister(counted) || !(isImmediate(bound) || (isRegister(bound) && !g_.isWritten(loop_, bound.index)))) return false;
    counter_ = counted.index;
    if (!step(counter_)) {  // compared before it is copied: the register that is counted on from
      const std::uint32_t pc = writer(counter_);
      if (pc == ptx::none || f_.instructions[pc].opcode != Opcode::Add || !isRegister(f_.instructions[pc].operands[1])) return false;
      counter_ = f_.instructions[pc].operands[1].index;
    }
    return step(counter_).value_or(0) != 0;
  }

  // How many rounds, when that is written in the code.
  [[nodiscard]] std::optional<std::uint64_t> trips() const {
    const Instruction& c = f_.instructions[compare_];
    if (!isImmediate(c.operands[2])) return std::nullopt;
    std::uint32_t start = ptx::none;
    for (std::uint32_t pc : g_.of(counter_).definitions) {
      if (pc >= begin_ && pc < end_) continue;
      if (start != ptx::none) return std::nullopt;
      start = pc;
    }
    if (start == ptx::none) return std::nullopt;
    const Instruction& i = f_.instructions[start];
    if (i.opcode != Opcode::Mov || i.operands.size() != 2 || !isImmediate(i.operands[1])) return std::nullopt;
    const auto from = static_cast<std::int64_t>(i.operands[1].bits), to = static_cast<std::int64_t>(c.operands[2].bits), by = *step(counter_);
    const std::int64_t way = by > 0 ? to - from : from - to, size = by > 0 ? by : -by;
    if (way <= 0) return std::nullopt;
    return static_cast<std::uint64_t>((way + size - 1) / size);
  }

  // Instructions whose values go up by a constant a round and are only wanted as addresses: one of several rounds is enough.
  void findLinear() {
    linear_.assign(end_ - begin_, 0);
    std::vector<std::uint8_t> lin(f_.registers.size(), 0);
    for (std::uint32_t pc = begin_; pc < end_; ++pc)
      for (std::uint32_t r : out_.ops[pc].writes)
        if (step(r)) lin[r] = 1;
    for (std::uint32_t pc = begin_; pc < end_; ++pc) {
      const Instruction& i = f_.instructions[pc];
      if (i.guard != ptx::none || i.operands.empty() || !isRegister(i.operands[0])) continue;
      const std::uint32_t d = i.operands[0].index;
      if (lin[d] != 0 || writer(d) != pc || isLinear(i, lin)) {
        linear_[pc - begin_] = 1;
        lin[d] = 1;
      }
      if (lin[d] != 0 && !step(d) && !isLinear(i, lin)) linear_[pc - begin_] = 0, lin[d] = 0;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t pc = begin_; pc < end_; ++pc) {
        if (linear_[pc - begin_] == 0 || onlyAddresses(f_.instructions[pc].operands[0].index)) continue;
        linear_[pc - begin_] = 0;
        changed = true;
      }
    }
  }

  [[nodiscard]] bool isLinear(const Instruction& i, const std::vector<std::uint8_t>& lin) const {
    const auto fixed = [&](const Operand& o) { return isImmediate(o) || o.kind == Operand::Kind::Variable || (isRegister(o) && !g_.isWritten(loop_, o.index)); };
    const auto moving = [&](const Operand& o) { return isRegister(o) && lin[o.index] != 0; };
    const std::size_t n = i.operands.size();
    if (isFloat(i.mods.type)) return false;
    switch (i.opcode) {
      case Opcode::Mov: case Opcode::Cvta: return n == 2 && moving(i.operands[1]);
      case Opcode::Cvt: return !isFloat(i.mods.sourceType) && moving(i.operands[1]);
      case Opcode::Add: case Opcode::Sub:
        return n == 3 && (moving(i.operands[1]) || moving(i.operands[2])) && (moving(i.operands[1]) || fixed(i.operands[1])) && (moving(i.operands[2]) || fixed(i.operands[2]));
      case Opcode::Shl: case Opcode::Mul: return n == 3 && moving(i.operands[1]) && isImmediate(i.operands[2]);
      case Opcode::Mad: return n == 4 && moving(i.operands[1]) && isImmediate(i.operands[2]) && (moving(i.operands[3]) || fixed(i.operands[3]));
      default: return false;
    }
  }

  [[nodiscard]] bool onlyAddresses(std::uint32_t r) const {
    for (std::uint32_t pc : g_.of(r).reads) {
      if (pc < begin_ || pc >= end_ || pc == compare_ || linear_[pc - begin_] != 0) continue;
      const Instruction& i = f_.instructions[pc];
      if (!out_.ops[pc].isMemory && out_.ops[pc].mergedBytes == 0 && i.opcode != Opcode::Ld && i.opcode != Opcode::St) return false;
      for (const Operand& o : i.operands)
        if (isRegister(o) && o.index == r) return false;  // stored as a value
    }
    return true;
  }

  const ptx::Module& module_;
  const ptx::Function& f_;
  const Graph& g_;
  Lowered& out_;
  std::uint32_t loop_, begin_, end_;
  std::uint32_t compare_ = ptx::none, counter_ = ptx::none;
  std::vector<std::uint8_t> linear_;
};

}  // namespace

void unrollLoops(const ptx::Module& module, const ptx::Function& f, const Graph& graph, Lowered& lowered) {
  for (std::uint32_t l = 0; l < graph.loops().size(); ++l) {
    LoopUnroller loop(module, f, graph, lowered, l);
    const std::uint32_t by = loop.factor();
    if (by <= 1) continue;
    if (lowered.between.empty()) lowered.between = lowered.ops;
    loop.unroll(by);
  }
}

}  // namespace warpmill::lowering
