// Between which bounds the integers of a kernel's registers lie, as far as a launch's shape and parameters tell: thread and block numbers,
// scalars, masks, remainders, and sums and products of those. Found before the run, so that what cannot wrap need not be looked at.
// Simplified: one range for a register through the whole kernel; comparisons and branches narrow nothing, so a loop's counter has no bounds.
#pragma once

#include "exec/op.h"

#include <limits>
#include <vector>

namespace warpmill::faults {

// lo > hi: no value yet. The widest one: nothing is known. A register of 32 bits with a known range never holds more than 31 bits and a
// sign, so that signed and unsigned readers see the same where lo >= 0.
struct Range {
  std::int64_t lo = std::numeric_limits<std::int64_t>::min(), hi = std::numeric_limits<std::int64_t>::max();
  [[nodiscard]] bool isEmpty() const { return lo > hi; }
  [[nodiscard]] bool isKnown() const { return lo != std::numeric_limits<std::int64_t>::min() && hi != std::numeric_limits<std::int64_t>::max() && lo <= hi; }
  [[nodiscard]] bool isIn(std::int64_t from, std::int64_t to) const { return isKnown() && lo >= from && hi <= to; }
};

class ValueRanges {
 public:
  explicit ValueRanges(const exec::Code& code);
  // Of what the instruction computes, before it is cut to the register's width.
  [[nodiscard]] Range exact(const ptx::Instruction& in) const;

 private:
  [[nodiscard]] Range operand(const ptx::Instruction& in, std::size_t k) const;
  [[nodiscard]] Range special(ptx::SpecialRegister s) const;
  [[nodiscard]] Range parameter(const ptx::Instruction& in) const;
  [[nodiscard]] Range converted(const ptx::Instruction& in) const;

  const exec::Code& code_;
  std::vector<Range> ranges_;  // by register
};

}  // namespace warpmill::faults
