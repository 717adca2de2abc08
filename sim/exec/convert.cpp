// cvt: between integers, f16, bf16, tf32, f32 and f64, with every rounding and .sat, and the packed forms.
// A few common pairs have vectorised handlers; the rest goes lane by lane through one general conversion.
// Source: PTX ISA 9.0, 9.7.9 "cvt".
#include "exec/float_bits.h"
#include "exec/rounding.h"

#include <optional>

namespace warpmill::exec::WM_ISA {
namespace {

using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

Round roundOf(Rounding r) {
  switch (r) {
    case Rounding::Rz: case Rounding::Rzi: return Round::Zero;
    case Rounding::Rm: case Rounding::Rmi: return Round::Down;
    case Rounding::Rp: case Rounding::Rpi: return Round::Up;
    case Rounding::Rna: return Round::NearestAway;
    default: return Round::Nearest;
  }
}
bool isIntegerRounding(Rounding r) { return r == Rounding::Rni || r == Rounding::Rzi || r == Rounding::Rmi || r == Rounding::Rpi; }

double toIntegral(double v, Round mode) {
  switch (mode) {
    case Round::Zero: return std::trunc(v);
    case Round::Down: return std::floor(v);
    case Round::Up: return std::ceil(v);
    default: {
      const double below = std::floor(v), rest = v - below;  // exact: |v| < 2^52 where rest is not zero
      if (rest != 0.5) return std::copysign(rest > 0.5 ? below + 1 : below, v);
      return std::copysign(std::fmod(below, 2.0) == 0 ? below : below + 1, v);
    }
  }
}

struct IntegerRange { bool isSigned; u32 bits; };
IntegerRange rangeOf(Type t) { return {ptx::isSigned(t), 8 * ptx::sizeBytes(t)}; }

s64 signExtended(u64 v, u32 bits) { return bits == 64 ? static_cast<s64>(v) : static_cast<s64>(v << (64 - bits)) >> (64 - bits); }
u64 truncated(u64 v, u32 bits) { return bits == 64 ? v : v & ((u64{1} << bits) - 1); }

u64 integerToInteger(u64 v, Type from, Type to, bool sat) {
  const IntegerRange f = rangeOf(from), t = rangeOf(to);
  if (!sat) return static_cast<u64>(f.isSigned ? signExtended(v, f.bits) : static_cast<s64>(truncated(v, f.bits)));
  const __int128_t value = f.isSigned ? static_cast<__int128_t>(signExtended(v, f.bits)) : static_cast<__int128_t>(truncated(v, f.bits));
  const __int128_t one = 1;
  const __int128_t low = t.isSigned ? -(one << (t.bits - 1)) : 0, high = t.isSigned ? (one << (t.bits - 1)) - 1 : (one << t.bits) - 1;
  return static_cast<u64>(value < low ? low : value > high ? high : value);
}

// Out of range clamps; NaN gives 0, or the top bit alone where a 64-bit type is on either side.
u64 floatToInteger(double v, Type from, Type to, Round mode) {
  const IntegerRange t = rangeOf(to);
  if (v != v) return from == Type::F64 || t.bits == 64 ? u64{1} << (t.bits - 1) : 0;
  const double r = toIntegral(v, mode);
  if (t.isSigned) {
    const double limit = std::ldexp(1.0, static_cast<int>(t.bits) - 1);
    if (r >= limit) return (u64{1} << (t.bits - 1)) - 1;
    if (r < -limit) return static_cast<u64>(-1) << (t.bits - 1);
    return static_cast<u64>(static_cast<s64>(r));
  }
  const double limit = std::ldexp(1.0, static_cast<int>(t.bits));
  if (r >= limit) return truncated(~u64{0}, t.bits);
  if (r <= 0) return 0;
  return static_cast<u64>(r);
}

// An exact double, or one rounded to odd, that stands for the integer in any later rounding to 24 bits or fewer.
double integerToOdd(u64 v, Type from) {
  const IntegerRange f = rangeOf(from);
  const bool negative = f.isSigned && signExtended(v, f.bits) < 0;
  u64 magnitude = f.isSigned ? static_cast<u64>(signExtended(v, f.bits)) : truncated(v, f.bits);
  if (negative) magnitude = 0 - magnitude;
  if (magnitude >> 53 != 0) {
    const u64 low = magnitude & 0xFFF;
    magnitude = (magnitude & ~u64{0xFFF}) | (low != 0 ? 0x1000 : 0);  // sticky bit: 64 - 12 = 52 bits are left
  }
  const double d = static_cast<double>(magnitude);
  return negative ? -d : d;
}

u64 fromDouble(double v, Type to, Round mode, bool ftz, bool sat) {
  if (sat) v = saturate01(v);
  switch (to) {
    case Type::F16: return toF16(v, mode);
    case Type::BF16: return toBf16(v, mode);
    case Type::TF32: return v != v ? 0x7FFFE000u : roundToSmall(v, 10, 8, mode, 0x3FFFF) << 13;
    case Type::F32:
      if (ftz && isTiny(v, mode)) return std::signbit(v) ? 0x80000000u : 0;
      return roundToSmall(v, 23, 8, mode, nan32);
    default: return bitsOf(v);
  }
}
// NaNs that hardware hands on instead of making them canonical: to and from f64, bf16 to f32 (unless .ftz), and .rna to tf32. A
// conversion of f32 or f64 to itself that changes nothing is a move.
std::optional<u64> keptNan(const ptx::Modifiers& m, u64 v) {
  const Type to = m.type, from = m.sourceType;
  if (m.sat) return std::nullopt;
  if (to == from && m.rounding == Rounding::None && !m.ftz && (to == Type::F32 || to == Type::F64)) return v;
  if (from == Type::F64 && (v & 0x7FFFFFFFFFFFFFFFull) > 0x7FF0000000000000ull) {
    const u64 sign = v >> 63;
    if (to == Type::F64) return v | 0x0008000000000000ull;
    if (to == Type::F32) return sign << 31 | 0x7FC00000u | (v >> 29 & 0x3FFFFF);
    if (to == Type::F16) return sign << 15 | 0x7E00u | (v >> 42 & 0x1FF);
    if (to == Type::BF16) return sign << 15 | 0x7FC0u | (v >> 45 & 0x3F);
  }
  if (from == Type::F32 && (v & 0x7FFFFFFFu) > 0x7F800000u) {
    if (to == Type::F64 && !m.ftz) return (v >> 31) << 63 | 0x7FF8000000000000ull | (v & 0x3FFFFF) << 29;
    if (to == Type::TF32 && m.rounding == Rounding::Rna) return (v & 0xFFFFE000u) - (m.satfinite ? 0x2000u : 0u);
  }
  if (from == Type::F16 && to == Type::F64 && (v & 0x7FFF) > 0x7C00) return (v >> 15 & 1) << 63 | 0x7FF8000000000000ull | (v & 0x1FF) << 42;
  if (from == Type::BF16 && (v & 0x7FFF) > 0x7F80) {
    if (to == Type::F32 && !m.ftz) return (v & 0xFFFF) << 16;
    if (to == Type::F64) return (v >> 15 & 1) << 63 | 0x7FF8000000000000ull | (v & 0x3F) << 45;
  }
  return std::nullopt;
}
double toDouble(u64 v, Type from, bool ftz) {
  switch (from) {
    case Type::F16: return static_cast<double>(fromF16(static_cast<u16>(v)));
    case Type::BF16: return static_cast<double>(fromBf16(static_cast<u16>(v)));
    case Type::F32: case Type::TF32: return static_cast<double>(ftz ? flush(asF32(static_cast<u32>(v))) : asF32(static_cast<u32>(v)));
    default: return asF64(v);
  }
}
bool isFloatType(Type t) { return t == Type::F16 || t == Type::BF16 || t == Type::F32 || t == Type::F64 || t == Type::TF32; }
bool isIntegerType(Type t) {
  return t == Type::U8 || t == Type::S8 || t == Type::U16 || t == Type::S16 || t == Type::U32 || t == Type::S32 || t == Type::U64 || t == Type::S64;
}

// .satfinite: the largest finite number instead of infinity.
u64 largestFinite(u64 r, Type t) {
  const u64 infinity = t == Type::F16 ? 0x7C00 : t == Type::BF16 ? 0x7F80 : 0x7F800000, last = t == Type::TF32 ? 0x2000 : 1;
  const u64 sign = u64{1} << (8 * ptx::sizeBytes(t) - 1);
  return (r & ~sign) == infinity ? r - last : r;
}

u64 convertValue(const ptx::Modifiers& m, u64 v) {
  const Type to = m.type, from = m.sourceType;
  if (isIntegerType(to)) {
    if (isIntegerType(from)) return integerToInteger(v, from, to, m.sat);
    return floatToInteger(toDouble(v, from, m.ftz), from, to, roundOf(m.rounding));
  }
  const Round mode = roundOf(m.rounding);
  if (isIntegerType(from)) {
    if (to == Type::F64) {
      const IntegerRange f = rangeOf(from);
      const double d = integerToDouble(f.isSigned ? static_cast<u64>(signExtended(v, f.bits)) : truncated(v, f.bits), f.isSigned, static_cast<int>(mode));
      return bitsOf(m.sat ? saturate01(d) : d);
    }
    return fromDouble(integerToOdd(v, from), to, mode, m.ftz, m.sat);
  }
  if (const auto kept = keptNan(m, v)) return *kept;
  double d = toDouble(v, from, m.ftz && to != Type::F16);
  if (d != d && to == Type::F64) return m.sat ? 0 : 0x7FFFFFFFE0000000ull;
  if (isIntegerRounding(m.rounding)) d = toIntegral(d, mode);
  u64 r = fromDouble(d, to, mode, m.ftz, m.sat);
  if (m.satfinite) r = largestFinite(r, to);
  if (m.relu && (r >> (8 * ptx::sizeBytes(to) - 1) & 1) != 0) r = 0;
  return r;
}

void convertLanes(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Modifiers& m = op.instruction->mods;
  const u32 bits = 8 * ptx::sizeBytes(m.type);
  const bool extend = ptx::isSigned(m.type) && op.dst.bits > bits;
  eachLane(mask, [&](unsigned i) {
    const u64 r = convertValue(m, getBits(x, op.a, i));
    putBits(x, op.dst, i, extend ? static_cast<u64>(signExtended(r, bits)) : truncated(r, bits));
  });
}
// cvt.f16x2.f32 d, a, b: a becomes the upper half.
void convertPair(Exec& x, const Op& op, LaneMask mask) {
  ptx::Modifiers m = op.instruction->mods;
  m.type = m.type == Type::F16x2 ? Type::F16 : Type::BF16;
  eachLane(mask, [&](unsigned i) {
    const u64 high = convertValue(m, getBits(x, op.a, i)), low = convertValue(m, getBits(x, op.b, i));
    x.at(op.dst)[i] = static_cast<u32>(high << 16 | low);
  });
}

struct Convert32to64 { s64 operator()(s32 v) const { return v; } };
struct Convert32toU64 { u64 operator()(u32 v) const { return v; } };
struct Convert64to32 { u32 operator()(u64 v) const { return static_cast<u32>(v); } };
struct ConvertS32toF { float operator()(s32 v) const { return static_cast<float>(v); } };
struct ConvertU32toF { float operator()(u32 v) const { return static_cast<float>(v); } };
struct ConvertHtoF { float operator()(u16 v) const { return fromF16(v); } };
struct ConvertFtoD {
  double operator()(float v) const {
    const u64 b = bitsOf(v);
    return v == v ? static_cast<double>(v) : asF64((b >> 31) << 63 | 0x7FF8000000000000ull | (b & 0x3FFFFF) << 29);
  }
};

}  // namespace

Handler convertHandler(const ptx::Instruction& in) {
  if (in.opcode != Opcode::Cvt) return nullptr;
  const ptx::Modifiers& m = in.mods;
  if (m.pack) return nullptr;
  if ((m.type == Type::F16x2 || m.type == Type::BF16x2) && m.sourceType == Type::F32 && in.operands.size() == 3) return &convertPair;
  const bool known = (isFloatType(m.type) || isIntegerType(m.type)) && (isFloatType(m.sourceType) || isIntegerType(m.sourceType));
  return known ? &convertLanes : nullptr;
}

// For registers exactly as wide as their types (the decoder asks only then).
Handler fastConvertHandler(const ptx::Modifiers& m) {
  if (m.sat || m.ftz || m.relu) return nullptr;
  const Type to = m.type, from = m.sourceType;
  const bool to32 = to == Type::U32 || to == Type::S32, to64 = to == Type::U64 || to == Type::S64;
  if (to64 && from == Type::S32) return &unary<s64, s32, Convert32to64>;
  if (to64 && from == Type::U32) return &unary<u64, u32, Convert32toU64>;
  if (to32 && (from == Type::U64 || from == Type::S64)) return &unary<u32, u64, Convert64to32>;
  if (to == Type::F32 && m.rounding == Rounding::Rn && from == Type::S32) return &unary<float, s32, ConvertS32toF>;
  if (to == Type::F32 && m.rounding == Rounding::Rn && from == Type::U32) return &unary<float, u32, ConvertU32toF>;
  if (to == Type::F32 && from == Type::F16) return &unary<float, u16, ConvertHtoF>;
  if (to == Type::F64 && from == Type::F32) return &unary<double, float, ConvertFtoD>;
  return nullptr;
}

}  // namespace warpmill::exec::WM_ISA
