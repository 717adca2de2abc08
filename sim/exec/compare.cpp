// Comparison and selection: setp, set, selp, slct, testp.
// Source: PTX ISA 9.0, 9.7.6 and 9.7.7.
#include "exec/float_bits.h"

namespace warpmill::exec::WM_ISA {
namespace {

using ptx::BoolOp;
using ptx::Compare;
using ptx::Opcode;
using ptx::Type;

// How a type's lanes are read for a comparison.
template <class T> struct Plain {
  using Value = T;
  static T read(const u32* p, unsigned i) { return get<T>(p, i); }
};
struct FlushedFloat {
  using Value = float;
  static float read(const u32* p, unsigned i) { return flush(get<float>(p, i)); }
};
template <unsigned shift, bool ftz> struct Half {
  using Value = float;
  static float read(const u32* p, unsigned i) {
    const u16 h = static_cast<u16>(p[i] >> shift);
    return fromF16(ftz && (h & 0x7C00) == 0 ? h & 0x8000 : h);
  }
};
template <unsigned shift> struct BHalf {
  using Value = float;
  static float read(const u32* p, unsigned i) { return fromBf16(static_cast<u16>(p[i] >> shift)); }
};

template <class R>
LaneMask compare(Compare how, const u32* a, const u32* b) {
  using T = typename R::Value;
  const auto with = [&](auto test) { return gatherMask([&](unsigned i) { return test(R::read(a, i), R::read(b, i)); }); };
  switch (how) {
    case Compare::Eq: return with([](T p, T q) { return p == q; });
    case Compare::Ne:
      if constexpr (std::is_floating_point_v<T>) return with([](T p, T q) { return p < q || p > q; });
      else return with([](T p, T q) { return p != q; });
    case Compare::Lt: case Compare::Lo: return with([](T p, T q) { return p < q; });
    case Compare::Le: case Compare::Ls: return with([](T p, T q) { return p <= q; });
    case Compare::Gt: case Compare::Hi: return with([](T p, T q) { return p > q; });
    case Compare::Ge: case Compare::Hs: return with([](T p, T q) { return p >= q; });
    case Compare::Equ: return with([](T p, T q) { return !(p < q || p > q); });
    case Compare::Neu: return with([](T p, T q) { return p != q; });
    case Compare::Ltu: return with([](T p, T q) { return !(p >= q); });
    case Compare::Leu: return with([](T p, T q) { return !(p > q); });
    case Compare::Gtu: return with([](T p, T q) { return !(p <= q); });
    case Compare::Geu: return with([](T p, T q) { return !(p < q); });
    case Compare::Num: return with([](T p, T q) { return p == p && q == q; });
    case Compare::Nan: return with([](T p, T q) { return p != p || q != q; });
    default: return 0;
  }
}

LaneMask combine(BoolOp op, LaneMask result, LaneMask other) {
  switch (op) {
    case BoolOp::And: return result & other;
    case BoolOp::Or: return result | other;
    case BoolOp::Xor: return result ^ other;
    default: return result;
  }
}

template <class R> void executeSetp(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Modifiers& m = op.instruction->mods;
  const LaneMask result = compare<R>(m.compare, x.at(op.a), x.at(op.b));
  const LaneMask other = x.value(op.predicate);
  x.setPredicate(op.dstPredicate, combine(m.boolOp, result, other), mask);
  x.setPredicate(op.dstPredicate2, combine(m.boolOp, ~result, other), mask);
}
// Packed halves: the first predicate is of the lower half, the second of the upper one.
template <class Low, class High> void executeSetpPair(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Modifiers& m = op.instruction->mods;
  const LaneMask low = compare<Low>(m.compare, x.at(op.a), x.at(op.b)), high = compare<High>(m.compare, x.at(op.a), x.at(op.b));
  const LaneMask other = x.value(op.predicate);
  x.setPredicate(op.dstPredicate, combine(m.boolOp, low, other), mask);
  x.setPredicate(op.dstPredicate2, combine(m.boolOp, high, other), mask);
}
template <class R> void executeSet(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Modifiers& m = op.instruction->mods;
  const LaneMask result = combine(m.boolOp, compare<R>(m.compare, x.at(op.a), x.at(op.b)), x.value(op.predicate));
  u64 yes = ~u64{0};
  if (m.type == Type::F32) yes = 0x3F800000u;
  if (m.type == Type::F16) yes = 0x3C00u;
  if (m.type == Type::BF16) yes = 0x3F80u;
  eachLane(mask, [&](unsigned i) { putBits(x, op.dst, i, (result & laneBit[i]) != 0 ? yes : 0); });
}
template <class Low, class High> void executeSetPair(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Modifiers& m = op.instruction->mods;
  const LaneMask other = x.value(op.predicate);
  const LaneMask low = combine(m.boolOp, compare<Low>(m.compare, x.at(op.a), x.at(op.b)), other);
  const LaneMask high = combine(m.boolOp, compare<High>(m.compare, x.at(op.a), x.at(op.b)), other);
  const u32 yes = m.type == Type::F16x2 ? 0x3C00u : m.type == Type::BF16x2 ? 0x3F80u : 0xFFFFu;
  eachLane(mask, [&](unsigned i) { putBits(x, op.dst, i, ((low & laneBit[i]) != 0 ? yes : 0) | ((high & laneBit[i]) != 0 ? yes << 16 : 0)); });
}

template <class T> void executeSelp(Exec& x, const Op& op, LaneMask mask) {
  u32* d = x.at(op.dst);
  const u32 *a = x.at(op.a), *b = x.at(op.b);
  const LaneMask p = x.value(op.predicate);
  writeLanes<T>(d, mask, [=](unsigned i) { return (p & laneBit[i]) != 0 ? get<T>(a, i) : get<T>(b, i); });
}

template <bool ftz> struct Slct {  // c >= 0 ? a : b
  template <class T, class C> T operator()(T a, T b, C c) const {
    if constexpr (ftz) return flush(c) >= 0 ? a : b;
    else return c >= 0 ? a : b;
  }
};

// aux: 1 finite, 2 infinite, 3 number, 4 notanumber, 5 normal, 6 subnormal.
template <class T> void executeTestp(Exec& x, const Op& op, LaneMask mask) {
  constexpr bool isDouble = sizeof(T) == 8;
  constexpr u64 exponentMask = isDouble ? 0x7FF0000000000000ull : 0x7F800000ull, magnitudeMask = isDouble ? 0x7FFFFFFFFFFFFFFFull : 0x7FFFFFFFull;
  const u32* a = x.at(op.a);
  const LaneMask result = gatherMask([&](unsigned i) {
    const u64 magnitude = get<T>(a, i) & magnitudeMask, exponent = magnitude & exponentMask;
    switch (op.aux) {
      case 1: return exponent != exponentMask;
      case 2: return magnitude == exponentMask;
      case 3: return magnitude <= exponentMask;
      case 4: return magnitude > exponentMask;
      case 5: return magnitude == 0 || (exponent != 0 && exponent != exponentMask);
      default: return exponent == 0 && magnitude != 0;
    }
  });
  x.setPredicate(op.dstPredicate, result, mask);
}

// f(reader) for the type of the operands.
template <class F> Handler forReader(Type type, bool ftz, F f) {
  switch (type) {
    case Type::F32: return ftz ? f(FlushedFloat{}) : f(Plain<float>{});
    case Type::F64: return f(Plain<double>{});
    case Type::F16: return ftz ? f(Half<0, true>{}) : f(Half<0, false>{});
    case Type::BF16: return f(BHalf<0>{});
    default: return forInteger(type, [&](auto t) -> Handler { return f(Plain<typename decltype(t)::type>{}); });
  }
}

}  // namespace

Handler compareHandler(const ptx::Instruction& in) {
  const ptx::Modifiers& m = in.mods;
  switch (in.opcode) {
    case Opcode::Setp:
      if (m.type == Type::F16x2) return m.ftz ? &executeSetpPair<Half<0, true>, Half<16, true>> : &executeSetpPair<Half<0, false>, Half<16, false>>;
      if (m.type == Type::BF16x2) return &executeSetpPair<BHalf<0>, BHalf<16>>;
      return forReader(m.type, m.ftz, [](auto r) -> Handler { return &executeSetp<decltype(r)>; });
    case Opcode::Set:
      if (m.sourceType == Type::F16x2) return m.ftz ? &executeSetPair<Half<0, true>, Half<16, true>> : &executeSetPair<Half<0, false>, Half<16, false>>;
      if (m.sourceType == Type::BF16x2) return &executeSetPair<BHalf<0>, BHalf<16>>;
      return forReader(m.sourceType, m.ftz, [](auto r) -> Handler { return &executeSet<decltype(r)>; });
    case Opcode::Selp:
      return forBits(m.type, [](auto t) -> Handler { return &executeSelp<typename decltype(t)::type>; });
    case Opcode::Slct: {
      const bool byFloat = m.sourceType == Type::F32, ftz = m.ftz;
      return forBits(m.type, [byFloat, ftz](auto t) -> Handler {
        using T = typename decltype(t)::type;
        if (byFloat) return ftz ? &ternary<T, T, T, float, Slct<true>> : &ternary<T, T, T, float, Slct<false>>;
        return &ternary<T, T, T, s32, Slct<false>>;
      });
    }
    case Opcode::Testp: return m.type == Type::F64 ? &executeTestp<u64> : &executeTestp<u32>;
    default: return nullptr;
  }
}

}  // namespace warpmill::exec::WM_ISA
