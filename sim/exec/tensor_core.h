// How a tensor core multiplies and adds, for 16 (or 8) rows and 8 columns at a time.
// Floats: the exact products of a group and the accumulator are aligned to the largest exponent among them (of a product: the sum of its
// factors' exponents), cut (toward zero) to so many bits behind the leading one, added as integers, and cut once more to f32 or rounded
// to f16. f16, bf16 and tf32 keep 25 bits and add up to 16 products at once; f8 formats (wgmma) keep 13 bits, in an f32 result too, and add
// 32. mma.sync has no f8 unit on this machine: its f8 operands become f16, those at k % 4 < 2 are added up from zero, then the others, then C
// by a plain addition.
// This gives the bits of an H200 (tests/exec/matrices).
// Simplified: other generations add fewer products at once and keep fewer bits; here all are an H200.
// Source: measured on an H200; PTX ISA 9.0, 9.7.15 (types and rounding left open there).
#pragma once

#include "exec/float_bits.h"

namespace warpmill::exec::WM_ISA {

using ptx::Type;

// Types of D, A, B, C; shape of one product of a warp.
struct ProductSpec {
  Type d = Type::None, a = Type::None, b = Type::None, c = Type::None;
  unsigned m = 0, n = 0, k = 0;
  bool sparse = false;      // A holds half of the k columns: two of four (tf32: one of two; 4-bit: two pairs of four)
  bool saturate = false;    // integers
  bool negateA = false, negateB = false;
  bool halved = false;       // half of k at a time
  bool widenFloat8 = false;  // f8 operands are multiplied as f16, in two halves
};

inline unsigned bitsOf(Type t) {
  switch (t) {
    case Type::B1: return 1;
    case Type::S4: case Type::U4: return 4;
    case Type::S8: case Type::U8: case Type::E4M3: case Type::E5M2: return 8;
    case Type::F16: case Type::BF16: return 16;
    case Type::F64: return 64;
    default: return 32;
  }
}
inline bool isInteger(Type t) { return t == Type::S4 || t == Type::U4 || t == Type::S8 || t == Type::U8; }

// A float taken apart: mantissa * 2^(lead - fraction bits of its format); `lead` is the exponent that the format's leading bit would have.
struct Unpacked {
  s32 mantissa = 0, lead = 0;
  u8 kind = 0;  // 0 finite, 1 infinite, 2 NaN
};
inline constexpr s32 leadOfZero = -10000;
enum : u8 { kindFinite, kindInfinite, kindNan };

// An f8 value as f16: exact.
inline u32 halfOfFloat8(Type type, u32 bits) {
  if (type == Type::E5M2) return bits << 8;
  const u32 sign = (bits & 0x80) << 8, exponent = bits >> 3 & 15, fraction = bits & 7;
  if (exponent == 15 && fraction == 7) return nan16;
  if (exponent != 0) return sign | (exponent + 8) << 10 | fraction << 7;
  if (fraction == 0) return sign;
  const u32 up = fraction >= 4 ? 0 : fraction >= 2 ? 1 : 2;
  return sign | (8 - up) << 10 | ((fraction << (up + 1)) & 7) << 7;
}

inline int fractionOf(Type t) {
  switch (t) {
    case Type::F16: case Type::TF32: return 10;
    case Type::BF16: return 7;
    case Type::E4M3: return 3;
    case Type::E5M2: return 2;
    default: return 23;
  }
}

inline Unpacked unpack(Type type, u32 bits) {
  if (type == Type::TF32) bits >>= 13;  // the low bits of the register are not looked at
  const int fractionBits = fractionOf(type);
  const int exponentBits = type == Type::F16 || type == Type::E5M2 ? 5 : type == Type::E4M3 ? 4 : 8;
  const u32 fraction = bits & ((1u << fractionBits) - 1), top = (1u << exponentBits) - 1, field = bits >> fractionBits & top;
  const bool negative = (bits >> (fractionBits + exponentBits) & 1) != 0;
  Unpacked u;
  if (field == top && (type != Type::E4M3 || fraction == 7)) {
    u.kind = fraction != 0 ? kindNan : kindInfinite;
    u.mantissa = negative ? -1 : 1;
    u.lead = leadOfZero;
    return u;
  }
  const s32 magnitude = static_cast<s32>(field != 0 ? fraction | 1u << fractionBits : fraction);
  u.mantissa = negative ? -magnitude : magnitude;
  u.lead = magnitude == 0 ? leadOfZero : static_cast<s32>(field > 1 ? field : 1) - ((1 << (exponentBits - 1)) - 1);
  return u;
}

// total * 2^exponent as f16 (to nearest) or f32 (cut to `fractionBits` behind the leading one; what is too large is infinite).
// The product is exact in a double: it has fewer than 53 bits.
inline u32 roundedSum(Type type, s64 total, int exponent, int fractionBits) {
  if (total == 0) return 0;
  if (type != Type::F16) {
    const u64 magnitude = static_cast<u64>(total < 0 ? -total : total);
    const int lead = 63 - std::countl_zero(magnitude), field = exponent + lead + 127;
    const u32 sign = total < 0 ? 0x80000000u : 0;
    if (field >= 255) return sign | 0x7F800000u;
    if (field > 0) {
      const u32 fraction = static_cast<u32>(lead > 23 ? magnitude >> (lead - 23) : magnitude << (23 - lead)) & 0x7FFFFFu;
      return sign | static_cast<u32>(field) << 23 | (fraction & ~((1u << (23 - fractionBits)) - 1));
    }
  }
  const u64 scale = static_cast<u64>(exponent + 1023) << 52;  // the exponent is far from a double's limits
  const double value = static_cast<double>(total) * asF64(scale);
  return type == Type::F16 ? toF16(value) : roundToSmall(value, 23, 8, Round::Zero, nan32);
}

// Rows of A and eight columns of B, taken apart once; then one row of results at a time.
class Tile {
 public:
  explicit Tile(const ProductSpec& spec)
      : spec_(spec), depth_(spec.sparse ? spec.k / 2 : spec.k), integer_(isInteger(spec.a)),
        kept_(bitsOf(spec.a) == 8 && !spec.widenFloat8 ? 13 : 25), group_(spec.halved ? spec.k / 2 : bitsOf(spec.a) == 8 && !spec.widenFloat8 ? 32 : 16),
        up_(spec.widenFloat8 ? kept_ - 20 : kept_ - fractionOf(spec.a) - fractionOf(spec.b)) {
    if (!spec.sparse)
      for (unsigned k = 0; k < depth_; ++k) chosen_[0][k] = static_cast<u8>(k);
  }

