// Asynchronous copies and the barriers that count them (mbarrier): cp.async and its groups, cp.async.bulk, cp.reduce.async.bulk, st.async,
// red.async, mbarrier.*.
// A copy reads its source when it is issued; its values wait in the state and reach their target when a thread waits for them: at
// cp.async.wait_group, at mbarrier.test_wait or try_wait on the barrier that they complete, at cp.async.bulk.wait_group. Until then the
// target shows its old values. mbarrier.try_wait suspends its path until something happens at the barrier; where nothing else can run
// it returns false, as the hardware's time limit makes it do.
// Simplified: hardware may complete a copy at any time before the wait, and reads the source later than the issue.
// Source: PTX ISA 9.0, 9.7.9.25 (asynchronous copies), 9.7.13.15 (mbarrier).
#pragma once

#include "exec/op.h"

namespace warpmill::exec {

Handler asyncCopyHandler();
Handler asyncCommitHandler(bool bulk);
Handler asyncWaitHandler();       // aux: groups that may stay open, ~0: none, uncommitted copies too
Handler bulkWaitHandler();        // aux likewise; aux2: only the reading of the source is waited for
Handler bulkCopyHandler();
Handler remoteStoreHandler();     // st.async, red.async
Handler copyArrivalHandler();     // cp.async.mbarrier.arrive; aux: noinc

enum class MbarrierOp : std::uint8_t { Init, Invalidate, Arrive, ArriveDrop, ExpectTx, CompleteTx, ArriveExpectTx, ArriveDropExpectTx, TestWait, TryWait, PendingCount };
Handler mbarrierHandler(MbarrierOp op);

// cp.async.bulk. aux2: offset of the barrier's address | the rest in aux.
struct BulkFlags {
  enum Direction : std::uint32_t { GlobalToShared, SharedToShared, SharedToGlobal };
  std::uint32_t direction = GlobalToShared;
  bool multicast = false, masked = false;
  [[nodiscard]] std::uint32_t packed() const { return direction | (multicast ? 4u : 0) | (masked ? 8u : 0); }
  static BulkFlags of(std::uint32_t bits) { return {bits & 3, (bits & 4) != 0, (bits & 8) != 0}; }
};

// Lets paths go that are suspended at the mbarrier at `offset`: they look again.
bool wakeWaiters(machine::Block& block, std::uint32_t offset);
// Nothing can run: all suspended waits of the block return once. False: there are none, or that has been tried too often in a row.
bool expireWaits(machine::Block& block);
// Writes to global memory that a warp's last thread leaves open.
void finishBulkStores(Exec& x, LaneMask lanes, std::uint32_t keptGroups);

}  // namespace warpmill::exec
