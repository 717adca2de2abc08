#include "faults/races.h"

#include "exec/async.h"
#include "exec/cluster.h"
#include "exec/lanes.h"
#include "faults/poison.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpmill::faults {

using exec::Exec;
using exec::MemoryAccess;
using exec::Op;
using exec::portable::eachLane;
using ptx::MemoryOrder;
using ptx::Opcode;
using ptx::Space;

namespace {

bool isStrong(MemoryOrder order) { return order != MemoryOrder::None && order != MemoryOrder::Weak; }
bool acquires(MemoryOrder order) { return order == MemoryOrder::Acquire || order == MemoryOrder::AcqRel || order == MemoryOrder::SeqCst; }
bool releases(MemoryOrder order) { return order == MemoryOrder::Release || order == MemoryOrder::AcqRel || order == MemoryOrder::SeqCst; }

Strength strengthOfAccess(const ptx::Modifiers& m, bool isAtomic) {
  if (!isAtomic && !isStrong(m.order)) return Plain;
  return m.scope == ptx::Scope::Cta ? StrongInBlock : Strong;
}
FenceScope scopeOf(const ptx::Modifiers& m) { return m.scope == ptx::Scope::Cta ? FenceScope::Block : FenceScope::Gpu; }

bool has(const Exec& x, const Op& op, std::string_view word) {
  const auto& strings = x.code->module().strings;
  return op.instruction->mods.text < strings.size() && strings[op.instruction->mods.text].find(word) != std::string::npos;
}

constexpr Epoch withoutLane = ~(Epoch{31} << 32 | Epoch{unknownPc} << 2);
std::size_t slotOf(Epoch e) { return (e >> 37 ^ e >> 16) & 15; }

// Both strong, and each in a scope that holds the other.
bool bothStrong(Epoch a, Epoch b) {
  const Strength s = strengthOf(a), t = strengthOf(b);
  return s != Plain && t != Plain && (blockOf(a) == blockOf(b) || (s == Strong && t == Strong));
}

// The bytes that a lane is about to store, at most 32.
std::uint32_t storedBytes(const Exec& x, const Op& op, unsigned lane, std::uint8_t* into) {
  const std::uint32_t elements = std::max<std::uint32_t>(op.elementCount, 1), each = x.outcome->access.bytesPerLane / elements;
  for (std::uint32_t k = 0; k < elements && each <= 8; ++k) {
    const std::uint64_t v = exec::portable::getBits(x, op.elements[k], lane);
    std::memcpy(into + k * each, &v, each);
  }
  return each <= 8 ? elements * each : 0;
}

bool isInMemory(const Exec& x, Space space, std::uint64_t address, const std::uint8_t* bytes, std::uint32_t count) {
  if (space == Space::Shared) return address + count <= x.block->shared.size() && std::memcmp(x.block->shared.data() + address, bytes, count) == 0;
  std::array<std::uint8_t, 32> have{};
  return count <= have.size() && x.memory->read(address, have.data(), count) && std::memcmp(have.data(), bytes, count) == 0;
}

}  // namespace

Races::Races(const exec::Code& code, const machine::Memory& memory, Reports& reports, Peer peer) : reports_(reports), global_(memory), peer_(std::move(peer)) {
  const exec::Dim3& grid = code.context().grid;
  watchesGlobal_ = std::uint64_t{grid.x} * grid.y * grid.z <= mostBlocks;
}

