#include "faults/number_facts.h"

#include <algorithm>

namespace warpmill::faults {

using ptx::Function;
using ptx::Instruction;
using ptx::none;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

Real realOf(Type type) {
  switch (type) {
    case Type::F16: return Real::F16;
    case Type::BF16: return Real::BF16;
    case Type::F16x2: return Real::F16x2;
    case Type::BF16x2: return Real::BF16x2;
    case Type::F32: case Type::TF32: return Real::F32;
    case Type::F64: return Real::F64;
    default: return Real::None;
  }
}

namespace {

// Of a matrix' elements: two halves share a register.
Real packed(Type type) {
  const Real r = realOf(type);
  return r == Real::F16 ? Real::F16x2 : r == Real::BF16 ? Real::BF16x2 : r;
}

bool isMatrix(Opcode o) { return o == Opcode::Mma || o == Opcode::MmaSp || o == Opcode::Wmma || o == Opcode::Wgmma; }

class NumberFinder {
 public:
  explicit NumberFinder(const exec::Code& code) : f_(code.function()), reals_(f_.registers.size(), Real::None) {
    for (const Instruction& in : f_.instructions)
      for (std::size_t k = 0; k < in.operands.size(); ++k) learn(in.operands[k], formatOf(in, k));
    findDetours();
  }

  NumberFacts find(std::uint32_t pc) const {
    const Instruction& in = f_.instructions[pc];
    NumberFacts facts;
    for (std::size_t k = 0; k < in.operands.size(); ++k)
      if (in.operands[k].kind != Operand::Kind::Address && (in.product == none || k != in.productOperand)) add(in.operands[k], formatOf(in, k), k < in.destinationCount ? facts.destinations : facts.sources);
    if (in.product != none)
      for (std::size_t k = 1; k < f_.instructions[in.product].operands.size(); ++k) add(f_.instructions[in.product].operands[k], realOf(in.mods.type), facts.sources);
    facts.work = workOf(in, facts);
    facts.flushes = in.mods.ftz && (in.mods.type == Type::F32 || in.mods.sourceType == Type::F32);
    facts.isDetour = facts.work == NumberWork::Compute && in.mods.type == Type::F64 && in.opcode != Opcode::Cvt && widened(in) && narrowed(in);
    return facts;
  }

 private:
  // As what the instruction itself reads or writes its operand k.
  static Real formatOf(const Instruction& in, std::size_t k) {
    const ptx::Modifiers& m = in.mods;
    switch (in.opcode) {
      case Opcode::Cvt: case Opcode::Set: return k == 0 ? realOf(m.type) : m.rounding == ptx::Rounding::Rs && k == 3 ? Real::None : realOf(m.sourceType);
      case Opcode::Mma: case Opcode::MmaSp: return k == 0 ? packed(m.type) : k == 1 ? packed(m.sourceType) : k == 2 ? packed(m.thirdType) : k == 3 ? packed(m.fourthType) : Real::None;
      case Opcode::Wmma:
        if (in.operands.size() != 4) return packed(m.type);
        if (m.thirdType == Type::None) return k == 0 ? packed(m.type) : k == 3 ? packed(m.sourceType) : Real::F16x2;
        return k == 0 ? packed(m.type) : k == 1 ? packed(m.sourceType) : k == 2 ? packed(m.thirdType) : packed(m.fourthType);
      case Opcode::Wgmma: return k == 0 ? packed(m.type) : k == 1 ? packed(m.sourceType) : Real::None;
      case Opcode::Tex: case Opcode::Tld4: return k == 0 ? realOf(m.type) : Real::None;
      default: return realOf(m.type);
    }
  }
  void learn(const Operand& o, Real real) {
    if (real == Real::None) return;
    if (o.kind == Operand::Kind::Register && f_.registers[o.index].type != Type::Pred) reals_[o.index] = real;
    for (std::uint32_t e = 0; o.kind == Operand::Kind::Vector && e < o.count; ++e) learn(f_.vectorElements[o.index + e], real);
  }
  void add(const Operand& o, Real real, std::vector<NumberPlace>& into) const {
    switch (o.kind) {
      case Operand::Kind::Register: {
        const ptx::Register& r = f_.registers[o.index];
        if (r.type == Type::Pred) break;
        const Real format = real != Real::None ? real : reals_[o.index];
        into.push_back({r.slot, format, 0});
        break;
      }
      case Operand::Kind::Immediate:
        if (real != Real::None) into.push_back({none, o.isFloat32 ? Real::F32 : o.isFloat64 ? Real::F64 : real, o.bits});
        break;
      case Operand::Kind::Vector:
        for (std::uint32_t e = 0; e < o.count; ++e) add(f_.vectorElements[o.index + e], real, into);
        break;
      default: break;
    }
  }

