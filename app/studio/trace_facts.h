// What panels derive from a whole trace: the share of time of each source line, and what one warp issued when.
#pragma once

#include "timing/trace.h"
#include "ptx/module.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace warpmill::studio {

struct WarpIssue {
  std::uint64_t step = 0;        // index into Trace::issues
  std::uint64_t cycle = 0;
  std::uint32_t pc = 0;
};

class TraceFacts {
 public:
  // Warp-cycles by line: waits count for the instruction that waits, an issue counts one.
  void build(const timing::Trace& trace, const ptx::Function& function);
  void clear();

  // Share of all warp-cycles, 0 to 1.
  [[nodiscard]] double share(std::uint32_t file, std::uint32_t line) const;
  [[nodiscard]] bool hasShares() const { return total_ > 0; }

  static std::vector<WarpIssue> issuesOf(const timing::Trace& trace, timing::WarpId warp);

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> cycles_;
  double total_ = 0;
};

}  // namespace warpmill::studio