void Races::conflict(const Access& a, Space space, std::uint64_t address, unsigned lane, Epoch other, std::uint64_t granule, std::uint32_t width, bool withStore) {
  const Epoch mine = a.base + (Epoch{lane} << 32);
  if (bothStrong(mine, other)) return;
  if (a.block.clocks.ordered(other, a.warp, lane)) {
    if (a.block.clocks.orderedForAll(other, a.warp)) a.block.ordered[a.warp][slotOf(other)] = other & withoutLane;
    return;
  }
  const auto& seen = a.block.seen[a.warp].writes;
  if (strengthOf(other) != Plain && std::find(seen.begin(), seen.end(), other) != seen.end()) return;
  if (withStore && a.kind == Kind::Store && a.strength == Plain) {
    // Only of a write that is still there can it be said that this one changes nothing.
    std::array<std::uint8_t, 32> bytes{};
    const std::uint32_t count = storedBytes(a.x, a.op, lane, bytes.data());
    if (granule >= address && granule - address + width <= count && isInMemory(a.x, space, granule, bytes.data() + (granule - address), width)) return;
  }
  reports_.race(a.x, a.op, lane, {space, address, a.bytes}, other, false);
}

// Whose shared memory the address leads to; it becomes the offset there.
BlockRaces* Races::owner(const Exec& x, BlockRaces& own, std::uint64_t& address) const {
  const exec::SharedPlace at = exec::sharedPlace(x, address);
  if (at.block == nullptr) return nullptr;
  address = at.offset;
  return at.block == x.block ? &own : peer_(*at.block);
}

// The page that an access of `a.bytes` goes to, ready for use; false: it is not watched.
template <Races::Kind kind> bool Races::open(const Access& a, Space space, std::uint64_t address, View& v) {
  std::uint64_t offset = address;
  ShadowPage* page = &a.block.shared;
  if (space == Space::Global && watchesGlobal_) {
    page = global_.page(address, offset);
  } else if (space == Space::Shared && address >= exec::clusterWindow) {
    BlockRaces* other = owner(a.x, a.block, offset);
    page = other != nullptr && offset + a.bytes <= other->shared.bytes() ? &other->shared : nullptr;
  } else if (space != Space::Shared || address + a.bytes > page->bytes()) {
    page = nullptr;
  }
  if (page == nullptr || (address & (a.bytes - 1)) != 0) return false;
  v.page = page;
  v.base = address - offset;
  v.last = page->bytes() - a.bytes;
  v.shift = page->shiftFor(a.bytes);
  v.writes = kind == Kind::Load ? page->writes() : page->makeWrites();
  v.reads = kind == Kind::Load ? page->makeReads() : page->reads();
  v.others = page->otherReads();
  return true;
}

template <Races::Kind kind> inline void Races::touch(const Access& a, View& v, Space space, std::uint64_t address, unsigned lane) {
  const std::uint32_t count = a.bytes >> v.shift, width = 1u << v.shift;
  const Epoch mine = a.base + (Epoch{lane} << 32);
  const auto& known = a.block.ordered[a.warp];
  const auto isFine = [&](Epoch e) { return e == 0 || threadOf(e) == threadOf(mine) || known[slotOf(e)] == (e & withoutLane); };
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint64_t i = ((address - v.base) >> v.shift) + k, granule = address + (std::uint64_t{k} << v.shift);
    if constexpr (kind == Kind::Load)
      if (((v.reads[i] ^ mine) & withoutLane) == 0) {  // the warp has just read it, and nobody has stored since
        v.reads[i] = mine;
        continue;
      }
    const Epoch written = v.writes == nullptr ? 0 : v.writes[i];
    if (!isFine(written)) conflict(a, space, address, lane, written, granule, width, true);
    if (a.strength != Plain && a.kind != Kind::Store && written != 0 && strengthOf(written) != Plain) {
      BlockRaces::Seen& seen = a.block.seen[a.warp];
      if (seen.writes[(seen.next + 7) % 8] != written) seen.writes[seen.next++ % 8] = written;
    }
    if constexpr (kind == Kind::Load) {
      const Epoch before = v.reads[i];
      if (before != 0 && (before ^ mine) >> 37 != 0 && !isFine(before)) {
        if (v.others == nullptr) v.others = v.page->makeOtherReads();
        v.others[i] = before;
      }
      v.reads[i] = mine;
    } else {
      if (v.reads != nullptr) {
        if (!isFine(v.reads[i])) conflict(a, space, address, lane, v.reads[i], granule, width, false);
        v.reads[i] = 0;
      }
      if (v.others != nullptr) {
        if (!isFine(v.others[i])) conflict(a, space, address, lane, v.others[i], granule, width, false);
        v.others[i] = 0;
      }
      // A strong access of a thread does not cover up its plain one: who is not ordered behind the one still races with it.
      const bool covers = a.strength == Plain || threadOf(written) != threadOf(mine) || timeOf(written) != timeOf(mine) || strengthOf(written) != Plain;
      if (covers) v.writes[i] = mine;
    }
  }
}

