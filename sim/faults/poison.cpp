#include "faults/poison.h"

#include "base/texts.h"
#include "exec/lanes.h"
#include "faults/poison_mover.h"
#include "faults/shuffle_source.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpmill::faults {

using exec::Exec;
using exec::MemoryAccess;
using exec::Op;
using exec::allLanes;
using exec::portable::eachLane;
using machine::warpSize;
using ptx::Space;

namespace {

constexpr std::uint64_t everyLane = warpSize;

bool wholeWordMissing(std::uint32_t undefinedBits, std::uint32_t bytes, std::uint32_t elementBytes) {
  const std::uint32_t step = elementBytes < 4 ? elementBytes : 4;
  for (std::uint32_t k = 0; k + step <= bytes; k += step)
    if ((undefinedBits >> k & ((1u << step) - 1)) == (1u << step) - 1) return true;
  return false;
}

}  // namespace

Poison::Poison(const exec::Code& code, const machine::Memory& memory, UndefinedMemory& undefined, Reports& reports)
    : code_(code), reports_(reports), facts_(factsOf(code)), maskedLoads_(maskedLoadsOf(code)), loadedFrom_(facts_.size()), global_(undefined), tracksShared_(!hasUntrackedShared(code)),
      tracksLocal_(!hasAlloca(code.function())) {
  if (tracksLocal_) unset_ = readBeforeWritten(code);
  if (memory.hasHeap()) watchHeap(memory);
}

BlockPoison Poison::start(const machine::Block& block) const {
  BlockPoison b;
  if (tracksShared_) b.shared.reset(block.shared.size());
  b.warps.resize(block.warps.size());
  b.local.resize(block.warps.size());
  const ptx::Function& f = code_.function();
  for (std::size_t k = 0; k < block.warps.size(); ++k) {
    WarpPoison& w = b.warps[k];
    w.bytes.assign(std::size_t{f.planeCount} * 4, 0);
    w.predicates.assign(f.predicateCount + 1, 0);
    w.origin.assign(f.planeCount, 0);
    w.predicateOrigin.assign(f.predicateCount + 1, 0);
    if (tracksLocal_) b.local[k].reset(block.warps[k].local.size());
    for (const std::uint32_t r : unset_) {
      const ptx::Register& reg = f.registers[r];
      const auto number = static_cast<std::uint32_t>(facts_.size()) + r;
      if (reg.type == ptx::Type::Pred) {
        w.set(w.predicates, reg.slot, allLanes, allLanes);
        w.predicateOrigin[reg.slot] = number;
        continue;
      }
      const Span span = spanOf(reg);
      for (std::uint32_t i = 0; i < span.count; ++i) w.set(w.bytes, span.first + i, allLanes, allLanes);
      for (std::uint32_t i = 0; i < span.count; i += 4) w.origin[(span.first + i) / 4] = number;
    }
  }
  return b;
}

LaneMask Poison::undefinedIn(const WarpPoison& w, const Span& span) const {
  LaneMask m = 0;
  for (std::uint32_t k = 0; k < span.count; ++k) m |= w.bytes[span.first + k];
  return m;
}

Reports::Origin Poison::originOf(std::uint32_t number) const {
  Reports::Origin o;
  if (number < facts_.size() && fills(number)) o.pc = maskedLoads_[number], o.isMaskedOut = true;
  else if (number >= facts_.size()) o.registerNumber = number - static_cast<std::uint32_t>(facts_.size());
  else o.pc = number, o.place = loadedFrom_[number];
  return o;
}

// Of the first undefined source.
std::uint32_t Poison::originIn(const WarpPoison& w, const Facts& facts) const {
  for (const Span& s : facts.sources)
    if (undefinedIn(w, s) != 0)
      for (std::uint32_t k = 0; k < s.count; ++k)
        if (w.bytes[s.first + k] != 0) return w.origin[(s.first + k) / 4];
  for (const std::uint32_t p : facts.sourcePredicates)
    if (w.predicates[p] != 0) return w.predicateOrigin[p];
  return 0;
}

void Poison::guard(const Exec& x, const Op& op, WarpPoison& w) {
  if (!op.guarded) return;
  const LaneMask undefined = w.predicates[op.guard] & x.outcome->lanes;
  if (undefined == 0) return;
  const bool branches = op.flow == exec::Flow::Branch || op.flow == exec::Flow::Exit;
  reports_.uninitialized(x, op, undefined, branches ? Text::UseBranch : Text::UseGuard, nullptr, originOf(w.predicateOrigin[op.guard]));
  w.set(w.predicates, op.guard, undefined, 0);
}

