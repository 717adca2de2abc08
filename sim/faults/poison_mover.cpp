#include "faults/poison_mover.h"

#include "exec/lanes.h"
#include "faults/shuffle_source.h"

#include <algorithm>

namespace warpmill::faults {

using exec::Slot;
using exec::portable::eachLane;
using ptx::Opcode;

LaneMask Mover::anyOf(std::size_t source) const {
  LaneMask m = 0;
  for (std::uint32_t k = 0; k < facts_.sources[source].count; ++k) m |= byte(source, k);
  return m;
}

LaneMask Mover::anySource() const {
  LaneMask m = 0;
  for (std::size_t s = 0; s < facts_.sources.size(); ++s) m |= anyOf(s);
  for (const std::uint32_t p : facts_.sourcePredicates) m |= w_.predicates[p];
  return m;
}

void Mover::put(const Span& d, std::uint32_t k, LaneMask undefined) {
  w_.set(w_.bytes, d.first + k, lanes_, undefined);
  if ((undefined & lanes_) != 0) w_.origin[(d.first + k) / 4] = origin_;
}
void Mover::putAll(LaneMask undefined) {
  for (const Span& d : facts_.destinations)
    for (std::uint32_t k = 0; k < d.count; ++k) put(d, k, undefined);
  putPredicates(undefined);
}
void Mover::putPredicates(LaneMask undefined) {
  for (const std::uint32_t p : facts_.destinationPredicates) {
    w_.set(w_.predicates, p, lanes_, undefined);
    if ((undefined & lanes_) != 0) w_.predicateOrigin[p] = origin_;
  }
}

const std::uint32_t* Mover::constant(std::size_t source) const {
  const Slot& s = source == 0 ? op_.a : op_.b;
  return s.present && s.base == Slot::Constants ? x_.at(s) : nullptr;
}

void Mover::bytewise() {
  if (facts_.destinations.empty()) return;
  const Span d = facts_.destinations[0];
  std::array<LaneMask, 16> result{};
  for (std::uint32_t k = 0; k < std::min(d.count, 16u); ++k)
    for (std::size_t s = 0; s < facts_.sources.size(); ++s) result[k] |= byte(s, k);
  for (std::uint32_t k = 0; k < std::min(d.count, 16u); ++k) put(d, k, result[k]);
}

// and: a constant byte 0 decides; or: 0xFF.
void Mover::masked(std::uint8_t deciding) {
  if (facts_.destinations.empty() || facts_.sources.size() < 2) return bytewise();
  const Span d = facts_.destinations[0];
  const std::uint32_t *a = constant(0), *b = constant(1);
  std::array<LaneMask, 8> result{};
  for (std::uint32_t k = 0; k < std::min(d.count, 8u); ++k) {
    const auto decides = [&](const std::uint32_t* c) { return c != nullptr && static_cast<std::uint8_t>(c[k / 4] >> (8 * (k % 4))) == deciding; };
    result[k] = decides(a) || decides(b) ? 0 : byte(0, k) | byte(1, k);
  }
  for (std::uint32_t k = 0; k < std::min(d.count, 8u); ++k) put(d, k, result[k]);
}

void Mover::vectors() {
  std::vector<LaneMask> all;
  for (std::size_t s = 0; s < facts_.destinations.size(); ++s)
    for (std::uint32_t k = 0; k < facts_.destinations[s].count; ++k) all.push_back(byte(s, k));
  std::size_t next = 0;
  for (const Span& d : facts_.destinations)
    for (std::uint32_t k = 0; k < d.count; ++k) put(d, k, all[next++]);
}

// {a, b} into one register: its bytes are theirs, one behind the other; an immediate among them has none of its own to lack.
void Mover::pack() {
  if (facts_.destinations.empty()) return;
  const Span d = facts_.destinations[0];
  const std::uint32_t each = d.count / static_cast<std::uint32_t>(facts_.sources.size());
  std::array<LaneMask, 16> result{};
  for (std::uint32_t k = 0; k < std::min(d.count, 16u); ++k) result[k] = each == 0 ? anySource() : byte(k / each, k % each);
  for (std::uint32_t k = 0; k < std::min(d.count, 16u); ++k) put(d, k, result[k]);
}

void Mover::unpack() {
  if (facts_.sources.empty()) return putAll(0);
  std::array<LaneMask, 16> all{};
  for (std::uint32_t k = 0; k < std::min(facts_.sources[0].count, 16u); ++k) all[k] = byte(0, k);
  const std::uint32_t each = facts_.sources[0].count / static_cast<std::uint32_t>(facts_.destinations.size());
  for (std::size_t s = 0; s < facts_.destinations.size(); ++s)
    for (std::uint32_t k = 0; k < facts_.destinations[s].count; ++k) put(facts_.destinations[s], k, k < each ? all[std::min<std::size_t>(s * each + k, 15)] : 0);
}

void Mover::select() {
  if (facts_.destinations.empty() || facts_.sources.size() < 2) return putAll(anySource());
  const LaneMask first = x_.value(op_.predicate), undefined = facts_.sourcePredicates.empty() ? 0 : w_.predicates[facts_.sourcePredicates[0]];
  const Span d = facts_.destinations[0];
  std::array<LaneMask, 8> result{};
  for (std::uint32_t k = 0; k < std::min(d.count, 8u); ++k) result[k] = (byte(0, k) & first) | (byte(1, k) & ~first) | undefined;
  for (std::uint32_t k = 0; k < std::min(d.count, 8u); ++k) put(d, k, result[k]);
}

void Mover::shift(bool left) {
  if (facts_.destinations.empty() || constant(1) == nullptr) return putAll(anySource());
  const Span d = facts_.destinations[0];
  const auto count = static_cast<std::int64_t>(d.count);
  const std::int64_t by = std::min<std::int64_t>(*constant(1), 8 * count), whole = by / 8, more = by % 8 != 0 ? 1 : 0;
  std::array<LaneMask, 8> result{};
  const auto at = [&](std::int64_t k) { return k >= 0 && k < count ? byte(0, static_cast<std::uint32_t>(k)) : 0; };
  for (std::int64_t k = 0; k < count; ++k)
    result[static_cast<std::size_t>(k)] = left ? at(k - whole) | (more != 0 ? at(k - whole - 1) : 0) : at(k + whole) | (more != 0 ? at(k + whole + 1) : 0);
  for (std::uint32_t k = 0; k < d.count; ++k) put(d, k, result[k]);
}

void Mover::convert() {
  if (facts_.destinations.empty() || facts_.sources.empty()) return putAll(anySource());
  const Span d = facts_.destinations[0];
  const std::uint32_t from = ptx::sizeBytes(op_.instruction->mods.sourceType), to = ptx::sizeBytes(op_.instruction->mods.type);
  std::array<LaneMask, 8> result{};
  for (std::uint32_t k = 0; k < std::min(d.count, 8u); ++k)
    result[k] = k < std::min(from, to) ? byte(0, k) : ptx::isSigned(op_.instruction->mods.sourceType) && from < to ? byte(0, from - 1) : 0;
  for (std::uint32_t k = 0; k < std::min(d.count, 8u); ++k) put(d, k, result[k]);
}

// setp: with .and a false, with .or a true third operand decides alone.
void Mover::compare() {
  LaneMask undefined = anySource();
  if (!facts_.sourcePredicates.empty()) {
    const LaneMask known = ~w_.predicates[facts_.sourcePredicates.back()], value = x_.value(op_.predicate);
    const bool overwritten = op_.predicate.index == op_.dstPredicate || op_.predicate.index == op_.dstPredicate2;
    if (op_.instruction->mods.boolOp == ptx::BoolOp::And && !overwritten) undefined &= ~(known & ~value);
    if (op_.instruction->mods.boolOp == ptx::BoolOp::Or && !overwritten) undefined &= ~(known & value);
  }
  putPredicates(undefined);
}

void Mover::predicates(bool conjunction) {
  if (facts_.sourcePredicates.size() != 2) return putAll(anySource());
  const std::uint32_t p = facts_.sourcePredicates[0], q = facts_.sourcePredicates[1];
  LaneMask undefined = w_.predicates[p] | w_.predicates[q];
  if (p != op_.dstPredicate && q != op_.dstPredicate) {
    const LaneMask vp = x_.value(op_.predicate), vq = x_.value(op_.predicate2);
    const LaneMask decided = conjunction ? (~w_.predicates[p] & ~vp) | (~w_.predicates[q] & ~vq) : (~w_.predicates[p] & vp) | (~w_.predicates[q] & vq);
    undefined &= ~decided;
  }
  putPredicates(undefined);
}

// Each lane gets what the lane lacks that it reads from.
void Mover::shuffle() {
  if (facts_.sources.empty() || facts_.destinations.empty()) return putAll(anySource());
  const std::uint32_t *b = x_.at(op_.b), *c = x_.at(op_.c);
  const bool overwritten = (op_.b.base == Slot::Registers && op_.b.offset == op_.dst.offset) || (op_.c.base == Slot::Registers && op_.c.offset == op_.dst.offset);
  if (overwritten) return putAll(anySource() != 0 ? exec::allLanes : 0);
  std::array<LaneMask, 4> result{};
  eachLane(lanes_, [&](unsigned lane) {
    const unsigned from = shuffleSource(op_.instruction->mods.shfl, lane, b[lane], c[lane]);
    for (std::uint32_t k = 0; k < 4; ++k) result[k] |= (byte(0, k) >> from & 1) << lane;
  });
  LaneMask control = 0;
  for (std::size_t s = 1; s < facts_.sources.size(); ++s) control |= anyOf(s);
  for (std::uint32_t k = 0; k < std::min(facts_.destinations[0].count, 4u); ++k) put(facts_.destinations[0], k, result[k] | control);
  putPredicates(control);
}

void Mover::run() {
  switch (facts_.rule) {
    case Rule::Nothing: break;
    case Rule::Clean: putAll(0); break;
    case Rule::Bytewise: bytewise(); break;
    case Rule::And: masked(0); break;
    case Rule::Or: masked(0xFF); break;
    case Rule::Vectors: vectors(); break;
    case Rule::Pack: pack(); break;
    case Rule::Unpack: unpack(); break;
    case Rule::Select: select(); break;
    case Rule::ShiftLeft: shift(true); break;
    case Rule::ShiftRight: shift(false); break;
    case Rule::Convert: convert(); break;
    case Rule::Compare: compare(); break;
    case Rule::PredicateAnd: predicates(true); break;
    case Rule::PredicateOr: predicates(false); break;
    case Rule::Shuffle: shuffle(); break;
    default: {
      // What all lanes put together depends on every one of them.
      const Opcode o = op_.instruction->opcode;
      const LaneMask undefined = anySource();
      const bool together = o == Opcode::Vote || o == Opcode::Match || o == Opcode::Redux;
      putAll(together && (undefined & lanes_) != 0 ? lanes_ : undefined);
      break;
    }
  }
}

}  // namespace warpmill::faults
