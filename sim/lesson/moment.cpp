#include "lesson/moment.h"

namespace warpmill::lesson {

std::optional<FoundMoment> findMoment(const Moment& moment, const timing::Machine& machine, const timing::Trace& trace) {
  FoundMoment found;
  found.warp = moment.warp;
  found.lane = moment.lane;
  if (moment.lastBlock) found.warp.block = machine.blockCount() - 1;
  if (moment.kind == MomentKind::Start) return found;
  if (moment.kind == MomentKind::End) {
    found.at = {trace.endCycle, 0};
    return found;
  }
  std::uint32_t seen = 0;
  for (const timing::IssueEvent& issue : trace.issues) {
    if (issue.warp != found.warp || issue.request == timing::noRequest) continue;
    const timing::Request& request = trace.requests[issue.request];
    if (request.isShared || request.isStore != (moment.access == AccessKind::Store) || ++seen != moment.nth) continue;
    found.request = issue.request;
    found.pc = issue.pc;
    switch (moment.kind) {
      case MomentKind::Wait: found.at = {(request.issued + request.done) / 2, ~0u}; break;
      case MomentKind::Arrive: found.at = {request.done, 0}; break;
      default: found.at = issue.at; break;
    }
    return found;
  }
  return std::nullopt;
}

}  // namespace warpmill::lesson
