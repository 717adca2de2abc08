// Floating-point building blocks that give the GPU's bits on any host: canonical NaNs, flushing of subnormals, an exact fma without
// FMA hardware, conversions to and from the 16-bit formats.
// Included by translation units that are compiled once per instruction set, hence namespace WM_ISA.
// Source: PTX ISA 9.0, 9.7.3 (rounding, .ftz, .sat, NaN).
#pragma once

#include "exec/lanes.h"

#include <cmath>

namespace warpmill::exec::WM_ISA {

inline float asF32(u32 bits) { return std::bit_cast<float>(bits); }
inline u32 bitsOf(float v) { return std::bit_cast<u32>(v); }
inline double asF64(u64 bits) { return std::bit_cast<double>(bits); }
inline u64 bitsOf(double v) { return std::bit_cast<u64>(v); }

// A single-precision result that is NaN is always this one.
inline constexpr u32 nan32 = 0x7FFFFFFFu;
inline float canonical(float v) { return v == v ? v : asF32(nan32); }

// Subnormal to zero of the same sign.
inline float flush(float v) {
  const u32 b = bitsOf(v);
  return asF32((b & 0x7F800000u) == 0 ? b & 0x80000000u : b);
}
template <bool ftz> inline float in(float v) {
  if constexpr (ftz) return flush(v);
  else return v;
}
// To [0, 1]; NaN to +0.
inline float saturate01(float v) { return v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f; }
inline double saturate01(double v) { return v > 0.0 ? (v < 1.0 ? v : 1.0) : 0.0; }
template <bool ftz, bool sat> inline float out(float v) {
  if constexpr (sat) return in<ftz>(saturate01(v));
  else return canonical(in<ftz>(v));
}

// Double precision: an invalid operation gives the default NaN; a NaN operand keeps its payload and becomes quiet. Of several NaNs
// the first in the order of the arguments counts.
inline constexpr u64 nan64 = 0xFFF8000000000000ull;
inline u64 quiet(double v) { return bitsOf(v) | 0x0008000000000000ull; }
inline double nanOf(double result, double first, double second, double third = 0) {
  if (result == result) return result;
  return asF64(first != first ? quiet(first) : second != second ? quiet(second) : third != third ? quiet(third) : nan64);
}

// a + b in double, rounded to odd: rounding that to a format of less than 52 bits equals rounding the exact sum.
inline double addToOdd(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  const double e = (a - (s - t)) + (b - t);  // exact error of s (TwoSum); NaN where s is not finite
  const u64 bits = bitsOf(s);
  const u64 inexact = ((e > 0.0) | (e < 0.0)) ? 1u : 0u;
  const u64 even = (bits & 1u) ^ 1u;
  const u64 away = ((e > 0.0) == (s > 0.0)) ? 1u : ~u64{0};  // magnitude up or down
  return asF64(bits + ((inexact & even) ? away : 0));
}

// Correctly rounded a * b + c. The product of two floats is exact in a double.
inline float fmaExact(float a, float b, float c) {
#ifdef __FMA__
  return std::fma(a, b, c);
#else
  return static_cast<float>(addToOdd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
#endif
}

// a / b in double, rounded to odd. For operands that are floats, so that neither quotient nor remainder leaves a double's range.
inline double divideToOdd(double a, double b) {
  const double q = a / b;
  const double e = std::fma(-q, b, a);  // remainder, exact
  if (!(e > 0.0 || e < 0.0) || (bitsOf(q) & 1u) != 0) return q;
  return asF64(bitsOf(q) + (((e > 0.0) == (b > 0.0)) == (q > 0.0) ? 1u : ~u64{0}));
}

enum class Round : std::uint8_t { Nearest, Zero, Down, Up, NearestAway };

// Does .ftz flush an f32 result whose exact value is v (or is rounded to odd)? Tininess is detected after rounding to 24 bits with an
// unbounded exponent: a value that these 24 bits round up to the smallest normal number is kept.
inline bool isTiny(double v, Round mode) {
  const double magnitude = std::fabs(v);
  if (mode == Round::Nearest || mode == Round::NearestAway) return magnitude < 0x1p-126 - 0x1p-151;
  const bool away = (mode == Round::Up) == (v > 0.0) && mode != Round::Zero;
  return away ? magnitude <= 0x1p-126 - 0x1p-150 : magnitude < 0x1p-126;
}
// Of a product, quotient or fused sum `exact` whose rounded value is `rounded`.
template <bool ftz, bool sat> inline float outOf(float rounded, double exact) {
  if constexpr (!ftz) return out<false, sat>(rounded);
  else {
    const float kept = std::fabs(exact) < 0x1p-126 - 0x1p-151 ? asF32(bitsOf(rounded) & 0x80000000u) : rounded;
    return out<false, sat>(kept);
  }
}

// ---- Formats of 16 bits and others smaller than double ----


// Rounds a double to a small format given by its fraction and exponent bits; the result's bits. Exact for every mode when `v` holds
// the exact value or one rounded to odd. `nan`: the format's NaN.
inline u32 roundToSmall(double v, int fractionBits, int exponentBits, Round mode, u32 nan) {
  const u64 b = bitsOf(v);
  const u32 sign = static_cast<u32>(b >> 63) << (fractionBits + exponentBits);
  const bool negative = (b >> 63) != 0;
  if (v != v) return nan;
  const int bias = (1 << (exponentBits - 1)) - 1;
  const u32 infinity = ((1u << exponentBits) - 1) << fractionBits;
  if ((b & 0x7FFFFFFFFFFFFFFFull) == 0x7FF0000000000000ull) return sign | infinity;
  if ((b & 0x7FFFFFFFFFFFFFFFull) == 0) return sign;
  int exponent = static_cast<int>((b >> 52) & 0x7FF) - 1023;
  u64 mantissa = b & 0xFFFFFFFFFFFFFull;
  if (exponent == -1023) exponent = -1022; else mantissa |= 1ull << 52;
  int drop = 52 - fractionBits;                       // bits below the format's last one
  if (exponent < 1 - bias) drop += 1 - bias - exponent;
  if (drop > 62) { drop = 62; mantissa = mantissa != 0 ? 1 : 0; }
  const u64 kept = mantissa >> drop, rest = mantissa & ((1ull << drop) - 1), half = 1ull << (drop - 1);
  bool up = false;
  switch (mode) {
    case Round::Nearest: up = rest > half || (rest == half && (kept & 1) != 0); break;
    case Round::NearestAway: up = rest >= half; break;
    case Round::Zero: break;
    case Round::Down: up = negative && rest != 0; break;
    case Round::Up: up = !negative && rest != 0; break;
  }
  u64 value = kept + (up ? 1 : 0);
  // `kept` includes the implicit one for normals: adding it to (exponent - 1) carries into the exponent field by itself.
  if (exponent >= 1 - bias) value += static_cast<u64>(exponent + bias - 1) << fractionBits;
  if (value >= infinity) {
    const bool toInfinity = mode == Round::Nearest || mode == Round::NearestAway || (mode == Round::Up && !negative) || (mode == Round::Down && negative);
    return sign | (toInfinity ? infinity : infinity - 1);
  }
  return sign | static_cast<u32>(value);
}

inline constexpr u32 nan16 = 0x7FFFu;
inline u16 toF16(double v, Round mode = Round::Nearest) { return static_cast<u16>(roundToSmall(v, 10, 5, mode, nan16)); }
inline u16 toBf16(double v, Round mode = Round::Nearest) { return static_cast<u16>(roundToSmall(v, 7, 8, mode, nan16)); }
inline float fromF16(u16 h) {
  const u32 sign = static_cast<u32>(h & 0x8000u) << 16, exponent = (h >> 10) & 31u, fraction = h & 0x3FFu;
  if (exponent == 31) return fraction != 0 ? asF32(nan32) : asF32(sign | 0x7F800000u);
  if (exponent == 0) {
    const float v = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -v : v;
  }
  return asF32(sign | (exponent + 112) << 23 | fraction << 13);
}
inline float fromBf16(u16 h) { return asF32(static_cast<u32>(h) << 16); }

}  // namespace warpmill::exec::WM_ISA
