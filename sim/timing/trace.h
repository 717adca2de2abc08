// What happened when: small records with ids and no pointers, appended in time order while a machine runs with a recorder.
#pragma once

#include "machine/memory.h"
#include "machine/warp.h"
#include "ptx/module.h"
#include "timing/stall.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace warpmill::timing {

inline constexpr std::uint32_t noRequest = 0xFFFFFFFFu;

// A place in time: `slot` counts the issues made in `cycle` before it.
struct Position {
  std::uint64_t cycle = 0;
  std::uint32_t slot = 0;
  auto operator<=>(const Position&) const = default;
};

// Which warp of the launch: block by its linear number.
struct WarpId {
  std::uint64_t block = 0;
  std::uint32_t warp = 0;   // in its block
  auto operator<=>(const WarpId&) const = default;
};

struct IssueEvent {
  Position at;
  std::uint16_t sm = 0;
  std::uint8_t subPartition = 0;
  std::uint8_t warpSlot = 0;          // 0..63: place on the SM; sub-partition = slot % 4
  WarpId warp;
  std::uint32_t pc = 0;
  machine::LaneMask lanes = 0, executed = 0;
  std::uint32_t request = noRequest;  // the memory request it made, index into Trace::requests
  bool diverged = false, reconverged = false;
  std::uint16_t machine = 0;          // machine instructions that it stands for; 0: folded into another
};

// [begin, end) in cycles: one warp, one reason. `pc` is the instruction that waits.
struct StallInterval {
  std::uint64_t begin = 0, end = 0;
  std::uint16_t sm = 0;
  std::uint8_t warpSlot = 0;
  Stall reason = Stall::Wait;
  WarpId warp;
  std::uint32_t pc = 0;
};

enum class Level : std::uint8_t { Shared, L1, L2, Dram };

struct SectorRecord {
  std::uint64_t address = 0;      // of its first byte (multiple of 32); offset in the store for Space::Shared
  std::uint32_t usedBytes = 0;    // bit i: byte i is wanted
  Level level = Level::L1;        // where it was found (loads) or went (stores: L2)
};

// One warp's memory instruction on its way: when it reached what. A stage that it does not visit has the time of the one before.
struct Request {
  std::uint32_t id = 0;
  WarpId warp;
  std::uint16_t sm = 0;
  std::uint8_t warpSlot = 0;
  std::uint32_t pc = 0;
  bool isStore = false, isAtomic = false, isShared = false;
  std::uint32_t bytesPerLane = 0;
  machine::LaneMask lanes = 0;
  std::array<std::uint64_t, 32> address{};  // by lane, see exec::MemoryAccess
  std::uint32_t firstSector = 0, sectorCount = 0;  // into Trace::sectors
  std::uint32_t wavefronts = 1;   // passes of a shared-memory access (1: no conflict)
  std::uint32_t usedBytes = 0;    // bytes that some lane wants
  Level level = Level::L1;        // farthest level any of its sectors went to
  // Cycles: taken by the load/store unit, looked up in L1, arrived at L2, arrived at DRAM, left DRAM, back at the SM (data usable) -
  // for stores: accepted by L2.
  std::uint64_t issued = 0, atL1 = 0, atL2 = 0, atDram = 0, leftDram = 0, done = 0;
};

struct BlockEvent {
  std::uint64_t block = 0;
  std::uint16_t sm = 0;
  std::uint16_t slot = 0;         // place of the block on its SM
  std::uint64_t begin = 0;
  std::uint64_t end = 0;          // 0 while it runs
};

struct Trace {
  std::vector<IssueEvent> issues;
  std::vector<StallInterval> stalls;   // in the order of their ends
  std::vector<Request> requests;       // by id
  std::vector<SectorRecord> sectors;
  std::vector<BlockEvent> blocks;      // in the order of their begins
  std::uint64_t endCycle = 0;          // the launch's last cycle, once it is known (0: not run to the end)
};

// Is shown, again and again, what happened since it was shown something last; nobody keeps it.
using TraceTaker = std::function<void(const Trace&)>;

}  // namespace warpmill::timing
