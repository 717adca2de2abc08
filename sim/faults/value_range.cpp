#include "faults/value_range.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpmill::faults {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::SpecialRegister;
using ptx::Type;

namespace {

constexpr Range anything{}, nothing{1, 0};

bool isInteger(Type t) {
  switch (t) {
    case Type::U16: case Type::S16: case Type::B16: case Type::U32: case Type::S32: case Type::B32: case Type::U64: case Type::S64: case Type::B64: return true;
    default: return false;
  }
}

Range fitting(Range r, Type type) {
  const std::uint32_t bits = 8 * ptx::sizeBytes(type);
  if (!r.isKnown() || bits == 0 || bits > 64) return anything;
  if (bits == 64) return r;
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  return r.isIn(-half, half - 1) ? r : anything;
}

Range joined(Range a, Range b) {
  if (a.isEmpty()) return b;
  if (b.isEmpty()) return a;
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

// Bounds of an operation that is monotone in each operand, from its values at the corners.
template <class F> Range corners(Range a, Range b, F f) {
  if (!a.isKnown() || !b.isKnown()) return anything;
  Range r = nothing;
  for (const std::int64_t x : {a.lo, a.hi})
    for (const std::int64_t y : {b.lo, b.hi}) {
      std::int64_t v = 0;
      if (f(x, y, v)) return anything;
      r = joined(r, {v, v});
    }
  return r;
}
Range sum(Range a, Range b) { return corners(a, b, [](auto x, auto y, auto& v) { return __builtin_add_overflow(x, y, &v); }); }
Range difference(Range a, Range b) { return corners(a, b, [](auto x, auto y, auto& v) { return __builtin_sub_overflow(x, y, &v); }); }
Range product(Range a, Range b) { return corners(a, b, [](auto x, auto y, auto& v) { return __builtin_mul_overflow(x, y, &v); }); }

// Any combination of the bits of two that are not negative.
Range bitsOf(Range a, Range b) {
  if (!a.isKnown() || !b.isKnown() || a.lo < 0 || b.lo < 0) return anything;
  const auto most = static_cast<std::uint64_t>(std::max(a.hi, b.hi));
  return {0, static_cast<std::int64_t>(std::bit_ceil(most + 1) - 1)};
}

Range masked(Range a, Range b) {
  const bool aIsMask = a.isKnown() && a.lo >= 0, bIsMask = b.isKnown() && b.lo >= 0;
  if (!aIsMask && !bIsMask) return anything;
  return {0, aIsMask && bIsMask ? std::min(a.hi, b.hi) : aIsMask ? a.hi : b.hi};
}

Range shiftedRight(Range a, Range by, Type type) {
  if (!by.isKnown() || by.lo != by.hi || by.lo < 0 || by.lo > 63) return anything;
  if (a.isKnown() && a.lo >= 0) return {a.lo >> by.lo, a.hi >> by.lo};
  const std::int64_t bits = 8 * ptx::sizeBytes(type);
  return !ptx::isSigned(type) && by.lo > 0 && by.lo < bits ? Range{0, static_cast<std::int64_t>(~std::uint64_t{0} >> (64 - bits) >> by.lo)} : anything;
}

Range remainder(Range a, Range by, Type type) {
  if (!by.isKnown() || by.lo <= 0) return anything;
  const bool rises = !ptx::isSigned(type) || (a.isKnown() && a.lo >= 0);
  return {rises ? 0 : 1 - by.hi, by.hi - 1};
}

Range quotient(Range a, Range by) {
  if (!a.isKnown() || a.lo < 0 || !by.isKnown() || by.lo <= 0) return anything;
  return {a.lo / by.hi, a.hi / by.lo};
}

// A wide product reads its factors as signed or not; the high half of one is no product at all.
bool isMisread(const Instruction& in, Range factor) {
  return in.mods.part == ptx::MulPart::Hi || (in.mods.part == ptx::MulPart::Wide && !ptx::isSigned(in.mods.type) && factor.lo < 0);
}

}  // namespace

ValueRanges::ValueRanges(const exec::Code& code) : code_(code) {
  const ptx::Function& f = code.function();
  ranges_.assign(f.registers.size(), nothing);
  std::vector<std::uint8_t> changes(f.registers.size(), 0);
  constexpr std::uint8_t mostChanges = 6;  // what still grows then has no bounds
  const auto write = [&](std::uint32_t r, Range range) {
    const Range now = joined(ranges_[r], range);
    if (range.isEmpty() || (now.lo == ranges_[r].lo && now.hi == ranges_[r].hi)) return false;
    ranges_[r] = ++changes[r] > mostChanges ? anything : now;
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction& in : f.instructions)
      for (std::size_t k = 0; k < in.destinationCount && k < in.operands.size(); ++k) {
        const Operand& o = in.operands[k];
        if (o.kind == Operand::Kind::Register) changed |= write(o.index, k == 0 ? fitting(exact(in), f.registers[o.index].type) : anything);
        if (o.kind != Operand::Kind::Vector) continue;
        for (std::uint32_t e = 0; e < o.count; ++e)
          if (const Operand& element = f.vectorElements[o.index + e]; element.kind == Operand::Kind::Register) changed |= write(element.index, anything);
      }
  }
}