  // word(row, w): the 32 bits of row `row` that hold elements w * 32 / bits and up.
  template <class Word> void takeRows(unsigned rows, Word word) {
    aSpecial_ = false;
    each(spec_.a, depth_, rows, word, [&](unsigned row, unsigned k, const Unpacked& u) {
      aMantissa_[row][k] = spec_.negateA && !integer_ ? -u.mantissa : u.mantissa;
      aLead_[row][k] = u.lead;
      aKind_[row][k] = u.kind;
      aSpecial_ |= u.kind != kindFinite;
    });
  }
  template <class Word> void takeColumns(Word word) {
    bSpecial_ = false;
    each(spec_.b, spec_.k, 8, word, [&](unsigned column, unsigned k, const Unpacked& u) {
      bMantissa_[k][column] = spec_.negateB && !integer_ ? -u.mantissa : u.mantissa;
      bLead_[k][column] = u.lead;
      bKind_[k][column] = u.kind;
      bSpecial_ |= u.kind != kindFinite;
    });
  }
  // Sparse: nibble(row, chunk) holds the positions of the chunk's elements.
  template <class Nibble> void takePositions(unsigned rows, Nibble nibble) {
    const unsigned bits = bitsOf(spec_.a);
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned k = 0; k < depth_; ++k) {
        unsigned from = 0;
        if (bits == 32) from = 2 * k + (nibble(row, k) >> 2 == 3 ? 1u : 0u);          // 1110 or 0100
        else if (bits == 4) from = k / 4 * 8 + 2 * (nibble(row, k / 4) >> (k / 2 % 2 * 2) & 3) + k % 2;
        else from = k / 2 * 4 + (nibble(row, k / 2) >> (k % 2 * 2) & 3);
        chosen_[row][k] = static_cast<u8>(from);
      }
  }

