#include "faults/numbers.h"

#include "exec/faults.h"
#include "exec/float_bits.h"
#include "exec/lanes.h"
#include "faults/poison.h"
#include "faults/shuffle_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpmill::faults {

using exec::Exec;
using exec::MemoryAccess;
using exec::Op;
using exec::planeWords;
using exec::portable::eachLane;
using ptx::Opcode;
using ptx::Space;

namespace {

struct Seen {
  bool nan = false, infinite = false, subnormal = false;
  double value = 0;
};

Seen half(std::uint32_t bits, bool isB) {
  const std::uint32_t exponentBits = isB ? 8 : 5, fractionBits = isB ? 7 : 10, most = (1u << exponentBits) - 1;
  const std::uint32_t exponent = bits >> fractionBits & most, fraction = bits & ((1u << fractionBits) - 1);
  Seen s;
  s.nan = exponent == most && fraction != 0;
  s.infinite = exponent == most && fraction == 0;
  const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
  const int bias = isB ? 127 : 15;
  if (s.nan) s.value = std::nan("");
  else if (s.infinite) s.value = sign * HUGE_VAL;
  else s.value = sign * std::ldexp(exponent == 0 ? fraction : fraction + (1u << fractionBits), static_cast<int>(exponent == 0 ? 1 : exponent) - bias - static_cast<int>(fractionBits));
  return s;
}

Seen single(std::uint32_t bits) {
  const std::uint32_t rest = bits & 0x7FFFFFFFu;
  return {rest > 0x7F800000u, rest == 0x7F800000u, rest != 0 && rest < 0x00800000u, static_cast<double>(std::bit_cast<float>(bits))};
}

// Of two halves the one that is not finite, when there is one.
Seen see(Real real, std::uint64_t bits) {
  const auto word = static_cast<std::uint32_t>(bits);
  switch (real) {
    case Real::F16: return half(word & 0xFFFF, false);
    case Real::BF16: return half(word & 0xFFFF, true);
    case Real::F16x2: case Real::BF16x2: {
      const Seen low = half(word & 0xFFFF, real == Real::BF16x2), high = half(word >> 16, real == Real::BF16x2);
      return low.nan || (low.infinite && !high.nan) || !(high.nan || high.infinite) ? low : high;
    }
    case Real::F32: return single(word);
    case Real::F64: {
      const auto d = std::bit_cast<double>(bits);
      return {std::isnan(d), std::isinf(d), false, d};
    }
    default: return {};
  }
}

std::uint64_t bitsAt(const Exec& x, const NumberPlace& p, unsigned lane) {
  if (p.plane == ptx::none) return p.constant;
  const std::uint32_t* plane = x.base[exec::Slot::Registers] + std::size_t{p.plane} * planeWords;
  return p.real == Real::F64 ? std::uint64_t{reinterpret_cast<const exec::portable::PlaneWord64*>(plane)[lane]} : plane[lane];
}

constexpr std::size_t atLane(std::uint32_t plane, unsigned lane) { return std::size_t{plane} * planeWords + lane; }

}  // namespace

Numbers::Numbers(const exec::Code& code, Reports& reports) : code_(code), reports_(reports), facts_(numberFactsOf(code)), detours_(facts_.size(), 0) {}

BlockNumbers Numbers::start(const machine::Block& block) const {
  BlockNumbers b;
  b.origins.assign(block.warps.size(), std::vector<std::uint32_t>(std::size_t{code_.function().planeCount} * planeWords, 0));
  return b;
}

void Numbers::before(const Exec& x, const Op& op, LaneMask executed, BlockNumbers& block) {
  const NumberFacts& facts = facts_[op.pc];
  const auto& origins = block.origins[x.warp->indexInBlock];
  operands_.nan = operands_.infinite = operands_.subnormal = 0;
  operands_.origin.fill(0);
  operands_.count = 0;
  for (const NumberPlace& p : facts.sources) {
    if (p.real == Real::None) continue;
    const unsigned k = operands_.count++;
    eachLane(executed, [&](unsigned i) {
      const Seen s = see(p.real, bitsAt(x, p, i));
      if (k < operands_.values.size()) operands_.values[k][i] = s.value;
      if (s.nan) operands_.nan |= 1u << i;
      if (s.infinite) operands_.infinite |= 1u << i;
      if (s.subnormal) operands_.subnormal |= 1u << i;
      if ((s.nan || s.infinite) && p.plane != ptx::none && operands_.origin[i] == 0) operands_.origin[i] = origins[atLane(p.plane, i)];
    });
  }
  if (facts.work != NumberWork::Move) return;  // bits of a number that another instruction reads as integers
  for (const NumberPlace& p : facts.sources)
    if (p.plane != ptx::none && p.real == Real::None)
      eachLane(executed, [&](unsigned i) { if (operands_.origin[i] == 0) operands_.origin[i] = origins[atLane(p.plane, i)]; });
}

