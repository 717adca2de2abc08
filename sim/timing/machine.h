// The timing machine: constant description of one launch on one device; it moves a MachineState from issue to issue.
// Structure: block dispatch by occupancy limits, in the natural order or in a seed's (exec/order.h); four sub-partitions an SM, each with a scheduler (greedy, then oldest), a scoreboard
// and pipes; a load/store unit that coalesces to 32-byte sectors of 128-byte lines; shared-memory banks; sectored L1 and L2; DRAM
// channels. Ports, slices and channels are next-free counters, so that a memory request knows all its times when it is issued.
// Simplified: no instruction cache beyond the first touch of a line; no register-bank conflicts; requests meet in the order of issue.
// Source: device profiles (assets/devices); structure after published models and measurements (see ARCHITECTURE.md, "Timing").
#pragma once

#include "base/result.h"
#include "device/profile.h"
#include "exec/order.h"
#include "exec/prepare.h"
#include "lowering/lowering.h"
#include "timing/block_sample.h"
#include "timing/state.h"
#include "timing/trace.h"

#include <functional>
#include <memory>
#include <optional>

namespace warpmill::timing {

// Which warps may issue. Only `all` keeps the clock meaningful.
struct Filter {
  enum class Kind : std::uint8_t { All, Block, Warp } kind = Kind::All;
  WarpId warp;   // its block for Kind::Block
  bool operator==(const Filter&) const = default;
};

enum class Advance : std::uint8_t { Issued, Finished, Blocked /* no warp that the filter lets through can ever issue */ };

// What a warp's place shows now.
struct WarpStatus {
  bool used = false;
  WarpId warp;
  Stall stall = Stall::Wait;         // Selected: issued in this very cycle
  std::uint64_t since = 0;           // first cycle of the wait
  std::uint64_t until = 0;           // earliest issue; `never` at a barrier
  std::uint32_t pc = 0;              // of the next instruction of its current path
  machine::LaneMask active = 0;      // lanes of the current path
  machine::LaneMask diverged = 0;    // lanes of other paths
  machine::LaneMask exited = 0;      // exited, or never there
  std::size_t pathCount = 0;
};

struct MemoryRates;
struct Allotment;
enum class FloatArithmetic : std::uint8_t { None, Fadd, Fmul, Ffma };  // what an instruction counts as

class MemorySystem;

class Machine {
 public:
  ~Machine();
  // Refuses launches that the device would refuse.
  static Result<std::shared_ptr<const Machine>> create(exec::PreparedLaunch launch, device::Profile profile);
  // The same that runs some of the blocks only (whole clusters where there are any), on a share of the device; see projection.h.
  static Result<std::shared_ptr<const Machine>> createSample(exec::PreparedLaunch launch, device::Profile share, const BlockSample& sample,
                                                             std::vector<Allotment> allotments);

  [[nodiscard]] MachineState initialState() const;
  // Makes the next issue that the filter allows, and all that happens before it. `trace` may be null.
  Advance step(MachineState& state, const Filter& filter, Trace* trace) const;
  // To the end, or until `maxInstructions` machine instructions (0: no limit; reaching it records the fault `hang`).
  Advance runToEnd(MachineState& state, Trace* trace, std::uint64_t maxInstructions = 0) const;
  // The same with all that happens shown to `taker`.
  // SMs run on up to `jobs` threads; the result is the same for any number.
  Advance runToEnd(MachineState& state, const TraceTaker& taker, std::uint64_t maxInstructions, unsigned jobs = 1) const;

  // To the end, or until about so many PTX instructions have been issued in all (then Advance::Issued). Records no hang.
  Advance runUntil(MachineState& state, std::uint64_t instructions, const TraceTaker& taker = {}) const;

  // The way of requests through this machine's memory, with all that changes in `state`.
  [[nodiscard]] std::unique_ptr<MemorySystem> memorySystem(MachineState& state) const;

  [[nodiscard]] bool finished(const MachineState& state) const;
  // `now` may be later than the state's own cycle, up to the next issue (time in which nothing issues).
  [[nodiscard]] WarpStatus warpStatus(const MachineState& state, std::uint32_t sm, std::uint32_t warpSlot, std::uint64_t now) const;
  // The resident warp, or nullptr; and where it is.
  [[nodiscard]] const machine::Warp* findWarp(const MachineState& state, WarpId id, std::uint32_t* sm = nullptr, std::uint32_t* slot = nullptr) const;
  // Is the value of register `r` of this warp's function still on its way (a load not yet back)?
  [[nodiscard]] bool inFlight(const MachineState& state, std::uint32_t sm, std::uint32_t warpSlot, std::uint32_t r, std::uint64_t now) const;

  [[nodiscard]] const device::Profile& profile() const { return profile_; }
  [[nodiscard]] const device::Occupancy& occupancy() const { return occupancy_; }
  [[nodiscard]] const lowering::Lowered& lowered() const { return lowered_; }
  [[nodiscard]] const exec::PreparedLaunch& launch() const { return launch_; }
  [[nodiscard]] std::uint64_t blockCount() const { return blockCount_; }   // that it runs
  [[nodiscard]] std::uint64_t gridBlocks() const;                           // of the launch
  [[nodiscard]] std::uint64_t quantum() const { return quantum_; }

 private:
  Advance runOn(MachineState& state, std::uint64_t instructions, bool exactly, Trace* trace, const TraceTaker& taker, unsigned jobs) const;
  Advance runWhole(MachineState& state, Trace* trace, const TraceTaker& taker, std::uint64_t maxInstructions, unsigned jobs) const;
  void recordHang(MachineState& state, bool deadlock) const;
  bool recordLivelock(MachineState& state) const;
  static std::vector<const machine::Block*> residentIn(const MachineState& state);
  friend class Engine;
  Machine();
  exec::PreparedLaunch launch_;
  device::Profile profile_;
  lowering::Lowered lowered_;
  device::Occupancy occupancy_;
  std::unique_ptr<MemoryRates> rates_;
  std::vector<std::uint32_t> lineOfPc_;  // 128-byte line of machine code that instruction pc begins in
  std::vector<FloatArithmetic> arithmetic_;  // by instruction number
  std::uint64_t blockCount_ = 0;         // that it runs
  exec::BlockOrder order_{0, 0};         // in which blocks are dispatched
  BlockSample sample_;                   // of positions in that order; of clusters, where there are any
  Ticks blockInterval_ = 0;
  std::uint64_t quantum_ = 0;            // cycles that SMs run one after the other; 0: cycle by cycle
};

}  // namespace warpmill::timing
