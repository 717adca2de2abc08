#include "faults/index_slice.h"

#include "faults/value_range.h"

#include <algorithm>

namespace warpmill::faults {

using ptx::Function;
using ptx::Instruction;
using ptx::none;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

namespace {

std::uint8_t integerBits(Type t) {
  switch (t) {
    case Type::U16: case Type::S16: case Type::B16: return 16;
    case Type::U32: case Type::S32: case Type::B32: return 32;
    case Type::U64: case Type::S64: case Type::B64: return 64;
    default: return 0;
  }
}

constexpr std::uint8_t bySigned = 1, byUnsigned = 2, byAddress = 4;  // who reads a register

class Slicer {
 public:
  explicit Slicer(const exec::Code& code) : code_(code), f_(code.function()), steps_(f_.instructions.size()) {
    definitions_.resize(f_.registers.size());
    readers_.assign(f_.registers.size(), 0);
    isIn_.assign(f_.registers.size(), false);
    for (std::uint32_t pc = 0; pc < f_.instructions.size(); ++pc) eachWritten(f_.instructions[pc], [&](std::uint32_t r) { definitions_[r].push_back(pc); });
  }

  std::vector<SliceStep> run() {
    for (std::uint32_t pc = 0; pc < f_.instructions.size(); ++pc)
      for (const Operand& o : f_.instructions[pc].operands)
        if (o.kind == Operand::Kind::Address && o.scope == Operand::In::None && o.index != none && f_.registers[o.index].type != Type::Pred) {
          steps_[pc].addresses.push_back(f_.registers[o.index].slot);
          want(o.index, byAddress);
        }
    while (!wanted_.empty()) {
      const std::uint32_t r = wanted_.back();
      wanted_.pop_back();
      for (const std::uint32_t pc : definitions_[r]) follow(pc, readers_[r]);
    }
    if (!finish()) return {};
    return std::move(steps_);
  }

 private:
  template <class F> void eachWritten(const Instruction& in, F f) const {
    for (std::size_t k = 0; k < in.destinationCount && k < in.operands.size(); ++k) {
      const Operand& o = in.operands[k];
      if (o.kind == Operand::Kind::Register && f_.registers[o.index].type != Type::Pred) f(o.index);
      for (std::uint32_t e = 0; o.kind == Operand::Kind::Vector && e < o.count; ++e)
        if (const Operand& element = f_.vectorElements[o.index + e]; element.kind == Operand::Kind::Register) f(element.index);
    }
  }

  void want(std::uint32_t r, std::uint8_t readers) {
    if (isIn_[r] && (readers_[r] | readers) == readers_[r]) return;
    isIn_[r] = true;
    readers_[r] |= readers;
    wanted_.push_back(r);
  }

  // What kind of step an instruction is; its widths into `s`.
  Linear kindOf(std::uint32_t pc, SliceStep& s) {
    const Instruction& in = f_.instructions[pc];
    const ptx::Modifiers& m = in.mods;
    s.width = s.sourceWidth = integerBits(m.type);
    s.isSigned = ptx::isSigned(m.type);
    if (s.width == 0 || m.sat || m.carryOut || in.operands.size() < 2 || in.operands[0].kind != Operand::Kind::Register) return Linear::None;
    if (!std::all_of(in.operands.begin() + 1, in.operands.end(), [](const Operand& o) {
          return o.kind == Operand::Kind::Register || o.kind == Operand::Kind::Immediate || o.kind == Operand::Kind::Special;
        }))
      return Linear::None;
    if (m.part == ptx::MulPart::Wide) {
      s.widens = true;
      s.width = static_cast<std::uint8_t>(2 * s.sourceWidth);
    }
    switch (in.opcode) {
      case Opcode::Cvta:
        if (m.space != ptx::Space::Global) return Linear::None;  // moves the value into another window
        [[fallthrough]];
      case Opcode::Mov: return in.operands[1].kind == Operand::Kind::Register ? Linear::Copy : Linear::None;
      case Opcode::Add: return undoes(in, true) ? Linear::None : Linear::Sum;
      case Opcode::Sub: return undoes(in, false) ? Linear::None : Linear::Difference;
      case Opcode::Mul: return m.part == ptx::MulPart::Hi ? Linear::None : Linear::Product;
      case Opcode::Mad: return m.part == ptx::MulPart::Hi || undoes(in, true) ? Linear::None : Linear::ProductAndSum;
      case Opcode::Shl: return Linear::Shift;
      case Opcode::Neg: return Linear::Negation;
      case Opcode::Selp: return Linear::Choice;
      case Opcode::Shfl: return Linear::Exchange;
      case Opcode::Or: return Linear::JoinedBits;
      case Opcode::Cvt:
        s.sourceWidth = integerBits(m.sourceType);
        s.isSigned = ptx::isSigned(m.sourceType);
        s.widens = s.sourceWidth < s.width;
        return s.sourceWidth == 0 || s.sourceWidth > s.width ? Linear::None : s.widens ? Linear::Widening : Linear::Copy;
      default: return Linear::None;
    }
  }

