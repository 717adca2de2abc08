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

// A float is taken apart into mantissa * 2^(lead - fraction bits of its format); `lead` is the exponent that the format's leading bit
// would have. The loops below have no branches, so that compilers make vectors of them.
inline constexpr s32 leadOfZero = -10000;
enum : s32 { kindFinite, kindInfinite, kindNan };

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

// `count` numbers of a type: their mantissas, leads and kinds. True when one of them is infinite or no number.
inline bool takeApart(Type type, bool negate, const u32* raw, unsigned count, s32* mantissa, s32* lead, s32* kind) {
  const int fractionBits = fractionOf(type), shift = type == Type::TF32 ? 13 : 0;  // tf32: the low bits of the register are not looked at
  const int exponentBits = type == Type::F16 || type == Type::E5M2 ? 5 : type == Type::E4M3 ? 4 : 8;
  const u32 top = (1u << exponentBits) - 1, fractionMask = (1u << fractionBits) - 1, leastSpecial = type == Type::E4M3 ? 7 : 0;
  const s32 bias = (1 << (exponentBits - 1)) - 1, implied = 1 << fractionBits;
  s32 any = 0;
  for (unsigned k = 0; k < count; ++k) {
    const u32 bits = raw[k] >> shift, fraction = bits & fractionMask, field = bits >> fractionBits & top;
    const s32 negative = static_cast<s32>((bits >> (fractionBits + exponentBits) & 1) ^ (negate ? 1u : 0u));
    const bool special = field == top && fraction >= leastSpecial;
    const s32 magnitude = special ? 1 : static_cast<s32>(fraction) | (field != 0 ? implied : 0);
    const s32 what = special ? (fraction != 0 ? kindNan : kindInfinite) : kindFinite;
    mantissa[k] = negative != 0 ? -magnitude : magnitude;
    lead[k] = special || magnitude == 0 ? leadOfZero : static_cast<s32>(field > 1 ? field : 1) - bias;
    kind[k] = what;
    any |= what;
  }
  return any != 0;
}

