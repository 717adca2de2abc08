// SMs run one after the other, each for a quantum of cycles, and meet at its end. A quantum is no longer than the way to L2 and back, and
// than a block's place takes to be free again, so within it no SM can see what another one does: what goes on to L2 is kept until all
// have run, and is then done in the order in which it was issued. The time at which an answer comes is open until then.
// Results are those of running all SMs cycle by cycle (Engine::step). Where SMs exchange data through memory within a quantum
// they would not be; so kernels with instructions for that do not run in quanta, and accesses of different SMs to the same bytes are
// looked for: where one meets, the stretch is run again cycle by cycle.
#pragma once

#include "ptx/module.h"
#include "timing/state.h"

#include <optional>

namespace warpmill::timing {

// In place of a time: that of a Pending by its number, or that a warp waits for one.
inline constexpr std::uint64_t firstOpen = 1ull << 63, waitsForOpen = never - 1;
constexpr bool isOpen(std::uint64_t time) { return time >= firstOpen && time < waitsForOpen; }

// The sectors of one line: which, and of each the bytes that the lanes use.
struct LineAccess {
  std::uint64_t line = 0;
  std::uint8_t sectors = 0;
  std::array<std::uint32_t, 4> used{};
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(__builtin_popcount(sectors)); }
  [[nodiscard]] bool inPart() const {
    for (std::uint32_t s = 0; s < 4; ++s)
      if ((sectors >> s & 1) != 0 && used[s] != ~0u) return true;
    return false;
  }
};

// A time to come: the latest of some, and a latency more.
struct Pending {
  Scoreboard latest;                       // of what is known
  std::uint32_t firstPart = 0, parts = 0;  // the others
  std::uint32_t latency = 0;
  bool ownReason = false;                  // whichever is the latest, that is what it waits for
  bool ends = false;                       // the launch lasts until then
};

// A line on its way to L2.
struct Sent {
  LineAccess access;
  std::uint64_t issuedAt = 0, leavesAt = 0;
  std::uint32_t pending = 0, way = 0;      // of a load: its answer, and its place in L1
  bool store = false, together = false;    // see MemorySystem::l2Write
};

// Of one SM in one quantum.
struct SmQuantum {
  struct Start { std::uint64_t cycle = 0, linear = 0; std::uint32_t slot = 0; };
  struct Written { std::uint16_t slot = 0, entry = 0; std::uint64_t open = 0; };  // an open time on the scoreboard; entry: a register or
  static constexpr std::uint16_t sunk = 0xFFFF, groups = 0xFFFE;                   // one of these
  struct Waiting { std::uint8_t slot = 0; Stall reason = Stall::Wait; std::uint64_t earliest = 0; Ticks lsuFreeAt = 0, mioFreeAt = 0; };

  std::vector<Start> starts;               // blocks, by cycle
  std::vector<Pending> pendings;
  std::vector<Scoreboard> parts;
  std::vector<Sent> sent;                  // by cycle
  std::vector<LineAccess> reads;           // of global memory
  std::vector<Written> written;
  std::vector<Waiting> waiting;            // warps whose next issue is open
  // The last issue: its cycle (never: there was none), how many there were in it, where.
  std::uint64_t lastCycle = never;
  std::uint32_t issuesInCycle = 0, lastPart = 0;
  bool partIssued = false;
  bool runs = false;                       // something happens in it

  void clear();
  std::uint64_t open(const Pending& p) {
    pendings.push_back(p);
    return firstOpen + pendings.size() - 1;
  }
  [[nodiscard]] Pending& pendingOf(std::uint64_t time) { return pendings[time - firstOpen]; }
  // The later of two times of which one is open.
  std::uint64_t later(std::uint64_t a, std::uint64_t b, Stall reason);
  // Once L2 has answered: what depends on it.
  void resolve();
};

// Which warps of an SM become ready when, within a quantum.
class WakeUps {
 public:
  static constexpr std::uint64_t most = 256;       // cycles
  void begin(std::uint64_t cycle, std::uint64_t end) {
    at_.fill(0);
    some_.fill(0);
    tryAt_.fill(0);
    ready_ = 0;
    begin_ = cycle;
    end_ = end;
  }
  void add(std::uint32_t slot, std::uint64_t cycle, std::uint64_t now) {
    if (cycle >= end_) return;
    if (cycle <= now) {
      ready_ |= 1ull << slot;
      tryAt_[slot % 4] = 0;
      return;
    }
    const std::uint64_t k = cycle - begin_;
    at_[k] |= 1ull << slot;
    some_[k / 64] |= 1ull << k % 64;
  }
  void arrive(std::uint64_t now) {
    const std::uint64_t slots = at_[now - begin_];
    if (slots == 0) return;
    ready_ |= slots;
    for (std::uint32_t part = 0; part < 4; ++part)
      if ((slots & ofPart(part)) != 0) tryAt_[part] = 0;
  }
  void leave(std::uint32_t slot) { ready_ &= ~(1ull << slot); }   // it issues
  // Ready warps of a sub-partition, unless all of them wait for a pipe.
  [[nodiscard]] std::uint64_t ready(std::uint32_t part, std::uint64_t now) const { return tryAt_[part] > now ? 0 : ready_ & ofPart(part); }
  // None of those that are ready now can issue before `cycle`.
  void tryNext(std::uint32_t part, std::uint64_t cycle) { tryAt_[part] = cycle; }
  // The next cycle in which a warp may issue.
  [[nodiscard]] std::uint64_t next(std::uint64_t now) const;

 private:
  static constexpr std::uint64_t ofPart(std::uint32_t part) { return 0x1111111111111111ull << part; }
  std::uint64_t begin_ = 0, end_ = 0, ready_ = 0;  // by warp slot
  std::array<std::uint64_t, 4> tryAt_{};           // by sub-partition
  std::array<std::uint64_t, most / 64> some_{};    // cycles in which any becomes ready
  std::array<std::uint64_t, most> at_{};
};

// Finds bytes that one SM writes and another one uses in the same quantum.
class Meetings {
 public:
  [[nodiscard]] bool any(const std::vector<SmQuantum>& quanta);

 private:
  struct Line { std::uint64_t line = never; std::uint32_t sm = 0; std::array<std::uint32_t, 4> used{}; };
  [[nodiscard]] std::size_t find(std::uint64_t line) const;
  bool write(std::uint32_t sm, const LineAccess& access);
  std::vector<Line> lines_;                // open addressing; a power of two
  std::vector<std::uint64_t> seen_;        // bits of hashes of what is in it
  std::vector<std::size_t> filled_;
};

// Can the kernel's blocks exchange data only by races?
bool runsInQuanta(const ptx::Function& function);

}  // namespace warpmill::timing
