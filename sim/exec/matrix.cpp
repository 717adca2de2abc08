// Matrix products of a warp: mma.sync on f16, bf16, tf32, f64 and 8-bit integers, movmatrix.
// How a tensor core adds: the exact products and the accumulator are aligned to the largest exponent among them, cut (toward zero) to 25
// bits behind the leading one, added as integers, and cut once more to f32 or rounded to f16. This gives the bits of an H200.
// Simplified: other generations add fewer products at once and keep fewer bits; here all are an H200. Sparse and 4-bit forms are not done.
// Source: PTX ISA 9.0, 9.7.15 (fragment layouts); arithmetic measured on an H200 (tests/exec/semantics).
#include "exec/float_bits.h"

namespace warpmill::exec::WM_ISA {
namespace {

using ptx::Type;

bool isHalf(Type t) { return t == Type::F16; }

// A number as mantissa * 2^exponent; `lead` is the exponent that its format's leading bit would have.
struct Term {
  s64 mantissa = 0;
  int exponent = 0, lead = 0;
  enum class Kind : std::uint8_t { Finite, Infinite, Nan } kind = Kind::Finite;
};

Term unpack(u32 bits, int fractionBits, int exponentBits) {
  const u32 fraction = bits & ((1u << fractionBits) - 1);
  const int field = static_cast<int>(bits >> fractionBits & ((1u << exponentBits) - 1)), bias = (1 << (exponentBits - 1)) - 1;
  const bool negative = (bits >> (fractionBits + exponentBits) & 1) != 0;
  Term t;
  if (field == (1 << exponentBits) - 1) {
    t.kind = fraction != 0 ? Term::Kind::Nan : Term::Kind::Infinite;
    t.mantissa = negative ? -1 : 1;
    return t;
  }
  t.mantissa = field != 0 ? static_cast<s64>(fraction | 1u << fractionBits) : static_cast<s64>(fraction);
  t.lead = (field > 1 ? field : 1) - bias;
  t.exponent = t.lead - fractionBits;
  if (negative) t.mantissa = -t.mantissa;
  return t;
}

Term element(Type type, u32 bits) {
  switch (type) {
    case Type::F16: return unpack(bits & 0xFFFF, 10, 5);
    case Type::BF16: return unpack(bits & 0xFFFF, 7, 8);
    case Type::TF32: return unpack(bits & 0xFFFFE000u, 23, 8);
    default: return unpack(bits, 23, 8);
  }
}

constexpr int keptBits = 25;  // behind the leading bit of the largest term

// total * 2^exponent as f16 (to nearest) or f32 (cut). The product is exact in a double: it has fewer than 53 bits.
u32 rounded(Type type, s64 total, int exponent) {
  const u64 scale = static_cast<u64>(exponent + 1023) << 52;  // the exponent is far from a double's limits
  const double value = static_cast<double>(total) * asF64(scale);
  return isHalf(type) ? toF16(value) : roundToSmall(value, 23, 8, Round::Zero, nan32);
}

// The sum that one step of a tensor core makes, as an integer times 2^exponent.
struct Accumulator {
  std::array<Term, 33> terms{};
  unsigned count = 0;
  bool nan = false, plusInfinity = false, minusInfinity = false;

