// Work that goes on beside the warps: groups of copies, stores and products, arrivals at mbarriers; and the blocks of clusters.
#include "timing/engine.h"

#include "exec/async.h"
#include "exec/cluster.h"
#include "exec/divergence.h"

#include <algorithm>

namespace warpmill::timing {

using lowering::AsyncRole;
using lowering::TimedOp;
using machine::Path;

// ---- Clusters ----

std::uint64_t Engine::linearOf(std::uint64_t position) const {
  const exec::LaunchContext& context = machine_.launch_.code->context();
  const std::uint32_t size = exec::clusterSize(context);
  if (size <= 1) return position;
  const exec::Dim3 &g = context.grid, &c = context.cluster;
  const std::uint64_t cluster = machine_.sample_.at(position / size), wide = g.x / c.x, high = g.y / c.y;
  const std::uint64_t first = cluster % wide * c.x + g.x * (cluster / wide % high * c.y + std::uint64_t{g.y} * (cluster / wide / high * c.z));
  return exec::blockOfCluster(context, first, static_cast<std::uint32_t>(position % size));
}

bool Engine::dispatchCluster() {
  const std::uint32_t size = exec::clusterSize(machine_.launch_.code->context());
  const std::uint64_t now = now_;
  std::size_t places = 0;
  for (const SmState& sm : state_.sms)
    places += static_cast<std::size_t>(std::count_if(sm.blocks.begin(), sm.blocks.end(), [now](const ResidentBlock& b) { return !b.used && b.freeAt <= now; }));
  if (places < size) return false;
  std::vector<ResidentBlock::Peer> peers;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    std::uint32_t best = ~0u;
    for (std::uint32_t sm = 0; sm < state_.sms.size(); ++sm)
      if (state_.placeFreeAt[sm] <= now && (best == ~0u || state_.residentBlocks[sm] < state_.residentBlocks[best])) best = sm;
    const std::uint32_t slot = freePlace(state_.sms[best]);
    startBlock(best, slot);
    peers.push_back({best, slot});
  }
  for (const auto& p : peers) state_.sms[p.sm].blocks[p.slot].cluster = peers;
  return true;
}

std::vector<machine::Block*> Engine::clusterOf(const ResidentBlock& resident) {
  std::vector<machine::Block*> blocks;
  for (std::uint32_t rank = 0; rank < resident.cluster.size(); ++rank) {
    ResidentBlock& peer = state_.sms[resident.cluster[rank].sm].blocks[resident.cluster[rank].slot];
    const bool there = peer.used && peer.block->linear == exec::blockOfCluster(machine_.launch_.code->context(), resident.block->linear, rank);
    blocks.push_back(there ? &own(peer) : nullptr);
  }
  return blocks;
}

void Engine::eachOfCluster(std::uint32_t sm, const ResidentBlock& resident, const std::function<void(std::uint32_t, const ResidentBlock&)>& f) {
  if (resident.cluster.empty()) return f(sm, resident);
  const std::uint64_t linear = resident.block->linear;
  const std::vector<ResidentBlock::Peer> peers = resident.cluster;
  for (std::uint32_t rank = 0; rank < peers.size(); ++rank) {
    const ResidentBlock& peer = state_.sms[peers[rank].sm].blocks[peers[rank].slot];
    if (peer.used && peer.block->linear == exec::blockOfCluster(machine_.launch_.code->context(), linear, rank)) f(peers[rank].sm, peer);
  }
}

// ---- Groups ----

void Engine::trackAsync(const Place& at, const TimedOp& op, std::uint64_t doneAt) {
  WarpSlot& slot = state_.sms[at.sm].warps[at.place * 4 + at.part];
  const auto kind = static_cast<std::size_t>(op.async) - 1;
  auto& groups = slot.groupsDoneAt[kind];
  std::uint64_t& open = slot.openGroupDoneAt[kind];
  switch (op.role) {
    case AsyncRole::Issue:
      open = laterOf(open, doneAt);
      if (isOpen(open)) noted(at, SmQuantum::groups, {open, Stall::LongScoreboard});
      break;
    case AsyncRole::Commit:
      groups.push_back(open);
      open = 0;
      break;
    case AsyncRole::Wait:
      if (op.keptGroups == ~0u) open = 0;
      if (op.keptGroups == ~0u || op.keptGroups < groups.size())
        groups.erase(groups.begin(), op.keptGroups == ~0u ? groups.end() : groups.end() - static_cast<std::ptrdiff_t>(op.keptGroups));
      break;
  }
}