  // Eight results of one row: D from C, as bits of their types.
  void row(unsigned r, const u32* c, u32* d) const {
    if (integer_) return integerRow(r, c, d);
    if (spec_.widenFloat8) return widenedRow(r, c, d);
    for (unsigned j = 0; j < 8; ++j) d[j] = c[j];
    for (unsigned k = 0; k < depth_; k += group_) addGroup(r, k, k + group_ < depth_ ? k + group_ : depth_, 1, k == 0 ? spec_.c : spec_.d, d);
  }

 private:
  void widenedRow(unsigned r, const u32* c, u32* d) const {
    for (unsigned j = 0; j < 8; ++j) d[j] = 0;
    addGroup(r, 0, depth_, 3, spec_.d, d);
    addGroup(r, 2, depth_, 3, spec_.d, d);
    for (unsigned j = 0; j < 8; ++j) {
      if (spec_.d == Type::F16) {
        d[j] = toF16(double{fromF16(static_cast<u16>(d[j]))} + double{fromF16(static_cast<u16>(c[j]))});
      } else {
        const float sum = asF32(d[j]) + asF32(c[j]);
        d[j] = sum != sum ? nan32 : bitsOf(sum);
      }
    }
  }

  template <class Word, class Put> void each(Type type, unsigned depth, unsigned lines, Word word, Put put) {
    const unsigned bits = bitsOf(type), per = 32 / bits;
    for (unsigned line = 0; line < lines; ++line)
      for (unsigned w = 0; w * per < depth; ++w) {
        const u32 all = word(line, w);
        for (unsigned h = 0; h < per; ++h) {
          const u32 e = bits == 32 ? all : all >> (h * bits) & ((1u << bits) - 1);
          if (!integer_) put(line, w * per + h, spec_.widenFloat8 ? unpack(Type::F16, halfOfFloat8(type, e)) : unpack(type, e));
          else {
            const bool isSignedType = type == Type::S8 || type == Type::S4;
            put(line, w * per + h, Unpacked{isSignedType ? static_cast<s32>(e << (32 - bits)) >> (32 - bits) : static_cast<s32>(e), 0, kindFinite});
          }
        }
      }
  }

  [[nodiscard]] const u8* chosen(unsigned r) const { return chosen_[spec_.sparse ? r : 0]; }

  void integerRow(unsigned r, const u32* c, u32* d) const {
    alignas(32) s32 sum[8] = {};
    const u8* from = chosen(r);
    for (unsigned k = 0; k < depth_; ++k) {
      const s32 a = aMantissa_[r][k];
      const s32* b = bMantissa_[from[k]];
      for (unsigned j = 0; j < 8; ++j) sum[j] += a * b[j];
    }
    for (unsigned j = 0; j < 8; ++j) {
      s64 total = s64{sum[j]} + static_cast<s32>(c[j]);
      if (spec_.saturate) total = total > 0x7FFFFFFFll ? 0x7FFFFFFFll : total < -0x80000000ll ? -0x80000000ll : total;
      d[j] = static_cast<u32>(total);
    }
  }

