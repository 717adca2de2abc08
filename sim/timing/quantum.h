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
  std::uint32_t pending = 0, way = 0;      // of a load: its answer, and its place in L1; of a store: its place among those on their way
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
  static constexpr std::uint32_t none = ~0u;
  void begin(std::uint64_t cycle, std::uint64_t end) {
    for (std::size_t word = 0; word < some_.size(); ++word) {
      for (; some_[word] != 0; some_[word] &= some_[word] - 1) at_[word * 64 + static_cast<std::size_t>(__builtin_ctzll(some_[word]))] = 0;
    }
    for (Part& p : parts_) p.byRank = p.folded = 0, p.tryAt = 0;
    begin_ = cycle;
    end_ = end;
  }
  // The order of the warps of a sub-partition by age.
  void rank(std::uint32_t part, const std::array<std::uint64_t, 16>& age);
  void add(std::uint32_t part, std::uint32_t place, std::uint64_t cycle, std::uint64_t now, bool isFolded) {
    if (cycle >= end_) return;
    const std::uint64_t bit = 1ull << (part * 16 + place);
    isFolded_ = isFolded ? isFolded_ | bit : isFolded_ & ~bit;
    if (cycle <= now) return ready(part, place, isFolded);
    const std::uint64_t k = cycle - begin_;
    at_[k] |= bit;
    some_[k / 64] |= 1ull << k % 64;
  }
  void arrive(std::uint64_t now) {
    for (std::uint64_t who = at_[now - begin_]; who != 0; who &= who - 1) {
      const auto k = static_cast<std::uint32_t>(__builtin_ctzll(who));
      ready(k / 16, k % 16, (isFolded_ >> k & 1) != 0);
    }
  }
  // Is there a ready warp that need not wait for a pipe, as far as is known?
  [[nodiscard]] bool any(std::uint32_t part, std::uint64_t now) const { return (parts_[part].byRank | parts_[part].folded) != 0 && parts_[part].tryAt <= now; }
  // Of those whose instruction is folded the first place, or none.
  [[nodiscard]] std::uint32_t folded(std::uint32_t part) const { return parts_[part].folded == 0 ? none : static_cast<std::uint32_t>(__builtin_ctz(parts_[part].folded)); }
  // Of the others the one at `first`, else the oldest, for which `can` holds.
  template <class Can> std::uint32_t oldest(std::uint32_t part, std::uint32_t first, Can can) const {
    const Part& p = parts_[part];
    if ((p.byRank >> p.rankOf[first] & 1) != 0 && can(first)) return first;
    for (std::uint32_t left = p.byRank; left != 0; left &= left - 1) {
      const std::uint32_t place = p.order[static_cast<std::size_t>(__builtin_ctz(left))];
      if (can(place)) return place;
    }
    return none;
  }
  void leave(std::uint32_t part, std::uint32_t place) {   // it issues
    parts_[part].byRank &= ~(1u << parts_[part].rankOf[place]);
    parts_[part].folded &= ~(1u << place);
  }
  // None of those that are ready now can issue before `cycle`.
  void tryNext(std::uint32_t part, std::uint64_t cycle) { parts_[part].tryAt = cycle; }
  // The next cycle in which a warp may issue.
  [[nodiscard]] std::uint64_t next(std::uint64_t now) const;

 private:
  struct Part {
    std::uint32_t byRank = 0, folded = 0;        // ready: not folded, by age; folded, by place
    std::uint64_t tryAt = 0;
    std::array<std::uint8_t, 16> order{}, rankOf{};
  };
  void ready(std::uint32_t part, std::uint32_t place, bool isFolded) {
    Part& p = parts_[part];
    if (isFolded) p.folded |= 1u << place;
    else p.byRank |= 1u << p.rankOf[place];
    p.tryAt = 0;
  }
  std::uint64_t begin_ = 0, end_ = 0, isFolded_ = 0;
  std::array<Part, 4> parts_;
  std::array<std::uint64_t, most / 64> some_{};    // cycles in which any becomes ready
  std::array<std::uint64_t, most> at_{};           // by cycle: 16 places of each sub-partition
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
