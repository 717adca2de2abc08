// Extended-precision integers: add.cc, addc, sub.cc, subc, mad.cc, madc. The carry flags of a warp are a predicate behind the others.
// Source: PTX ISA 9.0, 9.7.2.
#include "exec/lanes.h"

namespace warpmill::exec::WM_ISA {
namespace {

using ptx::MulPart;
using ptx::Opcode;
using ptx::Type;

// A subtraction adds the complement, so that its flag is "no borrow".
template <class T, bool subtract, bool useCarry, bool setCarry>
void addWithCarry(Exec& x, const Op& op, LaneMask mask) {
  u32* d = x.at(op.dst);
  const u32 *a = x.at(op.a), *b = x.at(op.b);
  LaneMask flags = x.predicates[x.carry];
  eachLane(mask, [&](unsigned i) {
    const T p = get<T>(a, i), q = subtract ? static_cast<T>(~get<T>(b, i)) : get<T>(b, i);
    const T c = useCarry ? static_cast<T>(flags >> i & 1) : static_cast<T>(subtract);
    const T partial = static_cast<T>(p + q), r = static_cast<T>(partial + c);
    const bool over = partial < p || r < partial;
    put<T>(d, i, r);
    if (setCarry) flags = (flags & ~laneBit[i]) | (over ? laneBit[i] : 0);
  });
  x.predicates[x.carry] = flags;
}

template <class T, bool isSigned, bool high, bool useCarry, bool setCarry>
void multiplyWithCarry(Exec& x, const Op& op, LaneMask mask) {
  u32* d = x.at(op.dst);
  const u32 *a = x.at(op.a), *b = x.at(op.b), *e = x.at(op.c);
  LaneMask flags = x.predicates[x.carry];
  eachLane(mask, [&](unsigned i) {
    T product;
    if constexpr (isSigned) {
      using S = std::make_signed_t<T>;
      const auto full = static_cast<__int128_t>(get<S>(a, i)) * get<S>(b, i);
      product = static_cast<T>(high ? full >> (8 * sizeof(T)) : full);
    } else {
      const auto full = static_cast<__uint128_t>(get<T>(a, i)) * get<T>(b, i);
      product = static_cast<T>(high ? full >> (8 * sizeof(T)) : full);
    }
    const T c = useCarry ? static_cast<T>(flags >> i & 1) : T{0};
    const T partial = static_cast<T>(product + get<T>(e, i)), r = static_cast<T>(partial + c);
    const bool over = partial < product || r < partial;
    put<T>(d, i, r);
    if (setCarry) flags = (flags & ~laneBit[i]) | (over ? laneBit[i] : 0);
  });
  x.predicates[x.carry] = flags;
}

template <class T, bool subtract> Handler additive(bool useCarry, bool setCarry) {
  if (useCarry) return setCarry ? &addWithCarry<T, subtract, true, true> : &addWithCarry<T, subtract, true, false>;
  return &addWithCarry<T, subtract, false, true>;
}
template <class T, bool isSigned, bool high> Handler multiplicative(bool useCarry, bool setCarry) {
  if (useCarry) return setCarry ? &multiplyWithCarry<T, isSigned, high, true, true> : &multiplyWithCarry<T, isSigned, high, true, false>;
  return &multiplyWithCarry<T, isSigned, high, false, true>;
}
template <class T> Handler multiplicativeOf(bool isSigned, bool high, bool useCarry, bool setCarry) {
  if (isSigned) return high ? multiplicative<T, true, true>(useCarry, setCarry) : multiplicative<T, true, false>(useCarry, setCarry);
  return high ? multiplicative<T, false, true>(useCarry, setCarry) : multiplicative<T, false, false>(useCarry, setCarry);
}

}  // namespace

Handler carryHandler(const ptx::Instruction& in) {
  const ptx::Modifiers& m = in.mods;
  const bool wide = ptx::sizeBytes(m.type) == 8;
  if (ptx::isFloat(m.type)) return nullptr;
  switch (in.opcode) {
    case Opcode::Add: if (!m.carryOut) return nullptr; [[fallthrough]];
    case Opcode::Addc: {
      const bool use = in.opcode == Opcode::Addc;
      return wide ? additive<u64, false>(use, m.carryOut) : additive<u32, false>(use, m.carryOut);
    }
    case Opcode::Sub: if (!m.carryOut) return nullptr; [[fallthrough]];
    case Opcode::Subc: {
      const bool use = in.opcode == Opcode::Subc;
      return wide ? additive<u64, true>(use, m.carryOut) : additive<u32, true>(use, m.carryOut);
    }
    case Opcode::Mad: if (!m.carryOut) return nullptr; [[fallthrough]];
    case Opcode::Madc: {
      if (m.part == MulPart::Wide) return nullptr;
      const bool use = in.opcode == Opcode::Madc, high = m.part == MulPart::Hi, isSigned = ptx::isSigned(m.type);
      return wide ? multiplicativeOf<u64>(isSigned, high, use, m.carryOut) : multiplicativeOf<u32>(isSigned, high, use, m.carryOut);
    }
    default: return nullptr;
  }
}

}  // namespace warpmill::exec::WM_ISA
