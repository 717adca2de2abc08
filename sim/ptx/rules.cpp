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

std::optional<RuleProblem> wrongType(Opcode opcode, const Modifiers& mods) {
  const std::string_view kinds = infoOf(opcode).kinds;
  if (kinds.empty() || kinds.find(kindOf(mods.type)) != std::string_view::npos) return std::nullopt;
  return RuleProblem{quoted(opcode) + " does not take the type ." + std::string(typeName(mods.type)),
                     "use " + examples(opcode, kinds, mods.type)};
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
      return wrongAtomType(opcode, mods);
    case Opcode::Shf:
      if (!mods.left && !mods.right) return missing(opcode, "a direction", "write shf.l or shf.r");
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace warpmill::ptx
