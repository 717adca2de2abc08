#include "studio/trace_facts.h"

namespace warpmill::studio {

void TraceFacts::clear() {
  cycles_.clear();
  total_ = 0;
}

void TraceFacts::build(const timing::Trace& trace, const ptx::Function& function) {
  clear();
  const auto add = [&](std::uint32_t pc, double cycles) {
    total_ += cycles;
    if (pc >= function.instructions.size()) return;
    const ptx::SourceLocation& at = function.instructions[pc].location;
    if (at.line != 0) cycles_[{at.file, at.line}] += cycles;
  };
  for (const timing::StallInterval& stall : trace.stalls) add(stall.pc, static_cast<double>(stall.end - stall.begin));
  for (const timing::IssueEvent& issue : trace.issues) add(issue.pc, 1.0);
}

double TraceFacts::share(std::uint32_t file, std::uint32_t line) const {
  const auto found = cycles_.find({file, line});
  return found == cycles_.end() || total_ <= 0 ? 0.0 : found->second / total_;
}

std::vector<WarpIssue> TraceFacts::issuesOf(const timing::Trace& trace, timing::WarpId warp) {
  std::vector<WarpIssue> result;
  for (std::size_t i = 0; i < trace.issues.size(); ++i)
    if (trace.issues[i].warp == warp) result.push_back({i, trace.issues[i].at.cycle, trace.issues[i].pc});
  return result;
}

}  // namespace warpmill::studio