std::uint64_t Engine::asyncReadyAt(const WarpSlot& slot, const TimedOp& op) const {
  const auto kind = static_cast<std::size_t>(op.async) - 1;
  const auto& groups = slot.groupsDoneAt[kind];
  std::uint64_t ready = op.keptGroups == ~0u ? slot.openGroupDoneAt[kind] : 0;
  const std::size_t waited = op.keptGroups == ~0u ? groups.size() : groups.size() - std::min<std::size_t>(groups.size(), op.keptGroups);
  for (std::size_t k = 0; k < waited; ++k) ready = std::max(ready, groups[k]);  // an open one is more than all others
  return ready;
}

// ---- Mbarriers ----

void Engine::stampArrivals(const Place& at, std::uint64_t doneAt) {
  const SmState& sm = state_.sms[at.sm];
  const ResidentBlock& resident = sm.blocks[sm.warps[at.place * 4 + at.part].blockSlot];
  const WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  std::uint64_t copies = slot.openGroupDoneAt[0];
  for (std::uint64_t t : slot.groupsDoneAt[0]) copies = std::max(copies, t);
  eachOfCluster(at.sm, resident, [&](std::uint32_t, const ResidentBlock& r) {
    if (std::none_of(r.block->arrivals.begin(), r.block->arrivals.end(), [](const machine::Arrival& a) { return a.fresh; })) return;
    for (machine::Arrival& a : own(const_cast<ResidentBlock&>(r)).arrivals) {
      if (!a.fresh) continue;
      a.fresh = false;
      a.readyAt = a.lanes != 0 ? copies : doneAt;
    }
  });
}

// A warp that is suspended at an mbarrier to which something is on its way looks again when that has come. `never`: it is not.
std::uint64_t Engine::resumeAtArrival(const Place& at) {
  SmState& sm = state_.sms[at.sm];
  const WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  ResidentBlock& resident = sm.blocks[slot.blockSlot];
  std::uint64_t earliest = never;
  std::uint32_t barrier = 0;
  for (const Path& p : resident.block->warps[slot.warp].paths) {
    if (p.status != Path::Status::AtMbarrier) continue;
    for (const machine::Arrival& a : resident.block->arrivals)
      if (a.barrier == p.awaited && a.readyAt < earliest) {
        earliest = a.readyAt;
        barrier = p.awaited;
      }
  }
  if (earliest == never) return never;
  machine::Warp& warp = own(resident).warps[slot.warp];
  for (std::uint32_t k = 0; k < warp.paths.size(); ++k) {
    Path& p = warp.paths[k];
    if (p.status != Path::Status::AtMbarrier || p.awaited != barrier) continue;
    p.status = Path::Status::Runnable;
    p.awaited = 0;
    warp.current = k;
  }
  return std::max(earliest, now_ + 1);
}

void Engine::replanBlock(std::uint32_t smIndex, const ResidentBlock& resident, std::uint64_t earliest, std::uint32_t exceptWarp) {
  SmState& sm = state_.sms[smIndex];
  const auto blockSlot = static_cast<std::uint32_t>(&resident - sm.blocks.data());
  for (std::uint32_t w = 0; w < resident.warpSlots.size(); ++w) {
    const std::uint32_t other = resident.warpSlots[w];
    const Place there{smIndex, other % 4, other / 4};
    if (w == exceptWarp || sm.parts[there.part].readyAt[there.place] != never) continue;
    if (sm.warps[other].used && sm.warps[other].blockSlot == blockSlot && sm.warps[other].warp == w) plan(there, earliest, Stall::Barrier);
  }
}

// Nothing can ever issue but waits that have a time limit, which return, and lanes that wait to reconverge, which go on alone.
bool Engine::expireWaits() {
  constexpr std::uint64_t limit = 2000;  // cycles; hardware's limit is not known
  bool any = false;
  for (std::uint32_t s = 0; s < state_.sms.size(); ++s)
    for (ResidentBlock& b : state_.sms[s].blocks) {
      if (!b.used) continue;
      const bool waits = std::any_of(b.block->warps.begin(), b.block->warps.end(), [](const machine::Warp& w) {
        return std::any_of(w.paths.begin(), w.paths.end(), [](const Path& p) { return p.status == Path::Status::AtMbarrier; });
      });
      if (!(waits && exec::expireWaits(own(b))) && !exec::letGoOn(own(b))) continue;
      any = true;
      replanBlock(s, b, now_ + limit, ~0u);
    }
  return any;
}

}  // namespace warpmill::timing
