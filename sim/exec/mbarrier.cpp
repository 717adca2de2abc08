#include "exec/mbarrier.h"

#include "exec/async.h"
#include "exec/cluster.h"
#include "exec/divergence.h"
#include "exec/faults.h"
#include "exec/lanes.h"

#include <bit>

namespace warpmill::exec {

void settleArrivals(Exec& x, machine::Block& block, std::uint32_t offset);  // async.cpp

namespace {

using namespace portable;
using machine::Path;

constexpr u32 mostExpired = 1000;  // fruitless returns of suspended waits in a row: then it is a deadlock

// Where lane i's barrier is, or nullptr with a fault.
struct Barrier {
  machine::Block* block = nullptr;
  u32 offset = 0;
  std::uint8_t* bytes = nullptr;
};
Barrier barrierOf(Exec& x, const Op& op, unsigned lane, bool ownOnly) {
  u64 address = (op.a.present ? getBits(x, op.a, lane) : 0) + static_cast<u64>(op.offset);
  if (address - machine::sharedWindow < machine::windowBytes) address -= machine::sharedWindow;
  const SharedPlace place = sharedPlace(x, address);
  std::uint8_t* bytes = place.bytes(8);
  std::array<u64, 32> at{};
  at[lane] = address;
  if (address % 8 != 0) reportAccess(x, op, machine::FaultKind::Misaligned, 1u << lane, ptx::Space::Shared, "atomic", 8, at);
  else if (bytes == nullptr || (ownOnly && place.block != x.block)) reportAccess(x, op, machine::FaultKind::OutOfBounds, 1u << lane, ptx::Space::Shared, "atomic", 8, at);
  else return {place.block, static_cast<u32>(place.offset), bytes};
  return {};
}

void wake(Exec& x, const Barrier& b) {
  if (wakeWaiters(*b.block, b.offset)) x.outcome->woke = true;
}

// b: count, bytes.
template <MbarrierOp what> void executeChange(Exec& x, const Op& op, LaneMask mask) {
  eachLane(mask, [&](unsigned i) {
    const Barrier at = barrierOf(x, op, i, what == MbarrierOp::Init || what == MbarrierOp::Invalidate);
    if (at.bytes == nullptr) return;
    Mbarrier barrier(at.bytes);
    const u64 before = barrier.word();
    const u32 b = op.b.present ? static_cast<u32>(getBits(x, op.b, i)) : 1;
    switch (what) {
      case MbarrierOp::Init: barrier.init(b); break;
      case MbarrierOp::Invalidate: break;
      case MbarrierOp::Arrive: barrier.arrive(b); break;
      case MbarrierOp::ArriveDrop: barrier.drop(b); break;
      case MbarrierOp::ExpectTx: barrier.expect(b); break;
      case MbarrierOp::CompleteTx: barrier.complete(b); break;
      case MbarrierOp::ArriveExpectTx: barrier.expect(b); barrier.arrive(1); break;
      default: barrier.expect(b); barrier.drop(1); break;
    }
    if (op.dst.present) putBits(x, op.dst, i, before);
    wake(x, at);
  });
}

// b: the state, or the phase's parity (aux 1).
template <bool suspends> void executeWaitTest(Exec& x, const Op& op, LaneMask mask) {
  LaneMask complete = 0, good = 0;
  u32 first = 0;
  bool oneBarrier = true;
  eachLane(mask, [&](unsigned i) {
    const Barrier at = barrierOf(x, op, i, true);
    if (at.bytes == nullptr) return;
    settleArrivals(x, *at.block, at.offset);
    const u64 b = getBits(x, op.b, i);
    const u32 awaited = op.aux != 0 ? static_cast<u32>(b & 1) : Mbarrier::phase(b);
    if (Mbarrier::phase(Mbarrier(at.bytes).word()) != awaited) complete |= 1u << i;
    if (good == 0) first = at.offset;
    else oneBarrier &= at.offset == first;
    good |= 1u << i;
  });
  if (complete != 0) x.block->expiredWaits = 0;
  if constexpr (suspends) {
    Path& path = x.warp->paths[x.warp->current];
    const bool expired = path.awaited == ~0u;
    path.awaited = 0;
    if (complete == 0 && good == mask && oneBarrier && !expired) {
      x.waitsAs = Path::Status::AtMbarrier;
      x.waitsFor = first;
      return;
    }
  }
  x.setPredicate(op.dstPredicate, complete, mask);
}

void executePendingCount(Exec& x, const Op& op, LaneMask mask) {
  eachLane(mask, [&](unsigned i) { putBits(x, op.dst, i, Mbarrier::pending(getBits(x, op.b, i))); });
}

template <class F> bool letGo(machine::Block& block, F which, u32 mark) {
  bool any = false;
  for (machine::Warp& w : block.warps) {
    bool here = false;
    for (Path& p : w.paths) {
      if (p.status != Path::Status::AtMbarrier || !which(p)) continue;
      p.status = Path::Status::Runnable;
      p.awaited = mark;
      here = true;
    }
    if (here && w.paths[w.current].status != Path::Status::Runnable)
      choosePath(w, static_cast<unsigned>(std::countr_zero(w.paths[w.current].lanes)));
    any |= here;
  }
  return any;
}

}  // namespace

bool wakeWaiters(machine::Block& block, u32 offset) {
  return letGo(block, [offset](const Path& p) { return p.awaited == offset; }, 0);
}
bool expireWaits(machine::Block& block) {
  if (++block.expiredWaits > mostExpired) return false;
  return letGo(block, [](const Path&) { return true; }, ~0u);
}

Handler mbarrierHandler(MbarrierOp op) {
  switch (op) {
    case MbarrierOp::Init: return &executeChange<MbarrierOp::Init>;
    case MbarrierOp::Invalidate: return &executeChange<MbarrierOp::Invalidate>;
    case MbarrierOp::Arrive: return &executeChange<MbarrierOp::Arrive>;
    case MbarrierOp::ArriveDrop: return &executeChange<MbarrierOp::ArriveDrop>;
    case MbarrierOp::ExpectTx: return &executeChange<MbarrierOp::ExpectTx>;
    case MbarrierOp::CompleteTx: return &executeChange<MbarrierOp::CompleteTx>;
    case MbarrierOp::ArriveExpectTx: return &executeChange<MbarrierOp::ArriveExpectTx>;
    case MbarrierOp::ArriveDropExpectTx: return &executeChange<MbarrierOp::ArriveDropExpectTx>;
    case MbarrierOp::TestWait: return &executeWaitTest<false>;
    case MbarrierOp::TryWait: return &executeWaitTest<true>;
    default: return &executePendingCount;
  }
}

}  // namespace warpmill::exec
