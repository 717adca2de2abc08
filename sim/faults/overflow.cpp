#include "faults/overflow.h"

#include "exec/lanes.h"
#include "exec/special.h"
#include "faults/shuffle_source.h"

#include <bit>

namespace warpmill::faults {

using exec::Exec;
using exec::Op;
using exec::planeWords;
using exec::Slot;
using exec::portable::eachLane;
using exec::portable::getBits;

namespace {

std::int64_t signedOf(std::uint64_t bits, unsigned width) { return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width); }
std::int64_t unsignedOf(std::uint64_t bits, unsigned width) { return static_cast<std::int64_t>(bits << (64 - width) >> (64 - width)); }
std::int64_t plus(std::int64_t a, std::int64_t b) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b)); }
std::int64_t minus(std::int64_t a, std::int64_t b) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)); }
std::int64_t times(std::int64_t a, std::int64_t b) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)); }
std::uint32_t planeOf(const Slot& s) { return s.offset / planeWords; }

std::int64_t evaluate(Linear kind, std::int64_t a, std::int64_t b, std::int64_t c) {
  switch (kind) {
    case Linear::Sum: case Linear::JoinedBits: return plus(a, b);
    case Linear::Difference: return minus(a, b);
    case Linear::Product: return times(a, b);
    case Linear::ProductAndSum: return plus(times(a, b), c);
    case Linear::Shift: return times(a, std::int64_t{1} << b);
    case Linear::Negation: return minus(0, a);
    default: return a;
  }
}

unsigned sourcesOf(Linear kind) {
  switch (kind) {
    case Linear::Sum: case Linear::Difference: case Linear::Product: case Linear::JoinedBits: return 2;
    case Linear::ProductAndSum: return 3;
    default: return 1;
  }
}

// Magnitudes of all lanes together: no value has more bits than this.
unsigned bitsOf(const std::uint32_t* plane) {
  std::uint32_t all = 0;
  for (unsigned i = 0; i < 32; ++i) all |= plane[i] ^ static_cast<std::uint32_t>(static_cast<std::int32_t>(plane[i]) >> 31);
  return static_cast<unsigned>(std::bit_width(all));
}
std::uint32_t signsOf(const std::uint32_t* plane) {
  std::uint32_t all = 0;
  for (unsigned i = 0; i < 32; ++i) all |= plane[i];
  return all >> 31;
}

}  // namespace

bool Overflows::isCall(std::uint32_t pc) const {
  const exec::Flow flow = code_.ops()[pc].flow;
  return flow == exec::Flow::Call || flow == exec::Flow::Return;
}

// Can a step of registers without marks give one? Quickly, for the whole warp; true may be wrong.
bool Overflows::mayWrap(Exec& x, const Op& op, LaneMask executed) const {
  const SliceStep& s = steps_[op.pc];
  if (!s.isWatched || executed == 0) return false;
  for (std::uint8_t k = 0; k < op.specialCount; ++k) fillSpecial(x, op.specials[k]);
  if (s.width != 32 || s.kind == Linear::Shift || s.kind == Linear::Negation) {
    if (s.width == 32 && s.kind == Linear::Shift && op.b.base == Slot::Constants) return bitsOf(x.at(op.a)) + (*x.at(op.b) & 63) > 31 || (s.readUnsigned && signsOf(x.at(op.a)) != 0);
    return true;
  }
  const std::uint32_t *a = x.at(op.a), *b = x.at(op.b);
  if (s.kind == Linear::Sum || s.kind == Linear::Difference) {
    const std::uint32_t negative = s.readUnsigned ? ~0u : 0;
    std::uint32_t found = 0;
    if (s.kind == Linear::Sum)
      for (unsigned i = 0; i < 32; ++i) {
        const std::uint32_t r = a[i] + b[i];
        found |= ((a[i] ^ r) & (b[i] ^ r)) | (r & negative);
      }
    else
      for (unsigned i = 0; i < 32; ++i) {
        const std::uint32_t r = a[i] - b[i];
        found |= ((a[i] ^ b[i]) & (a[i] ^ r)) | (r & negative);
      }
    return found >> 31 != 0;
  }
  const bool adds = s.kind == Linear::ProductAndSum;
  const unsigned bits = bitsOf(a) + bitsOf(b), addend = adds ? bitsOf(x.at(op.c)) : 0;
  if (bits > (adds ? 30u : 31u) || addend > 30) return true;
  return s.readUnsigned && (signsOf(a) | signsOf(b) | (adds ? signsOf(x.at(op.c)) : 0)) != 0;
}

