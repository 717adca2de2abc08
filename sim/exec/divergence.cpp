#include "exec/divergence.h"

#include "exec/faults.h"

#include <algorithm>
#include <bit>

namespace warpmill::exec {

using machine::noGroup;
using machine::Path;
using machine::ReconvergenceGroup;
using machine::Warp;

namespace {

bool meetsAt(const Warp& warp, const Path& p, std::uint32_t pc) {
  return p.group != noGroup && warp.groups[p.group].pc == pc && warp.groups[p.group].depth == p.depth;
}

// In a group at `pc` around the path's own.
std::uint32_t addGroup(Warp& warp, std::uint32_t pc, const Path& path) {
  std::uint32_t g = 0;
  while (g < warp.groups.size() && warp.groups[g].inUse) ++g;
  if (g == warp.groups.size()) warp.groups.emplace_back();
  warp.groups[g] = {pc, path.depth, path.lanes, path.group, true};
  return g;
}

void dropGroup(Warp& warp, std::uint32_t g) {
  warp.groups[g] = {};
  while (!warp.groups.empty() && !warp.groups.back().inUse) warp.groups.pop_back();
}

void erasePath(Warp& warp, std::uint32_t path) {
  warp.paths.erase(warp.paths.begin() + path);
  if (warp.current > path || (warp.current == path && warp.current == warp.paths.size() && path != 0)) --warp.current;
}

// A path that waits at its group's place with all lanes of the group goes on in the parent group.
// `alone`: it came with all of them, as from a call; that is no progress for those that wait elsewhere.
void closeIfComplete(Warp& warp, std::uint32_t path, std::uint32_t end, StepOutcome& outcome, bool alone = false) {
  Path& p = warp.paths[path];
  if (p.status != Path::Status::AtReconvergence || p.lanes != warp.groups[p.group].lanes) return;
  const std::uint32_t g = p.group;
  p.group = warp.groups[g].parent;
  p.status = Path::Status::Runnable;
  if (!alone) p.spins = 0;
  dropGroup(warp, g);
  outcome.reconverged = true;
  moveTo(warp, path, p.pc, end, outcome);
}

}  // namespace

std::uint32_t pathOfLane(const Warp& warp, unsigned lane) {
  for (std::uint32_t i = 0; i < warp.paths.size(); ++i)
    if ((warp.paths[i].lanes >> lane & 1) != 0) return i;
  return ptx::none;
}

void moveTo(Warp& warp, std::uint32_t path, std::uint32_t pc, std::uint32_t end, StepOutcome& outcome) {
  Path& p = warp.paths[path];
  p.pc = pc;
  if (pc >= end) return exitLanes(warp, p.lanes, end - 1, end, outcome);
  if (!meetsAt(warp, p, pc)) return;
  for (std::uint32_t other = 0; other < warp.paths.size(); ++other) {
    Path& q = warp.paths[other];
    if (other == path || q.status != Path::Status::AtReconvergence || q.group != p.group) continue;
    q.lanes |= p.lanes;
    if (warp.current == path) warp.current = other;
    erasePath(warp, path);
    return closeIfComplete(warp, other > path ? other - 1 : other, end, outcome);
  }
  p.status = Path::Status::AtReconvergence;
  closeIfComplete(warp, path, end, outcome, true);
}

std::uint32_t split(Warp& warp, std::uint32_t path, LaneMask lanes, std::uint32_t reconvergence) {
  Path rest = warp.paths[path];
  WM_ASSERT((rest.lanes & lanes) == lanes && lanes != 0 && rest.lanes != lanes, "a split takes some lanes of the path, not all");
  if (reconvergence != ptx::none && !meetsAt(warp, rest, reconvergence)) rest.group = addGroup(warp, reconvergence, rest);
  Path taken = rest;
  taken.lanes = lanes;
  rest.lanes &= ~lanes;
  warp.paths[path] = rest;
  warp.paths.insert(warp.paths.begin() + path + 1, taken);
  if (warp.current > path) ++warp.current;
  return path + 1;
}

void openGroup(Warp& warp, std::uint32_t path, std::uint32_t pc) {
  Path& p = warp.paths[path];
  if (!meetsAt(warp, p, pc)) p.group = addGroup(warp, pc, p);
}

namespace {

// After lanes were taken out of groups: those that nobody waits for go, and those that are complete close.
void settleGroups(Warp& warp, std::uint32_t end, StepOutcome& outcome) {
  for (std::uint32_t g = 0; g < warp.groups.size(); ++g)
    if (warp.groups[g].inUse && warp.groups[g].lanes == 0) warp.groups[g] = {};
  while (!warp.groups.empty() && !warp.groups.back().inUse) warp.groups.pop_back();
  // A path that closes its group may merge with another and change indices, so start again after each.
  for (std::uint32_t i = 0; i < warp.paths.size(); ++i) {
    const Path& p = warp.paths[i];
    if (p.status == Path::Status::AtReconvergence && p.lanes == warp.groups[p.group].lanes) {
      closeIfComplete(warp, i, end, outcome);
      i = ~std::uint32_t{0};
    }
  }
}

}  // namespace

void leaveFunction(Warp& warp, std::uint32_t path, std::uint32_t end, StepOutcome& outcome) {
  Path& p = warp.paths[path];
  WM_ASSERT(p.depth != 0, "a return from a kernel is its end");
  bool left = false;
  for (; p.group != noGroup && warp.groups[p.group].depth == p.depth; left = true) {
    warp.groups[p.group].lanes &= ~p.lanes;
    p.group = warp.groups[p.group].parent;
  }
  --p.depth;
  if (left) settleGroups(warp, end, outcome);
}

void exitLanes(Warp& warp, LaneMask lanes, std::uint32_t pc, std::uint32_t end, StepOutcome& outcome) {
  warp.exited |= lanes;
  const auto same = std::find_if(warp.endings.begin(), warp.endings.end(), [pc](const machine::Ending& e) { return e.pc == pc; });
  if (same != warp.endings.end()) same->lanes |= lanes;
  else warp.endings.push_back({pc, lanes});
  for (std::uint32_t i = 0; i < warp.paths.size();) {
    Path& p = warp.paths[i];
    p.lanes &= ~lanes;
    if (p.lanes == 0) erasePath(warp, i);
    else ++i;
  }
  for (std::uint32_t g = 0; g < warp.groups.size(); ++g) warp.groups[g].lanes &= ~lanes;
  settleGroups(warp, end, outcome);
  // Collectives that waited only for lanes that are gone.
  for (Path& p : warp.paths) {
    if (p.status != Path::Status::AtWarpBarrier) continue;
    LaneMask present = 0;
    for (const Path& q : warp.paths)
      if (q.status == Path::Status::AtWarpBarrier && q.pc == p.pc) present |= q.lanes;
    if ((p.awaited & ~warp.exited & ~present) == 0) p.status = Path::Status::Runnable;
  }
  if (warp.current >= warp.paths.size()) warp.current = 0;
}

LaneMask endedLanes(const Code& code, const Warp& warp) {
  LaneMask ended = warp.exited;
  if (warp.paths.size() < 2) return ended;
  for (const Path& p : warp.paths) {
    const Op& op = code.ops()[p.pc];
    if (p.status == Path::Status::AtReconvergence && op.flow == Flow::Exit && !op.guarded && op.handler == nullptr) ended |= p.lanes;
  }
  return ended;
}

bool letGoOn(machine::Block& block) {
  bool any = false;
  for (Warp& w : block.warps) {
    bool here = false;
    for (Path& p : w.paths) {
      if (p.status != Path::Status::AtReconvergence) continue;
      while (p.group != noGroup && w.groups[p.group].pc == p.pc && w.groups[p.group].depth == p.depth) {
        w.groups[p.group].lanes &= ~p.lanes;
        p.group = w.groups[p.group].parent;
      }
      p.status = Path::Status::Runnable;
      here = true;
    }
    if (here) choosePath(w, static_cast<unsigned>(std::countr_zero(w.paths[w.current].lanes)));
    any |= here;
  }
  return any;
}

void mergeEqualPaths(Warp& warp) {
  for (std::uint32_t i = 0; i < warp.paths.size(); ++i) {
    for (std::uint32_t j = i + 1; j < warp.paths.size();) {
      Path &p = warp.paths[i], &q = warp.paths[j];
      const bool same = p.pc == q.pc && p.depth == q.depth && p.group == q.group && p.status == Path::Status::Runnable && q.status == Path::Status::Runnable &&
                        p.awaited == 0 && q.awaited == 0;
      if (!same) {
        ++j;
        continue;
      }
      p.lanes |= q.lanes;
      if (warp.current == j) warp.current = i;
      erasePath(warp, j);
    }
  }
}

namespace {

// Is any of them at a barrier that other warps may open, or does it wait for lanes that are?
bool mayStillCome(const Warp& warp, LaneMask lanes) {
  for (LaneMask before = 0; before != lanes;) {
    before = lanes;
    for (const Path& p : warp.paths) {
      if ((p.lanes & lanes) == 0) continue;
      if (p.status == Path::Status::AtBarrier || p.status == Path::Status::AtMbarrier || p.status == Path::Status::AtClusterBarrier) return true;
      if (p.status == Path::Status::AtReconvergence) lanes |= warp.groups[p.group].lanes;
    }
  }
  return false;
}

}  // namespace

void choosePath(Warp& warp, unsigned lane) {
  const auto count = static_cast<std::uint32_t>(warp.paths.size());
  if (count == 0) {
    warp.current = 0;
    return;
  }
  const std::uint32_t own = pathOfLane(warp, lane), from = own == ptx::none ? warp.current : own;
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t i = (from + k) % count;
    if (warp.paths[i].status == Path::Status::Runnable) {
      warp.current = i;
      return;
    }
  }
  // Nobody can run. A collective whose missing lanes are not at a block barrier waits for lanes that wait for it: let it go.
  warp.current = from % count;
  for (std::uint32_t i = 0; i < count; ++i) {
    Path& p = warp.paths[i];
    if (p.status == Path::Status::AtWarpBarrier && !mayStillCome(warp, p.awaited)) {
      p.status = Path::Status::Runnable;
      warp.current = i;
      return;
    }
  }
}

void afterSpin(Warp& warp, unsigned lane) {
  const std::uint32_t own = pathOfLane(warp, lane);
  if (own == ptx::none || warp.paths.size() < 2) return;
  const auto count = static_cast<std::uint32_t>(warp.paths.size());
  ++warp.paths[own].spins;
  bool allSpun = true;
  for (const Path& p : warp.paths)
    if (p.status == Path::Status::Runnable && p.spins < spinLimit) allSpun = false;
  if (allSpun) {
    for (std::uint32_t k = 1; k < count; ++k) {
      Path& q = warp.paths[(own + k) % count];
      if (q.status != Path::Status::AtReconvergence) continue;
      const std::uint32_t g = q.group;
      warp.groups[g].lanes &= ~q.lanes;
      q.group = warp.groups[g].parent;
      q.status = Path::Status::Runnable;
      for (Path& p : warp.paths) p.spins = 0;
      warp.current = (own + k) % count;
      return;
    }
  }
  for (std::uint32_t k = 1; k <= count; ++k) {
    const std::uint32_t i = (own + k) % count;
    if (warp.paths[i].status == Path::Status::Runnable) {
      warp.current = i;
      return;
    }
  }
}

}  // namespace warpmill::exec
