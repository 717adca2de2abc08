// Faults as places in time.
#include "exec/functional.h"
#include "session/session_parts.h"

#include <algorithm>

namespace warpmill::session {

using machine::Fault;
using timing::IssueEvent;

namespace {

// Lanes of a warp at an instruction, in a history.
struct Wanted {
  WarpId warp;
  std::uint32_t pc = ptx::none, lane = 0;
};

WarpId warpOf(const timing::Machine& machine, const std::array<std::uint32_t, 3>& block, std::uint32_t warp) {
  const auto& grid = machine.launch().launch.grid;
  return {block[0] + std::uint64_t{block[1]} * grid[0] + std::uint64_t{block[2]} * grid[0] * grid[1], warp};
}

// The last issue of it among the first `limit` ones, else the first one of all.
std::optional<std::uint64_t> lastUpTo(const std::vector<IssueEvent>& issues, const Wanted& w, std::uint64_t limit) {
  std::optional<std::uint64_t> best;
  for (std::uint64_t k = 0; k < issues.size(); ++k) {
    const IssueEvent& e = issues[k];
    if (e.warp != w.warp || e.pc != w.pc || (e.lanes >> w.lane & 1) == 0) continue;
    if (k < limit) best = k;
    else return best ? best : k;
  }
  return best;
}

// Found by the checks of every access, or by the run in time itself.
bool isOfAccesses(const Fault& f) {
  using Kind = machine::FaultKind;
  return f.kind == Kind::SharedRace || f.kind == Kind::GlobalRace || f.kind == Kind::Uninitialized || f.kind == Kind::IndexOverflow || f.kind == Kind::Nan ||
         f.kind == Kind::OutOfBounds;
}

}  // namespace

std::optional<std::uint64_t> Session::stepOf(const Fault& f) const {
  const auto& all = impl_->issues();
  const Wanted wanted{warpOf(machine(), f.block, f.warp), f.pc, f.lane};
  std::uint64_t limit = all.size(), seen = 0;
  for (std::uint64_t k = 0; k < all.size(); ++k) {
    if (all[k].warp != wanted.warp) continue;
    const bool isIt = f.cycle != 0 && all[k].at.cycle == f.cycle && all[k].pc == f.pc;
    if (isIt) return k;
    if (f.issue != 0 && ++seen == f.issue) limit = k + 1;
  }
  return lastUpTo(all, wanted, limit);
}

std::optional<std::uint64_t> Session::stepOf(const machine::OtherParty& o, std::uint64_t faultStep) const {
  return lastUpTo(impl_->issues(), {warpOf(machine(), o.block, o.warp), o.pc, o.lane}, faultStep);
}

const std::vector<Fault>& Session::faults() {
  Impl& i = *impl_;
  if (i.allFaults) return *i.allFaults;
  i.allFaults = i.faultsInTime;
  std::vector<Fault>& faults = *i.allFaults;
  const bool ends = std::none_of(faults.begin(), faults.end(), [](const Fault& f) { return f.kind == machine::FaultKind::Hang; });
  if (!i.checks.any() || !ends) return faults;
  machine::Memory memory = machine().launch().memory;
  const auto checker = faults::makeChecker(i.checks, machine().launch());
  exec::FunctionalLimits limits;
  limits.maxInstructions = i.maxInstructions;
  limits.observer = checker.get();
  for (Fault& f : exec::runFunctional(*machine().launch().code, memory, limits).faults) {
    const bool known = std::any_of(faults.begin(), faults.end(), [&](const Fault& g) { return f.kind == g.kind && f.pc == g.pc; });
    if (known || !isOfAccesses(f)) continue;
    if (const auto step = stepOf(f)) f.cycle = i.issues()[*step].at.cycle;
    faults.push_back(std::move(f));
  }
  std::stable_sort(faults.begin(), faults.end(), [](const Fault& a, const Fault& b) { return a.cycle < b.cycle; });
  return faults;
}

}  // namespace warpmill::session
