#include "ptx/rules.h"

#include "ptx/names.h"
#include "ptx/opcode_table.h"

namespace warpmill::ptx {
namespace {

std::string quoted(Opcode opcode) {
  return "'" + std::string(opcodeName(opcode)) + "'";
}

// "add.s32, add.u32 or add.f32"
std::string examples(Opcode opcode, std::string_view kinds, Type type) {
  const std::string bits = std::to_string(8 * std::max(sizeBytes(type), 4u));
  std::string out;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (i != 0) out += i + 1 == kinds.size() ? " or " : ", ";
    out += std::string(opcodeName(opcode)) + "." + (kinds[i] == 'p' ? "pred" : kinds[i] + bits);
  }
  return out;
}

// Conversions that can round: to an integer, from an integer to a float, to a narrower float.
bool rounds(const Modifiers& mods) {
  const bool from = isFloat(mods.sourceType), to = isFloat(mods.type);
  if (from && to) return sizeBytes(mods.type) < sizeBytes(mods.sourceType) && mods.type != Type::TF32;
  return from != to;
}

// Which comparisons a type has: unordered ones are of floats, .lo and the like of unsigned integers.
std::optional<RuleProblem> wrongComparison(const Modifiers& mods) {
  const Type type = mods.sourceType != Type::None ? mods.sourceType : mods.type;
  const char kind = kindOf(type);
  const bool unordered = mods.compare >= Compare::Equ;
  const bool isUnsigned =
      mods.compare == Compare::Lo || mods.compare == Compare::Ls || mods.compare == Compare::Hi || mods.compare == Compare::Hs;
  const bool order = mods.compare >= Compare::Lt && mods.compare <= Compare::Ge;
  const std::string of = " values of type ." + std::string(typeName(type));
  if (unordered && kind != 'f')
    return RuleProblem{"there is no such comparison of" + of, "comparisons that know NaN are for floating-point types"};
  if (isUnsigned && kind != 'u')
    return RuleProblem{"there is no such comparison of" + of,
                       ".lo, .ls, .hi and .hs are for unsigned integers; write .lt, .le, .gt or .ge"};
  if (order && kind == 'b') return RuleProblem{"there is no order of" + of, "only .eq and .ne compare bits; name a type with a sign"};
  return std::nullopt;
}

// Bits for bit operations and exchanges, numbers for the others.
std::optional<RuleProblem> wrongAtomType(Opcode opcode, const Modifiers& mods) {
  const bool bitwise = mods.atom <= AtomOp::Exch;
  const bool isBits = kindOf(mods.type) == 'b';
  if (bitwise == isBits) return std::nullopt;
  const std::string bits = std::to_string(8 * std::max(sizeBytes(mods.type), 4u));
  return RuleProblem{quoted(opcode) + " does not take the type ." + std::string(typeName(mods.type)) + " for this operation",
                     bitwise ? "use .b" + bits : "use .u" + bits + ", .s" + bits + " or .f" + bits};
}

RuleProblem missing(Opcode opcode, const std::string& what, std::string hint) {
  return {quoted(opcode) + " needs " + what, std::move(hint)};
}

}  // namespace

std::optional<RuleProblem> wrongCount(const Instruction& instruction, std::string_view modifiers) {
  const Modifiers& mods = instruction.mods;
  const std::size_t given = instruction.operands.size();
  const std::size_t policy = modifiers.find("L2::cache_hint") != std::string_view::npos ? 1 : 0;
  const auto problem = [&](std::size_t wanted, std::string hint) -> std::optional<RuleProblem> {
    if (given == wanted) return std::nullopt;
    return RuleProblem{quoted(instruction.opcode) + " takes " + std::to_string(wanted) + " operands here, " + std::to_string(given) + " given", std::move(hint)};
  };
  switch (instruction.opcode) {
    case Opcode::Atom:
      return problem((mods.atom == AtomOp::Cas ? 4 : 3) + policy, mods.atom == AtomOp::Cas ? "result, [address], what to compare with, the new value" : "result, [address], value");
    case Opcode::Red:
      return problem(2 + policy, "[address], value");
    case Opcode::Ld:
    case Opcode::St:
      return problem(2 + policy, given > 2 ? "a third one is a cache policy, of .L2::cache_hint" : "with .L2::cache_hint the last one is a cache policy");
    case Opcode::Shfl:
      return problem(mods.sync ? 5 : 4, mods.sync ? "the last one is the mask of the lanes that take part" : "");
    case Opcode::Vote:
      return problem(mods.sync ? 3 : 2, mods.sync ? "the last one is the mask of the lanes that take part" : "");
    default:
      return std::nullopt;
  }
}


