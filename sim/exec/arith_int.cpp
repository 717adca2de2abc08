// Integer arithmetic: add, sub, mul, mad, div, rem, abs, neg, min, max, mul24, mad24, sad, dp4a, dp2a.
// Source: PTX ISA 9.0, 9.7.1.
#include "exec/lanes.h"

namespace warpmill::exec::WM_ISA {
namespace {

using ptx::MulPart;
using ptx::Opcode;
using ptx::Type;

template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T> using Wider = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, s32, u32>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, s64, u64>,
                       std::conditional_t<std::is_signed_v<T>, __int128_t, __uint128_t>>>;

// Wrapping arithmetic goes through unsigned 64 bits: no signed overflow, no promotion surprises.
template <class T> T wrap(u64 v) { return static_cast<T>(static_cast<Unsigned<T>>(v)); }

struct Add { template <class T> T operator()(T a, T b) const { return wrap<T>(static_cast<u64>(a) + static_cast<u64>(b)); } };
struct Sub { template <class T> T operator()(T a, T b) const { return wrap<T>(static_cast<u64>(a) - static_cast<u64>(b)); } };
struct MulLo { template <class T> T operator()(T a, T b) const { return wrap<T>(static_cast<u64>(a) * static_cast<u64>(b)); } };
struct MulHi {
  template <class T> T operator()(T a, T b) const { return static_cast<T>((Wider<T>(a) * Wider<T>(b)) >> (8 * sizeof(T))); }
};
struct MulWide { template <class T> auto operator()(T a, T b) const { return static_cast<Wider<T>>(Wider<T>(a) * Wider<T>(b)); } };
struct MadLo { template <class T> T operator()(T a, T b, T c) const { return Add{}(MulLo{}(a, b), c); } };
struct MadHi { template <class T> T operator()(T a, T b, T c) const { return Add{}(MulHi{}(a, b), c); } };
struct MadWide { template <class T, class W> W operator()(T a, T b, W c) const { return Add{}(static_cast<W>(MulWide{}(a, b)), c); } };

inline s32 saturate(s64 v) { return v > 0x7FFFFFFF ? 0x7FFFFFFF : v < -0x80000000ll ? static_cast<s32>(-0x80000000ll) : static_cast<s32>(v); }
struct AddSat { s32 operator()(s32 a, s32 b) const { return saturate(s64{a} + b); } };
struct SubSat { s32 operator()(s32 a, s32 b) const { return saturate(s64{a} - b); } };
struct MadHiSat { s32 operator()(s32 a, s32 b, s32 c) const { return saturate(s64{MulHi{}(a, b)} + c); } };

// By zero both give all ones; the most negative value divided by -1 wraps.
struct Div {
  static constexpr bool scalarOnly = true;
  template <class T> T operator()(T a, T b) const {
    if (b == 0) return wrap<T>(~u64{0});
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return wrap<T>(0 - static_cast<u64>(a));
    return static_cast<T>(a / b);
  }
};
struct Rem {
  static constexpr bool scalarOnly = true;
  template <class T> T operator()(T a, T b) const {
    if (b == 0) return wrap<T>(~u64{0});
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct Abs { template <class T> T operator()(T a) const { return a < 0 ? wrap<T>(0 - static_cast<u64>(a)) : a; } };
struct Neg { template <class T> T operator()(T a) const { return wrap<T>(0 - static_cast<u64>(a)); } };
struct Min { template <class T> T operator()(T a, T b) const { return b < a ? b : a; } };
struct Max { template <class T> T operator()(T a, T b) const { return a < b ? b : a; } };
template <class F> struct Relu {
  template <class T> T operator()(T a, T b) const { const T v = F{}(a, b); return v < T(0) ? T(0) : v; }
};
template <class F, class H, bool relu> struct Pairs {  // two 16-bit halves
  u32 operator()(u32 a, u32 b) const {
    const auto half = [](u32 p, u32 q) {
      H v = F{}(static_cast<H>(p), static_cast<H>(q));
      if (relu && v < H(0)) v = 0;
      return static_cast<u32>(static_cast<u16>(v));
    };
    return half(a & 0xFFFF, b & 0xFFFF) | half(a >> 16, b >> 16) << 16;
  }
};

template <class T> inline T low24(T v) {
  if constexpr (std::is_signed_v<T>) return static_cast<T>(static_cast<s32>(static_cast<u32>(v) << 8) >> 8);
  else return v & 0xFFFFFF;
}
struct Mul24Lo { template <class T> T operator()(T a, T b) const { return static_cast<T>(s64{low24(a)} * s64{low24(b)}); } };
struct Mul24Hi { template <class T> T operator()(T a, T b) const { return static_cast<T>((s64{low24(a)} * s64{low24(b)}) >> 16); } };
struct Mad24HiSat { s32 operator()(s32 a, s32 b, s32 c) const { return saturate(s64{Mul24Hi{}(a, b)} + c); } };
template <class F> struct Mad24 { template <class T> T operator()(T a, T b, T c) const { return Add{}(F{}(a, b), c); } };
struct Sad {
  template <class T> T operator()(T a, T b, T c) const { return Add{}(c, a < b ? Sub{}(b, a) : Sub{}(a, b)); }
};

template <class A, class B> struct Dp4a {
  u32 operator()(u32 a, u32 b, u32 c) const {
    for (unsigned k = 0; k < 32; k += 8) c += static_cast<u32>(s32{static_cast<A>(a >> k)} * s32{static_cast<B>(b >> k)});
    return c;
  }
};
template <class A, class B, bool high> struct Dp2a {  // two 16-bit values of a by two bytes of b
  u32 operator()(u32 a, u32 b, u32 c) const {
    for (unsigned k = 0; k < 2; ++k)
      c += static_cast<u32>(s32{static_cast<A>(a >> (16 * k))} * s32{static_cast<B>(b >> (8 * k + (high ? 16 : 0)))});
    return c;
  }
};

template <class F> Handler binaryInteger(Type type) {
  return forInteger(type, [](auto t) { using T = typename decltype(t)::type; return Handler{&binary<T, T, T, F>}; });
}
template <class F> Handler ternaryInteger(Type type) {
  return forInteger(type, [](auto t) { using T = typename decltype(t)::type; return Handler{&ternary<T, T, T, T, F>}; });
}
template <class F> Handler pairs(Type type, bool relu) {
  if (type == Type::U16x2) return &binary<u32, u32, u32, Pairs<F, u16, false>>;
  if (type == Type::S16x2) return relu ? &binary<u32, u32, u32, Pairs<F, s16, true>> : &binary<u32, u32, u32, Pairs<F, s16, false>>;
  return nullptr;
}
template <class F> Handler wide(Type type) {
  if (ptx::sizeBytes(type) > 4) return nullptr;
  return forInteger(type, [](auto t) -> Handler {
    using T = typename decltype(t)::type;
    if constexpr (sizeof(T) > 4) return nullptr;
    else if constexpr (std::is_same_v<F, MulWide>) return Handler{&binary<Wider<T>, T, T, F>};
    else return Handler{&ternary<Wider<T>, T, T, Wider<T>, F>};
  });
}
template <template <class, class> class F> Handler dotProduct(bool signedA, bool signedB) {
  if (signedA) return signedB ? &ternary<u32, u32, u32, u32, F<s8, s8>> : &ternary<u32, u32, u32, u32, F<s8, u8>>;
  return signedB ? &ternary<u32, u32, u32, u32, F<u8, s8>> : &ternary<u32, u32, u32, u32, F<u8, u8>>;
}
template <bool high> Handler dp2a(bool signedA, bool signedB) {
  if (signedA) return signedB ? &ternary<u32, u32, u32, u32, Dp2a<s16, s8, high>> : &ternary<u32, u32, u32, u32, Dp2a<s16, u8, high>>;
  return signedB ? &ternary<u32, u32, u32, u32, Dp2a<u16, s8, high>> : &ternary<u32, u32, u32, u32, Dp2a<u16, u8, high>>;
}

}  // namespace

Handler integerHandler(const ptx::Instruction& in) {
  const ptx::Modifiers& m = in.mods;
  const Type t = m.type;
  switch (in.opcode) {
    case Opcode::Add:
      if (m.carryOut) return nullptr;
      if (m.sat) return t == Type::S32 ? &binary<s32, s32, s32, AddSat> : nullptr;
      if (t == Type::U16x2 || t == Type::S16x2) return pairs<Add>(t, false);
      return binaryInteger<Add>(t);
    case Opcode::Sub:
      if (m.carryOut) return nullptr;
      if (m.sat) return t == Type::S32 ? &binary<s32, s32, s32, SubSat> : nullptr;
      return binaryInteger<Sub>(t);
    case Opcode::Mul:
      if (m.part == MulPart::Wide) return wide<MulWide>(t);
      return m.part == MulPart::Hi ? binaryInteger<MulHi>(t) : binaryInteger<MulLo>(t);
    case Opcode::Mad:
      if (m.carryOut) return nullptr;
      if (m.part == MulPart::Wide) return wide<MadWide>(t);
      if (m.sat) return m.part == MulPart::Hi && t == Type::S32 ? &ternary<s32, s32, s32, s32, MadHiSat> : nullptr;
      return m.part == MulPart::Hi ? ternaryInteger<MadHi>(t) : ternaryInteger<MadLo>(t);
    case Opcode::Mul24:
      if (t == Type::S32) return m.part == MulPart::Hi ? &binary<s32, s32, s32, Mul24Hi> : &binary<s32, s32, s32, Mul24Lo>;
      return m.part == MulPart::Hi ? &binary<u32, u32, u32, Mul24Hi> : &binary<u32, u32, u32, Mul24Lo>;
    case Opcode::Mad24:
      if (m.sat) return m.part == MulPart::Hi && t == Type::S32 ? &ternary<s32, s32, s32, s32, Mad24HiSat> : nullptr;
      if (t == Type::S32) return m.part == MulPart::Hi ? &ternary<s32, s32, s32, s32, Mad24<Mul24Hi>> : &ternary<s32, s32, s32, s32, Mad24<Mul24Lo>>;
      return m.part == MulPart::Hi ? &ternary<u32, u32, u32, u32, Mad24<Mul24Hi>> : &ternary<u32, u32, u32, u32, Mad24<Mul24Lo>>;
    case Opcode::Sad: return ternaryInteger<Sad>(t);
    case Opcode::Div: return binaryInteger<Div>(t);
    case Opcode::Rem: return binaryInteger<Rem>(t);
    case Opcode::Min:
      if (t == Type::U16x2 || t == Type::S16x2) return pairs<Min>(t, m.relu);
      if (m.relu) return t == Type::S32 ? &binary<s32, s32, s32, Relu<Min>> : nullptr;
      return binaryInteger<Min>(t);
    case Opcode::Max:
      if (t == Type::U16x2 || t == Type::S16x2) return pairs<Max>(t, m.relu);
      if (m.relu) return t == Type::S32 ? &binary<s32, s32, s32, Relu<Max>> : nullptr;
      return binaryInteger<Max>(t);
    case Opcode::Abs:
      return forInteger(t, [](auto g) -> Handler { using T = typename decltype(g)::type; return &unary<T, T, Abs>; });
    case Opcode::Neg:
      return forInteger(t, [](auto g) -> Handler { using T = typename decltype(g)::type; return &unary<T, T, Neg>; });
    case Opcode::Dp4a: return dotProduct<Dp4a>(ptx::isSigned(m.type), ptx::isSigned(m.sourceType));
    case Opcode::Dp2a:
      return m.part == MulPart::Hi ? dp2a<true>(ptx::isSigned(m.type), ptx::isSigned(m.sourceType))
                                   : dp2a<false>(ptx::isSigned(m.type), ptx::isSigned(m.sourceType));
    default: return nullptr;
  }
}

}  // namespace warpmill::exec::WM_ISA
