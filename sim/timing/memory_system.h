// What happens to a warp's memory request: coalescing to sectors, L1, the way to L2, L2 slices, DRAM channels, and back. All times
// are known when the request is issued, because each station is a queue that remembers when it is free next.
// Simplified: requests meet at L2 and DRAM in the order in which they were issued; DRAM has no banks or rows, their cost is in the
// measured efficiency; no TLB; lines are evicted at once (dirty ones are written to DRAM in the order of eviction).
#pragma once

#include "exec/code.h"
#include "timing/machine.h"
#include "timing/state.h"

#include <array>

namespace warpmill::timing {

// What a share of the SMs reads of a buffer from DRAM itself (see projection.h): so much at once, and more as it gets on. What it misses
// beyond that the other SMs would have brought.
struct Allotment { std::uint64_t base = 0, end = 0; double atOnce = 0, perInstruction = 0; };

// Constants of the profile in the units of the queues.
struct MemoryRates {
  explicit MemoryRates(const device::Profile& profile, std::uint32_t carveOutBytes);
  Ticks lsuPerRequest, l1PerSector, readPortPerSector, writePortPerSector, slicePerSector, channelPerSector, atomicPerOperation;
  std::uint64_t l1Latency, l2Latency, l2FarExtra, dramExtra, sharedLatency, sharedAtomicLatency;
  std::vector<Allotment> allotments;  // by rising address; empty: every SM is there
  std::uint64_t mixPenalty256;      // of dramMixPenalty, in 1/256, relative to the base cost
  std::uint32_t l1Sets, l1Ways, l2Sets, l2Ways, slices, channels, missesInFlight, linesPerStretch;
};

struct MemoryTiming {
  std::uint64_t acceptedAt = 0;  // the load/store unit has taken it
  std::uint64_t doneAt = 0;      // loads: data usable; stores: accepted by L2
  bool isShared = false;
};

class MemorySystem {
 public:
  MemorySystem(const MemoryRates& rates, MachineState& state, Trace* trace) : rates_(rates), state_(state), trace_(trace) {}

  // The request of an instruction issued at `cycle` on `sm`; `request` gets its record when a trace is kept.
  MemoryTiming issue(std::uint32_t sm, std::uint64_t cycle, const exec::MemoryAccess& access, bool bypassL1, Request* request);

 private:
  struct Sector { std::uint64_t address; std::uint32_t used; };
  struct LineTimes { std::uint64_t atL2 = 0, atDram = 0, leftDram = 0, done = 0; Level level = Level::L1; };

  std::size_t coalesce(const exec::MemoryAccess& access);
  std::size_t coalesceRow(std::uint64_t begin, std::uint64_t end);
  MemoryTiming shared(SmState& sm, std::uint64_t cycle, const exec::MemoryAccess& access, Request* request);
  void loadLine(SmState& sm, std::uint32_t smIndex, std::uint64_t line, std::uint8_t wanted, std::uint64_t lookedUpAt, bool bypassL1, LineTimes& times);
  void storeLine(SmState& sm, std::uint32_t smIndex, std::uint64_t line, std::uint8_t written, std::uint64_t leftAt, bool atomic, std::uint32_t operations, LineTimes& times);
  // Sectors of an L2 line; gives the time at which the last of them leaves L2.
  std::uint64_t l2Access(std::uint64_t line, std::uint8_t sectors, bool write, std::uint64_t arrivesAt, LineTimes& times);
  CacheLine& l2Line(std::uint64_t line, bool& hit, std::uint64_t now);
  std::uint64_t dram(std::uint64_t line, std::uint32_t sectors, bool write, std::uint64_t arrivesAt);
  // Of the missing sectors, those that this share of SMs has to fetch; the others are made valid.
  std::uint8_t toFetch(CacheLine& c, std::uint8_t missing, std::uint64_t now);
  [[nodiscard]] bool isFar(std::uint32_t sm, std::uint64_t line) const;

  const MemoryRates& rates_;
  MachineState& state_;
  Trace* trace_;
  std::array<Sector, 32 * 17> sectors_;
};

}  // namespace warpmill::timing