Range ValueRanges::special(SpecialRegister s) const {
  const exec::Dim3 &grid = code_.context().grid, &block = code_.context().block;
  const auto below = [](std::uint32_t n) { return Range{0, std::int64_t{n} - 1}; };
  const auto just = [](std::uint32_t n) { return Range{n, n}; };
  switch (s) {
    case SpecialRegister::TidX: return below(block.x);
    case SpecialRegister::TidY: return below(block.y);
    case SpecialRegister::TidZ: return below(block.z);
    case SpecialRegister::NtidX: return just(block.x);
    case SpecialRegister::NtidY: return just(block.y);
    case SpecialRegister::NtidZ: return just(block.z);
    case SpecialRegister::CtaidX: return below(grid.x);
    case SpecialRegister::CtaidY: return below(grid.y);
    case SpecialRegister::CtaidZ: return below(grid.z);
    case SpecialRegister::NctaidX: return just(grid.x);
    case SpecialRegister::NctaidY: return just(grid.y);
    case SpecialRegister::NctaidZ: return just(grid.z);
    case SpecialRegister::LaneId: return {0, 31};
    default: return anything;
  }
}

Range ValueRanges::operand(const Instruction& in, std::size_t k) const {
  if (k >= in.operands.size()) return anything;
  const Operand& o = in.operands[k];
  switch (o.kind) {
    case Operand::Kind::Register: return ranges_[o.index];
    case Operand::Kind::Immediate: return o.isFloat32 || o.isFloat64 ? anything : Range{static_cast<std::int64_t>(o.bits), static_cast<std::int64_t>(o.bits)};
    case Operand::Kind::Special: return special(o.special);
    default: return anything;
  }
}

Range ValueRanges::parameter(const Instruction& in) const {
  const Operand& o = in.operands.back();
  const std::uint32_t bytes = ptx::sizeBytes(in.mods.type);
  const auto& block = code_.context().parameters;
  if (o.kind != Operand::Kind::Address || o.scope != Operand::In::Parameter || in.mods.toSpace == ptx::Space::Local || bytes > 8 || !isInteger(in.mods.type)) return anything;
  const std::uint64_t at = code_.function().params.at(o.index).offset + static_cast<std::uint64_t>(o.offset);
  if (at + bytes > block.size()) return anything;
  std::uint64_t bits = 0;
  std::memcpy(&bits, block.data() + at, bytes);
  const unsigned unused = 64 - 8 * bytes;
  const auto value = static_cast<std::int64_t>(bits << unused) >> unused;
  return {value, value};
}