void Poison::address(const Exec& x, const Op& op, LaneMask lanes, WarpPoison& w) {
  const Span& span = facts_[op.pc].address;
  const LaneMask undefined = undefinedIn(w, span) & lanes;
  if (undefined == 0) return;
  reports_.uninitialized(x, op, undefined, Text::UseAddress, nullptr, originOf(w.origin[span.first / 4]));
  for (std::uint32_t k = 0; k < span.count; ++k) w.set(w.bytes, span.first + k, undefined, 0);
}

// ---- Memory ----

bool Poison::anyMissing(const BlockPoison& block, std::uint32_t warp, Space space) const {
  const bool shared = tracksShared_ && block.shared.missing != 0, local = tracksLocal_ && block.local[warp].missing != 0, global = watchesGlobal();
  switch (space) {
    case Space::Shared: return shared;
    case Space::Local: return local;
    case Space::Global: return global;
    case Space::Generic: return shared || local || global;
    default: return false;
  }
}

DefinedBytes* Poison::globalPage(std::uint64_t address) {
  if (heap_ && address - heap_->base < heap_->sizeBytes) return &heap_->page(address);
  for (UndefinedMemory::Range& r : global_.ranges)
    if (address - r.base < r.sizeBytes) return &r.page(address);
  return nullptr;
}

std::uint32_t Poison::undefinedAt(const Exec& x, const BlockPoison& block, Space space, std::uint64_t address, unsigned lane, std::uint32_t bytes) {
  switch (space) {
    case Space::Shared: return tracksShared_ && address + bytes <= block.shared.defined.size() ? block.shared.undefined(address, bytes) : 0;
    case Space::Local: {
      const DefinedBytes& local = block.local[x.warp->indexInBlock];
      const std::uint64_t frame = local.defined.size() / everyLane;
      return tracksLocal_ && address + bytes <= frame ? local.undefined(lane * frame + address, bytes) : 0;
    }
    case Space::Global: {
      const DefinedBytes* page = globalPage(address);
      const std::uint32_t undefined = page == nullptr ? 0 : page->undefined(address % pageBytes, std::min<std::uint32_t>(bytes, static_cast<std::uint32_t>(pageBytes - address % pageBytes)));
      return undefined != 0 && x.memory->find(address, bytes) == nullptr ? 0 : undefined;  // outside is another fault
    }
    default: return 0;
  }
}

bool Poison::wasStored(const Exec& x, const BlockPoison& block, const Place& p, unsigned lane) const {
  const bool local = p.space == Space::Local;
  if (!local && p.space != Space::Shared) return false;
  const DefinedBytes& in = local ? block.local[x.warp->indexInBlock] : block.shared;
  const std::uint64_t at = local ? lane * (in.defined.size() / everyLane) + p.address : p.address;
  return std::find(in.defined.begin() + static_cast<std::ptrdiff_t>(at), in.defined.begin() + static_cast<std::ptrdiff_t>(at + p.bytes), 2) !=
         in.defined.begin() + static_cast<std::ptrdiff_t>(at + p.bytes);
}

void Poison::define(const Exec& x, BlockPoison& block, Space space, std::uint64_t address, unsigned lane, std::uint32_t bytes, std::uint32_t undefinedBits) {
  switch (space) {
    case Space::Shared:
      if (tracksShared_ && address + bytes <= block.shared.defined.size()) block.shared.set(address, bytes, undefinedBits);
      break;
    case Space::Local: {
      DefinedBytes& local = block.local[x.warp->indexInBlock];
      const std::uint64_t frame = local.defined.size() / everyLane;
      if (tracksLocal_ && address + bytes <= frame) local.set(lane * frame + address, bytes, undefinedBits);
      break;
    }
    case Space::Global:
      if (DefinedBytes* page = globalPage(address)) page->set(address % pageBytes, std::min<std::uint32_t>(bytes, static_cast<std::uint32_t>(pageBytes - address % pageBytes)), undefinedBits);
      break;
    default: break;
  }
}