  // One step: sum[j] (bits of type `from`) plus the products of k in [begin, end); `gap` 3: of every four only two.
  void addGroup(unsigned r, unsigned begin, unsigned end, unsigned gap, Type from, u32* sum) const {
    const auto next = [gap](unsigned k) { return k % 2 == 0 ? k + 1 : k + gap; };
    const u8* at = chosen(r);
    alignas(32) s32 top[8], cMantissa[8], cLead[8], total[8] = {};
    std::array<u8, 8> cKind;
    const int cFraction = from == Type::F16 ? 10 : 23;
    bool special = aSpecial_ || bSpecial_;
    for (unsigned j = 0; j < 8; ++j) {
      const Unpacked u = unpack(from == Type::F16 ? Type::F16 : Type::F32, sum[j]);
      cMantissa[j] = u.kind == kindFinite ? u.mantissa : 0;
      top[j] = cLead[j] = u.lead;
      cKind[j] = u.kind;
      special |= u.kind != kindFinite;
    }
    for (unsigned k = begin; k < end; k = next(k)) {
      const s32 al = aLead_[r][k];
      const s32* bl = bLead_[at[k]];
      for (unsigned j = 0; j < 8; ++j) top[j] = top[j] > al + bl[j] ? top[j] : al + bl[j];
    }
    // The products' sum stays within 32 bits: 16 of them below 2^27, or 32 below 2^15.
    for (unsigned k = begin; k < end; k = next(k)) {
      const s32 al = aLead_[r][k], am = aMantissa_[r][k];
      const s32 *bl = bLead_[at[k]], *bm = bMantissa_[at[k]];
      for (unsigned j = 0; j < 8; ++j) {
        const s32 product = am * bm[j], down = top[j] - (al + bl[j]);
        const u32 magnitude = static_cast<u32>(product < 0 ? -product : product) << up_ >> (down < 31 ? down : 31);
        total[j] += product < 0 ? -static_cast<s32>(magnitude) : static_cast<s32>(magnitude);
      }
    }
    for (unsigned j = 0; j < 8; ++j) {
      const int shift = kept_ - cFraction - (top[j] - cLead[j]);
      const u64 magnitude = static_cast<u64>(cMantissa[j] < 0 ? -s64{cMantissa[j]} : s64{cMantissa[j]});
      const u64 aligned = shift >= 0 ? magnitude << shift : shift > -63 ? magnitude >> -shift : 0;
      const s64 all = total[j] + (cMantissa[j] < 0 ? -static_cast<s64>(aligned) : static_cast<s64>(aligned));
      u32 bits = roundedSum(spec_.d, all, top[j] - kept_, kept_ < 23 ? kept_ : 23);
      if (special) specials(r, begin, end, gap, j, cKind[j], sum[j], bits);
      sum[j] = bits;
    }
  }

  // Infinities and NaNs override the sum.
  void specials(unsigned r, unsigned begin, unsigned end, unsigned gap, unsigned j, u8 cKind, u32 c, u32& bits) const {
    const u8* at = chosen(r);
    const u32 signOfC = spec_.c == Type::F16 ? 0x8000u : 0x80000000u;
    bool nan = cKind == kindNan, plus = cKind == kindInfinite && (c & signOfC) == 0, minus = cKind == kindInfinite && (c & signOfC) != 0;
    for (unsigned k = begin; k < end; k += k % 2 == 0 ? 1 : gap) {
      const u8 ak = aKind_[r][k], bk = bKind_[at[k]][j];
      if ((ak | bk) == kindFinite) continue;
      const s32 am = aMantissa_[r][k], bm = bMantissa_[at[k]][j];
      if (ak == kindNan || bk == kindNan || am == 0 || bm == 0) nan = true;
      else ((am > 0) == (bm > 0) ? plus : minus) = true;
    }
    const bool half = spec_.d == Type::F16;
    if (nan || (plus && minus)) bits = half ? nan16 : nan32;
    else if (plus || minus) bits = (half ? 0x7C00u : 0x7F800000u) | (minus ? (half ? 0x8000u : 0x80000000u) : 0);
  }

  const ProductSpec& spec_;
  unsigned depth_;
  bool integer_, aSpecial_ = false, bSpecial_ = false;
  int kept_;
  unsigned group_;
  int up_;
  alignas(32) s32 aMantissa_[16][64], aLead_[16][64], bMantissa_[128][8], bLead_[128][8];
  u8 aKind_[16][64], bKind_[128][8];
  u8 chosen_[16][64];
};

}  // namespace warpmill::exec::WM_ISA