  static NumberWork workOf(const Instruction& in, const NumberFacts& facts) {
    const auto isNumber = [](const NumberPlace& p) { return p.real != Real::None; };
    const bool reads = std::any_of(facts.sources.begin(), facts.sources.end(), isNumber), writes = std::any_of(facts.destinations.begin(), facts.destinations.end(), isNumber);
    switch (in.opcode) {
      case Opcode::St: return reads ? NumberWork::Store : NumberWork::None;
      case Opcode::Red: return reads ? NumberWork::Atomic : NumberWork::None;
      case Opcode::Atom: return reads || writes ? NumberWork::Atomic : NumberWork::None;
      case Opcode::Wmma:
        if (in.destinationCount == 0) return reads ? NumberWork::StoreMatrix : NumberWork::None;
        break;
      case Opcode::Cvt:
        if (reads && realOf(in.mods.type) == Real::None) return NumberWork::ToInteger;
        break;
      default: break;
    }
    if (!writes) return NumberWork::None;
    if (isMatrix(in.opcode) && reads) return NumberWork::Matrix;
    switch (in.opcode) {
      case Opcode::Ld: case Opcode::Ldu: case Opcode::Ldmatrix: case Opcode::Tex: case Opcode::Tld4: case Opcode::Wmma: return NumberWork::Load;
      case Opcode::Shfl: return NumberWork::Exchange;
      case Opcode::Mov: case Opcode::Selp: case Opcode::Slct: case Opcode::Neg: case Opcode::Abs: case Opcode::Min: case Opcode::Max: case Opcode::Copysign:
        return NumberWork::Move;
      default: return realOf(in.mods.type) != Real::None ? NumberWork::Compute : NumberWork::Move;
    }
  }

  [[nodiscard]] bool isDouble(const Instruction& in) const { return in.mods.type == Type::F64 && in.opcode != Opcode::Cvt && in.opcode != Opcode::Ld && in.opcode != Opcode::St; }
  [[nodiscard]] bool widened(const Instruction& in) const {
    return std::any_of(in.operands.begin() + in.destinationCount, in.operands.end(), [&](const Operand& o) { return o.kind == Operand::Kind::Register && widened_[o.index]; });
  }
  [[nodiscard]] bool narrowed(const Instruction& in) const { return !in.operands.empty() && in.operands[0].kind == Operand::Kind::Register && narrowed_[in.operands[0].index]; }

  void findDetours() {
    widened_.assign(f_.registers.size(), false);
    narrowed_.assign(f_.registers.size(), false);
    for (bool changed = true; changed;) {
      changed = false;
      const auto mark = [&](std::vector<bool>& in, const Operand& o) {
        if (o.kind != Operand::Kind::Register || in[o.index]) return;
        in[o.index] = changed = true;
      };
      for (const Instruction& in : f_.instructions) {
        if (in.destinationCount != 1 || in.operands.size() < 2) continue;
        const bool isCvt = in.opcode == Opcode::Cvt;
        if ((isCvt && in.mods.type == Type::F64 && in.mods.sourceType == Type::F32) || (isDouble(in) && widened(in))) mark(widened_, in.operands[0]);
        if ((isCvt && in.mods.type == Type::F32 && in.mods.sourceType == Type::F64) || (isDouble(in) && narrowed(in)))
          for (std::size_t k = 1; k < in.operands.size(); ++k) mark(narrowed_, in.operands[k]);
      }
    }
  }

  const Function& f_;
  std::vector<Real> reals_;              // by register
  std::vector<bool> widened_, narrowed_;  // made of a float; rounded to one in the end
};

}  // namespace

std::vector<NumberFacts> numberFactsOf(const exec::Code& code) {
  const NumberFinder finder(code);
  std::vector<NumberFacts> all;
  for (std::uint32_t pc = 0; pc < code.function().instructions.size(); ++pc) all.push_back(finder.find(pc));
  return all;
}

}  // namespace warpmill::faults
