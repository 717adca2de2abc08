#include "faults/clocks.h"

#include <algorithm>

namespace warpmill::faults {

void join(Times& into, const Times& from) {
  if (into.size() < from.size()) into.resize(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

namespace {

bool covers(const Times& a, const Times& b) {  // all of b
  for (std::size_t i = 0; i < b.size(); ++i)
    if (b[i] > (i < a.size() ? a[i] : 0)) return false;
  return true;
}

std::shared_ptr<const Times> joinedTimes(const std::shared_ptr<const Times>& a, const std::shared_ptr<const Times>& b) {
  if (a == b || covers(*a, *b)) return a;
  if (covers(*b, *a)) return b;
  auto made = std::make_shared<Times>(*a);
  join(*made, *b);
  return made;
}

}  // namespace

Knowledge joined(const Knowledge& a, const Knowledge& b) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  auto made = std::make_shared<BlockTimes>();
  made->reserve(std::max(a->size(), b->size()));
  bool isA = true, isB = true;
  auto i = a->begin(), k = b->begin();
  while (i != a->end() || k != b->end()) {
    if (k == b->end() || (i != a->end() && i->first < k->first)) {
      made->push_back(*i++);
      isB = false;
    } else if (i == a->end() || k->first < i->first) {
      made->push_back(*k++);
      isA = false;
    } else {
      made->emplace_back(i->first, joinedTimes(i->second, k->second));
      isA = isA && made->back().second == i->second;
      isB = isB && made->back().second == k->second;
      ++i, ++k;
    }
  }
  return isA ? a : isB ? b : Knowledge(std::move(made));
}

BlockClocks::BlockClocks(std::uint32_t block, std::uint32_t warps) : block_(block), warps_(warps) {
  for (WarpClock& w : warps_) w.known.assign(warps, 0);
}

bool BlockClocks::knowsOther(const WarpClock& mine, Epoch e) {
  if (mine.others == nullptr) return false;
  const auto& all = *mine.others;
  const auto at = std::lower_bound(all.begin(), all.end(), blockOf(e), [](const auto& entry, std::uint32_t block) { return entry.first < block; });
  return at != all.end() && at->first == blockOf(e) && warpOf(e) < at->second->size() && timeOf(e) < (*at->second)[warpOf(e)];
}

// The warp's next stretch of time; what it did so far is before it.
std::uint32_t BlockClocks::tick(std::uint32_t warp) {
  WarpClock& w = warps_[warp];
  if (w.time < lastTime) ++w.time;
  w.known[warp] = w.time;
  return w.time;
}

void BlockClocks::syncWarp(std::uint32_t warp, LaneMask lanes, LaneMask living) {
  if ((lanes & (lanes - 1)) == 0) return;
  const std::uint32_t now = tick(warp);
  WarpClock& w = warps_[warp];
  if ((living & ~lanes) == 0) {
    w.floor = now;
    w.lanes.reset();
    return;
  }
  lanesOf(w);
  std::array<std::uint32_t, 32> together{};
  for (unsigned of = 0; of < 32; ++of)
    for (unsigned who = 0; who < 32; ++who)
      if ((lanes >> who & 1) != 0) together[of] = std::max({together[of], (*w.lanes)[who][of], (lanes >> of & 1) != 0 ? now : 0});
  for (unsigned who = 0; who < 32; ++who)
    if ((lanes >> who & 1) != 0) (*w.lanes)[who] = together;
}

std::array<std::array<std::uint32_t, 32>, 32>& BlockClocks::lanesOf(WarpClock& w) const {
  if (!w.lanes) {
    w.lanes = std::make_unique<std::array<std::array<std::uint32_t, 32>, 32>>();
    for (auto& row : *w.lanes) row.fill(w.floor);
  }
  return *w.lanes;
}

void BlockClocks::knowOwnWarp(WarpClock& w, LaneMask lanes, std::uint32_t time) const {
  if (time <= w.floor) return;
  auto& rows = lanesOf(w);
  for (unsigned who = 0; who < 32; ++who)
    if ((lanes >> who & 1) != 0)
      for (std::uint32_t& of : rows[who]) of = std::max(of, time);
}

void BlockClocks::fence(std::uint32_t warp, LaneMask lanes, FenceScope scope) {
  acquire(warp);
  tick(warp);
  WarpClock& w = warps_[warp];
  join(w.fencedInBlock, w.known);
  w.fencedInBlockLanes |= lanes;
  if (scope == FenceScope::Block) return;
  join(w.fenced, w.known);
  w.fencedLanes |= lanes;
}

void BlockClocks::arrive(std::uint32_t warp, std::uint8_t barrier, LaneMask lanes, bool waits) {
  acquire(warp);
  tick(warp);
  const WarpClock& w = warps_[warp];
  BarrierClock& b = barriers_[barrier];
  join(b.known, w.known);
  join(b.fenced, w.fenced);
  join(b.fencedInBlock, w.fencedInBlock);
  b.others = joined(b.others, w.others);
  if (waits) b.waiting[warp] |= lanes;
}

// Threads that have ended count as arrived everywhere.
void BlockClocks::exit(std::uint32_t warp) {
  tick(warp);
  join(exited_, warps_[warp].known);
}

void BlockClocks::openBarriers(const machine::Block& block) {
  for (std::size_t i = 0; i < barriers_.size(); ++i) {
    BarrierClock& b = barriers_[i];
    if (b.generation == block.barriers[i].generation) continue;
    b.generation = block.barriers[i].generation;
    join(b.known, exited_);
    for (std::uint32_t k = 0; k < warps_.size(); ++k) {
      const LaneMask lanes = b.waiting[k];
      if (lanes == 0) continue;
      WarpClock& w = warps_[k];
      join(w.known, b.known);
      w.others = joined(w.others, b.others);
      join(w.fenced, b.fenced);
      join(w.fencedInBlock, b.fencedInBlock);
      if (!w.fenced.empty()) w.fencedLanes = ~LaneMask{0};
      if (!w.fencedInBlock.empty()) w.fencedInBlockLanes = ~LaneMask{0};
      syncWarp(k, lanes, block.warps[k].threads & ~block.warps[k].exited);
    }
    b.known.clear(), b.fenced.clear(), b.fencedInBlock.clear();
    b.others = nullptr;
    b.waiting.fill(0);
  }
}

void BlockClocks::arriveAtMbarrier(std::uint32_t warp) {
  tick(warp);
  join(mbarriers_, warps_[warp].known);
}
void BlockClocks::waitedAtMbarrier(std::uint32_t warp, LaneMask lanes) {
  WarpClock& w = warps_[warp];
  join(w.known, mbarriers_);
  if (warp < mbarriers_.size()) knowOwnWarp(w, lanes, mbarriers_[warp]);
  w.others = joined(w.others, outside_);
}

Knowledge BlockClocks::release(std::uint32_t warp) {
  tick(warp);
  auto own = std::make_shared<BlockTimes>();
  own->emplace_back(block_, std::make_shared<const Times>(warps_[warp].known));
  return joined(Knowledge(std::move(own)), warps_[warp].others);
}

void BlockClocks::acquire(std::uint32_t warp, LaneMask lanes, const Knowledge& from) {
  if (from == nullptr) return;
  WarpClock& w = warps_[warp];
  w.others = joined(w.others, from);
  for (const auto& [block, times] : *from)
    if (block == block_) {
      join(w.known, *times);
      if (warp < times->size()) knowOwnWarp(w, lanes, (*times)[warp]);
    }
}

void BlockClocks::strongRead(std::uint32_t warp, std::uint32_t lane, const SyncPlace& place) {
  WarpClock& w = warps_[warp];
  w.readLanes |= LaneMask{1} << lane;
  w.read = joined(w.read, place.released);
  if (const auto own = place.inBlock.find(block_); own != place.inBlock.end()) join(w.readInBlock, own->second);
}

void BlockClocks::acquire(std::uint32_t warp) {
  WarpClock& w = warps_[warp];
  const auto own = [warp](const Times& times) { return warp < times.size() ? times[warp] : 0; };
  if (w.read != nullptr) {
    w.others = joined(w.others, w.read);
    for (const auto& [block, times] : *w.read)
      if (block == block_) {
        join(w.known, *times);
        knowOwnWarp(w, w.readLanes, own(*times));
      }
    w.read = nullptr;
  }
  if (!w.readInBlock.empty()) {
    join(w.known, w.readInBlock);
    knowOwnWarp(w, w.readLanes, own(w.readInBlock));
    w.readInBlock.clear();
  }
  w.readLanes = 0;
}

void BlockClocks::strongWrite(std::uint32_t warp, std::uint32_t lane, SyncPlace& place) {
  const WarpClock& w = warps_[warp];
  if ((w.fencedLanes >> lane & 1) != 0) {
    auto own = std::make_shared<BlockTimes>();
    own->emplace_back(block_, std::make_shared<const Times>(w.fenced));
    place.released = joined(joined(place.released, std::move(own)), w.others);
  }
  if ((w.fencedInBlockLanes >> lane & 1) != 0) join(place.inBlock[block_], w.fencedInBlock);
}

}  // namespace warpmill::faults