namespace {

// Which sizes of a type an opcode's instructions come in, as a sum of bytes (2 + 4 + 8); 0: not checked.
unsigned sizesOf(Opcode opcode) {
  using enum Opcode;
  switch (opcode) {
    case Activemask: case Bmsk: case Cos: case Dp2a: case Dp4a: case Fns: case Lg2: case Lop3: case Mad24: case Mul24: case Nanosleep: case Prmt:
    case Redux: case Shf: case Shfl: case Sin: case Szext: return 4;
    case Addc: case Bfe: case Bfi: case Bfind: case Brev: case Clz: case Copysign: case Cvta: case Madc: case Match: case Popc: case Rcp: case Rsqrt:
    case Sqrt: case Subc: case Testp: return 4 + 8;
    case Abs: case Add: case And: case Cnot: case Div: case Ex2: case Fma: case Mad: case Max: case Min: case Mul: case Neg: case Not: case Or: case Rem:
    case Sad: case Selp: case Setp: case Shl: case Shr: case Slct: case Sub: case Tanh: case Xor: return 2 + 4 + 8;
    default: return 0;
  }
}

// Halves, and several values in one register.
bool takesHalves(Opcode opcode) {
  using enum Opcode;
  switch (opcode) {
    case Abs: case Add: case Ex2: case Fma: case Max: case Min: case Mul: case Neg: case Set: case Setp: case Sub: case Tanh: return true;
    default: return false;
  }
}

}  // namespace

std::optional<RuleProblem> wrongType(Opcode opcode, const Modifiers& mods) {
  const std::string_view kinds = infoOf(opcode).kinds;
  const std::string refusal = quoted(opcode) + " does not take the type ." + std::string(typeName(mods.type));
  if (!kinds.empty() && kinds.find(kindOf(mods.type)) == std::string_view::npos) return RuleProblem{refusal, "use " + examples(opcode, kinds, mods.type)};
  const unsigned sizes = sizesOf(opcode);
  if (sizes == 0 || mods.type == Type::Pred || mods.type == Type::None) return std::nullopt;
  const bool isHalfOrPacked = (isFloat(mods.type) && mods.type != Type::F32 && mods.type != Type::F64) ||
                              (mods.type >= Type::U16x2 && mods.type != Type::None);
  if (isHalfOrPacked && !takesHalves(opcode)) return RuleProblem{refusal, "use " + examples(opcode, kinds, Type::F32)};
  const std::uint32_t bytes = sizeBytes(mods.type);
  if (bytes > 8 || (sizes & bytes) == 0) return RuleProblem{refusal, "use " + examples(opcode, kinds, (sizes & 4) != 0 ? Type::F32 : Type::F64)};
  return std::nullopt;
}

