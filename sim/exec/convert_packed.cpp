// cvt to and from pairs of 8-bit floats (e4m3x2, e5m2x2), and cvt.pack: saturated integers side by side.
// Source: PTX ISA 9.0, 9.7.9 "cvt" and "cvt.pack"; OCP 8-bit floating point (formats).
#include "exec/float_bits.h"

namespace warpmill::exec {
namespace {

using namespace portable;
using ptx::Opcode;
using ptx::Type;

// e4m3 has no infinity: its largest exponent holds numbers up to 448, and one NaN.
u32 toE4m3(double v) {
  if (v != v) return 0x7F;
  const u32 sign = std::signbit(v) ? 0x80 : 0;
  const double magnitude = std::fabs(v);
  if (magnitude >= 448.0) return sign | 0x7E;
  if (magnitude < 128.0) return sign | roundToSmall(magnitude, 3, 4, Round::Nearest, 0x7F);
  return sign | (roundToSmall(magnitude * 0.5, 3, 4, Round::Nearest, 0x7F) + 8);  // an exponent lower: the largest one would be infinity
}
u32 toE5m2(double v) {
  if (v != v) return 0x7F;
  const u32 sign = std::signbit(v) ? 0x80 : 0;
  const u32 r = roundToSmall(std::fabs(v), 2, 5, Round::Nearest, 0x7F);
  return sign | (r >= 0x7C ? 0x7B : r);
}
double fromE4m3(u32 b) {
  const u32 exponent = b >> 3 & 15, fraction = b & 7;
  if ((b & 0x7F) == 0x7F) return std::bit_cast<double>(nan64);
  const double magnitude = exponent == 0 ? fraction * 0x1p-9 : std::ldexp(8.0 + fraction, static_cast<int>(exponent) - 10);
  return (b & 0x80) != 0 ? -magnitude : magnitude;
}

u32 toByte(const ptx::Modifiers& m, double v) {
  if (m.relu && (v <= 0 || std::signbit(v)) && v == v) v = 0;
  return m.type == Type::E4M3x2 ? toE4m3(v) : toE5m2(v);
}
void convertPairOfFloats(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Modifiers& m = op.instruction->mods;
  eachLane(mask, [&](unsigned i) {
    const double high = static_cast<double>(get<float>(x.at(op.a), i)), low = static_cast<double>(get<float>(x.at(op.b), i));
    putBits(x, op.dst, i, toByte(m, high) << 8 | toByte(m, low));
  });
}
void convertPairOfHalves(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Modifiers& m = op.instruction->mods;
  eachLane(mask, [&](unsigned i) {
    const u32 v = x.at(op.a)[i];
    const double high = static_cast<double>(fromF16(static_cast<u16>(v >> 16))), low = static_cast<double>(fromF16(static_cast<u16>(v)));
    putBits(x, op.dst, i, toByte(m, high) << 8 | toByte(m, low));
  });
}
void convertToHalves(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Modifiers& m = op.instruction->mods;
  const auto half = [&](u32 byte) -> u32 {
    // e5m2 is the upper half of an f16.
    const u16 h = m.sourceType == Type::E4M3x2 ? toF16(fromE4m3(byte)) : (byte & 0x7F) > 0x7C ? static_cast<u16>(nan16) : static_cast<u16>(byte << 8);
    return m.relu && (h & 0x8000) != 0 ? 0 : h;
  };
  eachLane(mask, [&](unsigned i) {
    const u32 v = static_cast<u32>(getBits(x, op.a, i));
    x.at(op.dst)[i] = half(v >> 8 & 0xFF) << 16 | half(v & 0xFF);
  });
}

struct Range { u32 bits; s64 low, high; };
Range rangeOf(Type t) {
  const u32 bits = t == Type::U2 || t == Type::S2 ? 2 : t == Type::U4 || t == Type::S4 ? 4 : 8 * ptx::sizeBytes(t);
  return ptx::isSigned(t) ? Range{bits, -(s64{1} << (bits - 1)), (s64{1} << (bits - 1)) - 1} : Range{bits, 0, (s64{1} << bits) - 1};
}
// a, then b in the lowest place; c, when given, is pushed up before them.
void convertPack(Exec& x, const Op& op, LaneMask mask) {
  const Range range = rangeOf(op.instruction->mods.type);
  const u32 ones = (1u << range.bits) - 1;
  const auto saturated = [&](s64 v) { return static_cast<u32>(v < range.low ? range.low : v > range.high ? range.high : v) & ones; };
  eachLane(mask, [&](unsigned i) {
    const u32 low = saturated(get<s32>(x.at(op.a), i)) << range.bits | saturated(get<s32>(x.at(op.b), i));
    const u32 rest = op.c.present ? x.at(op.c)[i] << (2 * range.bits) : 0;
    x.at(op.dst)[i] = rest | low;
  });
}

}  // namespace

Handler packedConvertHandler(const ptx::Instruction& in) {
  if (in.opcode != Opcode::Cvt) return nullptr;
  const ptx::Modifiers& m = in.mods;
  if (m.pack) return m.sourceType == Type::S32 && m.sat ? &convertPack : nullptr;
  if (m.rounding != ptx::Rounding::Rn) return nullptr;
  const auto isBytes = [](Type t) { return t == Type::E4M3x2 || t == Type::E5M2x2; };
  if (m.type == Type::F16x2 && isBytes(m.sourceType)) return &convertToHalves;
  if (!isBytes(m.type) || !m.satfinite) return nullptr;
  if (m.sourceType == Type::F32) return &convertPairOfFloats;
  return m.sourceType == Type::F16x2 ? &convertPairOfHalves : nullptr;
}

}  // namespace warpmill::exec