  // Does an operand of a sum or difference go back, through a step that is none of ours and with a minus sign, to another operand? Then it
  // is a remainder, x - x / n * n, however x was made.
  [[nodiscard]] bool undoes(const Instruction& in, bool minusIsInside) const {
    for (std::size_t k = 1; k < in.operands.size(); ++k)
      for (std::size_t j = 1; j < in.operands.size(); ++j) {
        const Operand &kept = in.operands[k], &taken = in.operands[j];
        if (j == k || kept.kind != Operand::Kind::Register || taken.kind != Operand::Kind::Register) continue;
        if (!minusIsInside && j != 2) continue;
        const bool factorIsNegative = in.opcode == Opcode::Mad && std::any_of(in.operands.begin() + 1, in.operands.begin() + 3, isNegative);
        if (leads(taken.index, kept.index, !minusIsInside || factorIsNegative)) return true;
      }
    return false;
  }
  static bool isNegative(const Operand& o) { return o.kind == Operand::Kind::Immediate && static_cast<std::int64_t>(o.bits) < 0; }

  [[nodiscard]] bool leads(std::uint32_t from, std::uint32_t to, bool minus) const {
    constexpr unsigned most = 24;  // registers; a division by a constant takes five
    struct State { std::uint32_t r; bool minus, other; };
    std::vector<State> seen{{from, minus, false}};
    for (std::size_t at = 0; at < seen.size() && seen.size() < most; ++at) {
      const State s = seen[at];
      for (const std::uint32_t pc : definitions_[s.r]) {
        const Instruction& in = f_.instructions[pc];
        const Opcode o = in.opcode;
        const bool isProduct = (o == Opcode::Mul || o == Opcode::Mad) && in.mods.part != ptx::MulPart::Hi;
        const bool isOurs = o == Opcode::Mov || o == Opcode::Add || o == Opcode::Sub || o == Opcode::Shl || o == Opcode::Neg || isProduct;
        if (o == Opcode::Ld || o == Opcode::Atom || o == Opcode::Shfl) continue;
        const bool negates = o == Opcode::Neg || o == Opcode::Sub || (isProduct && std::any_of(in.operands.begin() + 1, in.operands.end(), isNegative));
        for (std::size_t k = in.destinationCount; k < in.operands.size(); ++k) {
          if (in.operands[k].kind != Operand::Kind::Register) continue;
          const State next{in.operands[k].index, s.minus || negates, s.other || !isOurs};
          if (next.r == to && next.minus && next.other) return true;
          const bool known = std::any_of(seen.begin(), seen.end(), [&](const State& k2) { return k2.r == next.r && k2.minus == next.minus && k2.other == next.other; });
          if (!known) seen.push_back(next);
        }
      }
    }
    return false;
  }

  void follow(std::uint32_t pc, std::uint8_t readers) {
    const Instruction& in = f_.instructions[pc];
    SliceStep& s = steps_[pc];
    if (s.width == 0) s.kind = kindOf(pc, s);
    if (s.kind == Linear::None) return;
    const auto source = [&](std::size_t k, std::uint8_t by) {
      if (k < in.operands.size() && in.operands[k].kind == Operand::Kind::Register && f_.registers[in.operands[k].index].type != Type::Pred) want(in.operands[k].index, by);
    };
    const std::uint8_t inner = s.widens ? (s.isSigned ? bySigned : byUnsigned) : readers;
    source(1, inner);
    switch (s.kind) {
      case Linear::Sum: case Linear::Difference: case Linear::Product: case Linear::ProductAndSum: case Linear::Choice: case Linear::JoinedBits:
        source(2, inner);
        break;
      default: break;
    }
    if (s.kind == Linear::ProductAndSum) source(3, readers);
  }

  // Who wraps, and who ends what came before. False: nobody wraps.
  bool finish() {
    const ValueRanges ranges(code_);
    bool any = false;
    for (std::uint32_t pc = 0; pc < steps_.size(); ++pc) {
      SliceStep& s = steps_[pc];
      const Instruction& in = f_.instructions[pc];
      eachWritten(in, [&](std::uint32_t r) { if (isIn_[r]) s.written.push_back(f_.registers[r].slot); });
      if (s.kind == Linear::None || s.written.empty()) continue;
      const std::uint8_t readers = readers_[in.operands[0].index];
      s.readSigned = (readers & bySigned) != 0;
      s.readUnsigned = (readers & byUnsigned) != 0;
      s.readAsAddress = (readers & byAddress) != 0;
      const bool computes = s.kind == Linear::Sum || s.kind == Linear::Difference || s.kind == Linear::Product || s.kind == Linear::ProductAndSum ||
                            s.kind == Linear::Shift || s.kind == Linear::Negation;
      if (!computes || s.width == 64 || s.widens) continue;
      const std::int64_t half = std::int64_t{1} << (s.width - 1);
      s.isWatched = !ranges.exact(in).isIn(s.readUnsigned ? 0 : -half, half - 1);
      any |= s.isWatched;
    }
    return any;
  }

  const exec::Code& code_;
  const Function& f_;
  std::vector<SliceStep> steps_;
  std::vector<std::vector<std::uint32_t>> definitions_;  // by register: instructions that write it
  std::vector<std::uint8_t> readers_;
  std::vector<bool> isIn_;
  std::vector<std::uint32_t> wanted_;
};

}  // namespace

std::vector<SliceStep> sliceOf(const exec::Code& code) { return Slicer(code).run(); }

}  // namespace warpmill::faults