// Is none of these accesses, of the places of `count` lanes from `mine` on, one to tell of? When it cannot be said for all at once: no.
bool Races::isRowFine(const Access& a, const Epoch* row, unsigned count, Epoch mine) {
  if (row == nullptr) return true;
  Epoch any = 0, differs = 0, strangers = 0;
  for (unsigned k = 0; k < count; ++k) {
    any |= row[k];
    differs |= row[k] ^ row[0];
    strangers |= (row[k] ^ (mine + (Epoch{k} << 32))) >> 32;
  }
  if (any == 0 || strangers == 0) return true;
  return (differs & withoutLane) == 0 && a.block.ordered[a.warp][slotOf(row[0])] == (row[0] & withoutLane);
}

// Words in a row by lanes in a row, as most kernels access them: what touch() does for each, done for all. False: nothing was done, they
// have to be looked at one by one.
template <Races::Kind kind> bool Races::touchRow(const Access& a, View& v, std::uint64_t first, unsigned lane, unsigned count) {
  const Epoch mine = a.base + (Epoch{lane} << 32);
  Epoch* const writes = v.writes == nullptr ? nullptr : v.writes + first;
  Epoch* const reads = v.reads == nullptr ? nullptr : v.reads + first;
  if (!isRowFine(a, writes, count, mine)) return false;
  if constexpr (kind == Kind::Load) {
    if (!isRowFine(a, reads, count, mine)) {
      Epoch differs = 0;
      for (unsigned k = 0; k < count; ++k) differs |= reads[k] ^ reads[0];
      if ((differs & withoutLane) != 0) return false;
      if ((reads[0] ^ mine) >> 37 != 0) {  // another warp's reads that matter beside these
        if (v.others == nullptr) v.others = v.page->makeOtherReads();
        std::copy_n(reads, count, v.others + first);
      }
    }
    for (unsigned k = 0; k < count; ++k) reads[k] = mine + (Epoch{k} << 32);
  } else {
    Epoch* const others = v.others == nullptr ? nullptr : v.others + first;
    if (!isRowFine(a, reads, count, mine) || !isRowFine(a, others, count, mine)) return false;
    if (reads != nullptr) std::fill_n(reads, count, Epoch{0});
    if (others != nullptr) std::fill_n(others, count, Epoch{0});
    for (unsigned k = 0; k < count; ++k) writes[k] = mine + (Epoch{k} << 32);
  }
  return true;
}

// How many lanes from this one on access words in a row, all in the page.
unsigned Races::rowFrom(const View& v, const MemoryAccess& where, unsigned lane) {
  const std::uint64_t address = where.address[lane];
  const std::uint64_t room = (v.last - (address - v.base)) / 4 + 1;
  unsigned count = 1;
  while (lane + count < 32 && count < room && where.address[lane + count] == address + 4 * std::uint64_t{count}) ++count;
  return count;
}