  void add(const Term& t) {
    if (t.kind == Term::Kind::Nan) nan = true;
    else if (t.kind == Term::Kind::Infinite) (t.mantissa > 0 ? plusInfinity : minusInfinity) = true;
    else if (t.mantissa != 0) terms[count++] = t;
  }
  void addProduct(const Term& a, const Term& b) {
    Term t;
    const bool special = a.kind != Term::Kind::Finite || b.kind != Term::Kind::Finite;
    if (special) {
      t.kind = a.kind == Term::Kind::Nan || b.kind == Term::Kind::Nan || a.mantissa == 0 || b.mantissa == 0 ? Term::Kind::Nan : Term::Kind::Infinite;
      t.mantissa = (a.mantissa > 0) == (b.mantissa > 0) ? 1 : -1;
    } else {
      t.mantissa = a.mantissa * b.mantissa;
      t.exponent = a.exponent + b.exponent;
      t.lead = a.lead + b.lead;
    }
    add(t);
  }
  // The sum and its exponent.
  [[nodiscard]] std::pair<s64, int> sum() const {
    if (count == 0) return {0, 0};
    int top = terms[0].lead;
    for (unsigned k = 1; k < count; ++k) top = top > terms[k].lead ? top : terms[k].lead;
    const int exponent = top - keptBits;
    s64 total = 0;
    for (unsigned k = 0; k < count; ++k) {
      const int shift = terms[k].exponent - exponent;
      const s64 magnitude = terms[k].mantissa < 0 ? -terms[k].mantissa : terms[k].mantissa;
      const s64 aligned = shift >= 0 ? magnitude << shift : shift > -63 ? magnitude >> -shift : 0;
      total += terms[k].mantissa < 0 ? -aligned : aligned;
    }
    return {total, exponent};
  }
  [[nodiscard]] u32 result(Type type) const {
    const bool half = type == Type::F16;
    if (nan || (plusInfinity && minusInfinity)) return half ? nan16 : nan32;
    if (plusInfinity || minusInfinity) return (half ? 0x7C00u : 0x7F800000u) | (minusInfinity ? (half ? 0x8000u : 0x80000000u) : 0);
    const auto [total, exponent] = sum();
    return rounded(type, total, exponent);
  }
};

struct Shape { unsigned m = 0, n = 0, k = 0; };
Shape shapeOf(u32 aux) { return {aux & 0xFF, aux >> 8 & 0xFF, aux >> 16}; }

// Where the warp's registers hold an element: A[row][k], B[k][column], C[row][column], for shapes m16n8k*. `per`: elements a register.
struct Fragments {
  const Exec& x;
  const Op& op;
  unsigned aBase, bBase, cBase;  // first slots of the three
  [[nodiscard]] u32 word(unsigned slot, unsigned lane) const { return x.at(op.elements[slot])[lane]; }
  [[nodiscard]] u32 a(unsigned row, unsigned k, unsigned per, unsigned bits) const {
    const unsigned lane = (row & 7) * 4 + k / per % 4, r = (row >= 8 ? 1 : 0) + k / (4 * per) * 2;
    return word(aBase + r, lane) >> (k % per * bits);
  }
  [[nodiscard]] u32 b(unsigned k, unsigned column, unsigned per, unsigned bits) const {
    const unsigned lane = column * 4 + k / per % 4;
    return word(bBase + k / (4 * per), lane) >> (k % per * bits);
  }
  // Register and lane of an accumulator element; halves are two to a register.
  struct Place { unsigned slot, lane, shift; };
  [[nodiscard]] static Place place(unsigned row, unsigned column, bool halves) {
    const unsigned lane = (row & 7) * 4 + column / 2, high = row >= 8 ? 1 : 0;
    if (halves) return {high, lane, 16 * (column & 1)};
    return {2 * high + (column & 1), lane, 0};
  }
  [[nodiscard]] u32 c(unsigned row, unsigned column, bool halves) const {
    const Place p = place(row, column, halves);
    return word(cBase + p.slot, p.lane) >> p.shift;
  }
};

s32 integerElement(Type type, u32 bits) {
  return type == Type::S8 ? static_cast<s32>(static_cast<s8>(bits)) : static_cast<s32>(static_cast<u8>(bits));
}

u32 integerDot(const Fragments& f, const ptx::Modifiers& m, unsigned row, unsigned column, unsigned depth) {
  s64 total = static_cast<s32>(f.c(row, column, false));
  for (unsigned k = 0; k < depth; ++k) total += s64{integerElement(m.sourceType, f.a(row, k, 4, 8))} * integerElement(m.thirdType, f.b(k, column, 4, 8));
  if (m.satfinite) total = total > 0x7FFFFFFFll ? 0x7FFFFFFFll : total < -0x80000000ll ? -0x80000000ll : total;
  return static_cast<u32>(total);
}

struct Types { Type d, a, b, c; };

// A and B of one product of 16 x 8, taken apart: mantissas with `fraction` bits behind the point, leading exponents. When all are finite,
// a product needs integers only, many at a time; else each goes through Accumulator.
struct Product {
  const Fragments& f;
  Types t;
  unsigned depth;
  int fraction;                     // bits of an element's fraction: 10, or 7 for bf16
  bool finite = true;
  alignas(32) s32 aMantissa[16][16], aLead[16][16], bMantissa[8][16], bLead[8][16];