void Poison::store(const Exec& x, const Op& op, LaneMask lanes, BlockPoison& block) {
  WarpPoison& w = block.warps[x.warp->indexInBlock];
  const MemoryAccess& access = x.outcome->access;
  const Facts& facts = facts_[op.pc];
  const bool undefinedValue = w.count != 0 && std::any_of(facts.sources.begin(), facts.sources.end(), [&](const Span& s) { return (undefinedIn(w, s) & lanes) != 0; });
  if (w.count != 0) address(x, op, lanes, w);
  if (!undefinedValue && !anyMissing(block, x.warp->indexInBlock, access.space) && access.space != Space::Generic) return;
  const std::uint32_t elementBytes = access.bytesPerLane / std::max<std::uint32_t>(op.elementCount, 1);
  LaneMask reported = 0;
  unsigned first = 0;
  eachLane(lanes, [&](unsigned i) {
    std::uint32_t bits = 0;
    if (undefinedValue)
      for (std::uint32_t e = 0, at = 0; e < facts.sources.size(); ++e, at += elementBytes)
        for (std::uint32_t k = 0; k < std::min(elementBytes, facts.sources[e].count); ++k)
          bits |= (w.bytes[facts.sources[e].first + k] >> i & 1) << (at + k);
    const Space space = spaceOf(access, i);
    if (space == Space::Global && bits != 0) {
      if (wholeWordMissing(bits, access.bytesPerLane, elementBytes)) {
        if (reported == 0) first = i;
        reported |= 1u << i;
      }
      bits = 0;
    }
    define(x, block, space, access.address[i], i, access.bytesPerLane, bits);
  });
  if (reported == 0) return;
  const Place target{Space::Global, access.address[first], access.bytesPerLane};
  reports_.uninitialized(x, op, reported, Text::UseStore, &target, originOf(originIn(w, facts)));
}

void Poison::asyncCopy(const Exec& x, const Op& op, LaneMask lanes, const std::array<std::uint64_t, 32>& target, BlockPoison& block) {
  if (!tracksShared_ || block.shared.missing == 0) return;
  eachLane(lanes, [&](unsigned i) { define(x, block, Space::Shared, target[i], i, op.aux, 0); });
}

// Is all that these lanes take from shared memory defined? Quickly, where that is easy to tell; false may be wrong.
bool Poison::isDefined(const MemoryAccess& access, LaneMask lanes, const BlockPoison& block) const {
  if (access.space != Space::Shared || !tracksShared_) return false;
  const std::uint64_t size = block.shared.defined.size();
  bool all = true;
  eachLane(lanes, [&](unsigned i) { all = all && access.address[i] <= size && access.bytesPerLane <= size - access.address[i] && block.shared.isAll(access.address[i], access.bytesPerLane); });
  return all;
}

// The registers take over what memory lacks; bytes beyond the memory's width come from the extension.
void Poison::load(const Exec& x, const Op& op, LaneMask lanes, BlockPoison& block) {
  WarpPoison& w = block.warps[x.warp->indexInBlock];
  const MemoryAccess& access = x.outcome->access;
  const Facts& facts = facts_[op.pc];
  const bool missing = anyMissing(block, x.warp->indexInBlock, op.space);
  if (w.count != 0) address(x, op, lanes, w);
  if (w.count == 0 && (!missing || isDefined(access, lanes, block))) return;
  const std::uint32_t elements = std::max<std::uint32_t>(op.elementCount, 1), elementBytes = access.bytesPerLane / elements;
  std::array<LaneMask, 32> undefined{};  // by byte of the access
  LaneMask any = 0;
  if (missing)
    eachLane(lanes, [&](unsigned i) {
      const std::uint32_t bits = undefinedAt(x, block, spaceOf(access, i), access.address[i], i, access.bytesPerLane);
      for (std::uint32_t m = bits; m != 0; m &= m - 1) undefined[static_cast<unsigned>(std::countr_zero(m))] |= 1u << i;
      if (bits != 0 && any == 0) {
        Place& from = loadedFrom_[op.pc];
        from = {spaceOf(access, i), access.address[i], access.bytesPerLane};
        from.wasStored = wasStored(x, block, from, i);
      }
      if (bits != 0) any |= 1u << i;
    });
  if (any == 0 && w.count == 0) return;
  std::uint32_t at = 0;
  for (const Span& d : facts.destinations) {
    for (std::uint32_t k = 0; k < d.count; ++k) {
      const LaneMask top = elementBytes != 0 && ptx::isSigned(op.instruction->mods.type) ? undefined[std::min(at + elementBytes, 32u) - 1] : 0;
      w.set(w.bytes, d.first + k, lanes, at + k < 32 && k < elementBytes ? undefined[at + k] : top);
    }
    if (any != 0)
      for (std::uint32_t k = 0; k < d.count; k += 4) w.origin[(d.first + k) / 4] = op.pc;
    at += elementBytes;
  }
}