template <Races::Kind kind> void Races::each(const Access& a, LaneMask lanes, const MemoryAccess& where) {
  View v;
  Space last = Space::None;
  std::uint64_t lastAddress = ~std::uint64_t{0};
  const bool isMixed = a.kind == Kind::Atomic && a.op.space == Space::Generic;
  const auto one = [&](unsigned i) {
    const std::uint64_t address = where.address[i];
    const Space space = isMixed ? spaceOf(where, i) : where.space;
    if (kind == Kind::Load && address == lastAddress && space == last) return;  // one lane stands for those that read the same
    if (space != last || address - v.base > v.last || (address & (a.bytes - 1)) != 0) {
      last = Space::None;
      if (!open<kind>(a, space, address, v)) return;
      last = space;
    }
    lastAddress = address;
    touch<kind>(a, v, space, address, i);
  };
  if (lanes != exec::allLanes) return eachLane(lanes, one);
  const bool inRows = a.bytes == 4 && a.strength == Plain && a.kind == kind && !isMixed;
  constexpr unsigned leastRow = 4;
  if constexpr (kind == Kind::Load) {  // one word for all, as factors of a matrix product are read
    bool isOne = !isMixed;
    for (unsigned i = 1; i < 32; ++i) isOne &= where.address[i] == where.address[0];
    if (isOne) return one(0);
  }
  for (unsigned i = 0; i < 32; ++i) {
    if (kind == Kind::Load && where.address[i] == lastAddress && !isMixed) continue;
    if (inRows && last != Space::None && where.address[i] - v.base <= v.last && v.shift == 2 && (where.address[i] & 3) == 0) {
      const unsigned count = rowFrom(v, where, i);
      if (count >= leastRow && touchRow<kind>(a, v, (where.address[i] - v.base) >> 2, i, count)) {
        i += count - 1;
        lastAddress = where.address[i];
        continue;
      }
    }
    one(i);
  }
}

// Lanes whose place an earlier lane of the same store has; told of when the values differ.
LaneMask Races::repeated(const Access& a, LaneMask lanes, const MemoryAccess& where) {
  bool rising = true;
  std::uint64_t last = 0;
  eachLane(lanes, [&](unsigned i) {
    rising = rising && where.address[i] >= last;
    last = where.address[i] + a.bytes;
  });
  if (rising) return 0;
  LaneMask found = 0;
  eachLane(lanes, [&](unsigned i) {
    for (LaneMask m = lanes & ((1u << i) - 1) & ~found; m != 0; m &= m - 1) {
      const auto k = static_cast<unsigned>(std::countr_zero(m));
      if (where.address[k] != where.address[i]) continue;
      found |= 1u << i;
      std::array<std::uint8_t, 32> p{}, q{};
      storedBytes(a.x, a.op, i, p.data());
      storedBytes(a.x, a.op, k, q.data());
      const Space space = spaceOf(where, i);
      if (p != q && a.strength == Plain && (space == Space::Shared || space == Space::Global))
        reports_.race(a.x, a.op, i, {space, where.address[i], a.bytes}, a.base + (Epoch{k} << 32), true);
      break;
    }
  });
  return found;
}

SyncPlace* Races::place(BlockRaces& block, Space space, std::uint64_t address, bool make) {
  SyncPlaces& places = space == Space::Shared ? block.places : places_;
  if (make) return &places[address];
  const auto at = places.find(address);
  return at == places.end() ? nullptr : &at->second;
}

void Races::synchronise(const Access& a, LaneMask lanes, const MemoryAccess& where, bool reads, bool writes) {
  BlockClocks& clocks = a.block.clocks;
  eachLane(lanes, [&](unsigned i) {
    const Space space = spaceOf(where, i);
    const bool released = writes && clocks.releases(a.warp, i);
    SyncPlace* p = place(a.block, space, where.address[i], released);
    if (p == nullptr) return;
    if (reads) clocks.strongRead(a.warp, i, *p);
    if (released) clocks.strongWrite(a.warp, i, *p);
  });
  if (reads && acquires(a.op.instruction->mods.order)) clocks.acquire(a.warp);
}

