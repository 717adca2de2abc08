// All that changes while a kernel runs in time, as a value: copying it is a snapshot, comparing two is a test.
#pragma once

#include "lowering/lowering.h"
#include "machine/block.h"
#include "machine/cow.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "timing/stall.h"
#include "timing/trace.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpmill::timing {

inline constexpr std::uint64_t never = ~0ull;

template <std::size_t N>
constexpr std::array<std::uint64_t, N> filled(std::uint64_t value) {
  std::array<std::uint64_t, N> a{};
  for (std::uint64_t& v : a) v = value;
  return a;
}

// When a register's value is there, and what it waits for.
struct Scoreboard {
  std::uint64_t readyAt = 0;
  Stall reason = Stall::Wait;
  bool operator==(const Scoreboard&) const = default;
};

// A warp's place on an SM.
struct WarpSlot {
  bool used = false;
  std::uint32_t blockSlot = 0;
  std::uint32_t warp = 0;                  // index in its block
  std::uint64_t startedAt = 0;
  Stall reason = Stall::Wait;              // what holds it until SubPartition::readyAt
  std::uint64_t lastIssueAt = never;       // cycle of its last issue; never: none yet
  std::uint64_t waitingSince = 0;          // first cycle of the present wait (the one after its last issue)
  std::vector<Scoreboard> registers;       // by register of the function
  Scoreboard sunk;                         // when all that sank has issued (see lowering.h)
  std::vector<std::uint16_t> rounds;       // by unrolled loop: rounds since the last whole one
  // When asynchronous work is done: of copies (cp.async), bulk stores and matrix products (wgmma); committed groups in their order, then
  // the open one.
  std::array<std::vector<std::uint64_t>, 3> groupsDoneAt;
  std::array<std::uint64_t, 3> openGroupDoneAt{};
  bool operator==(const WarpSlot&) const = default;
};

struct ResidentBlock {
  bool used = false;
  std::uint64_t startedAt = 0;
  std::uint64_t freeAt = 0;                // when not used: earliest cycle a new block may start here
  std::uint32_t warpsLeft = 0;
  std::shared_ptr<machine::Block> block;   // copied on write by the machine (see ownBlock)
  std::vector<std::uint8_t> warpSlots;     // by warp
  struct Peer { std::uint32_t sm = 0, slot = 0; bool operator==(const Peer&) const = default; };
  std::vector<Peer> cluster;               // places of the cluster's blocks by rank; empty: a block alone
  bool operator==(const ResidentBlock& o) const;
};

// Ports and queues keep the time at which they are free next, in 1/256 cycle.
using Ticks = std::uint64_t;
inline constexpr std::uint64_t ticksPerCycle = 256;

struct SubPartition {
  // By place (warp slot / 4): earliest cycle its next instruction may issue (never: empty, or at a barrier), the pipe it needs, and the
  // order in which warps came. Kept together here because the scheduler looks at all of them.
  std::array<std::uint64_t, 16> readyAt = filled<16>(never);
  std::array<std::uint64_t, 16> age{};
  std::array<lowering::Pipe, 16> pipe{};
  std::array<std::uint64_t, lowering::pipeCount> pipeFreeAt{};
  std::uint64_t issueFreeAt = 0;           // a PTX instruction that becomes several machine instructions holds the scheduler
  std::uint32_t lastPlace = 0;
  std::uint64_t nextTry = 0;               // no warp of it can issue before
  bool operator==(const SubPartition&) const = default;
};

struct alignas(64) CacheLine {              // one 128-byte line
  std::uint64_t tag = never;
  std::array<std::uint64_t, 4> validAt{never, never, never, never};  // by sector: when its data is there
  std::array<std::uint32_t, 4> written{};   // L2, by sector that is not whole: bytes that were written
  std::uint32_t lastUse = 0;                // L1: by the SM's count of uses
  std::uint8_t dirty = 0;                   // by sector
  bool operator==(const CacheLine&) const = default;
};

// A line that a store has put into the way to L2; until it has left, stores to the same line go along with it.
struct SentLine {
  std::uint64_t line = never, leavesAt = 0;
  bool operator==(const SentLine&) const = default;
};

// What a lookup of one set of L2 goes through: of each way some bits of its line's hash, and the ways by last use, four bits each, the
// last used lowest. Those that never were used leave first, the first way first.
struct alignas(64) L2Set {
  std::array<std::uint16_t, 16> mark{};
  std::uint64_t order = 0x0123456789ABCDEF;
  bool operator==(const L2Set&) const = default;
  [[nodiscard]] std::uint32_t oldest() const { return static_cast<std::uint32_t>(order >> 60); }
  void use(std::uint32_t way) {
    constexpr std::uint64_t each = 0x1111111111111111;
    const std::uint64_t differs = order ^ way * each, zero = (differs - each) & ~differs & 8 * each;
    const int at = __builtin_ctzll(zero) & ~3;   // where it stands now
    const std::uint64_t below = (1ull << at) - 1;
    order = (order & ~(below << 4 | 15)) | (order & below) << 4 | way;
  }
};

