// The approximate functions: ex2, lg2, sin, cos, tanh, rsqrt; f32, and the halves of ex2 and tanh.
// Simplified: computed in double precision and rounded, which is closer to the true value than hardware's own tables; the last bits
// may differ from a GPU's.
// Source: PTX ISA 9.0, 9.7.3 (bounds of the approximations, values for special inputs).
#include "exec/float_bits.h"

namespace warpmill::exec::WM_ISA {
namespace {

using ptx::Opcode;
using ptx::Type;

template <bool ftz> float rounded(double v) { return out<ftz, false>(static_cast<float>(v)); }

template <bool ftz> struct Ex2 { static constexpr bool scalarOnly = true; float operator()(float a) const { return rounded<ftz>(std::exp2(static_cast<double>(in<ftz>(a)))); } };
template <bool ftz> struct Lg2 {
  static constexpr bool scalarOnly = true;
  float operator()(float v) const {
    const float a = in<ftz>(v);
    return a < 0.0f ? asF32(nan32) : rounded<ftz>(std::log2(static_cast<double>(a)));
  }
};
template <bool ftz> struct Sin { static constexpr bool scalarOnly = true; float operator()(float a) const { return rounded<ftz>(std::sin(static_cast<double>(in<ftz>(a)))); } };
template <bool ftz> struct Cos { static constexpr bool scalarOnly = true; float operator()(float a) const { return rounded<ftz>(std::cos(static_cast<double>(in<ftz>(a)))); } };
template <bool ftz> struct Tanh { static constexpr bool scalarOnly = true; float operator()(float a) const { return rounded<ftz>(std::tanh(static_cast<double>(in<ftz>(a)))); } };
template <bool ftz> struct Rsqrt {
  static constexpr bool scalarOnly = true;
  float operator()(float v) const {
    const float a = in<ftz>(v);
    return a < 0.0f ? asF32(nan32) : rounded<ftz>(1.0 / std::sqrt(static_cast<double>(a)));  // -0 gives -inf
  }
};
// Like rcp.approx.ftz.f64: upper word in, upper word out.
struct RsqrtD {
  static constexpr bool scalarOnly = true;
  double operator()(double v) const {
    u64 b = bitsOf(v) & 0xFFFFFFFF00000000ull;
    if ((b & 0x7FF0000000000000ull) == 0) b &= 0x8000000000000000ull;
    const double a = asF64(b);
    if (a < 0 || a != a) return asF64(0x7FFFFFFF00000000ull);
    return asF64(bitsOf(1.0 / std::sqrt(a)) & 0xFFFFFFFF00000000ull);
  }
};
template <class F> struct OnHalf { static constexpr bool scalarOnly = true; u16 operator()(u16 a) const { return toF16(static_cast<double>(F{}(fromF16(a)))); } };
template <class F> struct OnBHalf { static constexpr bool scalarOnly = true; u16 operator()(u16 a) const { return toBf16(static_cast<double>(F{}(fromBf16(a)))); } };
template <class F> struct OnPair {
  static constexpr bool scalarOnly = true;
  u32 operator()(u32 a) const { return u32{F{}(static_cast<u16>(a))} | u32{F{}(static_cast<u16>(a >> 16))} << 16; }
};

template <template <bool> class F> Handler choose(const ptx::Modifiers& m) {
  switch (m.type) {
    case Type::F32: return m.ftz ? &unary<float, float, F<true>> : &unary<float, float, F<false>>;
    case Type::F16: return &unary<u16, u16, OnHalf<F<false>>>;
    case Type::BF16: return &unary<u16, u16, OnBHalf<F<false>>>;
    case Type::F16x2: return &unary<u32, u32, OnPair<OnHalf<F<false>>>>;
    case Type::BF16x2: return &unary<u32, u32, OnPair<OnBHalf<F<false>>>>;
    default: return nullptr;
  }
}

}  // namespace

Handler approximateHandler(const ptx::Instruction& in) {
  const ptx::Modifiers& m = in.mods;
  switch (in.opcode) {
    case Opcode::Ex2: return choose<Ex2>(m);
    case Opcode::Tanh: return choose<Tanh>(m);
    case Opcode::Lg2: return m.type == Type::F32 ? choose<Lg2>(m) : nullptr;
    case Opcode::Sin: return m.type == Type::F32 ? choose<Sin>(m) : nullptr;
    case Opcode::Cos: return m.type == Type::F32 ? choose<Cos>(m) : nullptr;
    case Opcode::Rsqrt: return m.type == Type::F32 ? choose<Rsqrt>(m) : m.type == Type::F64 ? &unary<double, double, RsqrtD> : nullptr;
    default: return nullptr;
  }
}

}  // namespace warpmill::exec::WM_ISA
