// One warp: 32 lanes, their registers, and where each of them is. Threads of a warp may be at different places ("paths"); paths wait
// for one another at the immediate post-dominator of the branch that parted them.
#pragma once

#include "machine/async.h"

#include <cstdint>
#include <vector>

namespace warpmill::machine {

inline constexpr std::uint32_t warpSize = 32;
using LaneMask = std::uint32_t;
inline constexpr std::uint32_t noGroup = 0xFFFFFFFFu;
inline constexpr std::uint32_t noPc = 0xFFFFFFFFu;

// Lanes of a warp that stand at the same instruction and execute together.
struct Path {
  enum class Status : std::uint8_t {
    Runnable,
    AtReconvergence,  // waits for the others of its group
    AtBarrier,        // waits at a block barrier (bar.sync) `barrier`
    AtWarpBarrier,    // waits at bar.warp.sync / a warp collective for the lanes of `awaited`
    AtMbarrier,       // suspended in mbarrier.try_wait, on the barrier at offset `awaited` of shared memory
    AtClusterBarrier  // waits at barrier.cluster.wait
  };
  std::uint32_t pc = 0;        // instruction number
  LaneMask lanes = 0;
  std::uint32_t depth = 0;     // calls they are in, the same for all
  std::uint32_t group = noGroup;  // innermost reconvergence group, index into Warp::groups
  Status status = Status::Runnable;
  std::uint8_t barrier = 0;
  LaneMask awaited = 0;
  std::uint32_t spins = 0;     // backward branches of a polling loop since another path could last run
  bool operator==(const Path&) const = default;
};

// The lanes that a divergent branch parted and the place where they meet again.
struct ReconvergenceGroup {
  std::uint32_t pc = noPc;     // noPc: they meet only at exit
  std::uint32_t depth = 0;     // of calls: the same place in another activation is another one
  LaneMask lanes = 0;          // all that shall come (those that exit are taken out)
  std::uint32_t parent = noGroup;
  bool inUse = false;
  bool operator==(const ReconvergenceGroup&) const = default;
};

// What a call leaves for the return, in CallStack::words, behind the values of the registers that it keeps.
struct CallRecord {
  std::uint32_t site = 0;          // into ptx::Function::callSites
  std::uint32_t routine = 0;       // that was called, into ptx::Function::routines
  std::uint32_t frame = 0;         // the caller's: its address in local memory
  std::uint32_t top = 0;           // of the caller's local memory in use
  static constexpr std::uint32_t wordCount = 4;
};

// The calls that each lane is in. Kept apart from local memory, so that no stray store reaches it.
struct CallStack {
  struct Lane {
    std::uint32_t top = 0;         // bytes of local memory in use
    std::uint32_t used = 0;        // of its words
    bool operator==(const Lane&) const = default;
  };
  std::vector<Lane> lanes;         // 32 of them; empty when the kernel has neither calls nor alloca
  std::uint32_t wordsPerLane = 0;
  std::vector<std::uint32_t> words;  // [lane][wordsPerLane]; grows as calls go deeper
  bool operator==(const CallStack&) const = default;
};

// Lanes that ended at one instruction.
struct Ending {
  std::uint32_t pc = 0;
  LaneMask lanes = 0;
  bool operator==(const Ending&) const = default;
};

struct Warp {
  std::uint32_t indexInBlock = 0;
  LaneMask threads = 0;        // lanes that hold a thread at all
  LaneMask exited = 0;
  std::vector<Path> paths;     // never empty while a lane lives; [current] is the one that issues next
  std::uint32_t current = 0;
  std::vector<ReconvergenceGroup> groups;
  std::vector<Ending> endings;            // of the lanes in `exited`, in the order of time
  std::vector<std::uint32_t> planes;      // [slot][32 lanes]; 64-bit registers take two planes as 32 consecutive 64-bit values
  std::vector<LaneMask> predicates;       // one bit a lane
  std::vector<std::uint8_t> local;        // local memory, [lane][bytes]; empty when the kernel has none, grows as calls go deeper
  CallStack calls;
  std::uint64_t instructionsIssued = 0;
  WarpAsync async;

  [[nodiscard]] bool done() const { return (threads & ~exited) == 0; }
  [[nodiscard]] const Path& path() const { return paths[current]; }
  bool operator==(const Warp&) const = default;
};

}  // namespace warpmill::machine
