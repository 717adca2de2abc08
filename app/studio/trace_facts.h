// What panels derive from a whole trace: what one warp issued when. (Where the time goes is profile::Heat.)
#pragma once

#include "timing/trace.h"

#include <cstdint>
#include <vector>

namespace warpmill::studio {

struct WarpIssue {
  std::uint64_t step = 0;        // index into Trace::issues
  std::uint64_t cycle = 0;
  std::uint32_t pc = 0;
};

class TraceFacts {
 public:
  static std::vector<WarpIssue> issuesOf(const timing::Trace& trace, timing::WarpId warp);
};

}  // namespace warpmill::studio
