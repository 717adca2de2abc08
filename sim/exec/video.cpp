// Video instructions: arithmetic on bytes and halves of registers, scalar (vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vmad, vset) and
// on two or four parts at once (vadd2, vset4 ...). Hardware of today does them in software, so speed is no concern here either.
// Where ptxas' software differs from the ISA's text, this follows the software: results are what an H200 gives.
// Source: PTX ISA 9.0, 9.7.17; recorded results (tests/exec/semantics).
#include "exec/lanes.h"

namespace warpmill::exec {
namespace {

using namespace portable;
using ptx::AtomOp;
using ptx::Compare;
using ptx::Opcode;
using ptx::Type;

// A selector of an operand (see ptx::Operand::selector), or the whole register.
struct Part {
  u32 count = 0, bits = 32;
  std::array<u32, 4> at{};  // which byte or half of the two sources, lowest part first
};
Part partOf(u16 selector) {
  Part p;
  p.count = selector >> 12 & 7;
  if (p.count != 0) p.bits = (selector & 0x8000) != 0 ? 16 : 8;
  for (u32 k = 0; k < 4; ++k) p.at[k] = selector >> (3 * k) & 7;
  return p;
}
s64 extended(u64 v, u32 bits, bool isSigned) {
  v &= (u64{1} << bits) - 1;
  return isSigned && (v >> (bits - 1) & 1) != 0 ? static_cast<s64>(v) - (s64{1} << bits) : static_cast<s64>(v);
}
s64 taken(u32 v, const Part& p, bool isSigned) { return extended(v >> (p.bits == 32 ? 0 : p.bits * p.at[0]), p.bits, isSigned); }
s64 clamped(s64 v, u32 bits, bool isSigned) {
  const s64 low = isSigned ? -(s64{1} << (bits - 1)) : 0, high = isSigned ? (s64{1} << (bits - 1)) - 1 : (s64{1} << bits) - 1;
  return v < low ? low : v > high ? high : v;
}
bool holds(Compare how, s64 a, s64 b) {
  switch (how) {
    case Compare::Eq: return a == b;
    case Compare::Ne: return a != b;
    case Compare::Lt: return a < b;
    case Compare::Le: return a <= b;
    case Compare::Gt: return a > b;
    default: return a >= b;
  }
}

// The operation on two extended values; of the scalar and of the SIMD instructions.
s64 combined(const ptx::Instruction& in, s64 a, s64 b) {
  switch (in.opcode) {
    case Opcode::Vadd: case Opcode::Vadd2: case Opcode::Vadd4: return a + b;
    case Opcode::Vsub: case Opcode::Vsub2: case Opcode::Vsub4: return a - b;
    case Opcode::Vabsdiff: case Opcode::Vabsdiff2: case Opcode::Vabsdiff4: return a < b ? b - a : a - b;
    case Opcode::Vmin: case Opcode::Vmin2: case Opcode::Vmin4: return b < a ? b : a;
    case Opcode::Vmax: case Opcode::Vmax2: case Opcode::Vmax4: return a < b ? b : a;
    case Opcode::Vavrg2: case Opcode::Vavrg4: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case Opcode::Vset: case Opcode::Vset2: case Opcode::Vset4: return holds(in.mods.compare, a, b) ? 1 : 0;
    case Opcode::Vshl: case Opcode::Vshr: {
      const u64 amount = static_cast<u64>(b), n = in.mods.wrap ? amount & 31 : amount > 32 ? 32 : amount;
      return in.opcode == Opcode::Vshl ? static_cast<s64>(static_cast<u64>(a) << n) : a >> n;
    }
    default: return 0;
  }
}
// Types of destination and sources; vset's destination counts as its first source's.
struct Signs { bool d = false, a = false, b = false; };
Signs signsOf(const ptx::Instruction& in) {
  const ptx::Modifiers& m = in.mods;
  const bool set = in.opcode == Opcode::Vset || in.opcode == Opcode::Vset2 || in.opcode == Opcode::Vset4;
  return set ? Signs{ptx::isSigned(m.type), ptx::isSigned(m.type), ptx::isSigned(m.sourceType)} : Signs{ptx::isSigned(m.type), ptx::isSigned(m.sourceType), ptx::isSigned(m.thirdType)};
}

// .sat of the scalar instructions, for a destination of 32 bits or of a part. Towards a part everything that is negative counts as large,
// and an unsigned sum is cut instead of clamped where it is too large; shifts know 34 bits, and no parts.
s64 saturated(const ptx::Instruction& in, s64 v, u32 bits, bool isSigned) {
  if (in.opcode == Opcode::Vshl || in.opcode == Opcode::Vshr) return clamped(extended(static_cast<u64>(v), 34, true), 32, isSigned);
  if (bits < 32) {
    const s64 high = (s64{1} << (bits - (isSigned ? 1 : 0))) - 1;
    return v < 0 || v > high ? high : v;
  }
  return isSigned ? clamped(v, 32, true) : v < 0 ? 0 : v & 0xFFFFFFFF;
}

// The second operation .min or .max compares 64 bits; sums, differences and saturated shifts are cut to 32 before, and extended as if they had
// a sign.
u32 smallerOrLarger(const ptx::Instruction& in, s64 v, u32 c, bool isSigned) {
  const bool isCut = in.opcode == Opcode::Vadd || in.opcode == Opcode::Vsub || (in.mods.sat && (in.opcode == Opcode::Vshl || in.opcode == Opcode::Vshr));
  const s64 p = isCut ? extended(static_cast<u64>(v), 32, true) : v, q = extended(c, 32, isSigned);
  const bool less = isSigned ? p < q : static_cast<u64>(p) < static_cast<u64>(q);
  return less == (in.mods.atom == AtomOp::Min) ? static_cast<u32>(p) : c;
}

void executeScalar(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Instruction& in = *op.instruction;
  const ptx::Modifiers& m = in.mods;
  const Signs sign = signsOf(in);
  const Part d = partOf(in.operands[0].selector), a = partOf(in.operands[1].selector), b = partOf(in.operands[2].selector);
  const u32 *pa = x.at(op.a), *pb = x.at(op.b), *pc = op.c.present ? x.at(op.c) : pa;
  eachLane(mask, [&](unsigned i) {
    s64 v = combined(in, taken(pa[i], a, sign.a), taken(pb[i], b, sign.b));
    if (m.sat) v = saturated(in, v, d.bits, sign.d);
    u32 r = static_cast<u32>(v);
    if (m.atom == AtomOp::Add) r += pc[i];
    else if (m.atom != AtomOp::None) r = smallerOrLarger(in, v, pc[i], sign.d);
    else if (d.count != 0) {
      const u32 place = d.bits * d.at[0], ones = ((1u << d.bits) - 1) << place;
      r = (pc[i] & ~ones) | ((d.bits == 16 ? r : r << place) & ones);  // a half takes the same half of the result
    }
    x.at(op.dst)[i] = r;
  });
}

void executeMad(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Instruction& in = *op.instruction;
  const ptx::Modifiers& m = in.mods;
  const Signs sign = signsOf(in);
  const Part a = partOf(in.operands[1].selector), b = partOf(in.operands[2].selector);
  const bool signedA = sign.a || a.bits == 32, signedB = sign.b || b.bits == 32;  // whole words count as signed ones
  const bool minusProduct = in.operands[1].minus != in.operands[2].minus, minusSum = in.operands[3].minus;
  const bool isSigned = sign.a || sign.b || minusProduct || minusSum;
  const u32 *pa = x.at(op.a), *pb = x.at(op.b), *pc = x.at(op.c);
  eachLane(mask, [&](unsigned i) {
    __int128_t v = static_cast<__int128_t>(taken(pa[i], a, signedA)) * taken(pb[i], b, signedB);
    const s64 c = extended(pc[i], 32, true);
    v = (minusProduct ? -v : v) + (minusSum ? -c : c) + (m.plusOne ? 1 : 0);
    const s64 whole = static_cast<s64>(v);
    const s64 shifted = isSigned ? whole >> m.shiftRight : static_cast<s64>(static_cast<u64>(whole) >> m.shiftRight);
    x.at(op.dst)[i] = static_cast<u32>(m.sat ? clamped(shifted, 32, isSigned) : shifted);
  });
}

// Parts come from both sources: numbers beyond the first one's are the second's.
template <u32 count> void executeSimd(Exec& x, const Op& op, LaneMask mask) {
  constexpr u32 bits = 32 / count;
  const ptx::Instruction& in = *op.instruction;
  const ptx::Modifiers& m = in.mods;
  const Signs sign = signsOf(in);
  Part d = partOf(in.operands[0].selector), a = partOf(in.operands[1].selector), b = partOf(in.operands[2].selector);
  for (u32 k = 0; k < count; ++k) {
    if (a.count == 0) a.at[k] = k;
    if (b.count == 0) b.at[k] = k + count;
  }
  std::array<bool, count> written{};
  for (u32 k = 0; k < count; ++k) {
    if (d.count == 0) written[k] = true;
    else if (k < d.count) written[d.at[k] % count] = true;
  }
  const u32 *pa = x.at(op.a), *pb = x.at(op.b), *pc = x.at(op.c);
  eachLane(mask, [&](unsigned i) {
    const u64 both = u64{pb[i]} << 32 | pa[i];
    u32 sum = pc[i], merged = 0;
    for (u32 k = 0; k < count; ++k) {
      s64 v = combined(in, extended(both >> (bits * a.at[k]), bits, sign.a), extended(both >> (bits * b.at[k]), bits, sign.b));
      if (m.sat) v = clamped(v, bits, sign.d);
      const u32 ones = ((1u << bits) - 1) << (bits * k);
      if (written[k]) sum += static_cast<u32>(v);
      merged |= (written[k] ? static_cast<u32>(v) << (bits * k) : pc[i]) & ones;
    }
    x.at(op.dst)[i] = m.atom == AtomOp::Add ? sum : merged;
  });
}

}  // namespace

Handler videoHandler(const ptx::Instruction& in) {
  const std::size_t operands = in.operands.size();
  switch (in.opcode) {
    case Opcode::Vadd: case Opcode::Vsub: case Opcode::Vabsdiff: case Opcode::Vmin: case Opcode::Vmax: case Opcode::Vshl: case Opcode::Vshr:
    case Opcode::Vset: {
      const bool needsThird = in.mods.atom != AtomOp::None || (operands > 0 && in.operands[0].selector != 0);
      return operands == (needsThird ? 4u : 3u) ? &executeScalar : nullptr;
    }
    case Opcode::Vmad: return operands == 4 ? &executeMad : nullptr;
    case Opcode::Vadd2: case Opcode::Vsub2: case Opcode::Vavrg2: case Opcode::Vabsdiff2: case Opcode::Vmin2: case Opcode::Vmax2: case Opcode::Vset2:
      return operands == 4 ? &executeSimd<2> : nullptr;
    case Opcode::Vadd4: case Opcode::Vsub4: case Opcode::Vavrg4: case Opcode::Vabsdiff4: case Opcode::Vmin4: case Opcode::Vmax4: case Opcode::Vset4:
      return operands == 4 ? &executeSimd<4> : nullptr;
    default: return nullptr;
  }
}

}  // namespace warpmill::exec
