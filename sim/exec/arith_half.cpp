// 16-bit floating point: add, sub, mul, fma, min, max, abs, neg on f16, bf16 and their packed pairs.
// Sums and products are formed exactly (or rounded to odd) in double precision and rounded once.
// Source: PTX ISA 9.0, 9.7.4.
#include "exec/float_bits.h"

namespace warpmill::exec::WM_ISA {
namespace {

using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

struct F16 {
  static constexpr u16 nan = 0x7FFF, smallestNormal = 0x0400, one = 0x3C00;
  static constexpr double tinyBelow = 0x1p-14 - 0x1p-26;
  static double read(u16 h) { return static_cast<double>(fromF16(h)); }
  static u16 write(double v) { return toF16(v); }
};
struct BF16 {
  static constexpr u16 nan = 0x7FFF, smallestNormal = 0x0080, one = 0x3F80;
  static constexpr double tinyBelow = 0x1p-126 - 0x1p-135;
  static double read(u16 h) { return static_cast<double>(fromBf16(h)); }
  static u16 write(double v) { return toBf16(v); }
};

struct AddH { static double apply(double a, double b, double) { return addToOdd(a, b); } };
struct SubH { static double apply(double a, double b, double) { return addToOdd(a, -b); } };
struct MulH { static double apply(double a, double b, double) { return a * b; } };
struct FmaH { static double apply(double a, double b, double c) { return addToOdd(a * b, c); } };

template <class T> u16 flushHalf(u16 h) { return (h & 0x7FFF) < T::smallestNormal ? static_cast<u16>(h & 0x8000) : h; }

// fma.oob: a factor with these bits, of either sign, was read beyond a tensor's border; the result is zero.
inline constexpr u16 outOfBoundsNan = 0x7FF7;

template <class T, class F> struct Arithmetic {
  u16 operator()(const ptx::Modifiers& m, u16 a, u16 b, u16 c) const {
    if (m.oob && ((a & 0x7FFF) == outOfBoundsNan || (b & 0x7FFF) == outOfBoundsNan)) return 0;
    if (m.ftz) a = flushHalf<T>(a), b = flushHalf<T>(b), c = flushHalf<T>(c);
    const double v = F::apply(T::read(a), T::read(b), T::read(c));
    u16 r = T::write(v);
    if (m.ftz && std::fabs(v) < T::tinyBelow) r &= 0x8000;  // tiny after rounding with an unbounded exponent
    if (m.sat) r = v != v || (r & 0x8000) != 0 ? 0 : r > T::one ? T::one : r;
    if (m.relu && (r & 0x8000) != 0) r = 0;
    return r;
  }
};
template <class T, bool largest> struct Extreme {
  u16 operator()(const ptx::Modifiers& m, u16 a, u16 b, u16) const {
    if (m.ftz) a = flushHalf<T>(a), b = flushHalf<T>(b);
    u16 sign = 0;
    if (m.xorsign) {
      sign = (a ^ b) & 0x8000;
      a &= 0x7FFF;
      b &= 0x7FFF;
    }
    const double x = T::read(a), y = T::read(b);
    if (x != x || y != y) {
      if (m.nan || (x != x && y != y)) return T::nan;
      return static_cast<u16>((x != x ? b : a) | sign);
    }
    if (x == y) return static_cast<u16>((largest ? a & b : a | b) | sign);
    return static_cast<u16>(((x > y) == largest ? a : b) | sign);
  }
};
template <class T, bool negate> struct Sign {  // abs, neg
  u16 operator()(const ptx::Modifiers& m, u16 a, u16, u16) const {
    if (T::read(a) != T::read(a)) return T::nan;
    const u16 v = m.ftz ? flushHalf<T>(a) : a;
    return negate ? v ^ 0x8000 : v & 0x7FFF;
  }
};

template <class F, bool pair> void executeHalf(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Modifiers& m = op.instruction->mods;
  u32* d = x.at(op.dst);
  const u32 *a = x.at(op.a), *b = op.b.present ? x.at(op.b) : a, *c = op.c.present ? x.at(op.c) : a;
  eachLane(mask, [&](unsigned i) {
    const u32 p = a[i], q = b[i], r = c[i];
    u32 v = F{}(m, static_cast<u16>(p), static_cast<u16>(q), static_cast<u16>(r));
    if constexpr (pair) v |= u32{F{}(m, static_cast<u16>(p >> 16), static_cast<u16>(q >> 16), static_cast<u16>(r >> 16))} << 16;
    d[i] = v;
  });
}

// a * b + c of an addition that takes in a product; aux says which of the two is negated (decode_registers.cpp).
template <class T, bool pair> void executeFusedHalf(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Modifiers& m = op.instruction->mods;
  u32* d = x.at(op.dst);
  const u32 *a = x.at(op.a), *b = x.at(op.b), *c = x.at(op.c);
  constexpr u32 signs = pair ? 0x80008000u : 0x8000u;
  const u32 product = (op.aux & 1) != 0 ? signs : 0, other = (op.aux & 2) != 0 ? signs : 0;
  eachLane(mask, [&](unsigned i) {
    const u32 p = a[i] ^ product, q = b[i], r = c[i] ^ other;
    constexpr Arithmetic<T, FmaH> fma{};
    u32 v = fma(m, static_cast<u16>(p), static_cast<u16>(q), static_cast<u16>(r));
    if constexpr (pair) v |= u32{fma(m, static_cast<u16>(p >> 16), static_cast<u16>(q >> 16), static_cast<u16>(r >> 16))} << 16;
    d[i] = v;
  });
}

template <class T, bool pair> Handler choose(const ptx::Instruction& in) {
  switch (in.opcode) {
    case Opcode::Add: return &executeHalf<Arithmetic<T, AddH>, pair>;
    case Opcode::Sub: return &executeHalf<Arithmetic<T, SubH>, pair>;
    case Opcode::Mul: return &executeHalf<Arithmetic<T, MulH>, pair>;
    case Opcode::Fma: return &executeHalf<Arithmetic<T, FmaH>, pair>;
    case Opcode::Min: return &executeHalf<Extreme<T, false>, pair>;
    case Opcode::Max: return &executeHalf<Extreme<T, true>, pair>;
    case Opcode::Abs: return &executeHalf<Sign<T, false>, pair>;
    case Opcode::Neg: return &executeHalf<Sign<T, true>, pair>;
    default: return nullptr;
  }
}

}  // namespace

Handler fusedHalfHandler(const ptx::Instruction& in) {
  switch (in.mods.type) {
    case Type::F16: return &executeFusedHalf<F16, false>;
    case Type::F16x2: return &executeFusedHalf<F16, true>;
    case Type::BF16: return &executeFusedHalf<BF16, false>;
    case Type::BF16x2: return &executeFusedHalf<BF16, true>;
    default: return nullptr;
  }
}

Handler halfHandler(const ptx::Instruction& in) {
  const Rounding r = in.mods.rounding;
  if (r != Rounding::None && r != Rounding::Rn) return nullptr;
  switch (in.mods.type) {
    case Type::F16: return choose<F16, false>(in);
    case Type::F16x2: return choose<F16, true>(in);
    case Type::BF16: return choose<BF16, false>(in);
    case Type::BF16x2: return choose<BF16, true>(in);
    default: return nullptr;
  }
}

}  // namespace warpmill::exec::WM_ISA
