#include "exec/async.h"

#include "exec/access.h"
#include "exec/cluster.h"
#include "exec/float_bits.h"
#include "exec/mbarrier.h"

#include <cstring>

namespace warpmill::exec {
namespace {

using namespace portable;
using machine::Arrival;
using machine::BulkStore;
using machine::LaneCopies;
using ptx::AtomOp;
using ptx::Space;
using ptx::Type;

u32 countOf(const std::vector<u32>& groups, unsigned lane) { return groups.empty() ? 0 : groups[lane]; }

// ---- cp.async ----

// aux: bytes copied; c, when present: bytes really read, the rest is zero.
void executeAsyncCopy(Exec& x, const Op& op, LaneMask mask) {
  recordAccess(x, mask, MemoryAccess::Kind::AsyncCopy, Space::Shared, op.aux, op.a, op.offset);
  const std::array<u64, 32> to = x.outcome->access.address;
  recordAccess(x, mask, MemoryAccess::Kind::AsyncCopy, Space::Global, op.aux, op.b, op.offset2);
  const auto& from = x.outcome->access.address;
  Locator source(x, Space::Global, op.aux, false), target(x, Space::Shared, op.aux, true);
  BadLanes badSource, badTarget;
  const LaneMask ignored = op.predicate.index != ptx::none ? x.value(op.predicate) : 0;
  LaneMask reads = 0;  // lanes with a size of 0 only fill with zeros
  LaneCopies copies;
  copies.bytes = op.aux;
  copies.data.assign(std::size_t{32} * op.aux, 0);
  eachLane(mask, [&](unsigned i) {
    u32 size = op.c.present ? x.at(op.c)[i] : op.aux;
    if (size > op.aux) size = op.aux;
    if ((ignored >> i & 1) != 0) size = 0;
    if (size != 0) {
      reads |= 1u << i;
      const std::uint8_t* p = source.find(from[i], i, badSource);
      if (p != nullptr) std::memcpy(copies.data.data() + i * op.aux, p, size);
    }
    if (target.find(to[i], i, badTarget) == nullptr) return;
    copies.lanes |= 1u << i;
    copies.target[i] = static_cast<u32>(to[i]);
    copies.group[i] = countOf(x.warp->async.groups, i);
  });
  if (copies.lanes != 0) x.warp->async.copies.push_back(std::move(copies));
  badSource.report(x, op, Space::Global, "load", op.aux);
  if (badTarget.all() != 0) {
    const std::array<u64, 32> keep = from;
    x.outcome->access.address = to;
    badTarget.report(x, op, Space::Shared, "store", op.aux);
    x.outcome->access.address = keep;
  }
  x.outcome->access.lanes = reads;
}

// Copies of `lanes` that belong to one of their first groups[lane] - kept groups arrive; all, where `kept` is ~0.
void finishCopies(machine::Block& block, machine::Warp& warp, LaneMask lanes, u32 kept) {
  auto& all = warp.async.copies;
  for (LaneCopies& c : all) {
    LaneMask done = 0;
    eachLane(c.lanes & lanes, [&](unsigned i) {
      if (kept != ~0u && u64{c.group[i]} + kept >= countOf(warp.async.groups, i)) return;
      done |= 1u << i;
      std::memcpy(block.shared.data() + c.target[i], c.data.data() + i * c.bytes, c.bytes);
    });
    c.lanes &= ~done;
  }
  std::erase_if(all, [](const LaneCopies& c) { return c.lanes == 0; });
}

void commit(std::vector<u32>& groups, LaneMask mask) {
  if (groups.empty()) groups.assign(32, 0);
  eachLane(mask, [&](unsigned i) { ++groups[i]; });
}
void executeCommit(Exec& x, const Op&, LaneMask mask) { commit(x.warp->async.groups, mask); }
void executeBulkCommit(Exec& x, const Op&, LaneMask mask) { commit(x.warp->async.storeGroups, mask); }
void executeWait(Exec& x, const Op& op, LaneMask mask) { finishCopies(*x.block, *x.warp, mask, op.aux); }
void executeBulkWait(Exec& x, const Op& op, LaneMask mask) {
  if (op.aux2 == 0) finishBulkStores(x, mask, op.aux);  // the source has been read already
}

// ---- Reductions ----

template <class T> T reducedInteger(AtomOp op, T old, T by) {
  switch (op) {
    case AtomOp::And: return old & by;
    case AtomOp::Or: return old | by;
    case AtomOp::Xor: return old ^ by;
    case AtomOp::Add: return static_cast<T>(static_cast<u64>(old) + static_cast<u64>(by));
    case AtomOp::Inc: return old >= by ? T(0) : static_cast<T>(old + 1);
    case AtomOp::Dec: return old == 0 || old > by ? by : static_cast<T>(old - 1);
    case AtomOp::Min: return by < old ? by : old;
    case AtomOp::Max: return old < by ? by : old;
    default: return by;
  }
}
template <class T, class F> void reduceOne(std::uint8_t* at, const std::uint8_t* by, F f) {
  T old, b;
  std::memcpy(&old, at, sizeof(T));
  std::memcpy(&b, by, sizeof(T));
  old = static_cast<T>(f(old, b));
  std::memcpy(at, &old, sizeof(T));
}
u16 reducedHalf(Type type, AtomOp op, u16 old, u16 by) {
  const bool brain = type == Type::BF16;
  const double p = brain ? fromBf16(old) : fromF16(old), q = brain ? fromBf16(by) : fromF16(by);
  if (op == AtomOp::Add) return brain ? toBf16(p + q) : toF16(p + q);
  if (p != p) return q != q ? static_cast<u16>(nan16) : by;
  if (q != q) return old;
  const bool takesNew = op == AtomOp::Min ? q < p || (q == p && (by & 0x8000) != 0) : q > p || (q == p && (old & 0x8000) != 0);
  return takesNew ? by : old;
}

// One element in place; its size.
void reduceElement(Type type, AtomOp op, std::uint8_t* at, const std::uint8_t* by) {
  switch (type) {
    case Type::F16: case Type::BF16: return reduceOne<u16>(at, by, [&](u16 o, u16 b) { return reducedHalf(type, op, o, b); });
    case Type::F32: return reduceOne<u32>(at, by, [](u32 o, u32 b) { return bitsOf(canonical(asF32(o) + asF32(b))); });
    case Type::F64: return reduceOne<u64>(at, by, [](u64 o, u64 b) { return bitsOf(asF64(o) + asF64(b)); });
    case Type::S32: return reduceOne<s32>(at, by, [&](s32 o, s32 b) { return reducedInteger(op, o, b); });
    case Type::S64: return reduceOne<s64>(at, by, [&](s64 o, s64 b) { return reducedInteger(op, o, b); });
    case Type::U64: case Type::B64: return reduceOne<u64>(at, by, [&](u64 o, u64 b) { return reducedInteger(op, o, b); });
    default: return reduceOne<u32>(at, by, [&](u32 o, u32 b) { return reducedInteger(op, o, b); });
  }
}

void land(std::uint8_t* at, const std::vector<std::uint8_t>& data, AtomOp reduce, Type type) {
  if (reduce == AtomOp::None) {
    std::memcpy(at, data.data(), data.size());
    return;
  }
  for (std::size_t k = 0, step = ptx::sizeBytes(type); k + step <= data.size(); k += step) reduceElement(type, reduce, at + k, data.data() + k);
}

// ---- Bulk copies ----

u64 addressIn(const Exec& x, const Slot& base, s64 offset, unsigned lane) { return (base.present ? getBits(x, base, lane) : 0) + static_cast<u64>(offset); }

// An address operand that may be generic: offset of shared memory (also of another block), or false for another space.
bool sharedAddress(u64& address) {
  if (address - machine::sharedWindow < machine::windowBytes) address -= machine::sharedWindow;
  return address < machine::localWindow;
}

void reportBulk(Exec& x, const Op& op, machine::FaultKind kind, unsigned lane, Space space, std::string_view access, u64 address, u32 bytes) {
  std::array<u64, 32> at{};
  at[lane] = address;
  reportAccess(x, op, kind, 1u << lane, space, access, bytes, at);
}

// The bytes of a source or nothing, with a fault.
bool readSource(Exec& x, const Op& op, unsigned lane, Space space, u64 address, std::vector<std::uint8_t>& data) {
  const auto size = static_cast<u32>(data.size());
  if ((address | size) % 16 != 0) return reportBulk(x, op, machine::FaultKind::Misaligned, lane, space, "load", address, 16), false;
  if (space == Space::Shared) {
    const std::uint8_t* from = sharedPlace(x, address).bytes(size);
    if (from == nullptr) return reportBulk(x, op, machine::FaultKind::OutOfBounds, lane, space, "load", address, size), false;
    std::memcpy(data.data(), from, size);
    return true;
  }
  for (u32 k = 0; k < size; k += 16)
    if (!x.memory->read(address + k, data.data() + k, 16)) {
      const bool null = address + k < 4096;
      return reportBulk(x, op, null ? machine::FaultKind::NullAccess : machine::FaultKind::OutOfBounds, lane, space, "load", address + k, 16), false;
    }
  return true;
}

void recordBulk(Exec& x, LaneMask lane, MemoryAccess::Kind kind, Space space, u64 address, u32 bytes) {
  MemoryAccess& access = x.outcome->access;
  access.kind = kind;
  access.space = space;
  access.lanes = bytes >= 128 ? allLanes : lane;
  access.bytesPerLane = bytes >= 128 ? (bytes / 32 > 512 ? 512 : bytes / 32) : bytes;
  for (unsigned i = 0; i < 32; ++i) access.address[i] = address + (bytes >= 128 ? u64{i} * access.bytesPerLane : 0);
}

void queueArrival(Exec& x, machine::Block& block, Arrival arrival) {
  const u32 barrier = arrival.barrier;
  block.arrivals.push_back(std::move(arrival));
  x.outcome->queued = true;
  if (wakeWaiters(block, barrier)) x.outcome->woke = true;
}

// To shared memory of one block.
void sendTo(Exec& x, const Op& op, unsigned lane, u64 target, u64 barrier, std::vector<std::uint8_t> data) {
  const auto size = static_cast<u32>(data.size());
  const SharedPlace to = sharedPlace(x, target), counted = sharedPlace(x, barrier);
  const u32 alignment = op.instruction->opcode == ptx::Opcode::CpAsyncBulk || op.instruction->opcode == ptx::Opcode::CpReduceAsyncBulk ? 16 : ptx::sizeBytes(op.instruction->mods.type);
  if (target % alignment != 0) return reportBulk(x, op, machine::FaultKind::Misaligned, lane, Space::Shared, "store", target, alignment);
  if (to.bytes(size) == nullptr) return reportBulk(x, op, machine::FaultKind::OutOfBounds, lane, Space::Shared, "store", target, size);
  if (counted.bytes(8) == nullptr || barrier % 8 != 0 || counted.block != to.block)
    return reportBulk(x, op, machine::FaultKind::OutOfBounds, lane, Space::Shared, "atomic", barrier, 8);
  Arrival a;
  a.barrier = static_cast<u32>(counted.offset);
  a.transferred = size;
  a.target = static_cast<u32>(to.offset);
  a.reduce = op.instruction->mods.atom;
  a.type = op.instruction->mods.type;
  a.data = std::move(data);
  queueArrival(x, *to.block, std::move(a));
}

// a: target, b: source, c: barrier (or the mask of bytes), elements[0]: bytes, elements[1]: mask of ranks.
void executeBulkCopy(Exec& x, const Op& op, LaneMask mask) {
  const BulkFlags flags = BulkFlags::of(op.aux);
  eachLane(mask, [&](unsigned i) {
    const u32 size = static_cast<u32>(getBits(x, op.elements[0], i));
    u64 from = addressIn(x, op.b, op.offset2, i), to = addressIn(x, op.a, op.offset, i);
    const bool fromShared = flags.direction != BulkFlags::GlobalToShared, toShared = flags.direction != BulkFlags::SharedToGlobal;
    if (size == 0) return;
    if (fromShared) sharedAddress(from);
    if (toShared) sharedAddress(to);
    std::vector<std::uint8_t> data(size);
    if (!readSource(x, op, i, fromShared ? Space::Shared : Space::Global, from, data)) return;
    if (!fromShared) recordBulk(x, 1u << i, MemoryAccess::Kind::AsyncCopy, Space::Global, from, size);
    if (toShared) {
      u64 barrier = addressIn(x, op.c, static_cast<s32>(op.aux2), i);
      sharedAddress(barrier);
      if (!flags.multicast) return sendTo(x, op, i, to, barrier, std::move(data));
      const u64 ranks = getBits(x, op.elements[1], i) & 0xFFFF;
      for (u32 rank = 0; rank < 16; ++rank)
        if ((ranks >> rank & 1) != 0) {
          const u64 there = (rank + 1) * clusterWindow;
          sendTo(x, op, i, (to & (clusterWindow - 1)) + there, (barrier & (clusterWindow - 1)) + there, data);
        }
      return;
    }
    if (to % 16 != 0) return reportBulk(x, op, machine::FaultKind::Misaligned, i, Space::Global, "store", to, 16);
    BulkStore store;
    store.lane = i;
    store.group = countOf(x.warp->async.storeGroups, i);
    store.address = to;
    store.reduce = op.instruction->mods.atom;
    store.type = op.instruction->mods.type;
    if (flags.masked) {
      const u64 bytes = getBits(x, op.c, i);
      for (u32 k = 0; k < size; ++k) store.masked.push_back((bytes >> (k % 16) & 1) == 0);
    }
    store.data = std::move(data);
    for (u32 k = 0; k < size; k += 16) {
      const machine::Allocation* a = x.memory->find(to + k, 16);
      if (a != nullptr && !a->readOnly) continue;
      const auto kind = a != nullptr ? machine::FaultKind::WriteToConstant : to + k < 4096 ? machine::FaultKind::NullAccess : machine::FaultKind::OutOfBounds;
      return reportBulk(x, op, kind, i, Space::Global, "store", to + k, 16);
    }
    recordBulk(x, 1u << i, MemoryAccess::Kind::Store, Space::Global, to, size);
    x.warp->async.stores.push_back(std::move(store));
  });
}

// st.async, red.async. a: target, c: barrier, elements: values.
void executeRemoteStore(Exec& x, const Op& op, LaneMask mask) {
  const u32 bytes = ptx::sizeBytes(op.instruction->mods.type);
  eachLane(mask, [&](unsigned i) {
    std::vector<std::uint8_t> data(std::size_t{bytes} * op.elementCount);
    for (u32 k = 0; k < op.elementCount; ++k) {
      const u64 v = getBits(x, op.elements[k], i);
      std::memcpy(data.data() + k * bytes, &v, bytes);
    }
    u64 to = addressIn(x, op.a, op.offset, i), barrier = addressIn(x, op.c, static_cast<s32>(op.aux2), i);
    sharedAddress(to);
    sharedAddress(barrier);
    sendTo(x, op, i, to, barrier, std::move(data));
  });
}

// cp.async.mbarrier.arrive: one arrival a lane, when its copies so far are complete. aux: noinc, the barrier's count includes it already.
void executeCopyArrival(Exec& x, const Op& op, LaneMask mask) {
  eachLane(mask, [&](unsigned i) {
    u64 address = addressIn(x, op.a, op.offset, i);
    sharedAddress(address);
    const SharedPlace place = sharedPlace(x, address);
    if (place.bytes(8) == nullptr || address % 8 != 0 || place.block != x.block)
      return reportBulk(x, op, machine::FaultKind::OutOfBounds, i, Space::Shared, "atomic", address, 8);
    if (op.aux == 0) Mbarrier(place.bytes(8)).expectOneMore();
    auto& all = place.block->arrivals;
    const bool same = !all.empty() && all.back().barrier == place.offset && all.back().lanes != 0 && all.back().warp == x.warp->indexInBlock && (all.back().lanes >> i) == 0;
    if (same) {
      all.back().lanes |= 1u << i;
      return;
    }
    Arrival a;
    a.barrier = static_cast<u32>(place.offset);
    a.warp = x.warp->indexInBlock;
    a.lanes = 1u << i;
    queueArrival(x, *place.block, std::move(a));
  });
}

}  // namespace

void finishBulkStores(Exec& x, LaneMask lanes, u32 kept) {
  auto& all = x.warp->async.stores;
  std::erase_if(all, [&](BulkStore& s) {
    if ((lanes >> s.lane & 1) == 0) return false;
    if (kept != ~0u && u64{s.group} + kept >= countOf(x.warp->async.storeGroups, s.lane)) return false;
    for (std::size_t k = 0; k < s.data.size(); k += 16) {  // pages and bounds are multiples of 16 here
      std::array<std::uint8_t, 16> now{};
      if (!x.memory->read(s.address + k, now.data(), 16)) continue;
      const std::vector<std::uint8_t> part(s.data.begin() + static_cast<std::ptrdiff_t>(k), s.data.begin() + static_cast<std::ptrdiff_t>(k) + 16);
      const auto before = now;
      land(now.data(), part, s.reduce, s.type);
      for (std::size_t b = 0; b < 16 && !s.masked.empty(); ++b)
        if (s.masked[k + b]) now[b] = before[b];
      x.memory->write(s.address + k, now.data(), 16);
    }
    return true;
  });
}

// What has come to the mbarrier at `offset` by now takes effect.
void settleArrivals(Exec& x, machine::Block& block, u32 offset) {
  const u64 now = x.clock != nullptr ? x.clock->cycle : ~u64{0};
  std::erase_if(block.arrivals, [&](Arrival& a) {
    if (a.barrier != offset || (!a.fresh && a.readyAt > now)) return false;
    Mbarrier barrier(block.shared.data() + offset);
    if (a.lanes != 0) {
      finishCopies(block, block.warps[a.warp], a.lanes, ~0u);
      barrier.arrive(static_cast<u32>(std::popcount(a.lanes)));
    } else {
      land(block.shared.data() + a.target, a.data, a.reduce, a.type);
      barrier.complete(a.transferred);
    }
    return true;
  });
}

Handler asyncCopyHandler() { return &executeAsyncCopy; }
Handler asyncCommitHandler(bool bulk) { return bulk ? &executeBulkCommit : &executeCommit; }
Handler asyncWaitHandler() { return &executeWait; }
Handler bulkWaitHandler() { return &executeBulkWait; }
Handler bulkCopyHandler() { return &executeBulkCopy; }
Handler remoteStoreHandler() { return &executeRemoteStore; }
Handler copyArrivalHandler() { return &executeCopyArrival; }

}  // namespace warpmill::exec