Range ValueRanges::converted(const Instruction& in) const {
  if (!isInteger(in.mods.type) || in.mods.sat) return anything;
  const Range a = operand(in, 1), fits = fitting(fitting(a, in.mods.sourceType), in.mods.type);
  if (a.isEmpty()) return a;
  if (fits.isKnown() && (fits.lo >= 0 || ptx::isSigned(in.mods.sourceType))) return fits;
  switch (in.mods.sourceType) {
    case Type::U8: return {0, 0xFF};
    case Type::S8: return {-0x80, 0x7F};
    case Type::U16: return {0, 0xFFFF};
    case Type::S16: return {-0x8000, 0x7FFF};
    default: return in.mods.type == Type::U8 ? Range{0, 0xFF} : anything;
  }
}

Range ValueRanges::exact(const Instruction& in) const {
  const Range a = operand(in, 1), b = operand(in, 2), c = operand(in, 3);
  const auto waits = [](Range r) { return r.isEmpty(); };
  switch (in.opcode) {
    case Opcode::Ld: case Opcode::Ldu:
      if (in.mods.space == ptx::Space::Param && in.mods.vectorWidth <= 1) return parameter(in);
      switch (in.mods.type) {
        case Type::U8: case Type::B8: return {0, 0xFF};
        case Type::S8: return {-0x80, 0x7F};
        default: return anything;
      }
    case Opcode::Mov: case Opcode::Neg: case Opcode::Cvt:
      if (in.operands.size() != 2) return anything;
      if (waits(a)) return nothing;
      if (in.opcode == Opcode::Mov) return isInteger(in.mods.type) ? a : anything;
      if (in.opcode == Opcode::Neg) return difference({0, 0}, a);
      return converted(in);
    case Opcode::Add: case Opcode::Sub: case Opcode::Mul: case Opcode::Min: case Opcode::Max: case Opcode::And: case Opcode::Or: case Opcode::Xor:
    case Opcode::Shl: case Opcode::Shr: case Opcode::Rem: case Opcode::Div: case Opcode::Selp: {
      if (waits(a) || waits(b)) return nothing;
      if (!isInteger(in.mods.type) || in.mods.sat || in.mods.carryOut) return anything;
      switch (in.opcode) {
        case Opcode::Add: return sum(a, b);
        case Opcode::Sub: return difference(a, b);
        case Opcode::Mul: return isMisread(in, a) || isMisread(in, b) ? anything : product(a, b);
        case Opcode::Min: case Opcode::Max:
          if (!ptx::isSigned(in.mods.type) && (a.lo < 0 || b.lo < 0)) return anything;
          return in.opcode == Opcode::Min ? corners(a, b, [](auto x, auto y, auto& v) { return v = std::min(x, y), false; })
                                          : corners(a, b, [](auto x, auto y, auto& v) { return v = std::max(x, y), false; });
        case Opcode::And: return masked(a, b);
        case Opcode::Or: case Opcode::Xor: return bitsOf(a, b);
        case Opcode::Shl: return b.isIn(0, 31) ? product(a, {std::int64_t{1} << b.lo, std::int64_t{1} << b.hi}) : anything;
        case Opcode::Shr: return shiftedRight(a, b, in.mods.type);
        case Opcode::Rem: return remainder(a, b, in.mods.type);
        case Opcode::Div: return quotient(a, b);
        default: return a.isKnown() && b.isKnown() ? joined(a, b) : anything;
      }
    }
    case Opcode::Mad:
      if (waits(a) || waits(b) || waits(c)) return nothing;
      return isMisread(in, a) || isMisread(in, b) || in.mods.sat || in.mods.carryOut ? anything : sum(product(a, b), c);
    case Opcode::Clz: case Opcode::Popc: return {0, 64};
    default: return anything;
  }
}

}  // namespace warpmill::faults