  Product(const Fragments& fragments, Types types, unsigned k) : f(fragments), t(types), depth(k), fraction(types.a == Type::BF16 ? 7 : 10) {
    for (unsigned j = 0; j < depth; ++j) {
      for (unsigned row = 0; row < 16; ++row) take(element(t.a, a(row, j)), aMantissa[row][j], aLead[row][j]);
      for (unsigned column = 0; column < 8; ++column) take(element(t.b, b(j, column)), bMantissa[column][j], bLead[column][j]);
    }
  }
  [[nodiscard]] u32 a(unsigned row, unsigned k) const { return t.a == Type::TF32 ? f.a(row, k, 1, 0) : f.a(row, k, 2, 16); }
  [[nodiscard]] u32 b(unsigned k, unsigned column) const { return t.b == Type::TF32 ? f.b(k, column, 1, 0) : f.b(k, column, 2, 16); }

  void take(const Term& e, s32& mantissa, s32& lead) {
    if (e.kind != Term::Kind::Finite) finite = false;
    const int surplus = e.lead - e.exponent - fraction;  // tf32 comes as an f32 whose low bits are zero
    mantissa = static_cast<s32>(surplus > 0 ? e.mantissa / (s64{1} << surplus) : e.mantissa);
    lead = e.mantissa != 0 ? e.lead : -10000;
  }

  [[nodiscard]] u32 at(unsigned row, unsigned column) const {
    const Term c = element(isHalf(t.c) ? Type::F16 : Type::F32, f.c(row, column, isHalf(t.c)));
    if (!finite || c.kind != Term::Kind::Finite) return slow(c, row, column);
    const s32 *am = aMantissa[row], *al = aLead[row], *bm = bMantissa[column], *bl = bLead[column];
    s32 top = c.mantissa != 0 ? c.lead : -10000;
    for (unsigned k = 0; k < depth; ++k) top = top > al[k] + bl[k] ? top : al[k] + bl[k];
    if (top == -10000) return 0;
    const int up = keptBits - 2 * fraction;
    s64 total = 0;
    for (unsigned k = 0; k < depth; ++k) {
      const s32 product = am[k] * bm[k], down = top - (al[k] + bl[k]);
      const u32 magnitude = static_cast<u32>(product < 0 ? -product : product) << up >> (down < 31 ? down : 31);
      total += product < 0 ? -static_cast<s64>(magnitude) : static_cast<s64>(magnitude);
    }
    const int cUp = keptBits - (c.lead - c.exponent), cDown = top - c.lead;
    const u64 cMagnitude = static_cast<u64>(c.mantissa < 0 ? -c.mantissa : c.mantissa) << cUp >> (cDown < 63 ? cDown : 63);
    total += c.mantissa < 0 ? -static_cast<s64>(cMagnitude) : static_cast<s64>(cMagnitude);
    return rounded(t.d, total, top - keptBits);
  }

  [[nodiscard]] u32 slow(const Term& c, unsigned row, unsigned column) const {
    Accumulator acc;
    acc.add(c);
    for (unsigned k = 0; k < depth; ++k) acc.addProduct(element(t.a, a(row, k)), element(t.b, b(k, column)));
    return acc.result(t.d);
  }
};

void executeMma(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Modifiers& m = op.instruction->mods;
  const Shape shape = shapeOf(op.aux);
  const bool halves = isHalf(m.type);
  const unsigned dCount = halves ? 2 : 4;
  const unsigned bitsPer = m.sourceType == Type::TF32 ? 32 : m.sourceType == Type::S8 || m.sourceType == Type::U8 ? 8 : 16;
  const unsigned aCount = shape.m * shape.k * bitsPer / 32 / 32, bCount = shape.n * shape.k * bitsPer / 32 / 32;
  const Fragments f{x, op, dCount, dCount + aCount, dCount + aCount + bCount};
  std::array<std::array<u32, 32>, 4> out{};
  const Product product(f, {m.type, m.sourceType, m.thirdType, m.fourthType}, bitsPer == 8 ? 0 : shape.k);
  for (unsigned row = 0; row < shape.m; ++row)
    for (unsigned column = 0; column < shape.n; ++column) {
      const u32 v = bitsPer == 8 ? integerDot(f, m, row, column, shape.k) : product.at(row, column);
      const auto p = Fragments::place(row, column, halves);
      out[p.slot][p.lane] |= v << p.shift;
    }
  for (unsigned r = 0; r < dCount; ++r) eachLane(mask, [&](unsigned i) { x.at(op.elements[r])[i] = out[r][i]; });
}

// wmma.mma: two products of 16 x 8 side by side. Fragments are laid out as wmma.cpp loads them.
void executeWmma(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Modifiers& m = op.instruction->mods;
  const Types t = m.thirdType == Type::None ? Types{m.type, Type::F16, Type::F16, m.sourceType} : Types{m.type, m.sourceType, m.thirdType, m.fourthType};
  const unsigned depth = shapeOf(op.aux).k, dHalf = isHalf(t.d) ? 2 : 4, cHalf = isHalf(t.c) ? 2 : 4, abCount = isHalf(t.a) ? 8 : 4;
  std::array<std::array<u32, 32>, 8> out{};
  for (unsigned side = 0; side < 2; ++side) {
    const unsigned a = 2 * dHalf, b = a + abCount + 2 * side, c = a + 2 * abCount + cHalf * side;
    const Fragments f{x, op, a, b, c};
    const Product product(f, t, depth);
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        const auto p = Fragments::place(row, column, isHalf(t.d));
        out[side * dHalf + p.slot][p.lane] |= product.at(row, column) << p.shift;
      }
  }
  for (unsigned r = 0; r < 2 * dHalf; ++r) eachLane(mask, [&](unsigned i) { x.at(op.elements[r])[i] = out[r][i]; });
}

// m8n8k4 in double precision: one fma after the other.
void executeMmaDouble(Exec& x, const Op& op, LaneMask mask) {
  const auto at = [&](unsigned slot, unsigned lane) { return get<double>(x.at(op.elements[slot]), lane); };
  std::array<std::array<double, 32>, 2> out{};
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      const unsigned lane = row * 4 + column / 2, r = column & 1;
      double v = at(4 + r, lane);
      for (unsigned k = 0; k < 4; ++k) {
        const double a = at(2, row * 4 + k), b = at(3, column * 4 + k);
        v = nanOf(std::fma(a, b, v), b, v, a);
      }
      out[r][lane] = v;
    }
  for (unsigned r = 0; r < 2; ++r) eachLane(mask, [&](unsigned i) { put<double>(x.at(op.elements[r]), i, out[r][i]); });
}

