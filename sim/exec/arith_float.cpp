// f32 and f64 arithmetic, rounded to nearest even: add, sub, mul, fma, mad, div, rcp, sqrt, min, max, abs, neg, copysign.
// Source: PTX ISA 9.0, 9.7.3.
#include "exec/float_bits.h"

namespace warpmill::exec::WM_ISA {
namespace {

using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

template <bool ftz, bool sat> struct AddF { float operator()(float a, float b) const { return out<ftz, sat>(in<ftz>(a) + in<ftz>(b)); } };
template <bool ftz, bool sat> struct SubF { float operator()(float a, float b) const { return out<ftz, sat>(in<ftz>(a) - in<ftz>(b)); } };
template <bool ftz, bool sat> struct MulF {
  float operator()(float a, float b) const {
    if constexpr (!ftz) return out<false, sat>(a * b);
    else {
      const double exact = static_cast<double>(flush(a)) * static_cast<double>(flush(b));
      return outOf<true, sat>(static_cast<float>(exact), exact);
    }
  }
};
template <bool ftz, bool sat> struct FmaF {
  float operator()(float a, float b, float c) const {
    if constexpr (!ftz) return out<false, sat>(fmaExact(a, b, c));
    else {
      const double odd = addToOdd(static_cast<double>(flush(a)) * static_cast<double>(flush(b)), static_cast<double>(flush(c)));
      return outOf<true, sat>(static_cast<float>(odd), odd);
    }
  }
};
template <bool ftz, bool sat> struct DivF {
  float operator()(float p, float q) const {
    const float a = in<ftz>(p), b = in<ftz>(q), r = a / b;
    if constexpr (ftz) return outOf<true, sat>(r, static_cast<double>(a) / static_cast<double>(b));
    else return out<false, sat>(r);
  }
};
template <bool ftz, bool sat> struct RcpF { float operator()(float a) const { return DivF<ftz, sat>{}(1.0f, a); } };
template <bool ftz, bool sat> struct SqrtF { float operator()(float a) const { return out<ftz, sat>(std::sqrt(in<ftz>(a))); } };

// Of two zeros -0 is the smaller one. One NaN: the other operand; two, or any with .NaN: the canonical one.
template <bool ftz, bool nan> struct MinF {
  float operator()(float p, float q) const {
    const float a = in<ftz>(p), b = in<ftz>(q);
    const float both = a == b ? asF32(bitsOf(a) | bitsOf(b)) : (a < b ? a : b);
    return a != a ? (nan ? asF32(nan32) : canonical(b)) : b != b ? (nan ? asF32(nan32) : a) : both;
  }
};
template <bool ftz, bool nan> struct MaxF {
  float operator()(float p, float q) const {
    const float a = in<ftz>(p), b = in<ftz>(q);
    const float both = a == b ? asF32(bitsOf(a) & bitsOf(b)) : (a > b ? a : b);
    return a != a ? (nan ? asF32(nan32) : canonical(b)) : b != b ? (nan ? asF32(nan32) : a) : both;
  }
};
template <bool ftz, bool> struct AbsF { float operator()(float a) const { return canonical(asF32(bitsOf(in<ftz>(a)) & 0x7FFFFFFFu)); } };
template <bool ftz, bool> struct NegF { float operator()(float a) const { return canonical(asF32(bitsOf(in<ftz>(a)) ^ 0x80000000u)); } };
struct CopysignF { u32 operator()(u32 a, u32 b) const { return (a & 0x80000000u) | (b & 0x7FFFFFFFu); } };
template <class F> struct XorSign {  // of the magnitudes, with the product's sign
  float operator()(float a, float b) const {
    const u32 sign = (bitsOf(a) ^ bitsOf(b)) & 0x80000000u;
    const float r = F{}(asF32(bitsOf(a) & 0x7FFFFFFFu), asF32(bitsOf(b) & 0x7FFFFFFFu));
    return r == r ? asF32(bitsOf(r) | sign) : r;
  }
};
template <template <bool, bool> class F> Handler xorSign(bool ftz, bool nan) {
  if (ftz) return nan ? &binary<float, float, float, XorSign<F<true, true>>> : &binary<float, float, float, XorSign<F<true, false>>>;
  return nan ? &binary<float, float, float, XorSign<F<false, true>>> : &binary<float, float, float, XorSign<F<false, false>>>;
}

struct AddD { double operator()(double a, double b) const { return nanOf(a + b, b, a); } };
struct SubD { double operator()(double a, double b) const { return nanOf(a - b, b, a); } };
struct MulD { double operator()(double a, double b) const { return nanOf(a * b, b, a); } };
struct DivD { double operator()(double a, double b) const { return nanOf(a / b, a, b); } };
struct FmaD {
  static constexpr bool scalarOnly = true;
  double operator()(double a, double b, double c) const { return nanOf(std::fma(a, b, c), b, c, a); }
};
struct RcpD { double operator()(double a) const { return nanOf(1.0 / a, a, a); } };
struct SqrtD { double operator()(double a) const { return nanOf(std::sqrt(a), a, a); } };
struct MinD {
  double operator()(double a, double b) const {
    if (a != a) return b != b ? asF64(quiet(b)) : b;
    if (b != b) return a;
    return a == b ? asF64(bitsOf(a) | bitsOf(b)) : (a < b ? a : b);
  }
};
struct MaxD {
  double operator()(double a, double b) const {
    if (a != a) return b != b ? asF64(quiet(b)) : b;
    if (b != b) return a;
    return a == b ? asF64(bitsOf(a) & bitsOf(b)) : (a > b ? a : b);
  }
};
// Hardware adds zero: a NaN becomes quiet and keeps its sign.
struct AbsD { double operator()(double a) const { return nanOf(asF64(bitsOf(a) & 0x7FFFFFFFFFFFFFFFull), a, a); } };
struct NegD { double operator()(double a) const { return nanOf(asF64(bitsOf(a) ^ 0x8000000000000000ull), a, a); } };
struct CopysignD { u64 operator()(u64 a, u64 b) const { return (a & 0x8000000000000000ull) | (b & 0x7FFFFFFFFFFFFFFFull); } };
template <template <bool, bool> class F> Handler unaryF(bool ftz, bool second) {
  if (ftz) return second ? &unary<float, float, F<true, true>> : &unary<float, float, F<true, false>>;
  return second ? &unary<float, float, F<false, true>> : &unary<float, float, F<false, false>>;
}
template <template <bool, bool> class F> Handler binaryF(bool ftz, bool second) {
  if (ftz) return second ? &binary<float, float, float, F<true, true>> : &binary<float, float, float, F<true, false>>;
  return second ? &binary<float, float, float, F<false, true>> : &binary<float, float, float, F<false, false>>;
}
template <template <bool, bool> class F> Handler ternaryF(bool ftz, bool second) {
  if (ftz) return second ? &ternary<float, float, float, float, F<true, true>> : &ternary<float, float, float, float, F<true, false>>;
  return second ? &ternary<float, float, float, float, F<false, true>> : &ternary<float, float, float, float, F<false, false>>;
}
// a * b + c of an addition that takes in a product; aux says which of the two is negated (decode_registers.cpp).
template <bool ftz, bool sat> void executeFusedF(Exec& x, const Op& op, LaneMask mask) {
  const u32 *a = x.at(op.a), *b = x.at(op.b), *c = x.at(op.c);
  const u32 product = (op.aux & 1) != 0 ? 0x80000000u : 0, other = (op.aux & 2) != 0 ? 0x80000000u : 0;
  writeLanes<float>(x.at(op.dst), mask, [=](unsigned i) { return FmaF<ftz, sat>{}(asF32(a[i] ^ product), asF32(b[i]), asF32(c[i] ^ other)); });
}
void executeFusedD(Exec& x, const Op& op, LaneMask mask) {
  u32* d = x.at(op.dst);
  const u32 *a = x.at(op.a), *b = x.at(op.b), *c = x.at(op.c);
  const u64 sign = 0x8000000000000000ull, product = (op.aux & 1) != 0 ? sign : 0, other = (op.aux & 2) != 0 ? sign : 0;
  eachLane(mask, [&](unsigned i) {
    const u64 p = get<u64>(a, i), r = get<u64>(c, i);
    const double q = get<double>(b, i);
    put<double>(d, i, nanOf(std::fma(asF64(p ^ product), q, asF64(r ^ other)), q, asF64(r), asF64(p)));  // a NaN keeps its sign
  });
}
bool nearest(const ptx::Instruction& in) { return in.mods.rounding == Rounding::None || in.mods.rounding == Rounding::Rn; }

}  // namespace

Handler float32Handler(const ptx::Instruction& in) {
  const ptx::Modifiers& m = in.mods;
  if (m.type != Type::F32) return nullptr;
  switch (in.opcode) {
    case Opcode::Abs: return unaryF<AbsF>(m.ftz, false);
    case Opcode::Neg: return unaryF<NegF>(m.ftz, false);
    case Opcode::Copysign: return &binary<u32, u32, u32, CopysignF>;
    case Opcode::Min:
      if (m.xorsign) return xorSign<MinF>(m.ftz, m.nan);
      return binaryF<MinF>(m.ftz, m.nan);
    case Opcode::Max:
      if (m.xorsign) return xorSign<MaxF>(m.ftz, m.nan);
      return binaryF<MaxF>(m.ftz, m.nan);
    default: break;
  }
  if (!nearest(in) || m.approx || m.full) return nullptr;
  switch (in.opcode) {
    case Opcode::Add: return binaryF<AddF>(m.ftz, m.sat);
    case Opcode::Sub: return binaryF<SubF>(m.ftz, m.sat);
    case Opcode::Mul: return binaryF<MulF>(m.ftz, m.sat);
    case Opcode::Fma: case Opcode::Mad: return ternaryF<FmaF>(m.ftz, m.sat);
    case Opcode::Div: return binaryF<DivF>(m.ftz, false);
    case Opcode::Rcp: return unaryF<RcpF>(m.ftz, false);
    case Opcode::Sqrt: return unaryF<SqrtF>(m.ftz, false);
    default: return nullptr;
  }
}

Handler fusedHandler(const ptx::Instruction& in) {
  const ptx::Modifiers& m = in.mods;
  if (m.type == Type::F64) return &executeFusedD;
  if (m.type != Type::F32) return fusedHalfHandler(in);
  if (m.ftz) return m.sat ? &executeFusedF<true, true> : &executeFusedF<true, false>;
  return m.sat ? &executeFusedF<false, true> : &executeFusedF<false, false>;
}

Handler float64Handler(const ptx::Instruction& in) {
  const ptx::Modifiers& m = in.mods;
  if (m.type != Type::F64) return nullptr;
  switch (in.opcode) {
    case Opcode::Abs: return &unary<double, double, AbsD>;
    case Opcode::Neg: return &unary<double, double, NegD>;
    case Opcode::Copysign: return &binary<u64, u64, u64, CopysignD>;
    case Opcode::Min: return &binary<double, double, double, MinD>;
    case Opcode::Max: return &binary<double, double, double, MaxD>;
    default: break;
  }
  if (!nearest(in) || m.approx) return nullptr;
  switch (in.opcode) {
    case Opcode::Add: return &binary<double, double, double, AddD>;
    case Opcode::Sub: return &binary<double, double, double, SubD>;
    case Opcode::Mul: return &binary<double, double, double, MulD>;
    case Opcode::Fma: case Opcode::Mad: return &ternary<double, double, double, double, FmaD>;
    case Opcode::Div: return &binary<double, double, double, DivD>;
    case Opcode::Rcp: return &unary<double, double, RcpD>;
    case Opcode::Sqrt: return &unary<double, double, SqrtD>;
    default: return nullptr;
  }
}

}  // namespace warpmill::exec::WM_ISA