void Races::access(const Exec& x, const Op& op, Kind kind, LaneMask lanes, BlockRaces& block) {
  if (lanes == 0) return;
  const ptx::Modifiers& mods = op.instruction->mods;
  const MemoryAccess& where = x.outcome->access;
  const std::uint32_t warp = x.warp->indexInBlock;
  const Strength strength = strengthOfAccess(mods, kind == Kind::Atomic);
  if (strength != Plain && releases(mods.order) && kind != Kind::Load) block.clocks.fence(warp, lanes, scopeOf(mods));
  Access a{x, op, block, kind, warp, where.bytesPerLane, makeEpoch(block.clocks.block(), warp, 0, block.clocks.time(warp), op.pc, strength), strength};
  if (a.bytes == 0 || (a.bytes & (a.bytes - 1)) != 0) return;
  if (!block.copies[warp].empty() && where.space == Space::Shared) pendingCopies(a, lanes, where);
  if (kind == Kind::Load) each<Kind::Load>(a, lanes, where);
  else each<Kind::Store>(a, kind == Kind::Store ? lanes & ~repeated(a, lanes, where) : lanes, where);
  if (strength != Plain) synchronise(a, lanes, where, kind != Kind::Store, kind != Kind::Load);
}

void Races::load(const Exec& x, const Op& op, LaneMask lanes, BlockRaces& block) { access(x, op, Kind::Load, lanes, block); }
void Races::store(const Exec& x, const Op& op, LaneMask lanes, BlockRaces& block) { access(x, op, Kind::Store, lanes, block); }

void Races::asyncCopy(const Exec& x, const Op& op, LaneMask lanes, const std::array<std::uint64_t, 32>& target, BlockRaces& block) {
  const std::uint32_t warp = x.warp->indexInBlock;
  Access a{x, op, block, Kind::Load, warp, op.aux, makeEpoch(block.clocks.block(), warp, 0, block.clocks.time(warp), op.pc, Plain), Plain};
  LaneMask reading = lanes;
  if (op.predicate.index != ptx::none) reading &= ~x.value(op.predicate);
  if (op.c.present) eachLane(lanes, [&](unsigned i) { if (x.at(op.c)[i] < op.aux) reading &= ~(1u << i); });
  each<Kind::Load>(a, reading, x.outcome->access);
  PendingCopy copy;
  copy.pc = op.pc;
  copy.bytes = op.aux;
  copy.lanes = lanes;
  copy.target = target;
  copy.group = block.groups[warp];
  copy.first = ~std::uint64_t{0};
  eachLane(lanes, [&](unsigned i) {
    copy.first = std::min(copy.first, target[i]);
    copy.end = std::max(copy.end, target[i] + op.aux);
  });
  block.copies[warp].push_back(copy);
  MemoryAccess where;
  where.space = Space::Shared;
  where.address = target;
  a.kind = Kind::Atomic;
  each<Kind::Store>(a, lanes, where);
}

// Lanes that access what a copy of their own may still be bringing.
void Races::pendingCopies(const Access& a, LaneMask lanes, const MemoryAccess& where) {
  std::uint64_t first = ~std::uint64_t{0}, end = 0;
  eachLane(lanes, [&](unsigned i) {
    first = std::min(first, where.address[i]);
    end = std::max(end, where.address[i] + a.bytes);
  });
  for (const PendingCopy& copy : a.block.copies[a.warp]) {
    if (copy.end <= first || end <= copy.first) continue;
    eachLane(lanes & copy.lanes, [&](unsigned i) {
      if (where.address[i] >= copy.target[i] + copy.bytes || copy.target[i] >= where.address[i] + a.bytes) return;
      const Epoch issued = makeEpoch(a.block.clocks.block(), a.warp, i, a.block.clocks.time(a.warp), copy.pc, Plain);
      reports_.race(a.x, a.op, i, {Space::Shared, where.address[i], a.bytes}, issued, false);
    });
  }
}

// Bytes one after the other, by one lane.
template <Races::Kind kind> void Races::range(const Access& a, Space space, std::uint64_t address, std::uint64_t count, unsigned lane) {
  View v;
  for (std::uint64_t at = 0; at + a.bytes <= count; at += a.bytes) {
    if (v.page == nullptr || address + at - v.base > v.last) {
      if (!open<kind>(a, space, address + at, v)) {
        v.page = nullptr;
        continue;
      }
    }
    touch<kind>(a, v, space, address + at, lane);
  }
}

