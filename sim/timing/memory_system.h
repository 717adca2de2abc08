// What happens to a warp's memory request: coalescing to sectors, L1, the way to L2, L2 slices, DRAM channels, and back. All times
// are known when the request is issued, because each station is a queue that remembers when it is free next.
// A request holds the SM's one memory pipeline for as many cycles as its lines need in the four banks of L1's tags, or its words in the 32
// banks of the array, whichever is more. Stores and reductions go to L2 as packets of a line: a slot a sector, one more where bytes are masked.
// A slice of L2 works once for a sector that it has, twice for one that comes from DRAM and for one that is written.
// L2 keeps sectors that were written in part as they are; DRAM fills them in when they leave. What DRAM cannot take holds up the writes that threw
// it out, and an SM with many lines on their way to L2 sends no more. A DRAM bank opens a row at a time. Atomics are done in L2 by units that
// each own some addresses, a sector at a time.
// Simplified: requests meet at L2 and DRAM in the order in which they were issued; no TLB; lines are evicted at once (dirty ones are
// written to DRAM in the order of eviction); what crosses from one half of L2 to the other shows in latency and counters, not as a queue.
// Source: measured on an H200 with kernels of one kind of access (strides, random addresses, one SM and all of them); device profiles.
#pragma once

#include "exec/code.h"
#include "timing/banks.h"
#include "timing/machine.h"
#include "timing/quantum.h"
#include "timing/state.h"

#include <array>

namespace warpmill::timing {

// What a share of the SMs reads of a buffer from DRAM itself (see projection.h): so much at once, and more as it gets on. What it misses
// beyond that the other SMs would have brought.
struct Allotment { std::uint64_t base = 0, end = 0; double atOnce = 0, perInstruction = 0; };

// Constants of the profile in the units of the queues.
struct MemoryRates {
  // Lines that an SM may have sent to L2 before it has taken the first of them: more than it can send in a quantum (see quantum.h).
  static constexpr std::uint32_t writesInFlight = 512;
  explicit MemoryRates(const device::Profile& profile, std::uint32_t carveOutBytes);
  Ticks lsuPerRequest, readPortPerSector, writePortPerSlot, slicePerSector, slicePerRequest, slicePerWrite, channelPerSector;
  Ticks atomicPerSector, floatAtomicPerWord;
  std::uint64_t l1Latency, l2Latency, l2FarExtra, dramExtra, rowCycle, sharedLatency, sharedAtomicLatency;
  std::vector<Allotment> allotments;  // by rising address; empty: every SM is there
  std::uint64_t mixPenalty256;      // of dramMixPenalty, in 1/256, relative to the base cost
  std::uint64_t localLines = 0;     // that a warp's frame takes
  std::uint32_t l1Sets, l1Ways, l2Sets, l2Ways, slices, channels, atomicUnits, missesInFlight, linesPerStretch, linesPerSlice, linesPerRow, banksPerChannel, tagBanks;
};

struct MemoryTiming {
  std::uint64_t acceptedAt = 0;  // the load/store unit has taken it
  std::uint64_t doneAt = 0;      // loads: data usable; stores: accepted by L2
  bool isShared = false;
  std::uint32_t loopIssues = 0;  // machine instructions of a loop that the access has become; the warp is in it until doneAt
};

// A request and what about it the addresses do not say.
struct MemoryRequest {
  const exec::MemoryAccess& access;
  bool bypassL1 = false;
  bool isFloat = false;          // an atomic on floating-point numbers
  bool countsLanes = false;      // a shared-memory atomic that lanes of one address do together
  std::uint32_t residentWarp = 0;  // whose local memory it is, among those of the device
  bool waitsForData = false;     // a store that was put behind later loads: what it writes is not there yet
  std::uint32_t copyPasses = 0;    // of an asynchronous copy: wavefronts in which it writes to shared memory
};

class MemorySystem {
 public:
  MemorySystem(const MemoryRates& rates, MachineState& state, Trace* trace) : rates_(rates), state_(state), trace_(trace), counters_(&state.counters) {}

  // The request of an instruction issued at `cycle` on `sm`; `request` gets its record when a trace is kept.
  MemoryTiming issue(std::uint32_t sm, std::uint64_t cycle, const MemoryRequest& what, Request* request);

  // From now on what goes to L2 is kept there, and times may be open; nullptr: done at once.
  void keepIn(SmQuantum* quantum) { quantum_ = quantum; }
  void countIn(Counters* counters) { counters_ = counters; }
  // Does what was kept; gives the cycle at which L2 has taken a store.
  std::uint64_t finish(std::uint32_t sm, const Sent& sent, SmQuantum& quantum);
  void fetchAhead(std::uint64_t line, bool marks) const;  // the host's memory for it, first for its set's marks; changes nothing
  void setProgress(std::uint64_t instructions) { progress_ = instructions; }  // issued before this cycle

