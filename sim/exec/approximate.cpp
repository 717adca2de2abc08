// The approximate functions: rcp, rsqrt, sqrt, ex2, lg2, sin, cos, div and tanh on f32, and the halves of ex2 and tanh.
// All have an H200's bits: of f32 every sixteenth stretch of 2^20 arguments was compared, of the halves all. Its largest errors, over all arguments of the range that PTX gives a bound
// for, in units of the last place (ulp) or as a power of two:
//   rcp 0.98 ulp   rsqrt 1.52 ulp (2^-22.94)   sqrt 0.95 ulp (2^-23.25)   ex2 2.06 ulp (2^-22.7)   div.full, div.approx 2 ulp
//   lg2 2^-22.15 absolute in (0.5, 2), 2^-22.06 relative elsewhere   tanh 2^-16.46 relative (134 ulp)
//   sin 2^-21.46, cos 2^-21.24 absolute in [-pi, pi]; beyond, the argument's reduction costs up to 2^-7.6 below 48039
// Source: PTX ISA 9.0, 9.7.3 (bounds of the approximations, values for special inputs).
#include "exec/special_function.h"

namespace warpmill::exec::WM_ISA {
namespace {

using ptx::Opcode;
using ptx::Type;

template <bool ftz> struct Ex2 {
  static constexpr bool scalarOnly = true;
  float operator()(float v) const {
    const float a = in<ftz>(v);
    if constexpr (ftz) return flush(sfuExp2(a));
    else if (a < -126.0f) {  // half the argument, squared: the result may be subnormal
      const float r = sfuExp2(a * 0.5f);
      return r * r;
    }
    return sfuExp2(a);
  }
};
template <bool ftz> struct Rcp {
  static constexpr bool scalarOnly = true;
  float operator()(float a) const { return in<ftz>(sfuReciprocal(in<ftz>(a))); }
};
template <bool ftz> struct Sqrt {
  static constexpr bool scalarOnly = true;
  float operator()(float v) const {
    const float a = in<ftz>(v);
    return in<ftz>(sfuSqrt(a));
  }
};
// a times the reciprocal of b, both scaled where b is subnormal. div.approx: beyond 2^126 the reciprocal is zero; div.full scales there too.
template <bool ftz> struct DivApprox {
  static constexpr bool scalarOnly = true;
  float operator()(float p, float q) const {
    float a = in<ftz>(p), b = in<ftz>(q);
    if (std::fabs(b) < 0x1p-126f) a *= 0x1p24f, b *= 0x1p24f;
    return in<ftz>(canonical(a * flush(sfuReciprocal(b))));
  }
};
template <bool ftz> struct DivFull {
  static constexpr bool scalarOnly = true;
  float operator()(float p, float q) const {
    float a = in<ftz>(p), b = in<ftz>(q);
    if (std::fabs(b) > 0x1p126f) a *= 0.25f, b *= 0.25f;
    if (std::fabs(b) < 0x1p-126f) a *= 0x1p24f, b *= 0x1p24f;
    return in<ftz>(canonical(a * sfuReciprocal(b)));
  }
};
template <bool ftz> struct Lg2 {
  static constexpr bool scalarOnly = true;
  float operator()(float v) const {
    const float a = in<ftz>(v);
    if (a > 0.0f && a < 0x1p-126f) return sfuLog2(a * 0x1p24f) - 24.0f;
    return sfuLog2(a);
  }
};
template <bool ftz> struct Sin { static constexpr bool scalarOnly = true; float operator()(float a) const { return sfuSine(in<ftz>(a), 0); } };
template <bool ftz> struct Cos { static constexpr bool scalarOnly = true; float operator()(float a) const { return sfuSine(in<ftz>(a), 1); } };
template <bool> struct Tanh { static constexpr bool scalarOnly = true; float operator()(float a) const { return sfuTanh(a); } };  // flushes nothing
template <bool ftz> struct Rsqrt {
  static constexpr bool scalarOnly = true;
  float operator()(float v) const {
    const float a = in<ftz>(v);
    return sfuRsqrt(a);
  }
};
// Double precision: the unit takes the upper word and gives the upper word.
struct Upper { u32 sign, exponent, fraction; };
inline Upper upperOf(double v) {
  const u32 w = static_cast<u32>(bitsOf(v) >> 32);
  return {w & 0x80000000u, w >> 20 & 0x7FF, w & 0xFFFFF};
}
// 24-bit mantissa times 2^exponent, cut to the upper word; subnormal results are flushed.
inline double upperResult(u32 sign, u32 mantissa, int exponent) {
  const int biased = exponent + 23 + 1023;
  if (biased <= 0) return asF64(u64{sign} << 32);
  return asF64(u64{sign | static_cast<u32>(biased) << 20 | (mantissa >> 3 & 0xFFFFF)} << 32);
}
struct RcpD {
  static constexpr bool scalarOnly = true;
  double operator()(double v) const {
    const Upper u = upperOf(v);
    if (u.exponent == 0x7FF) return u.fraction != 0 ? asF64(0x7FFFFFFF00000000ull) : asF64(u64{u.sign} << 32);
    if (u.exponent == 0) return asF64(u64{u.sign | 0x7FF00000u} << 32);
    const int exponent = static_cast<int>(u.exponent) - 1023;
    if (u.fraction == 0) return upperResult(u.sign, 1u << 23, -exponent - 23);
    return upperResult(u.sign, interpolate<7, 17>(reciprocalTable, u.fraction << 3), -exponent - 24);
  }
};
struct RsqrtD {
  static constexpr bool scalarOnly = true;
  double operator()(double v) const {
    const Upper u = upperOf(v);
    if (u.exponent == 0x7FF && u.fraction != 0) return asF64(0x7FFFFFFF00000000ull);
    if (u.exponent == 0) return asF64(u64{u.sign | 0x7FF00000u} << 32);
    if (u.sign != 0) return asF64(0x7FFFFFFF00000000ull);
    if (u.exponent == 0x7FF) return 0.0;
    const int exponent = static_cast<int>(u.exponent) - 1023;
    if ((exponent & 1) != 0) return upperResult(0, interpolate<6, 19>(rsqrtTable2, u.fraction << 3), -(exponent - 1) / 2 - 24);
    if (u.fraction == 0) return upperResult(0, 1u << 23, -exponent / 2 - 23);
    return upperResult(0, interpolate<6, 19>(rsqrtTable, u.fraction << 3), -exponent / 2 - 24);
  }
};
// Without .ftz the unit's result is the start of a refinement that hardware does in software: one step of third order.
struct RsqrtFullD {
  static constexpr bool scalarOnly = true;
  static double refined(double x) {
    const double y = RsqrtD{}(x), e = std::fma(x, -(y * y), 1.0);
    return std::fma(std::fma(e, 0.375, 0.5), y * e, y);
  }
  double operator()(double v) const {
    const u64 magnitude = bitsOf(v) & 0x7FFFFFFFFFFFFFFFull, sign = bitsOf(v) & 0x8000000000000000ull;
    if (magnitude > 0x7FF0000000000000ull) return asF64(quiet(v));
    if (magnitude == 0) return asF64(sign | 0x7FF0000000000000ull);
    if (sign != 0) return asF64(nan64);
    if (magnitude == 0x7FF0000000000000ull) return 0.0;
    return magnitude < 0x0010000000000000ull ? refined(v * 0x1p54) * 0x1p27 : refined(v);
  }
};
// Cut, not rounded; what is too large is infinite.
template <class F> struct OnHalf {
  static constexpr bool scalarOnly = true;
  u16 operator()(u16 a) const {
    const float v = F{}(fromF16(a));
    return v >= 65536.0f ? 0x7C00 : toF16(static_cast<double>(v), Round::Zero);
  }
};
template <class F> struct OnBHalf { static constexpr bool scalarOnly = true; u16 operator()(u16 a) const { return toBf16(static_cast<double>(F{}(fromBf16(a))), Round::Zero); } };
template <class F> struct OnPair {
  static constexpr bool scalarOnly = true;
  u32 operator()(u32 a) const { return u32{F{}(static_cast<u16>(a))} | u32{F{}(static_cast<u16>(a >> 16))} << 16; }
};

template <template <bool> class F> Handler choose(const ptx::Modifiers& m) {
  switch (m.type) {
    case Type::F32: return m.ftz ? &unary<float, float, F<true>> : &unary<float, float, F<false>>;
    case Type::F16: return &unary<u16, u16, OnHalf<F<false>>>;
    case Type::BF16: return &unary<u16, u16, OnBHalf<F<true>>>;
    case Type::F16x2: return &unary<u32, u32, OnPair<OnHalf<F<false>>>>;
    case Type::BF16x2: return &unary<u32, u32, OnPair<OnBHalf<F<true>>>>;
    default: return nullptr;
  }
}

}  // namespace

Handler approximateHandler(const ptx::Instruction& in) {
  const ptx::Modifiers& m = in.mods;
  switch (in.opcode) {
    case Opcode::Ex2: return choose<Ex2>(m);
    case Opcode::Rcp:
      if (!m.approx) return nullptr;
      return m.type == Type::F64 ? &unary<double, double, RcpD> : choose<Rcp>(m);
    case Opcode::Sqrt: return m.type == Type::F32 && m.approx ? choose<Sqrt>(m) : nullptr;
    case Opcode::Div:
      if (m.type != Type::F32 || (!m.approx && !m.full)) return nullptr;
      if (m.full) return m.ftz ? &binary<float, float, float, DivFull<true>> : &binary<float, float, float, DivFull<false>>;
      return m.ftz ? &binary<float, float, float, DivApprox<true>> : &binary<float, float, float, DivApprox<false>>;
    case Opcode::Tanh: return choose<Tanh>(m);
    case Opcode::Lg2: return m.type == Type::F32 ? choose<Lg2>(m) : nullptr;
    case Opcode::Sin: return m.type == Type::F32 ? choose<Sin>(m) : nullptr;
    case Opcode::Cos: return m.type == Type::F32 ? choose<Cos>(m) : nullptr;
    case Opcode::Rsqrt: return m.type == Type::F32 ? choose<Rsqrt>(m) : m.type != Type::F64 ? nullptr : m.ftz ? &unary<double, double, RsqrtD> : &unary<double, double, RsqrtFullD>;
    default: return nullptr;
  }
}

}  // namespace warpmill::exec::WM_ISA