// Do all who read the result of this step, which is `bits`, see what it should be?
bool Overflows::isSettled(const SliceStep& s, std::int64_t exact, std::uint64_t bits) const {
  const bool asSigned = exact == signedOf(bits, s.width), asUnsigned = exact == unsignedOf(bits, s.width);
  if (s.width == 64) return asSigned;
  return (asSigned || !s.readSigned) && (asUnsigned || !s.readUnsigned) && (asSigned || asUnsigned);
}

Overflows::Value Overflows::read(const Exec& x, const Slot& slot, const SliceStep& s, bool isAddend, unsigned lane, const WarpMarks& warp) const {
  Value v;
  const bool narrow = s.widens && !isAddend;
  const unsigned width = narrow ? s.sourceWidth : s.width;
  const std::uint64_t bits = getBits(x, slot, lane);
  if (slot.base == Slot::Registers && (warp.lanes[planeOf(slot)] >> lane & 1) != 0) {
    const WarpMarks::Mark& m = warp.marks[planeOf(slot) * std::size_t{32} + lane];
    v.exact = m.exact;
    v.origin = m.origin;
    v.marked = true;
    return v;
  }
  v.exact = narrow && !s.isSigned ? unsignedOf(bits, width) : signedOf(bits, width);
  v.other = unsignedOf(bits, width);
  v.hasOther = !narrow && width < 64 && slot.base == Slot::Registers && v.other != v.exact;
  return v;
}

// One lane's result; true: it is marked.
bool Overflows::compute(const Exec& x, const Op& op, const SliceStep& s, unsigned lane, WarpMarks& warp, WarpMarks::Mark& result) const {
  const unsigned count = sourcesOf(s.kind);
  const std::array<const Slot*, 3> slots{&op.a, &op.b, &op.c};
  std::array<Value, 3> v{};
  std::array<std::int64_t, 3> bits{};
  bool anyMarked = false, markedFits = true;
  for (unsigned k = 0; k < count; ++k) {
    v[k] = read(x, *slots[k], s, s.kind == Linear::ProductAndSum && k == 2, lane, warp);
    const unsigned width = s.widens && k < 2 ? s.sourceWidth : s.width;
    const std::uint64_t raw = getBits(x, *slots[k], lane);
    bits[k] = width == 64 || (s.widens && s.isSigned) || !s.readUnsigned ? signedOf(raw, width) : unsignedOf(raw, width);
    if (slots[k]->base != Slot::Registers) bits[k] = signedOf(raw, width);
    if (!v[k].marked) continue;
    if (!anyMarked) result.origin = v[k].origin;
    anyMarked = true;
    markedFits &= v[k].exact == signedOf(raw, width) || v[k].exact == unsignedOf(raw, width);
  }
  if (s.kind == Linear::Shift) {
    v[1].exact = static_cast<std::int64_t>(x.at(op.b)[lane]);
    bits[1] = v[1].exact;
    if (v[1].exact >= s.width) return false;  // meant to shift everything out
  }
  if (s.kind == Linear::JoinedBits && (!anyMarked || (getBits(x, op.a, lane) & getBits(x, op.b, lane)) != 0)) return false;
  if (!anyMarked && (s.width == 64 || s.widens)) return false;

  // What it is, from the same sources as the machine reads them.
  const auto machine = [&](unsigned k) {
    const std::uint64_t raw = getBits(x, *slots[k], lane);
    return s.widens && k < 2 ? (s.isSigned ? signedOf(raw, s.sourceWidth) : unsignedOf(raw, s.sourceWidth)) : static_cast<std::int64_t>(raw);
  };
  const auto real = static_cast<std::uint64_t>(
      evaluate(s.kind, machine(0), s.kind == Linear::Shift ? v[1].exact : count > 1 ? machine(1) : 0, count > 2 ? machine(2) : 0));

  bool fits = false;
  for (unsigned choice = 0; choice < 8; ++choice) {
    bool possible = true;
    std::array<std::int64_t, 3> e{};
    for (unsigned k = 0; k < 3; ++k) {
      const bool other = (choice >> k & 1) != 0;
      possible &= !other || (k < count && v[k].hasOther);
      e[k] = other ? v[k].other : v[k].exact;
    }
    if (!possible) continue;
    const std::int64_t exact = evaluate(s.kind, e[0], e[1], e[2]);
    if (isSettled(s, exact, real)) return false;
    const bool fitsNow = exact == signedOf(real, s.width) || exact == unsignedOf(real, s.width);
    if (choice == 0 || (fitsNow && !fits)) result.exact = exact;
    fits |= fitsNow;
  }
  if (!anyMarked || (markedFits && !fits && !s.widens && s.width != 64)) {
    Wrap& w = warp.wraps[op.pc][lane];
    w.operands = bits;
    for (unsigned k = 0; k < count; ++k)
      if (v[k].marked) w.operands[k] = v[k].exact;
    w.exact = result.exact;
    w.width = s.width;
    w.isUnsigned = s.readUnsigned && !s.readSigned;
    w.became = w.isUnsigned ? unsignedOf(real, s.width) : signedOf(real, s.width);
    result.origin = op.pc;
  }
  return true;
}