// Eight numbers side by side; may_alias, since they are kept in arrays.
typedef s32 Eight __attribute__((vector_size(32), may_alias));
typedef u32 EightUnsigned __attribute__((vector_size(32), may_alias));
[[gnu::always_inline]] inline Eight& at8(s32* eight) { return *reinterpret_cast<Eight*>(eight); }
[[gnu::always_inline]] inline const Eight& at8(const s32* eight) { return *reinterpret_cast<const Eight*>(eight); }

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
    alignas(32) u32 raw[128];
    for (unsigned row = 0; row < rows; ++row) {
      gather(spec_.a, depth_, raw, [&](unsigned w) { return word(row, w); });
      if (integer_) copyIntegers(raw, depth_, aMantissa_[row]);
      else aSpecial_ |= takeApart(spec_.widenFloat8 ? Type::F16 : spec_.a, spec_.negateA, raw, depth_, aMantissa_[row], aLead_[row], aKind_[row]);
    }
  }
  template <class Word> void takeColumns(Word word) {
    bSpecial_ = false;
    alignas(32) u32 raw[128];
    alignas(32) s32 mantissa[128], lead[128], kind[128];
    for (unsigned column = 0; column < 8; ++column) {
      gather(spec_.b, spec_.k, raw, [&](unsigned w) { return word(column, w); });
      if (integer_) copyIntegers(raw, spec_.k, mantissa);
      else bSpecial_ |= takeApart(spec_.widenFloat8 ? Type::F16 : spec_.b, spec_.negateB, raw, spec_.k, mantissa, lead, kind);
      for (unsigned k = 0; k < spec_.k; ++k) bMantissa_[k][column] = mantissa[k];
      if (integer_) continue;
      for (unsigned k = 0; k < spec_.k; ++k) {
        bLead_[k][column] = lead[k];
        bKind_[k][column] = kind[k];
      }
    }
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

  // One line's elements, each in a word of its own; integers extended, f8 made f16 where that is asked for.
  template <class Word> void gather(Type type, unsigned depth, u32* raw, Word word) {
    const unsigned bits = bitsOf(type), per = 32 / bits;
    const bool isSignedType = type == Type::S8 || type == Type::S4;
    for (unsigned w = 0, k = 0; k < depth; ++w, k += per) {
      const u32 all = word(w);
      switch (bits) {
        case 32: raw[k] = all; break;
        case 16:
          raw[k] = all & 0xFFFF;
          raw[k + 1] = all >> 16;
          break;
        default:
          for (unsigned h = 0; h < per; ++h) {
            const u32 up = all << (32 - bits - h * bits);
            raw[k + h] = isSignedType ? static_cast<u32>(static_cast<s32>(up) >> (32 - bits)) : up >> (32 - bits);
            if (spec_.widenFloat8) raw[k + h] = halfOfFloat8(type, raw[k + h]);
          }
      }
    }
  }
  static void copyIntegers(const u32* raw, unsigned count, s32* out) {
    for (unsigned k = 0; k < count; ++k) out[k] = static_cast<s32>(raw[k]);
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
    const u8* at = chosen(r);
    alignas(32) s32 top[8], cMantissa[8], cLead[8], cKind[8], total[8];
    alignas(32) double value[8];
    const bool special = takeApart(from == Type::F16 ? Type::F16 : Type::F32, false, sum, 8, cMantissa, cLead, cKind) || aSpecial_ || bSpecial_;
    Eight highest = at8(cLead), sum8 = {};
    for (unsigned k = begin; k < end; k += k % 2 == 0 ? 1 : gap) {
      const Eight lead = aLead_[r][k] + at8(bLead_[at[k]]);
      highest = highest > lead ? highest : lead;
    }
    // The products' sum stays within 32 bits: 16 of them below 2^27, or 32 below 2^15.
    for (unsigned k = begin; k < end; k += k % 2 == 0 ? 1 : gap) {
      const Eight product = aMantissa_[r][k] * at8(bMantissa_[at[k]]), down = highest - (aLead_[r][k] + at8(bLead_[at[k]])), sign = product >> 31;
      const EightUnsigned magnitude = reinterpret_cast<EightUnsigned>((product ^ sign) - sign) << up_ >> reinterpret_cast<EightUnsigned>(down < 31 ? down : 31 - Eight{});
      sum8 += (reinterpret_cast<Eight>(magnitude) ^ sign) - sign;
    }
    at8(top) = highest;
    at8(total) = sum8;
    // C on the same scale: below 2^26 in magnitude. The sum of both is exact in a double.
    const int cFraction = from == Type::F16 ? 10 : 23, cUp = kept_ > cFraction ? kept_ - cFraction : 0, cDown = kept_ < cFraction ? cFraction - kept_ : 0;
    for (unsigned j = 0; j < 8; ++j) {
      const s32 sign = cMantissa[j] >> 31, down = top[j] - cLead[j] + cDown, bounded = top[j] > -900 ? top[j] : -900;
      const u32 magnitude = static_cast<u32>((cMantissa[j] ^ sign) - sign) << cUp >> (down < 31 ? down : 31);
      const double scale = asF64(static_cast<u64>(bounded - kept_ + 1023) << 52);
      value[j] = (static_cast<double>(total[j]) + static_cast<double>((static_cast<s32>(magnitude) ^ sign) - sign)) * scale;
    }
    const std::array<u32, 8> before = special ? std::array<u32, 8>{sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7]} : std::array<u32, 8>{};
    if (spec_.d == Type::F16) {
      for (unsigned j = 0; j < 8; ++j) sum[j] = toF16(value[j]);
    } else {
      const u64 keep = ~((u64{1} << (52 - (kept_ < 23 ? kept_ : 23))) - 1);
      for (unsigned j = 0; j < 8; ++j) sum[j] = bitsOf(static_cast<float>(asF64(bitsOf(value[j]) & keep)));  // what is too large becomes infinite
      for (unsigned j = 0; j < 8; ++j)
        if (std::fabs(value[j]) < 0x1p-126 && value[j] != 0.0) sum[j] = roundToSmall(value[j], 23, 8, Round::Zero, nan32);
    }
    if (special)
      for (unsigned j = 0; j < 8; ++j) specials(r, begin, end, gap, j, cKind[j], before[j], from, sum[j]);
  }

  // Infinities and NaNs override the sum.
  void specials(unsigned r, unsigned begin, unsigned end, unsigned gap, unsigned j, s32 cKind, u32 c, Type from, u32& bits) const {
    const u8* at = chosen(r);
    const u32 signOfC = from == Type::F16 ? 0x8000u : 0x80000000u;
    bool nan = cKind == kindNan, plus = cKind == kindInfinite && (c & signOfC) == 0, minus = cKind == kindInfinite && (c & signOfC) != 0;
    for (unsigned k = begin; k < end; k += k % 2 == 0 ? 1 : gap) {
      const s32 ak = aKind_[r][k], bk = bKind_[at[k]][j];
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
  alignas(32) s32 aMantissa_[16][64], aLead_[16][64], aKind_[16][64], bMantissa_[128][8], bLead_[128][8], bKind_[128][8];
  u8 chosen_[16][64];
};

}  // namespace warpmill::exec::WM_ISA
