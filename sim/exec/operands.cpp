// Operands of PTX to slots.
#include "exec/decoder.h"
#include "exec/special.h"

#include <bit>

namespace warpmill::exec {

using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

namespace {

constexpr std::uint32_t sinkOffset = 4 * 64;  // in scratch, behind four special registers

std::uint8_t registerBits(Type type) {
  return static_cast<std::uint8_t>(type == Type::Pred ? 1 : 8 * ptx::sizeBytes(type));
}

}  // namespace

bool Decoder::isPredicate(const Operand& o) const {
  return o.kind == Operand::Kind::Register && function_.registers[o.index].type == Type::Pred;
}

std::uint32_t Decoder::predicateNumber(std::uint32_t registerIndex) const {
  return registerIndex == ptx::none ? ptx::none : function_.registers[registerIndex].slot;
}

PredicateSource Decoder::predicateSource(const Operand& o) const {
  PredicateSource p;
  if (o.kind == Operand::Kind::Register) p.index = predicateNumber(o.index);
  else if (o.kind == Operand::Kind::Special) p.constant = launchConstant(o.special, code_.context_).value_or(0) != 0 ? allLanes : 0;
  else p.constant = o.bits != 0 ? allLanes : 0;
  p.negated = o.negated;
  return p;
}

Slot Decoder::constant(std::uint64_t value, bool wide) {
  auto& pool = code_.constants_;
  const auto [at, isNew] = constants_.try_emplace({value, wide}, static_cast<std::uint32_t>(pool.size()));
  if (isNew) {
    for (unsigned i = 0; i < 32; ++i) {
      pool.push_back(static_cast<std::uint32_t>(value));
      if (wide) pool.push_back(static_cast<std::uint32_t>(value >> 32));
    }
  }
  Slot s;
  s.base = Slot::Constants;
  s.offset = at->second;
  s.bits = wide ? 64 : 32;
  s.present = true;
  return s;
}

const ptx::Variable* Decoder::variable(const Operand& o) const {
  switch (o.scope) {
    case Operand::In::Module: return &module_.variables[o.index];
    case Operand::In::Function: return &function_.variables[o.index];
    case Operand::In::Parameter: return &function_.params[o.index];
    case Operand::In::Return: return &function_.returns[o.index];
    default: return nullptr;
  }
}

std::uint64_t Decoder::variableAddress(const Operand& o, bool generic) const {
  const ptx::Variable& v = *variable(o);
  if (v.space == Space::Shared) {
    const std::uint64_t at = v.sizeBytes == 0 ? function_.dynamicSharedOffset : v.offset;
    return generic ? machine::sharedWindow + at : at;
  }
  if (v.space == Space::Local) return generic ? machine::localWindow + v.offset : v.offset;
  if ((v.space == Space::Global || v.space == Space::Const) && o.scope == Operand::In::Module) {
    return o.index < code_.context_.variableAddress.size() ? code_.context_.variableAddress[o.index] : 0;
  }
  return v.offset;
}

// A source of the given type. Registers keep their own width; immediates take the type's.
Slot Decoder::source(Op& op, const Operand& o, Type type) {
  const bool wide = ptx::sizeBytes(type) == 8;
  switch (o.kind) {
    case Operand::Kind::Register: {
      const ptx::Register& r = function_.registers[o.index];
      Slot s;
      s.offset = r.slot * planeWords;
      s.bits = registerBits(r.type);
      s.present = true;
      return s;
    }
    case Operand::Kind::Immediate: {
      std::uint64_t bits = o.bits;
      if (type == Type::F32 && o.isFloat64) bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      if (type == Type::F64 && o.isFloat32) bits = std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
      const std::uint32_t size = ptx::sizeBytes(type);
      if (size < 8) bits &= (std::uint64_t{1} << (8 * size)) - 1;
      return constant(bits, wide);
    }
    case Operand::Kind::Special: {
      if (const auto v = launchConstant(o.special, code_.context_)) return constant(*v, wide);
      WM_ASSERT(op.specialCount < op.specials.size(), "an instruction has at most four sources");
      SpecialFill& fill = op.specials[op.specialCount];
      fill.special = o.special;
      fill.offset = 64u * op.specialCount++;
      fill.wide = wide;
      Slot s;
      s.base = Slot::Scratch;
      s.offset = fill.offset;
      s.bits = wide ? 64 : 32;
      s.present = true;
      return s;
    }
    case Operand::Kind::Variable:
      if (variable(o) == nullptr) return {};
      return constant(variableAddress(o, false) + static_cast<std::uint64_t>(o.offset), wide);
    case Operand::Kind::FunctionRef: return constant(machine::functionAddress(o.index) + static_cast<std::uint64_t>(o.offset), wide);
    default: return {};
  }
}

Slot Decoder::destination(const Operand& o, Type type) const {
  Slot s;
  s.present = true;
  if (o.kind == Operand::Kind::Register) {
    const ptx::Register& r = function_.registers[o.index];
    s.offset = r.slot * planeWords;
    s.bits = registerBits(r.type);
  } else {
    s.base = Slot::Scratch;
    s.offset = sinkOffset;
    s.bits = static_cast<std::uint8_t>(8 * ptx::sizeBytes(type));
  }
  return s;
}

// [base + offset] in `space` (Generic: variables give their generic address).
bool Decoder::address(Op& op, const Operand& o, Space space, Slot& base, std::int64_t& offset) {
  base = {};
  offset = o.offset;
  if (o.kind != Operand::Kind::Address && o.kind != Operand::Kind::Variable && o.kind != Operand::Kind::Register) return false;
  if (o.index == ptx::none) return true;  // an absolute address
  if (o.scope == Operand::In::None) {
    Operand r = o;
    r.kind = Operand::Kind::Register;
    base = source(op, r, Type::U64);
    return base.bits == 32 || base.bits == 64;
  }
  if (variable(o) == nullptr) return false;
  if (op.space == Space::Param && o.scope == Operand::In::Function) op.space = Space::Local;  // a .param of a call is in the frame
  offset += static_cast<std::int64_t>(variableAddress(o, space == Space::Generic));
  return true;
}

// A vector operand, or a single one, as element slots.
bool Decoder::elements(Op& op, const Operand& o, Type type, bool isDestination) {
  const auto one = [&](const Operand& e) { return isDestination ? destination(e, type) : source(op, e, type); };
  if (o.kind != Operand::Kind::Vector) {
    op.elementCount = 1;
    op.elements[0] = one(o);
    return op.elements[0].present;
  }
  if (o.count > op.elements.size()) return false;
  op.elementCount = o.count;
  for (std::uint32_t k = 0; k < o.count; ++k) {
    op.elements[k] = one(function_.vectorElements[o.index + k]);
    if (!op.elements[k].present) return false;
  }
  return true;
}

}  // namespace warpmill::exec
