// What happened before what: vector clocks of warps, and how barriers, fences, atomics and __syncwarp carry them on.
// A warp's time counts its acts of synchronisation; `known[w]` says up to which time (not included) it knows what warp w of its block did.
// Threads of one warp know each other's past only up to their last common __syncwarp or barrier. What other blocks did is known only
// through a release (fence, then a strong write; or .release) that was acquired (strong read, then fence; or .acquire).
// A lane that acquires what another lane of its warp released (a lock that threads of one warp pass on) knows the past of all of them.
// Simplified: knowledge of other warps belongs to the whole warp, not to each thread; a strong read followed by a block barrier counts as
// acquired without a fence; a release stays on its location for good; an mbarrier orders everybody who waits behind everybody who arrived.
// All these can hide a race, none can make one up.
// Source: PTX ISA 9.0, chapter 8 (memory consistency model); FastTrack (Flanagan, Freund, 2009) for the use of epochs.
#pragma once

#include "exec/code.h"
#include "faults/epoch.h"

#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace warpmill::faults {

using exec::LaneMask;
using Times = std::vector<std::uint32_t>;  // by warp of a block; empty: nothing is known

void join(Times& into, const Times& from);

// Of several blocks, by rising block number. Shared, never changed once made.
using BlockTimes = std::vector<std::pair<std::uint32_t, std::shared_ptr<const Times>>>;
using Knowledge = std::shared_ptr<const BlockTimes>;  // nullptr: none

Knowledge joined(const Knowledge& a, const Knowledge& b);

// A place in memory that threads synchronise through.
struct SyncPlace {
  Knowledge released;                       // with a scope of the whole GPU
  std::map<std::uint32_t, Times> inBlock;   // with the scope of a block
};
using SyncPlaces = std::unordered_map<std::uint64_t, SyncPlace>;  // by address; only looked up, never walked through

struct WarpClock {
  std::uint32_t time = 1;
  std::uint32_t floor = 1;                  // all lanes know of each other what happened before
  std::unique_ptr<std::array<std::array<std::uint32_t, 32>, 32>> lanes;  // [who][of whom], where lanes differ
  Times known;                              // of the own block
  Knowledge others;                         // of other blocks
  Times fenced, fencedInBlock;              // what a fence has put before later strong writes
  LaneMask fencedLanes = 0, fencedInBlockLanes = 0;
  Knowledge read;                           // seen by strong reads, not acquired yet
  Times readInBlock;
  LaneMask readLanes = 0;                   // that made these reads
};

struct BarrierClock {
  Times known, fenced, fencedInBlock;
  Knowledge others;
  std::uint64_t generation = 0;
  std::array<LaneMask, 32> waiting{};       // by warp
};

enum class FenceScope : std::uint8_t { Block, Gpu };

class BlockClocks {
 public:
  BlockClocks(std::uint32_t block, std::uint32_t warps);

  // Did what `e` says happen before what lane `lane` of warp `warp` does now?
  [[nodiscard]] bool ordered(Epoch e, std::uint32_t warp, std::uint32_t lane) const {
    const WarpClock& mine = warps_[warp];
    const std::uint32_t time = timeOf(e), thread = block_ << 10 | warp << 5 | lane;
    if (threadOf(e) == thread || time == lastTime) return true;
    if (threadOf(e) >> 5 == thread >> 5) return time < mine.floor || (mine.lanes && time < (*mine.lanes)[lane][laneOf(e)]);
    if (blockOf(e) == block_) return time < mine.known[warpOf(e)];
    return knowsOther(mine, e);
  }
  // The same for every lane of the warp, when it is so for one?
  [[nodiscard]] bool orderedForAll(Epoch e, std::uint32_t warp) const {
    return blockOf(e) != block_ || warpOf(e) != warp || timeOf(e) < warps_[warp].floor;
  }
  [[nodiscard]] std::uint32_t time(std::uint32_t warp) const { return warps_[warp].time; }
  [[nodiscard]] std::uint32_t block() const { return block_; }

  void syncWarp(std::uint32_t warp, LaneMask lanes, LaneMask living);
  void fence(std::uint32_t warp, LaneMask lanes, FenceScope scope);
  void arrive(std::uint32_t warp, std::uint8_t barrier, LaneMask lanes, bool waits);
  void exit(std::uint32_t warp);
  // Barriers of the block that have opened since the last time: those who waited know what those who arrived did.
  void openBarriers(const machine::Block& block);
  void arriveAtMbarrier(std::uint32_t warp);
  void waitedAtMbarrier(std::uint32_t warp, LaneMask lanes);
  // Across the blocks of a cluster: what the warp knows, passed on to those who acquire it; and an arrival from another block.
  Knowledge release(std::uint32_t warp);
  void acquire(std::uint32_t warp, LaneMask lanes, const Knowledge& from);
  void arriveFromOutside(const Knowledge& from) { outside_ = joined(outside_, from); }

  // Strong accesses of one lane to a place.
  void strongRead(std::uint32_t warp, std::uint32_t lane, const SyncPlace& place);
  void acquire(std::uint32_t warp);  // what strong reads saw is known from now on
  [[nodiscard]] bool releases(std::uint32_t warp, std::uint32_t lane) const {
    return ((warps_[warp].fencedLanes | warps_[warp].fencedInBlockLanes) >> lane & 1) != 0;
  }
  void strongWrite(std::uint32_t warp, std::uint32_t lane, SyncPlace& place);

 private:
  [[nodiscard]] static bool knowsOther(const WarpClock& mine, Epoch e);
  std::uint32_t tick(std::uint32_t warp);
  void knowOwnWarp(WarpClock& w, LaneMask lanes, std::uint32_t time) const;
  std::array<std::array<std::uint32_t, 32>, 32>& lanesOf(WarpClock& w) const;

  std::uint32_t block_;
  std::vector<WarpClock> warps_;
  std::array<BarrierClock, 16> barriers_{};
  Times exited_, mbarriers_;
  Knowledge outside_;  // of other blocks that arrived at this one's mbarriers
};

}  // namespace warpmill::faults
