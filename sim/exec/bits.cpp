// Logic, shifts and bit fields: and, or, xor, not, cnot, shl, shr, shf, lop3, prmt, bfe, bfi, bfind, brev, clz, popc, fns, bmsk, szext; and
// the same on predicates.
// Source: PTX ISA 9.0, 9.7.1 and 9.7.8.
#include "exec/lanes.h"

#include <limits>

namespace warpmill::exec::WM_ISA {
namespace {

using ptx::Opcode;
using ptx::Type;

struct And { template <class T> T operator()(T a, T b) const { return a & b; } };
struct Or { template <class T> T operator()(T a, T b) const { return a | b; } };
struct Xor { template <class T> T operator()(T a, T b) const { return a ^ b; } };
struct Not { template <class T> T operator()(T a) const { return static_cast<T>(~a); } };
struct Cnot { template <class T> T operator()(T a) const { return a == 0 ? T(1) : T(0); } };
// The amount is not taken modulo the width: everything is shifted out.
struct Shl {
  template <class T> T operator()(T a, u32 n) const { return n < 8 * sizeof(T) ? static_cast<T>(static_cast<u64>(a) << (n & 63)) : T(0); }
};
struct Shr {
  template <class T> T operator()(T a, u32 n) const {
    constexpr u32 width = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (n < width ? n : width - 1));
    else return n < width ? static_cast<T>(a >> (n & (width - 1))) : T(0);
  }
};
template <bool left, bool wrapping> struct Funnel {  // b:a, 64 bits
  u32 operator()(u32 a, u32 b, u32 c) const {
    const u32 n = wrapping ? c & 31 : (c < 32 ? c : 32);
    const u64 both = u64{b} << 32 | a;
    return left ? static_cast<u32>((both << n) >> 32) : static_cast<u32>(both >> n);
  }
};

// Hardware takes eight bits of position and length for 32-bit fields, and all bits (clamped) for 64-bit ones.
template <class T> u32 fieldNumber(u32 v) { return sizeof(T) == 4 ? v & 0xFF : (v < 64 ? v : 64); }

template <class T> struct Bfe {
  static constexpr bool scalarOnly = true;
  T operator()(T a, u32 b, u32 c) const {
    constexpr u32 width = 8 * sizeof(T);
    const u32 position = fieldNumber<T>(b), length = fieldNumber<T>(c);
    using U = std::make_unsigned_t<T>;
    if (length == 0) return 0;
    const bool sign = std::is_signed_v<T> && ((static_cast<U>(a) >> (position + length - 1 < width ? position + length - 1 : width - 1)) & 1) != 0;
    U field = position < width ? static_cast<U>(a) >> position : 0;
    const u32 available = position >= width ? 0 : (length < width - position ? length : width - position);
    if (available < width) field &= (U{1} << available) - 1;
    if (sign && available < width) field |= ~((U{1} << available) - 1);
    return static_cast<T>(field);
  }
};
template <class T> T bfi(T a, T b, u32 position, u32 length) {
  constexpr u32 width = 8 * sizeof(T);
  position = fieldNumber<T>(position);
  length = fieldNumber<T>(length);
  if (length == 0 || position >= width) return b;
  const T ones = length >= width ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
  const T mask = static_cast<T>(ones << position);
  return static_cast<T>((b & ~mask) | ((a << position) & mask));
}
template <class T> void executeBfi(Exec& x, const Op& op, LaneMask mask) {
  u32* d = x.at(op.dst);
  const u32 *a = x.at(op.a), *b = x.at(op.b), *c = x.at(op.c), *e = x.at(op.e);
  eachLane(mask, [&](unsigned i) { put<T>(d, i, bfi<T>(get<T>(a, i), get<T>(b, i), c[i], e[i])); });
}

// The most significant bit that is not a sign bit; aux 1 (.shiftamt): how far to shift it to the top.
template <class T> void executeBfind(Exec& x, const Op& op, LaneMask mask) {
  using U = std::make_unsigned_t<T>;
  u32* d = x.at(op.dst);
  const u32* a = x.at(op.a);
  eachLane(mask, [&](unsigned i) {
    const T value = get<T>(a, i);
    U v = static_cast<U>(value);
    if constexpr (std::is_signed_v<T>)
      if (value < 0) v = static_cast<U>(~v);
    const u32 zeros = static_cast<u32>(std::countl_zero(v));
    d[i] = v == 0 ? 0xFFFFFFFFu : op.aux == 1 ? zeros : static_cast<u32>(8 * sizeof(T)) - 1 - zeros;
  });
}
struct Clz { static constexpr bool scalarOnly = true; template <class T> u32 operator()(T a) const { return static_cast<u32>(std::countl_zero(a)); } };
struct Popc { static constexpr bool scalarOnly = true; template <class T> u32 operator()(T a) const { return static_cast<u32>(std::popcount(a)); } };
struct Brev {
  template <class T> T operator()(T v) const {
    u64 r = v;
    r = (r >> 1 & 0x5555555555555555ull) | (r & 0x5555555555555555ull) << 1;
    r = (r >> 2 & 0x3333333333333333ull) | (r & 0x3333333333333333ull) << 2;
    r = (r >> 4 & 0x0F0F0F0F0F0F0F0Full) | (r & 0x0F0F0F0F0F0F0F0Full) << 4;
    r = (r >> 8 & 0x00FF00FF00FF00FFull) | (r & 0x00FF00FF00FF00FFull) << 8;
    r = (r >> 16 & 0x0000FFFF0000FFFFull) | (r & 0x0000FFFF0000FFFFull) << 16;
    r = r >> 32 | r << 32;
    return static_cast<T>(sizeof(T) == 4 ? r >> 32 : r);
  }
};
template <bool wrapping> struct Bmsk {
  u32 operator()(u32 a, u32 b) const {
    const u32 position = wrapping ? a & 31 : (a < 32 ? a : 32), length = wrapping ? b & 31 : (b < 32 ? b : 32);
    return static_cast<u32>(((u64{1} << length) - 1) << position);
  }
};
template <bool isSigned, bool wrapping> struct Szext {
  u32 operator()(u32 a, u32 b) const {
    const u32 n = wrapping ? b & 31 : (b < 32 ? b : 32);
    if (n == 0) return 0;
    const u32 up = a << (32 - n);
    return isSigned ? static_cast<u32>(static_cast<s32>(up) >> (32 - n)) : up >> (32 - n);
  }
};
struct Fns {  // the |n|-th set bit from `base` upwards (downwards for negative n)
  static constexpr bool scalarOnly = true;
  u32 operator()(u32 mask, u32 from, s32 n) const {
    if (n == std::numeric_limits<s32>::min()) return 0;  // it has no magnitude
    if (from > 31) return 0xFFFFFFFFu;
    if (n == 0) return (mask >> from & 1) != 0 ? from : 0xFFFFFFFFu;
    for (s32 i = static_cast<s32>(from), count = 0; i >= 0 && i < 32; i += n > 0 ? 1 : -1)
      if ((mask >> i & 1) != 0 && ++count == (n > 0 ? n : -n)) return static_cast<u32>(i);
    return 0xFFFFFFFFu;
  }
};

void executeLop3(Exec& x, const Op& op, LaneMask mask) {
  u32* d = x.at(op.dst);
  const u32 *a = x.at(op.a), *b = x.at(op.b), *c = x.at(op.c);
  std::array<u32, 8> term{};
  for (u32 k = 0; k < 8; ++k) term[k] = (op.aux >> k & 1) != 0 ? 0xFFFFFFFFu : 0;
  writeLanes<u32>(d, mask, [=](unsigned i) {
    const u32 p = a[i], q = b[i], r = c[i];
    return (~p & ~q & ~r & term[0]) | (~p & ~q & r & term[1]) | (~p & q & ~r & term[2]) | (~p & q & r & term[3]) |
           (p & ~q & ~r & term[4]) | (p & ~q & r & term[5]) | (p & q & ~r & term[6]) | (p & q & r & term[7]);
  });
}

// With .and or .or: also whether any bit of the result is set, combined with a predicate.
void executeLop3Predicate(Exec& x, const Op& op, LaneMask mask) {
  executeLop3(x, op, mask);
  const u32* d = x.at(op.dst);
  const LaneMask any = gatherMask([d](unsigned i) { return d[i] != 0; }), other = x.value(op.predicate);
  x.setPredicate(op.dstPredicate2, op.instruction->mods.boolOp == ptx::BoolOp::And ? any & other : any | other, mask);
}

// aux: 0 the general form, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16.
u32 permute(u32 a, u32 b, u32 c, u32 mode) {
  const u64 bytes = u64{b} << 32 | a;
  const u32 s = c & 3;
  u32 selector = c;
  switch (mode) {
    case 1: selector = s * 0x1111u + 0x3210u; break;
    case 2: { constexpr u32 t[4] = {0x5670, 0x6701, 0x7012, 0x0123}; selector = t[s]; break; }
    case 3: selector = s * 0x1111u; break;
    case 4: { constexpr u32 t[4] = {0x3210, 0x3211, 0x3222, 0x3333}; selector = t[s]; break; }
    case 5: { constexpr u32 t[4] = {0x0000, 0x1110, 0x2210, 0x3210}; selector = t[s]; break; }
    case 6: selector = (s & 1) != 0 ? 0x3232u : 0x1010u; break;
    default: break;
  }
  u32 result = 0;
  for (u32 k = 0; k < 4; ++k) {
    const u32 pick = selector >> (4 * k) & 0xF;
    u32 byte = static_cast<u32>(bytes >> (8 * (pick & 7))) & 0xFF;
    if (mode == 0 && (pick & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
    result |= byte << (8 * k);
  }
  return result;
}
void executePrmt(Exec& x, const Op& op, LaneMask mask) {
  u32* d = x.at(op.dst);
  const u32 *a = x.at(op.a), *b = x.at(op.b), *c = x.at(op.c);
  eachLane(mask, [&](unsigned i) { d[i] = permute(a[i], b[i], c[i], op.aux); });
}

template <class F> void onPredicates(Exec& x, const Op& op, LaneMask mask) {
  x.setPredicate(op.dstPredicate, F{}(x.value(op.predicate), x.value(op.predicate2)), mask);
}
void notPredicate(Exec& x, const Op& op, LaneMask mask) { x.setPredicate(op.dstPredicate, ~x.value(op.predicate), mask); }

template <class F> Handler logic(Type type) {
  if (type == Type::Pred) return &onPredicates<F>;
  return forBits(type, [](auto t) -> Handler { using T = typename decltype(t)::type; return &binary<T, T, T, F>; });
}
template <class F> Handler countBits(Type type) {
  return ptx::sizeBytes(type) == 8 ? &unary<u32, u64, F> : &unary<u32, u32, F>;
}
Handler findBit(Type type) {
  return forInteger(type, [](auto g) -> Handler { using T = typename decltype(g)::type; return &executeBfind<T>; });
}

}  // namespace

Handler bitHandler(const ptx::Instruction& in) {
  const ptx::Modifiers& m = in.mods;
  const Type t = m.type;
  switch (in.opcode) {
    case Opcode::And: return logic<And>(t);
    case Opcode::Or: return logic<Or>(t);
    case Opcode::Xor: return logic<Xor>(t);
    case Opcode::Not:
      if (t == Type::Pred) return &notPredicate;
      return forBits(t, [](auto g) -> Handler { using T = typename decltype(g)::type; return &unary<T, T, Not>; });
    case Opcode::Cnot:
      return forBits(t, [](auto g) -> Handler { using T = typename decltype(g)::type; return &unary<T, T, Cnot>; });
    case Opcode::Shl:
      return forBits(t, [](auto g) -> Handler { using T = typename decltype(g)::type; return &binary<T, T, u32, Shl>; });
    case Opcode::Shr:
      return forInteger(t, [](auto g) -> Handler { using T = typename decltype(g)::type; return &binary<T, T, u32, Shr>; });
    case Opcode::Shf:
      if (m.left) return m.wrap ? &ternary<u32, u32, u32, u32, Funnel<true, true>> : &ternary<u32, u32, u32, u32, Funnel<true, false>>;
      return m.wrap ? &ternary<u32, u32, u32, u32, Funnel<false, true>> : &ternary<u32, u32, u32, u32, Funnel<false, false>>;
    case Opcode::Lop3: return m.boolOp == ptx::BoolOp::None ? &executeLop3 : m.boolOp == ptx::BoolOp::Xor ? nullptr : &executeLop3Predicate;
    case Opcode::Prmt: return &executePrmt;
    case Opcode::Bfe:
      switch (t) {
        case Type::U32: return &ternary<u32, u32, u32, u32, Bfe<u32>>;
        case Type::S32: return &ternary<s32, s32, u32, u32, Bfe<s32>>;
        case Type::U64: return &ternary<u64, u64, u32, u32, Bfe<u64>>;
        case Type::S64: return &ternary<s64, s64, u32, u32, Bfe<s64>>;
        default: return nullptr;
      }
    case Opcode::Bfi: return ptx::sizeBytes(t) == 8 ? &executeBfi<u64> : &executeBfi<u32>;
    case Opcode::Bfind: return findBit(t);
    case Opcode::Brev: return ptx::sizeBytes(t) == 8 ? &unary<u64, u64, Brev> : &unary<u32, u32, Brev>;
    case Opcode::Clz: return countBits<Clz>(t);
    case Opcode::Popc: return countBits<Popc>(t);
    case Opcode::Fns: return &ternary<u32, u32, u32, s32, Fns>;
    case Opcode::Bmsk: return m.wrap ? &binary<u32, u32, u32, Bmsk<true>> : &binary<u32, u32, u32, Bmsk<false>>;
    case Opcode::Szext:
      if (t == Type::S32) return m.wrap ? &binary<u32, u32, u32, Szext<true, true>> : &binary<u32, u32, u32, Szext<true, false>>;
      return m.wrap ? &binary<u32, u32, u32, Szext<false, true>> : &binary<u32, u32, u32, Szext<false, false>>;
    default: return nullptr;
  }
}

}  // namespace warpmill::exec::WM_ISA