// The first number of this instruction that is none; made from ordinary ones, or brought by a load from `place`.
void Numbers::begins(const Exec& x, const Op& op, unsigned lane, double result, const Place* place) {
  NumberOrigin& o = made_[op.pc];
  if (++o.count != 1) return;
  o.pc = op.pc;
  o.at = exec::faultAt(code_, *x.block, *x.warp, op.pc, lane);
  o.result = result;
  if (place != nullptr) o.place = *place, o.isLoad = true;
  for (unsigned k = 0; !o.isLoad && k < std::min<std::size_t>(operands_.count, operands_.values.size()); ++k) o.operands.push_back(operands_.values[k][lane]);
  if (facts_[op.pc].work == NumberWork::Matrix) o.operands.clear();
}

void Numbers::come(const Exec& x, const Op& op, unsigned lane, std::uint32_t origin, const Place* target) {
  if (origin == 0) return;
  if (const auto at = made_.find(origin - 1); at != made_.end()) reports_.notANumber(x, op, lane, at->second, target);
}

void Numbers::compute(const Exec& x, const Op& op, LaneMask executed, std::vector<std::uint32_t>& origins) {
  const NumberFacts& facts = facts_[op.pc];
  std::uint32_t ofAll = 0;
  const bool isMatrix = facts.work == NumberWork::Matrix, anyBad = isMatrix && (operands_.nan | operands_.infinite) != 0;
  if (isMatrix) eachLane(executed, [&](unsigned i) { if (ofAll == 0) ofAll = operands_.origin[i]; });
  for (const NumberPlace& d : facts.destinations) {
    if (d.plane == ptx::none) continue;
    eachLane(executed, [&](unsigned i) {
      std::uint32_t& origin = origins[atLane(d.plane, i)];
      origin = 0;
      if (d.real == Real::None) {
        origin = operands_.origin[i];
        return;
      }
      const Seen s = see(d.real, bitsAt(x, d, i));
      if (!s.nan && !s.infinite) return;
      const bool hadNan = (operands_.nan >> i & 1) != 0, hadInfinity = (operands_.infinite >> i & 1) != 0;
      const bool isNew = isMatrix ? !anyBad : facts.work == NumberWork::Compute && !hadNan && (s.nan || !hadInfinity);
      if (isNew) begins(x, op, i, s.value, nullptr);
      origin = isNew ? op.pc + 1 : isMatrix ? ofAll : operands_.origin[i];
    });
  }
}

void Numbers::exchange(const Exec& x, const Op& op, LaneMask executed, std::vector<std::uint32_t>& origins) {
  const NumberFacts& facts = facts_[op.pc];
  if (facts.destinations.empty() || facts.sources.empty()) return;
  const std::array<std::uint32_t, 32> from = operands_.origin;
  const std::uint32_t *b = x.at(op.b), *c = x.at(op.c);
  eachLane(executed, [&](unsigned i) {
    const Seen s = see(facts.destinations[0].real, bitsAt(x, facts.destinations[0], i));
    origins[atLane(facts.destinations[0].plane, i)] = s.nan || s.infinite ? from[shuffleSource(op.instruction->mods.shfl, i, b[i], c[i])] : 0;
  });
}

Numbers::Origins* Numbers::memoryOf(const Exec& x, BlockNumbers& block, Space space, unsigned lane, std::uint64_t& key) {
  switch (space) {
    case Space::Shared: return &block.shared;
    case Space::Local: key |= std::uint64_t{x.warp->indexInBlock * 32 + lane} << 32; return &block.local;
    case Space::Global: return &global_;
    default: return nullptr;
  }
}

void Numbers::load(const Exec& x, const Op& op, LaneMask executed, BlockNumbers& block) {
  const NumberFacts& facts = facts_[op.pc];
  auto& origins = block.origins[x.warp->indexInBlock];
  const MemoryAccess& access = x.outcome->access;
  const std::uint32_t each = facts.destinations.empty() ? 0 : access.bytesPerLane / static_cast<std::uint32_t>(facts.destinations.size());
  for (std::size_t k = 0; k < facts.destinations.size(); ++k) {
    const NumberPlace& d = facts.destinations[k];
    if (d.plane == ptx::none) continue;
    eachLane(executed, [&](unsigned i) {
      std::uint32_t& origin = origins[atLane(d.plane, i)];
      origin = 0;
      const Seen s = see(d.real, bitsAt(x, d, i));
      if (!s.nan && !s.infinite) return;
      const bool isPlain = (op.instruction->opcode == Opcode::Ld || op.instruction->opcode == Opcode::Ldu) && (access.lanes >> i & 1) != 0;
      Place place;
      if (isPlain) {
        place = {spaceOf(access, i), access.address[i] + k * each, each};
        std::uint64_t key = place.address;
        if (const Origins* memory = memoryOf(x, block, place.space, i, key))
          if (const auto at = memory->find(key); at != memory->end()) {
            origin = at->second;
            return;
          }
      }
      begins(x, op, i, s.value, &place);
      origin = op.pc + 1;
    });
  }
}