// An atomic reads, and its result depends on its operands; a plain exchange passes on what was there.
void Poison::atomic(const Exec& x, const Op& op, BlockPoison& block) {
  WarpPoison& w = block.warps[x.warp->indexInBlock];
  const MemoryAccess& access = x.outcome->access;
  const LaneMask lanes = x.outcome->executed;
  const Facts& facts = facts_[op.pc];
  if (w.count != 0) {
    address(x, op, lanes, w);
    for (const Span& s : facts.sources) {
      const LaneMask undefined = undefinedIn(w, s) & lanes;
      if (undefined == 0) continue;
      const auto i = static_cast<unsigned>(std::countr_zero(undefined));
      const Place target{spaceOf(access, i), access.address[i], access.bytesPerLane};
      reports_.uninitialized(x, op, undefined, Text::UseInAtomic, &target, originOf(w.origin[s.first / 4]));
      for (std::uint32_t k = 0; k < s.count; ++k) w.set(w.bytes, s.first + k, undefined, 0);
    }
    for (const Span& d : facts.destinations)
      for (std::uint32_t k = 0; k < d.count; ++k) w.set(w.bytes, d.first + k, lanes, 0);
  }
  if (!anyMissing(block, x.warp->indexInBlock, op.space)) return;
  LaneMask reported = 0;
  Place from;
  eachLane(lanes & access.lanes, [&](unsigned i) {
    const Space space = spaceOf(access, i);
    if (undefinedAt(x, block, space, access.address[i], i, access.bytesPerLane) != 0 && op.instruction->mods.atom != ptx::AtomOp::Exch) {
      if (reported == 0) from = {space, access.address[i], access.bytesPerLane};
      reported |= 1u << i;
    }
    define(x, block, space, access.address[i], i, access.bytesPerLane, 0);
  });
  if (reported == 0) return;
  Reports::Origin origin;
  origin.pc = op.pc;
  origin.place = from;
  reports_.uninitialized(x, op, reported, Text::UseOfAtomic, &from, origin);
}

// ---- Registers ----

void Poison::after(const Exec& x, const Op& op, BlockPoison& block) {
  WarpPoison& w = block.warps[x.warp->indexInBlock];
  const Facts& facts = facts_[op.pc];
  if (w.count != 0) guard(x, op, w);
  switch (facts.rule) {
    case Rule::Atomic: return atomic(x, op, block);
    case Rule::Load: case Rule::Store: case Rule::AsyncCopy: return;  // were seen before they happened
    case Rule::Matrix:
      if (w.count != 0) product(x, op, w);
      return;
    case Rule::Rows: return rows(x, op, block);
    default: break;
  }
  if (op.instruction->opcode == ptx::Opcode::CpAsyncBulk) return bulkCopy(x, op, block);
  if (op.flow == exec::Flow::Call) called(x, op, block);
  if (op.instruction->opcode == ptx::Opcode::Stmatrix) {
    const MemoryAccess& access = x.outcome->access;
    eachLane(access.lanes, [&](unsigned i) { define(x, block, Space::Shared, access.address[i], i, access.bytesPerLane, 0); });
  }
  if (fills(op.pc)) return fill(x, op, w);
  if (x.outcome->executed == 0) return;
  if (w.count != 0) Mover(x, op, facts, w, originIn(w, facts)).run();
  if (facts.rule == Rule::Shuffle && x.outcome->executed != exec::allLanes) takeFromAbsent(x, op, w);
}

// What a shuffle reads from a lane that takes no part is undefined.
void Poison::takeFromAbsent(const Exec& x, const Op& op, WarpPoison& w) {
  const Facts& facts = facts_[op.pc];
  const LaneMask executed = x.outcome->executed;
  const bool overwritten = op.b.base == exec::Slot::Registers && op.b.offset == op.dst.offset;  // it cannot be seen any more from where
  if (facts.destinations.empty() || facts.destinations[0].count == 0 || overwritten) return;
  const std::uint32_t *b = x.at(op.b), *c = x.at(op.c);
  LaneMask absent = 0;
  eachLane(executed, [&](unsigned i) {
    if ((executed >> shuffleSource(op.instruction->mods.shfl, i, b[i], c[i]) & 1) == 0) absent |= 1u << i;
  });
  if (absent == 0) return;
  const Span& d = facts.destinations[0];
  for (std::uint32_t k = 0; k < d.count; ++k) w.set(w.bytes, d.first + k, absent, absent);
  w.origin[d.first / 4] = op.pc;
}

// What the lanes get that the load behind it leaves out.
void Poison::fill(const Exec& x, const Op& op, WarpPoison& w) {
  const Op& load = x.code->ops()[maskedLoads_[op.pc]];
  const LaneMask on = load.guardNegated ? ~x.predicates[load.guard] : x.predicates[load.guard];
  for (const Span& d : facts_[op.pc].destinations) {
    for (std::uint32_t k = 0; k < d.count; ++k) w.set(w.bytes, d.first + k, x.outcome->executed, ~on);
    if ((x.outcome->executed & ~on) != 0)
      for (std::uint32_t k = 0; k < d.count; k += 4) w.origin[(d.first + k) / 4] = op.pc;
  }
}

}  // namespace warpmill::faults