// Rows of an 8x8 matrix of 16-bit elements: lane i holds elements (i / 4, 2 * (i % 4)) and the next; transposed.
void executeMovmatrix(Exec& x, const Op& op, LaneMask mask) {
  const u32* a = x.at(op.a);
  std::array<u32, 32> out{};
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      const u32 v = a[column * 4 + row / 2] >> (16 * (row & 1)) & 0xFFFF;
      out[row * 4 + column / 2] |= v << (16 * (column & 1));
    }
  u32* d = x.at(op.dst);
  eachLane(mask, [&](unsigned i) { d[i] = out[i]; });
}

}  // namespace

Handler mmaHandler(const ptx::Instruction& in, u32 shape) {
  const ptx::Modifiers& m = in.mods;
  const Shape s = shapeOf(shape);
  if (m.type == Type::F64) return s.m == 8 && s.n == 8 && s.k == 4 ? &executeMmaDouble : nullptr;
  if (s.m != 16 || s.n != 8) return nullptr;
  const Type a = m.sourceType, b = m.thirdType;
  const bool halves = (a == Type::F16 && b == Type::F16) || (a == Type::BF16 && b == Type::BF16 && m.type == Type::F32);
  const bool bytes = (a == Type::S8 || a == Type::U8) && (b == Type::S8 || b == Type::U8) && m.type == Type::S32;
  if (halves && (s.k == 8 || s.k == 16)) return &executeMma;
  if (a == Type::TF32 && b == Type::TF32 && (s.k == 4 || s.k == 8)) return &executeMma;
  if (bytes && (s.k == 16 || s.k == 32)) return &executeMma;
  return nullptr;
}
Handler wmmaHandler(const ptx::Instruction& in, u32 shape) {
  const ptx::Modifiers& m = in.mods;
  const Shape s = shapeOf(shape);
  if (m.type == Type::F64) return s.m == 8 && s.n == 8 && s.k == 4 ? &executeMmaDouble : nullptr;
  if (s.m != 16 || s.n != 16) return nullptr;
  if (m.thirdType == Type::None || (m.sourceType == Type::F16 && m.thirdType == Type::F16)) return s.k == 16 ? &executeWmma : nullptr;
  if (m.sourceType != m.thirdType || m.type != Type::F32) return nullptr;
  if (m.sourceType == Type::BF16) return s.k == 16 ? &executeWmma : nullptr;
  return m.sourceType == Type::TF32 && s.k == 8 ? &executeWmma : nullptr;
}
Handler movmatrixHandler() { return &executeMovmatrix; }

}  // namespace warpmill::exec::WM_ISA
