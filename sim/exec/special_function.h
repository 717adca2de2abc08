// The special function unit: rcp, rsqrt, sqrt, ex2, lg2, sin, cos and tanh of single-precision numbers with an H200's bits.
// It interpolates: the leading bits of the argument's fraction choose an interval with three coefficients, the remaining bits x give
// c0 + c1 x + c2 x^2, cut to 24 bits. The square comes from a multiplier that leaves out the partial products of the lowest columns.
// Simplified: other GPU generations may have other coefficients.
// Source: structure after Oberman and Siu, "A High-Performance Area-Efficient Multifunction Interpolator" (2005); width of the squarer and
// coefficients from measurements on an H200.
#pragma once

#include "exec/float_bits.h"
#include "exec/special_function_tables.h"

namespace warpmill::exec::WM_ISA {

// x^2 from the partial products x_i x_j 2^(i+j) of column `column` and higher, in units of 2^column.
// Without branches, since the bits of x are as good as random.
template <unsigned bits, unsigned column> inline u64 cutSquare(u32 x) {
  static_assert(2 * bits - column < 32);
  u32 sum = 0;
#pragma GCC unroll 32
  for (unsigned i = 0; i < bits; ++i) {
    const u32 on = 0u - (x >> i & 1);
    // Pairs (i, j) with j > i count twice, so their column is i + j + 1.
    const unsigned from = column > 2 * i + 1 ? column - i - 1 : i + 1;
    u32 term = 2 * i >= column ? u32{1} << (2 * i >= column ? 2 * i - column : 0) : 0;
    if (from < bits) term += x >> from << (from + i + 1 - column);
    sum += term & on;
  }
  return sum;
}

// The 24-bit result for a 23-bit fraction.
template <unsigned indexBits, unsigned column> inline u32 interpolate(const SfuInterval* table, u32 fraction) {
  constexpr unsigned rest = 23 - indexBits;
  const SfuInterval& t = table[fraction >> rest];
  const u32 x = fraction & ((1u << rest) - 1);
  return static_cast<u32>((t.c0 + t.c1 * static_cast<s64>(x) + t.c2 * static_cast<s64>(cutSquare<rest, column>(x))) >> 34);
}

// mantissa * 2^exponent, rounded to nearest where it is subnormal.
inline float scaled(u32 mantissa, int exponent) { return static_cast<float>(static_cast<double>(mantissa) * asF64(static_cast<u64>(exponent + 1023) << 52)); }

struct Parts { u32 fraction; int exponent; };
inline Parts partsOf(float magnitude) {  // of a finite, non-zero number; subnormals are normalised first
  const u32 b = bitsOf(magnitude);
  if (b >= 0x00800000u) return {b & 0x7FFFFFu, static_cast<int>(b >> 23) - 127};
  const u32 up = bitsOf(magnitude * 0x1p24f);
  return {up & 0x7FFFFFu, static_cast<int>(up >> 23) - 151};
}

inline float sfuReciprocal(float a) {
  const u32 sign = bitsOf(a) & 0x80000000u, magnitude = bitsOf(a) & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return asF32(nan32);
  if (magnitude == 0x7F800000u) return asF32(sign);
  if (magnitude == 0) return asF32(sign | 0x7F800000u);
  const Parts p = partsOf(asF32(magnitude));
  const float r = p.fraction == 0 ? scaled(1, -p.exponent) : scaled(interpolate<7, 17>(reciprocalTable, p.fraction), -p.exponent - 24);
  return asF32(bitsOf(r) | sign);
}

inline float sfuRsqrt(float a) {
  const u32 b = bitsOf(a), magnitude = b & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return asF32(nan32);
  if (magnitude == 0) return asF32((b & 0x80000000u) | 0x7F800000u);
  if ((b & 0x80000000u) != 0) return asF32(nan32);
  if (magnitude == 0x7F800000u) return 0.0f;
  const Parts p = partsOf(a);
  if ((p.exponent & 1) != 0) return scaled(interpolate<6, 19>(rsqrtTable2, p.fraction), -(p.exponent - 1) / 2 - 24);
  return p.fraction == 0 ? scaled(1, -p.exponent / 2) : scaled(interpolate<6, 19>(rsqrtTable, p.fraction), -p.exponent / 2 - 24);
}

inline float sfuSqrt(float a) {
  const u32 b = bitsOf(a);
  if ((b & 0x7FFFFFFFu) == 0 || b == 0x7F800000u) return a;
  if (a != a || (b & 0x80000000u) != 0) return asF32(nan32);
  const Parts p = partsOf(a);
  if ((p.exponent & 1) != 0) return scaled(interpolate<6, 19>(sqrtTable2, p.fraction), (p.exponent - 1) / 2 - 23);
  return scaled(p.fraction == 0 ? 1u << 23 : interpolate<6, 19>(sqrtTable, p.fraction), p.exponent / 2 - 23);
}

inline float cutToFloat(u64 magnitude, double unit) {
  const int length = 64 - std::countl_zero(magnitude);
  if (length > 24) magnitude = magnitude >> (length - 24) << (length - 24);
  return static_cast<float>(static_cast<double>(magnitude) * unit);
}

// Exponent plus the interpolated logarithm of the mantissa, a fixed-point number with 36 bits behind the point, cut to 24 bits; a
// negative one is complemented. Of a normal number or a special one.
inline float sfuLog2(float a) {
  const u32 b = bitsOf(a);
  if (a != a) return asF32(nan32);
  if ((b & 0x7FFFFFFFu) == 0) return asF32(0xFF800000u);
  if ((b & 0x80000000u) != 0) return asF32(nan32);
  if (b == 0x7F800000u) return a;
  const Parts p = partsOf(a);
  if (p.fraction == 0 && p.exponent == 0) return 0.0f;
  const SfuInterval& t = log2Table[p.fraction >> 17];
  const u32 x = p.fraction & 0x1FFFFu;
  const s64 sum = (t.c0 + t.c1 * static_cast<s64>(x) + t.c2 * static_cast<s64>(cutSquare<17, 19>(x))) >> 20;
  const s64 total = static_cast<s64>(p.exponent) * (s64{1} << 36) + sum;
  const float r = cutToFloat(static_cast<u64>(total < 0 ? ~total : total), 0x1p-36);
  return total < 0 ? -r : r;
}

// sin(a + quarters * pi / 2). The argument in revolutions is a product cut to single precision, so that a large one loses its fraction;
// of it 25 bits behind the point count: two for the quadrant, 23 for the place in it, complemented in every second quadrant.
inline float sfuSine(float a, u32 quarters) {
  if (!(std::fabs(a) < HUGE_VALF)) return asF32(nan32);
  const double product = std::fabs(static_cast<double>(a)) * static_cast<double>(0.15915493667125701904f);
  const double turns = static_cast<double>(asF32(roundToSmall(product, 23, 8, Round::Zero, nan32)));
  const u32 place = static_cast<u32>((turns - std::floor(turns)) * 0x1p25) & 0x1FFFFFFu;
  const bool negative = std::signbit(a) && quarters == 0;  // the cosine is even
  const u32 quadrant = ((place >> 23) + quarters) & 3;
  const u32 r = (quadrant & 1) != 0 ? ~place & 0x7FFFFFu : place & 0x7FFFFFu;
  const SfuInterval& t = sineTable[r >> 17];
  const u32 x = r & 0x1FFFFu;
  const s64 sum = (t.c0 + t.c1 * static_cast<s64>(x) + t.c2 * static_cast<s64>(cutSquare<17, 19>(x))) >> 20;
  const float v = cutToFloat(static_cast<u64>(sum > 0 ? sum : 0), 0x1p-37);
  return (quadrant >= 2) != negative ? -v : v;
}

// The unit works on a fixed-point number with 23 bits behind the point; a negative one that is not whole is the complement of its
// magnitude's bits, which is one too low.
inline float sfuExp2(float a) {
  if (a != a) return asF32(nan32);
  if (a >= 128.0f) return asF32(0x7F800000u);
  if (a < -252.0f) return 0.0f;
  const s64 magnitude = static_cast<s64>(std::fabs(static_cast<double>(a)) * 0x1p23);
  const s64 bits = !(a < 0.0f) ? magnitude : (magnitude & 0x7FFFFF) != 0 ? ~magnitude : -magnitude;
  const u32 fraction = static_cast<u32>(bits & 0x7FFFFF);
  const int exponent = static_cast<int>(bits >> 23);
  return fraction == 0 ? scaled(1, exponent) : scaled(interpolate<6, 19>(exp2Table, fraction), exponent - 23);
}

// Below 2^-8 tanh gives its argument, from 8 on one. Between them 17 bits of the fraction behind the interval's number count.
inline float sfuTanh(float a) {
  const u32 sign = bitsOf(a) & 0x80000000u, magnitude = bitsOf(a) & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return asF32(nan32);
  if (magnitude < 0x3B800000u) return a;
  if (magnitude >= 0x41000000u) return asF32(sign | 0x3F800000u);
  constexpr u8 indexBits[11] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3}, first[11] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
  const u32 octave = (magnitude >> 23) - 119, n = indexBits[octave], fraction = magnitude & 0x7FFFFFu;
  const SfuInterval& t = tanhTable[first[octave] + (fraction >> (23 - n))];
  const u32 x = fraction >> (6 - n) & 0x1FFFFu;
  const s64 sum = t.c0 + t.c1 * static_cast<s64>(x) + t.c2 * static_cast<s64>(cutSquare<17, 19>(x));
  return asF32(bitsOf(cutToFloat(static_cast<u64>(sum), 0x1p-40)) | sign);
}

}  // namespace warpmill::exec::WM_ISA