  // Sectors of a request; the second one also does to L2 what the request of an SM that is not simulated would have done, in no time.
  std::size_t sectorsOf(const exec::MemoryAccess& access) { return coalesce(access); }
  std::size_t fromElsewhere(const exec::MemoryAccess& access);

 private:
  struct Sector { std::uint64_t address; std::uint32_t used; };
  struct LineTimes { std::uint64_t atL2 = 0, atDram = 0, leftDram = 0, done = 0; Level level = Level::L1; };
  struct AtomicWork { std::uint32_t sectorPasses = 0, mostOfSector = 0; };

  std::size_t coalesce(const exec::MemoryAccess& access);
  // What of the coalesced sectors lies in the line of the one at `s`, which goes on to the next line.
  LineAccess nextLine(std::size_t& s, std::size_t count) const;
  std::size_t coalesceRow(std::uint64_t begin, std::uint64_t end);
  exec::MemoryAccess inLocalMemory(const MemoryRequest& what) const;
  MemoryTiming coalesced(std::uint32_t smIndex, std::uint64_t cycle, const MemoryRequest& what, Request* request);
  MemoryTiming shared(SmState& sm, std::uint64_t cycle, const MemoryRequest& what, Request* request);
  MemoryTiming global(SmState& sm, std::uint32_t smIndex, std::uint64_t cycle, const MemoryRequest& what, std::size_t count, Request* request);
  // An interval of 0 stands for a pipeline that is never busy.
  [[nodiscard]] Ticks pipelineCost(std::uint32_t passes) const { return rates_.lsuPerRequest == 0 ? 0 : std::max(rates_.lsuPerRequest, passes * ticksPerCycle); }
  [[nodiscard]] std::uint32_t tagCycles(std::size_t count) const;
  [[nodiscard]] AtomicWork atomicWork(const exec::MemoryAccess& access, std::uint64_t line) const;
  std::pair<CacheLine*, std::size_t> l1Line(SmState& sm, std::uint64_t line) const;
  void keepInL1(SmState& sm, const LineAccess& a, std::uint64_t now) const;
  void loadLine(SmState& sm, std::uint32_t smIndex, const LineAccess& a, std::uint64_t lookedUpAt, bool bypassL1, LineTimes& times);
  void waitFor(std::uint64_t openTime);
  Wavefronts wavefronts(const exec::MemoryAccess& access, bool serial) { return quantum_ != nullptr ? wavefronts_.of(access, serial) : wavefrontsOf(access, serial); }
  std::uint64_t bring(SmState& sm, std::uint32_t smIndex, std::uint64_t line, std::uint8_t missing, std::uint64_t lookedUpAt, LineTimes& times);
  void storeLine(SmState& sm, std::uint32_t smIndex, const LineAccess& a, std::uint64_t leftAt, bool waitsForData, LineTimes& times);
  void atomicLine(SmState& sm, std::uint32_t smIndex, const LineAccess& a, std::uint64_t leftAt, const MemoryRequest& what, LineTimes& times);
  [[nodiscard]] std::uint64_t wayTo(std::uint32_t smIndex, std::uint64_t line) const;  // half of the way to L2 and back

  // Sectors of an L2 line; give the time at which the last of them leaves L2.
  std::uint64_t l2Read(std::uint64_t line, std::uint8_t sectors, bool far, std::uint64_t arrivesAt, LineTimes& times);
  // `together`: with an earlier write to the line, which has been counted.
  std::uint64_t l2Write(const LineAccess& a, bool far, bool together, std::uint64_t arrivesAt, LineTimes& times);
  std::uint64_t slice(std::uint64_t line, Ticks cost, std::uint64_t arrivesAt);
  CacheLine& l2Line(std::uint64_t line, std::uint64_t now);
  std::uint64_t evict(const CacheLine& c, std::uint64_t now);
  std::uint64_t fetch(CacheLine& c, std::uint8_t missing, std::uint64_t at, LineTimes& times);
  std::uint64_t dram(std::uint64_t line, std::uint32_t sectors, bool write, std::uint64_t arrivesAt);
  // Of the missing sectors, those that this share of SMs has to fetch; the others are made valid.
  std::uint8_t toFetch(CacheLine& c, std::uint8_t missing, std::uint64_t now);
  [[nodiscard]] bool isFar(std::uint32_t sm, std::uint64_t line) const;

  const MemoryRates& rates_;
  MachineState& state_;
  Trace* trace_;
  Counters* counters_;
  SmQuantum* quantum_ = nullptr;
  std::uint64_t progress_ = 0;
  std::uint64_t issuedAt_ = 0;           // of the request that is under way
  std::vector<std::uint64_t> openTimes_;  // that it waits for
  std::uint64_t evictedAt_ = 0;           // of the line that l2Line put another one for
  bool elsewhere_ = false;  // what is done now costs this share of the device nothing
  KnownWavefronts wavefronts_;
  std::array<Sector, 32 * 17> sectors_;
};

}  // namespace warpmill::timing