void Races::copyInBulk(const Exec& x, const Op& op, BlockRaces& block) {
  const exec::BulkFlags flags = exec::BulkFlags::of(op.aux);
  const std::uint32_t warp = x.warp->indexInBlock;
  Access a{x, op, block, Kind::Atomic, warp, 16, makeEpoch(block.clocks.block(), warp, 0, block.clocks.time(warp), op.pc, Plain), Plain};
  const auto shared = [](std::uint64_t address) { return address - machine::sharedWindow < machine::windowBytes ? address - machine::sharedWindow : address; };
  eachLane(x.outcome->executed, [&](unsigned i) {
    const std::uint64_t size = static_cast<std::uint32_t>(exec::portable::getBits(x, op.elements[0], i));
    const std::uint64_t from = (op.b.present ? exec::portable::getBits(x, op.b, i) : 0) + static_cast<std::uint64_t>(op.offset2);
    const std::uint64_t to = (op.a.present ? exec::portable::getBits(x, op.a, i) : 0) + static_cast<std::uint64_t>(op.offset);
    const bool fromShared = flags.direction != exec::BulkFlags::GlobalToShared, toShared = flags.direction != exec::BulkFlags::SharedToGlobal;
    if (fromShared) range<Kind::Load>(a, Space::Shared, shared(from), size, i);
    else range<Kind::Load>(a, Space::Global, from, size, i);
    if (flags.multicast || flags.masked || op.instruction->mods.atom != ptx::AtomOp::None) return;
    if (toShared) range<Kind::Store>(a, Space::Shared, shared(to), size, i);
    else range<Kind::Store>(a, Space::Global, to, size, i);
  });
  // Whoever waits for it is behind it, in whatever block of the cluster.
  block.clocks.arriveAtMbarrier(warp);
  if (flags.direction == exec::BulkFlags::SharedToShared || flags.multicast) arriveEverywhere(x, block);
}

// st.async, red.async: to the memory of a block of the cluster, whose mbarrier counts the bytes.
void Races::storeRemotely(const Exec& x, const Op& op, BlockRaces& block) {
  const std::uint32_t warp = x.warp->indexInBlock, bytes = ptx::sizeBytes(op.instruction->mods.type) * std::max<std::uint32_t>(op.elementCount, 1);
  const Strength strength = op.instruction->mods.atom != ptx::AtomOp::None ? Strong : Plain;
  Access a{x, op, block, Kind::Atomic, warp, bytes, makeEpoch(block.clocks.block(), warp, 0, block.clocks.time(warp), op.pc, strength), strength};
  eachLane(x.outcome->executed, [&](unsigned i) {
    std::uint64_t to = (op.a.present ? exec::portable::getBits(x, op.a, i) : 0) + static_cast<std::uint64_t>(op.offset);
    if (to - machine::sharedWindow < machine::windowBytes) to -= machine::sharedWindow;
    range<Kind::Store>(a, Space::Shared, to, bytes, i);
  });
  block.clocks.arriveAtMbarrier(warp);
  arriveEverywhere(x, block);
}

// An arrival at mbarriers of the other blocks of the cluster.
void Races::arriveEverywhere(const Exec& x, BlockRaces& block) {
  if (x.cluster.blocks == nullptr) return;
  const Knowledge mine = block.clocks.release(x.warp->indexInBlock);
  for (std::uint32_t rank = 0; rank < x.cluster.count; ++rank) {
    const machine::Block* other = x.cluster.blocks[rank];
    if (other == nullptr || other == x.block) continue;
    if (BlockRaces* there = peer_(*other)) there->clocks.arriveFromOutside(mine);
  }
}

