// Decoding of instructions that only move values between registers: the operand types each one expects, and its handler.
#include "exec/decoder.h"

#include <algorithm>

namespace warpmill::exec {

using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

namespace {

Type wider(Type t) {
  switch (t) {
    case Type::U16: return Type::U32;
    case Type::S16: return Type::S32;
    case Type::U32: return Type::U64;
    case Type::S32: return Type::S64;
    default: return t;
  }
}

// Forms that sm_100 brought and that would pass for older ones: three operands of min and max, sums of f32 and a narrower type.
bool isOfNewerMachine(const ptx::Instruction& in) {
  switch (in.opcode) {
    case Opcode::Min: case Opcode::Max: return in.operands.size() > 3;
    case Opcode::Add: case Opcode::Sub: case Opcode::Mul: case Opcode::Fma: return in.mods.sourceType != Type::None;
    default: return false;
  }
}

}  // namespace

// The type of source operand k (0: the first after the destination).
Type Decoder::sourceType(const ptx::Instruction& in, unsigned k) const {
  const ptx::Modifiers& m = in.mods;
  switch (in.opcode) {
    case Opcode::Cvt: case Opcode::Set: return m.sourceType;
    case Opcode::Mad: case Opcode::Madc: return k == 2 && m.part == ptx::MulPart::Wide ? wider(m.type) : m.type;
    case Opcode::Shl: case Opcode::Shr: return k == 1 ? Type::U32 : m.type;
    case Opcode::Bfe: return k >= 1 ? Type::U32 : m.type;
    case Opcode::Bfi: return k >= 2 ? Type::U32 : m.type;
    case Opcode::Slct: return k == 2 ? m.sourceType : m.type;
    case Opcode::Dp4a: case Opcode::Dp2a: case Opcode::Shf: case Opcode::Prmt: case Opcode::Lop3: case Opcode::Fns: case Opcode::Bmsk:
    case Opcode::Szext:
      return Type::B32;
    default: return m.type;
  }
}

void Decoder::prepareFlags(Op& op) const {
  const ptx::Instruction& in = *op.instruction;
  const std::string_view mods = text(in);
  const auto has = [&](std::string_view word) { return mods.find(word) != std::string_view::npos; };
  switch (in.opcode) {
    case Opcode::Bfind: op.aux = has("shiftamt") ? 1 : 0; break;
    case Opcode::Prmt:
      op.aux = has(".f4e") ? 1 : has(".b4e") ? 2 : has(".rc8") ? 3 : has(".ecl") ? 4 : has(".ecr") ? 5 : has(".rc16") ? 6 : 0;
      break;
    case Opcode::Testp:
      op.aux = has("infinite") ? 2 : has("finite") ? 1 : has("notanumber") ? 4 : has("number") ? 3 : has("subnormal") ? 6 : 5;
      break;
    default: break;
  }
}

// An add or sub that takes in a product: a * b + c with the factors of the mul. aux: 1, the product is negated; 2, the other operand is.
bool Decoder::fused(Op& op) {
  const ptx::Instruction &in = *op.instruction, &mul = function_.instructions[in.product];
  const bool isSecond = in.productOperand == 2, isDifference = in.opcode == Opcode::Sub;
  op.handler = handlers_.fused(in);
  op.dst = destination(in.operands[0], in.mods.type);
  op.a = source(op, mul.operands[1], in.mods.type);
  op.b = source(op, mul.operands[2], in.mods.type);
  op.c = source(op, in.operands[isSecond ? 1 : 2], in.mods.type);
  op.aux = (in.productNegated != (isDifference && isSecond) ? 1u : 0u) | (isDifference && !isSecond ? 2u : 0u);
  return op.handler != nullptr && op.a.present && op.b.present && op.c.present;
}

bool Decoder::registersOnly(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const auto& o = in.operands;
  if (o.size() < 2 || isOfNewerMachine(in)) return false;
  if (in.product != ptx::none) return fused(op);
  for (const auto family : handlers_.families)
    if ((op.handler = family(in)) != nullptr) break;
  for (const auto family : {directedRoundingHandler, packedConvertHandler, videoHandler})
    if (op.handler == nullptr) op.handler = family(in);
  if (op.handler == nullptr) return false;
  prepareFlags(op);

  if (isPredicate(o[0])) op.dstPredicate = predicateNumber(o[0].index);
  else op.dst = destination(o[0], in.mods.type);
  if (o[0].hasPredicate) op.dstPredicate2 = predicateNumber(o[0].predicate);

  const std::array<Slot*, 4> slots = {&op.a, &op.b, &op.c, &op.e};
  unsigned next = 0, predicates = 0;
  for (std::size_t k = 1; k < o.size(); ++k) {
    const bool lastOfLop3 = in.opcode == Opcode::Lop3 && k == 4;
    if (lastOfLop3) {
      op.aux = static_cast<std::uint32_t>(o[k].bits) & 0xFF;
    } else if (isPredicate(o[k]) || in.mods.type == Type::Pred) {
      (predicates++ == 0 ? op.predicate : op.predicate2) = predicateSource(o[k]);
    } else {
      if (next >= slots.size()) return false;
      *slots[next] = source(op, o[k], sourceType(in, static_cast<unsigned>(k - 1)));
      if (!slots[next]->present) return false;
      ++next;
    }
  }
  if (in.opcode == Opcode::Cvt && op.dst.bits == 8 * ptx::sizeBytes(in.mods.type) && op.a.bits == 8 * ptx::sizeBytes(in.mods.sourceType)) {
    if (const Handler fast = handlers_.fastConvert(in.mods)) op.handler = fast;
  }
  return true;
}

bool Decoder::move(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const auto& o = in.operands;
  if (in.opcode == Opcode::Createpolicy && !o.empty()) {
    op.handler = handlers_.families.back()(in);
    op.dst = destination(o[0], Type::B64);
    op.a = constant(0, true);
    return op.handler != nullptr;
  }
  if (o.size() != 2) return false;
  op.handler = handlers_.families.back()(in);
  if (op.handler == nullptr) return false;
  const Type type = in.mods.type;
  if (type == Type::Pred) {
    op.dstPredicate = predicateNumber(o[0].index);
    op.predicate = predicateSource(o[1]);
    return isPredicate(o[0]);
  }
  if (in.mods.vectorWidth > 1 && (o[0].kind != Operand::Kind::Vector || o[1].kind != Operand::Kind::Vector)) return false;
  if (o[0].kind == Operand::Kind::Vector && o[1].kind == Operand::Kind::Vector) {  // results and sources, one behind the other
    if (!elements(op, o[1], type, false) || op.elementCount != in.mods.vectorWidth || o[0].count != o[1].count) return false;
    const auto sources = op.elements;
    if (!elements(op, o[0], type, true)) return false;
    std::copy_n(sources.begin(), op.elementCount, op.elements.begin() + op.elementCount);
    return true;
  }
  if (o[0].kind == Operand::Kind::Vector || o[1].kind == Operand::Kind::Vector) {
    const Operand& vector = o[0].kind == Operand::Kind::Vector ? o[0] : o[1];
    if (vector.count == 0) return false;
    const std::uint32_t bits = 8 * ptx::sizeBytes(type) / vector.count;
    const Type part = bits == 64 ? Type::B64 : bits == 32 ? Type::B32 : bits == 16 ? Type::B16 : Type::B8;
    if (!elements(op, vector, part, &vector == &o[0])) return false;
    if (&vector == &o[0]) op.a = source(op, o[1], type);
    else op.dst = destination(o[0], type);
    return op.a.present || op.dst.present;
  }
  op.dst = destination(o[0], type);
  op.a = source(op, o[1], type);
  return op.a.present;
}

}  // namespace warpmill::exec