struct SmState {
  std::vector<ResidentBlock> blocks;
  std::array<WarpSlot, 64> warps;
  std::array<SubPartition, 4> parts;
  CowVector<CacheLine, 64> l1;
  Ticks lsuFreeAt = 0, readPortFreeAt = 0, writePortFreeAt = 0, mioFreeAt = 0, barrierFreeAt = 0;
  std::array<SentLine, 32> sent{};          // by line, what was sent last
  std::vector<std::uint64_t> missesDoneAt;  // ring of sectors in flight
  std::uint64_t missesHead = 0;
  std::vector<std::uint64_t> writesDoneAt;  // ring of lines on their way to L2: when it has taken them
  std::uint32_t writesHead = 0;
  std::vector<std::uint64_t> lineReadyAt;   // by 128-byte line of instructions: when it is fetched; never: not asked for
  std::uint64_t residentWarpCycles = 0, activeCycles = 0, lastCounted = 0;
  std::uint64_t sequence = 0;               // of warp starts
  std::uint32_t residentWarps = 0;
  std::uint32_t cacheUses = 0;              // of L1
  bool operator==(const SmState&) const = default;
};

struct Counters {
  std::uint64_t ptxInstructions = 0, machineInstructions = 0, threadInstructions = 0;
  std::uint64_t globalLoadRequests = 0, globalLoadSectors = 0, globalLoadHits = 0, globalStoreRequests = 0, globalStoreSectors = 0;
  std::uint64_t sharedLoadWavefronts = 0, sharedStoreWavefronts = 0, sharedLoadConflicts = 0, sharedStoreConflicts = 0;
  std::uint64_t l2ReadSectors = 0, l2WriteSectors = 0, l2Hits = 0, dramReadBytes = 0, dramWriteBytes = 0;
  std::uint64_t fadd = 0, fmul = 0, ffma = 0, flops = 0;  // thread instructions; flops counts an ffma twice
  std::uint64_t issueCycles = 0;                          // cycles in which a sub-partition issued, summed
  std::array<std::uint64_t, stallCount> stalledWarpCycles{};
  std::array<std::uint64_t, lowering::pipeCount> pipeBusy{};  // cycles x sub-partitions
  std::uint64_t lsuBusy = 0, sliceBusy = 0, channelBusy = 0;  // in 1/256 cycle, summed: the SMs' memory pipelines, L2's slices, DRAM's channels
  bool operator==(const Counters&) const = default;
};

struct MachineState {
  Position at;                              // the next issue is at or after this
  std::uint32_t cursor = 0;                 // sub-partitions (sm * 4 + part) before it are done with this cycle
  bool partIssued = false;                  // the one at the cursor has used its issue slot; only folded instructions may follow
  machine::Memory memory;
  std::vector<SmState> sms;
  // By SM, side by side because all are looked at again and again: when one of its warps may issue next; when a block may start there
  // (never: all places are taken); how many blocks it has.
  std::vector<std::uint64_t> nextTry, placeFreeAt;
  std::vector<std::uint32_t> residentBlocks;
  CowVector<CacheLine, 64> l2;              // 16 lines a set
  CowVector<L2Set, 32> l2Sets;
  std::vector<Ticks> sliceFreeAt, channelFreeAt, atomicFreeAt;
  std::vector<Ticks> atomicBusy;            // by unit, as atomicFreeAt
  struct DramBank { std::array<std::uint64_t, 2> rows{never, never}; std::uint64_t freeAt = 0; bool operator==(const DramBank&) const = default; };
  std::vector<DramBank> banks;              // by channel: rows of late, and when the next may be opened
  std::uint64_t nextBlock = 0;              // how many blocks have been dispatched
  std::uint64_t blocksDone = 0;
  Ticks dispatcherFreeAt = 0;
  std::uint64_t endCycle = 0;               // of the last thing that finished
  std::uint32_t nextRequest = 0;
  std::vector<std::uint64_t> fetchedBytes;  // by allotment of a share of SMs (see projection.h)
  std::uint64_t recentReadBytes = 0, recentWriteBytes = 0;  // DRAM traffic of late, for the cost of turning between reading and writing
  std::uint64_t nextDispatch = 0;           // earliest cycle at which a block may start (never: none left)
  Counters counters;
  std::vector<machine::Fault> faults;
  bool operator==(const MachineState&) const;
};

}  // namespace warpmill::timing
