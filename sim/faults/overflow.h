// Sums and products of 16 or 32 bits that wrapped, followed to the address that is computed from them. For a value that is not what exact
// arithmetic gives, the exact one is kept beside it, lane by lane; a wrap that a later step takes back is forgotten, and one that reaches an
// access is told of at the place where it happened.
// What begins unmarked (memory, a parameter, the result of a step that is not followed) may be meant as signed or not: it counts as whichever
// makes no wrap.
// Simplified: marks do not go through memory or calls; a wrap of 64 bits is not looked for, nor one that a conversion to fewer bits makes.
#pragma once

#include "faults/index_slice.h"
#include "faults/report.h"

#include <map>
#include <vector>

namespace warpmill::faults {

using exec::LaneMask;

// What the registers of one warp should hold, where it is something else.
struct WarpMarks {
  struct Mark {
    std::int64_t exact = 0;
    std::uint32_t origin = 0;                  // the instruction that wrapped
  };
  std::vector<LaneMask> lanes;                 // by plane; empty until something has wrapped
  std::vector<Mark> marks;                     // by plane and lane
  std::uint32_t count = 0;                     // planes with a mark
  std::map<std::uint32_t, std::array<Wrap, machine::warpSize>> wraps;  // the last one of each lane, by instruction

  void set(std::uint32_t plane, LaneMask which, LaneMask marked) {
    const LaneMask now = (lanes[plane] & ~which) | (marked & which);
    count += static_cast<std::uint32_t>(now != 0) - static_cast<std::uint32_t>(lanes[plane] != 0);
    lanes[plane] = now;
  }
};

class Overflows {
 public:
  Overflows(const exec::Code& code, Reports& reports) : code_(code), reports_(reports), steps_(sliceOf(code)) {}

  [[nodiscard]] bool any() const { return !steps_.empty(); }
  [[nodiscard]] bool watches(std::uint32_t pc) const { return any() && steps_[pc].isWatched; }
  // Is there something to do here while a warp has marks?
  [[nodiscard]] bool follows(std::uint32_t pc) const { return any() && (!steps_[pc].addresses.empty() || !steps_[pc].written.empty() || isCall(pc)); }
  // Before an instruction; `executed`: lanes whose guard holds.
  void before(exec::Exec& x, const exec::Op& op, LaneMask executed, WarpMarks& warp) const {
    if (warp.count != 0 || mayWrap(x, op, executed)) run(x, op, executed, warp);
  }

 private:
  struct Value {
    std::int64_t exact = 0, other = 0;           // `other`: without the sign, where it is not known how it is meant
    bool marked = false, hasOther = false;
    std::uint32_t origin = 0;
  };
  [[nodiscard]] bool isCall(std::uint32_t pc) const;
  bool mayWrap(exec::Exec& x, const exec::Op& op, LaneMask executed) const;
  void run(exec::Exec& x, const exec::Op& op, LaneMask executed, WarpMarks& warp) const;
  void addresses(const exec::Exec& x, const exec::Op& op, LaneMask executed, WarpMarks& warp) const;
  void step(const exec::Exec& x, const exec::Op& op, LaneMask executed, WarpMarks& warp) const;
  [[nodiscard]] bool isSettled(const SliceStep& s, std::int64_t exact, std::uint64_t bits) const;
  [[nodiscard]] Value read(const exec::Exec& x, const exec::Slot& slot, const SliceStep& s, bool isAddend, unsigned lane, const WarpMarks& warp) const;
  [[nodiscard]] bool compute(const exec::Exec& x, const exec::Op& op, const SliceStep& s, unsigned lane, WarpMarks& warp, WarpMarks::Mark& result) const;

  const exec::Code& code_;
  Reports& reports_;
  std::vector<SliceStep> steps_;
};

}  // namespace warpmill::faults