std::optional<RuleProblem> missingModifier(const Instruction& instruction, bool namesLanes) {
  const Modifiers& mods = instruction.mods;
  const Opcode opcode = instruction.opcode;
  const bool floats = isFloat(mods.type), exact = mods.rounding != Rounding::None;
  switch (opcode) {
    case Opcode::Mul:
    case Opcode::Mad:
      if (!floats && mods.part == MulPart::None)
        return missing(opcode, "to know which part of the product is meant", "write .lo, .hi or .wide after " + quoted(opcode));
      break;
    case Opcode::Setp:
    case Opcode::Set:
      if (mods.compare == Compare::None) return missing(opcode, "a comparison", "write .lt, .ge, .eq ... after " + quoted(opcode));
      if (instruction.operands.size() > 3 && mods.boolOp == BoolOp::None)
        return missing(opcode, "an operator for its last operand", "write .and, .or or .xor");
      if (instruction.operands.size() <= 3 && mods.boolOp != BoolOp::None)
        return missing(opcode, "a predicate as last operand", "add it, or leave out the operator");
      return wrongComparison(mods);
    case Opcode::Fma:
      if (!exact) return missing(opcode, "a rounding", "write fma.rn");
      break;
    case Opcode::Div:
      if (floats && !exact && !mods.approx && !mods.full)
        return missing(opcode, "a rounding or precision", "write div.rn, div.full or div.approx");
      break;
    case Opcode::Sqrt:
    case Opcode::Rcp:
      if (!exact && !mods.approx) return missing(opcode, "a rounding or precision", "write .rn or .approx");
      break;
    case Opcode::Sin:
    case Opcode::Cos:
    case Opcode::Lg2:
    case Opcode::Ex2:
    case Opcode::Rsqrt:
    case Opcode::Tanh:
      if (!mods.approx)
        return missing(opcode, "'.approx'", "PTX has it only as an approximation: " + std::string(opcodeName(opcode)) + ".approx");
      break;
    case Opcode::Cvt:
      if (mods.sourceType == Type::None) return missing(opcode, "two types", "write the new type, then the old one: cvt.f32.f64");
      if (!exact && !mods.pack && rounds(mods))
        return missing(opcode, "a rounding",
                       isFloat(mods.type) ? "write .rn (to nearest)" : "write .rzi (towards zero) or .rni (to nearest)");
      break;
    case Opcode::Shfl:
      if (mods.shfl == ShflMode::None) return missing(opcode, "a direction", "write .up, .down, .bfly or .idx");
      if (!mods.sync && namesLanes)
        return missing(opcode, "'.sync'", "since sm_70 the lanes that take part are named: shfl.sync with a mask as last operand");
      break;
    case Opcode::Vote:
      if (mods.vote == VoteMode::None) return missing(opcode, "a mode", "write .all, .any, .uni or .ballot");
      if (!mods.sync && namesLanes)
        return missing(opcode, "'.sync'", "since sm_70 the lanes that take part are named: vote.sync with a mask as last operand");
      break;
    case Opcode::Atom:
    case Opcode::Red:
    case Opcode::Redux:
      if (mods.atom == AtomOp::None)
        return missing(opcode, "an operation",
                       "write .add, .min, .max, .and, .or, .xor" + std::string(opcode == Opcode::Atom ? ", .exch or .cas" : ""));
      if (opcode == Opcode::Redux && !mods.sync) return missing(opcode, "'.sync'", "write redux.sync, with a mask as last operand");
      return wrongAtomType(opcode, mods);
    case Opcode::Bmsk:
    case Opcode::Szext:
      if (!mods.clamp && !mods.wrap) return missing(opcode, "to know what too large a width does", "write .clamp or .wrap");
      break;
    case Opcode::Match:
      if (mods.vote == VoteMode::None) return missing(opcode, "a mode", "write .any or .all");
      if (!mods.sync) return missing(opcode, "'.sync'", "write match.any.sync, with a mask as last operand");
      break;
    case Opcode::Cvta:
    case Opcode::Isspacep:
      if (mods.space == Space::None) return missing(opcode, "a state space", "write .global, .shared, .local, .const or .param");
      break;
    case Opcode::Ld:
    case Opcode::St: {
      const bool strong = mods.order == MemoryOrder::Relaxed || mods.order == MemoryOrder::Acquire || mods.order == MemoryOrder::Release;
      if (strong && mods.scope == Scope::None) return missing(opcode, "a scope", "write .cta, .cluster, .gpu or .sys");
      if (mods.scope != Scope::None && mods.order == MemoryOrder::None)
        return missing(opcode, "a memory order before its scope", opcode == Opcode::Ld ? "write .relaxed or .acquire" : "write .relaxed or .release");
      break;
    }
    case Opcode::CpAsync:
      if (mods.cache != CacheOp::Ca && mods.cache != CacheOp::Cg) return missing(opcode, "a cache level", "write cp.async.ca, or .cg for 16 bytes");
      break;
    case Opcode::Shf:
      if (!mods.left && !mods.right) return missing(opcode, "a direction", "write shf.l or shf.r");
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace warpmill::ptx