void Numbers::store(const Exec& x, const Op& op, LaneMask executed, BlockNumbers& block) {
  const NumberFacts& facts = facts_[op.pc];
  auto& origins = block.origins[x.warp->indexInBlock];
  const MemoryAccess& access = x.outcome->access;
  const auto count = std::max<std::size_t>(facts.sources.size(), 1);
  const auto each = static_cast<std::uint32_t>(access.bytesPerLane / (facts.work == NumberWork::Atomic ? 1 : count));
  for (std::size_t k = 0; k < facts.sources.size(); ++k) {
    const NumberPlace& p = facts.sources[k];
    eachLane(executed & access.lanes, [&](unsigned i) {
      const Place place{spaceOf(access, i), access.address[i] + (facts.work == NumberWork::Atomic ? 0 : k * each), each};
      std::uint64_t key = place.address;
      Origins* memory = memoryOf(x, block, place.space, i, key);
      if (memory == nullptr) return;
      const Seen s = see(p.real, bitsAt(x, p, i));
      if (!s.nan && !s.infinite) {
        if (facts.work == NumberWork::Store && !memory->empty()) memory->erase(key);
        return;
      }
      const std::uint32_t origin = p.plane == ptx::none ? 0 : origins[atLane(p.plane, i)];
      (*memory)[key] = origin;
      if (place.space == Space::Global) come(x, op, i, origin, &place);
    });
  }
}

// Operands or results that were not zero and are taken for it.
void Numbers::flushed(const Exec& x, const Op& op, LaneMask executed, const NumberFacts& facts) {
  LaneMask lost = operands_.subnormal & executed;
  if (facts.destinations.size() == 1 && facts.destinations[0].real == Real::F32)
    eachLane(executed & ~lost, [&](unsigned i) {
      if (single(static_cast<std::uint32_t>(bitsAt(x, facts.destinations[0], i))).value != 0) return;
      const double a = operands_.values[0][i], b = operands_.values[1][i], c = operands_.values[2][i];
      double exact = 0;
      switch (op.instruction->opcode) {
        case Opcode::Add: exact = a + b; break;
        case Opcode::Sub: exact = a - b; break;
        case Opcode::Mul: exact = a * b; break;
        case Opcode::Fma: exact = a * b + c; break;
        default: return;
      }
      if (op.instruction->product == ptx::none && std::abs(exact) >= 0x1p-149 && std::abs(exact) < 0x1p-126) lost |= 1u << i;
    });
  if (lost == 0) return;
  if (flushed_ == 0) firstFlush_ = op.pc;
  flushed_ += static_cast<std::uint64_t>(std::popcount(lost));
}

void Numbers::after(const Exec& x, const Op& op, BlockNumbers& block) {
  const NumberFacts& facts = facts_[op.pc];
  const LaneMask executed = x.outcome->executed;
  if (executed == 0) return;
  auto& origins = block.origins[x.warp->indexInBlock];
  if (facts.isDetour) detours_[op.pc] += static_cast<std::uint64_t>(std::popcount(executed));
  if (facts.flushes) flushed(x, op, executed, facts);
  switch (facts.work) {
    case NumberWork::Compute: case NumberWork::Matrix: case NumberWork::Move: compute(x, op, executed, origins); break;
    case NumberWork::Exchange: exchange(x, op, executed, origins); break;
    case NumberWork::Load: load(x, op, executed, block); break;
    case NumberWork::Store: case NumberWork::Atomic: store(x, op, executed, block); break;
    case NumberWork::ToInteger: eachLane(executed & operands_.nan, [&](unsigned i) { come(x, op, i, operands_.origin[i], nullptr); }); break;
    case NumberWork::StoreMatrix: eachLane(executed & (operands_.nan | operands_.infinite), [&](unsigned i) { come(x, op, i, operands_.origin[i], nullptr); }); break;
    case NumberWork::None: break;
  }
}

std::vector<Note> Numbers::notes() const {
  std::vector<Note> notes;
  const auto at = [&](std::uint32_t pc) {
    const ptx::Instruction& in = code_.function().instructions[pc];
    Note n;
    if (in.location.line != 0 && in.location.file < code_.module().files.size()) n.file = code_.module().files[in.location.file], n.line = in.location.line;
    n.ptxLine = in.position.line;
    return n;
  };
  if (flushed_ != 0) {
    Note n = at(firstFlush_);
    n.count = flushed_;
    n.message = fmt::format("{} value{} too small for a normal float became zero (.ftz), here first: compile without -ftz=true, or scale the values, where they matter", flushed_,
                            flushed_ == 1 ? "" : "s");
    notes.push_back(std::move(n));
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<Note, unsigned>> lines;  // by source line; without one by PTX line
  for (std::uint32_t pc = 0; pc < detours_.size(); ++pc) {
    if (detours_[pc] == 0) continue;
    const Note n = at(pc);
    auto& [note, instructions] = lines[{n.line, n.line == 0 ? n.ptxLine : 0}];
    if (instructions++ == 0) note = n;
    note.count += detours_[pc];
  }
  for (auto& [line, entry] : lines) {
    auto& [note, instructions] = entry;
    note.message = fmt::format("{} instruction{} in double precision between floats, executed {} times by threads: a literal such as 1.0 without an f makes the whole expression "
                               "double, which runs at a fraction of the rate", instructions, instructions == 1 ? "" : "s", note.count);
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace warpmill::faults