// The copies of the executing lanes in all but their last `keep` groups have arrived.
void Races::finishCopies(const Exec& x, const Op& op, BlockRaces& block, std::uint32_t keep) {
  const std::uint32_t warp = x.warp->indexInBlock;
  auto& copies = block.copies[warp];
  for (PendingCopy& copy : copies) {
    LaneMask done = 0;
    eachLane(copy.lanes & x.outcome->executed, [&](unsigned i) { if (copy.group[i] + keep < block.groups[warp][i] || keep == ~0u) done |= 1u << i; });
    if (done == 0) continue;
    copy.lanes &= ~done;
    const Op& from = x.code->ops()[copy.pc];
    Access a{x, from, block, Kind::Atomic, warp, copy.bytes, makeEpoch(block.clocks.block(), warp, 0, block.clocks.time(warp), copy.pc, Plain), Plain};
    MemoryAccess where;
    where.space = Space::Shared;
    where.address = copy.target;
    each<Kind::Store>(a, done, where);
  }
  std::erase_if(copies, [](const PendingCopy& c) { return c.lanes == 0; });
}

// Who waits comes behind all who have arrived.
void Races::clusterBarrier(const Exec& x, const Op&, BlockRaces& block) {
  const std::uint32_t warp = x.warp->indexInBlock;
  Knowledge& all = clusters_[exec::blockOfCluster(x.code->context(), x.block->linear, 0)];
  all = joined(all, block.clocks.release(warp));
  block.clocks.acquire(warp, x.outcome->executed, all);
}

void Races::after(const Exec& x, const Op& op, BlockRaces& block) {
  const std::uint32_t warp = x.warp->indexInBlock;
  const LaneMask executed = x.outcome->executed;
  BlockClocks& clocks = block.clocks;
  switch (op.instruction->opcode) {
    case Opcode::Ldmatrix: access(x, op, Kind::Load, x.outcome->access.lanes, block); break;
    case Opcode::Stmatrix: access(x, op, Kind::Atomic, x.outcome->access.lanes, block); break;
    case Opcode::Atom: case Opcode::Red: access(x, op, Kind::Atomic, x.outcome->access.lanes, block); break;
    case Opcode::Membar: case Opcode::Fence:
      if (executed != 0 && !has(x, op, "proxy")) clocks.fence(warp, executed, has(x, op, ".cta") ? FenceScope::Block : FenceScope::Gpu);
      break;
    case Opcode::Bar: case Opcode::Barrier:
      if (op.flow == exec::Flow::WarpCollective) {
        if (executed != 0) clocks.syncWarp(warp, executed, x.warp->threads & ~x.warp->exited);
      } else if (x.outcome->arrivedAtBarrier) {
        clocks.arrive(warp, x.outcome->barrier, executed, (op.aux & 1) == 0);
      } else if (executed != 0 && op.flow != exec::Flow::BlockBarrier) {
        clusterBarrier(x, op, block);
      }
      break;
    case Opcode::BarrierCluster:
      if (executed != 0) clusterBarrier(x, op, block);
      break;
    case Opcode::CpAsyncBulk: case Opcode::CpReduceAsyncBulk:
      if (executed != 0) copyInBulk(x, op, block);
      break;
    case Opcode::StAsync: case Opcode::RedAsync:
      if (executed != 0) storeRemotely(x, op, block);
      break;
    case Opcode::Mbarrier: case Opcode::CpAsyncMbarrier:
      if (executed == 0) break;
      clocks.arriveAtMbarrier(warp);
      clocks.waitedAtMbarrier(warp, executed);
      arriveEverywhere(x, block);
      if (op.instruction->opcode == Opcode::CpAsyncMbarrier) finishCopies(x, op, block, ~0u);
      break;
    case Opcode::CpAsyncCommitGroup: eachLane(executed, [&](unsigned i) { ++block.groups[warp][i]; }); break;
    case Opcode::CpAsyncWaitAll: finishCopies(x, op, block, ~0u); break;
    case Opcode::CpAsyncWaitGroup:
      finishCopies(x, op, block, op.instruction->operands.empty() ? ~0u : static_cast<std::uint32_t>(op.instruction->operands[0].bits));
      break;
    default: break;
  }
  if (op.flow == exec::Flow::Exit && executed != 0) clocks.exit(warp);
  if (x.outcome->barrierOpened) clocks.openBarriers(*x.block);
}

}  // namespace warpmill::faults
