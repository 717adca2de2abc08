// add, sub, mul, fma, div, rcp and sqrt with .rz, .rm or .rp, in the host's rounding mode. Compiled with -frounding-math, so that nothing
// moves out of the region between setting and restoring the mode.
#include "exec/rounding.h"

#include "exec/float_bits.h"

#include <cfenv>

namespace warpmill::exec {
namespace {

using namespace portable;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

class HostRounding {
 public:
  explicit HostRounding(Rounding r)
      : before_(std::fegetround()) {
    std::fesetround(r == Rounding::Rz ? FE_TOWARDZERO : r == Rounding::Rm ? FE_DOWNWARD : r == Rounding::Rp ? FE_UPWARD : FE_TONEAREST);
  }
  ~HostRounding() { std::fesetround(before_); }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
  int before_;
};

template <class T> T compute(Opcode opcode, T x, T y, T z) {
  // volatile: the operation happens here, with the mode that is set now.
  const volatile T a = x, b = y, c = z;
  volatile T r = 0;
  switch (opcode) {
    case Opcode::Add: r = a + b; break;
    case Opcode::Sub: r = a - b; break;
    case Opcode::Mul: r = a * b; break;
    case Opcode::Div: r = a / b; break;
    case Opcode::Fma: case Opcode::Mad: r = std::fma(T{a}, T{b}, T{c}); break;
    case Opcode::Rcp: r = T{1} / a; break;
    case Opcode::Sqrt: r = std::sqrt(T{a}); break;
    default: break;
  }
  return r;
}

// The lanes whose result .ftz flushes.
LaneMask tinyLanes(const ptx::Instruction& in, LaneMask mask, const u32* a, const u32* b, const u32* c) {
  const Round mode = in.mods.rounding == Rounding::Rz ? Round::Zero : in.mods.rounding == Rounding::Rm ? Round::Down : Round::Up;
  LaneMask tiny = 0;
  eachLane(mask, [&](unsigned i) {
    const double p = static_cast<double>(flush(get<float>(a, i))), q = static_cast<double>(flush(get<float>(b, i))), r = static_cast<double>(flush(get<float>(c, i)));
    double v = 1;
    switch (in.opcode) {
      case Opcode::Add: v = addToOdd(p, q); break;
      case Opcode::Sub: v = addToOdd(p, -q); break;
      case Opcode::Mul: v = p * q; break;
      case Opcode::Fma: case Opcode::Mad: v = addToOdd(p * q, r); break;
      case Opcode::Div: v = divideToOdd(p, q); break;
      case Opcode::Rcp: v = divideToOdd(1.0, p); break;
      default: break;
    }
    if (isTiny(v, mode)) tiny |= laneBit[i];
  });
  return tiny;
}

template <class T> void executeDirected(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Instruction& in = *op.instruction;
  const ptx::Modifiers& m = in.mods;
  u32* d = x.at(op.dst);
  const u32 *a = x.at(op.a), *b = op.b.present ? x.at(op.b) : a, *c = op.c.present ? x.at(op.c) : a;
  const LaneMask tiny = sizeof(T) == 4 && m.ftz ? tinyLanes(in, mask, a, b, c) : 0;
  const HostRounding rounding(m.rounding);
  eachLane(mask, [&](unsigned i) {
    T p = get<T>(a, i), q = get<T>(b, i), r = get<T>(c, i);
    if constexpr (sizeof(T) == 4) {
      if (m.ftz) p = flush(p), q = flush(q), r = flush(r);
      T v = compute<T>(in.opcode, p, q, r);
      if ((tiny & laneBit[i]) != 0) v = asF32(bitsOf(v) & 0x80000000u);
      put<T>(d, i, m.sat ? saturate01(v) : canonical(v));
    } else {
      const T v = compute<T>(in.opcode, p, q, r);
      put<T>(d, i, in.opcode == Opcode::Div ? nanOf(v, p, q) : in.opcode == Opcode::Fma || in.opcode == Opcode::Mad ? nanOf(v, q, r, p) : nanOf(v, q, p));
    }
  });
}

}  // namespace

Handler directedRoundingHandler(const ptx::Instruction& in) {
  const ptx::Modifiers& m = in.mods;
  if (m.rounding != Rounding::Rz && m.rounding != Rounding::Rm && m.rounding != Rounding::Rp) return nullptr;
  switch (in.opcode) {
    case Opcode::Add: case Opcode::Sub: case Opcode::Mul: case Opcode::Div: case Opcode::Fma: case Opcode::Mad: case Opcode::Rcp: case Opcode::Sqrt: break;
    default: return nullptr;
  }
  if (m.type == Type::F32) return &executeDirected<float>;
  if (m.type == Type::F64) return &executeDirected<double>;
  return nullptr;
}

double integerToDouble(std::uint64_t value, bool isSigned, int mode) {
  constexpr Rounding modes[4] = {Rounding::Rn, Rounding::Rz, Rounding::Rm, Rounding::Rp};
  const HostRounding rounding(modes[mode & 3]);
  const volatile std::uint64_t u = value;
  volatile double r = 0;
  if (isSigned) r = static_cast<double>(static_cast<std::int64_t>(std::uint64_t{u}));
  else {
    // Through two halves: the host's conversion of large unsigned values may round twice.
    const volatile double high = static_cast<double>(static_cast<std::uint32_t>(u >> 32)) * 0x1p32;
    const volatile double low = static_cast<double>(static_cast<std::uint32_t>(u));
    r = high + low;
  }
  return r;
}

}  // namespace warpmill::exec
