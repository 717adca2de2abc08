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
  LaneMask lanes = 0;          // all that shall come (those that exit are taken out)
  std::uint32_t parent = noGroup;
  bool inUse = false;
  bool operator==(const ReconvergenceGroup&) const = default;
};

// Return address stack of `call`; registers of a frame follow one another (see Function::planeCount).
struct Frame {
  std::uint32_t function = 0;      // into Module::functions
  std::uint32_t returnPc = 0;
  std::uint32_t planeBase = 0;     // first plane of this frame's registers in Warp::planes
  std::uint32_t predicateBase = 0;
  bool operator==(const Frame&) const = default;
};

struct Warp {
  std::uint32_t indexInBlock = 0;
  LaneMask threads = 0;        // lanes that hold a thread at all
  LaneMask exited = 0;
  std::vector<Path> paths;     // never empty while a lane lives; [current] is the one that issues next
  std::uint32_t current = 0;
  std::vector<ReconvergenceGroup> groups;
  std::vector<std::uint32_t> planes;      // [slot][32 lanes]; 64-bit registers take two planes as 32 consecutive 64-bit values
  std::vector<LaneMask> predicates;       // one bit a lane
  std::vector<std::uint8_t> local;        // local memory, [lane][frame bytes]; empty when the kernel has none
  std::uint64_t instructionsIssued = 0;
  WarpAsync async;

  [[nodiscard]] bool done() const { return (threads & ~exited) == 0; }
  [[nodiscard]] const Path& path() const { return paths[current]; }
  bool operator==(const Warp&) const = default;
};

}  // namespace warpmill::machine
