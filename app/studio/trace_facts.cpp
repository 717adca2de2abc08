#include "studio/trace_facts.h"

namespace warpmill::studio {

std::vector<WarpIssue> TraceFacts::issuesOf(const timing::Trace& trace, timing::WarpId warp) {
  std::vector<WarpIssue> result;
  for (std::size_t i = 0; i < trace.issues.size(); ++i)
    if (trace.issues[i].warp == warp) result.push_back({i, trace.issues[i].at.cycle, trace.issues[i].pc});
  return result;
}

}  // namespace warpmill::studio