void Overflows::step(const Exec& x, const Op& op, LaneMask executed, WarpMarks& warp) const {
  const SliceStep& s = steps_[op.pc];
  const std::uint32_t to = planeOf(op.dst);
  LaneMask marked = 0;
  std::array<WarpMarks::Mark, 32> results{};
  const auto take = [&](unsigned lane, const Slot& from, unsigned fromLane) {
    if (from.base != Slot::Registers || (warp.lanes[planeOf(from)] >> fromLane & 1) == 0) return;
    results[lane] = warp.marks[planeOf(from) * std::size_t{32} + fromLane];
    if (!isSettled(s, results[lane].exact, getBits(x, from, fromLane))) marked |= 1u << lane;
  };
  switch (s.kind) {
    case Linear::Copy: eachLane(executed, [&](unsigned i) { take(i, op.a, i); }); break;
    case Linear::Choice: {
      const LaneMask first = x.value(op.predicate);
      eachLane(executed, [&](unsigned i) { take(i, (first >> i & 1) != 0 ? op.a : op.b, i); });
      break;
    }
    case Linear::Exchange:
      eachLane(executed, [&](unsigned i) { take(i, op.a, shuffleSource(op.instruction->mods.shfl, i, x.at(op.b)[i], x.at(op.c)[i])); });
      break;
    default:
      eachLane(executed, [&](unsigned i) { if (compute(x, op, s, i, warp, results[i])) marked |= 1u << i; });
      break;
  }
  eachLane(marked, [&](unsigned i) { warp.marks[to * std::size_t{32} + i] = results[i]; });
  for (const std::uint32_t plane : s.written) warp.set(plane, executed, plane == to ? marked : 0);
}

void Overflows::addresses(const Exec& x, const Op& op, LaneMask executed, WarpMarks& warp) const {
  for (const std::uint32_t plane : steps_[op.pc].addresses) {
    const Slot& base = op.b.present && op.b.base == Slot::Registers && planeOf(op.b) == plane ? op.b : op.a;
    if (!base.present || base.base != Slot::Registers || planeOf(base) != plane) continue;
    LaneMask wrong = 0;
    eachLane(executed & warp.lanes[plane], [&](unsigned i) {
      const std::uint64_t bits = getBits(x, base, i);
      const std::int64_t exact = warp.marks[plane * std::size_t{32} + i].exact;
      const bool isRight = base.bits == 64 ? exact == static_cast<std::int64_t>(bits) : exact == signedOf(bits, 32) || exact == unsignedOf(bits, 32);
      if (!isRight) wrong |= 1u << i;
    });
    if (wrong == 0) continue;
    const auto lane = static_cast<unsigned>(std::countr_zero(wrong));
    const std::uint32_t origin = warp.marks[plane * std::size_t{32} + lane].origin;
    const std::int64_t offset = &base == &op.b ? op.offset2 : op.offset;
    const std::uint64_t address = getBits(x, base, lane) + static_cast<std::uint64_t>(offset);
    const auto at = warp.wraps.find(origin);
    if (at != warp.wraps.end()) reports_.overflow(x, op, wrong, base.bits == 64 ? address : address & 0xFFFFFFFFu, origin, at->second[lane]);
    warp.set(plane, wrong, 0);
  }
}

void Overflows::run(Exec& x, const Op& op, LaneMask executed, WarpMarks& warp) const {
  const SliceStep& s = steps_[op.pc];
  if (warp.lanes.empty()) {
    warp.lanes.assign(code_.function().planeCount, 0);
    warp.marks.resize(std::size_t{code_.function().planeCount} * 32);
  }
  if (isCall(op.pc)) {  // registers are kept and brought back
    for (std::uint32_t plane = 0; plane < warp.lanes.size(); ++plane) warp.set(plane, exec::allLanes, 0);
    return;
  }
  if (executed == 0) return;
  for (std::uint8_t k = 0; k < op.specialCount; ++k) fillSpecial(x, op.specials[k]);
  if (!s.addresses.empty()) addresses(x, op, executed, warp);
  if (s.written.empty()) return;
  if (s.kind == Linear::None) {
    for (const std::uint32_t plane : s.written) warp.set(plane, executed, 0);
    return;
  }
  step(x, op, executed, warp);
}

}  // namespace warpmill::faults
