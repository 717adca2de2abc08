#include "session/history.h"

#include <algorithm>

namespace warpmill::session {

using timing::Advance;
using timing::Filter;
using timing::MachineState;

History::History(std::shared_ptr<const timing::Machine> machine, std::uint64_t snapshotBytes)
    : machine_(std::move(machine)), state_(machine_->initialState()), budget_(snapshotBytes) {
  takeSnapshot();
}

const Filter& History::filterAt(std::uint64_t index) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), index, [](std::uint64_t i, const Segment& s) { return i < s.first; });
  return std::prev(after)->filter;
}

// What a snapshot adds to memory: what is copied at once, and the blocks that their next write clones. Pages and cache tags are shared.
std::uint64_t History::sizeOf(const MachineState& state) const {
  std::uint64_t sum = sizeof(MachineState) + state.sms.size() * sizeof(timing::SmState);
  for (const timing::SmState& sm : state.sms) {
    for (const timing::ResidentBlock& b : sm.blocks) {
      if (!b.used) continue;
      sum += b.block->shared.size() + sizeof(machine::Block);
      for (const machine::Warp& w : b.block->warps) sum += sizeof(machine::Warp) + w.planes.size() * 4 + w.local.size() + 128;
    }
    for (const timing::WarpSlot& w : sm.warps) sum += w.registers.size() * sizeof(timing::Scoreboard);
    sum += sm.l1.chunkCount() * 16;
  }
  return sum + state.l2.chunkCount() * 16;
}

void History::takeSnapshot() {
  if (!snapshots_.emplace(index_, state_).second) return;
  bytes_ += sizeOf(state_);
  // Too much: keep every second one, from now on at twice the distance.
  while (bytes_ > budget_ && snapshots_.size() > 8) {
    interval_ *= 2;
    bytes_ = 0;
    for (auto it = snapshots_.begin(); it != snapshots_.end();) {
      if (it->first % interval_ != 0) {
        it = snapshots_.erase(it);
      } else {
        bytes_ += sizeOf(it->second);
        ++it;
      }
    }
  }
}

void History::goTo(std::uint64_t index) {
  WM_ASSERT(index <= known(), "goTo beyond the known history");
  const auto from = std::prev(snapshots_.upper_bound(index));
  if (index < index_ || from->first > index_) {
    state_ = from->second;
    index_ = from->first;
  }
  while (index_ < index) {
    const Advance a = machine_->step(state_, filterAt(index_), nullptr);
    WM_ASSERT(a == Advance::Issued, "replay differs from the first run");
    ++index_;
  }
}

void History::forgetFuture() {
  if (known() == index_) return;
  trace_.issues.resize(index_);
  trace_.stalls.resize(index_ == 0 ? 0 : stallsAfter_[index_ - 1]);
  stallsAfter_.resize(index_);
  if (state_.nextRequest < trace_.requests.size()) {
    trace_.sectors.resize(trace_.requests[state_.nextRequest].firstSector);
    trace_.requests.resize(state_.nextRequest);
  }
  trace_.blocks.resize(state_.nextBlock);
  for (const timing::SmState& sm : state_.sms)
    for (const timing::ResidentBlock& b : sm.blocks)
      if (b.used)
        for (timing::BlockEvent& e : trace_.blocks)
          if (e.block == b.block->linear) e.end = 0;
  trace_.endCycle = 0;
  ended_ = false;
  while (segments_.size() > 1 && segments_.back().first >= index_) segments_.pop_back();
  for (auto it = snapshots_.upper_bound(index_); it != snapshots_.end();) {
    bytes_ -= std::min(bytes_, sizeOf(it->second));
    it = snapshots_.erase(it);
  }
}

Advance History::advance(const Filter& filter) {
  if (index_ < known() && filterAt(index_) == filter) {
    goTo(index_ + 1);
    return Advance::Issued;
  }
  if (machine_->finished(state_)) {
    ended_ = true;
    trace_.endCycle = state_.endCycle;
    return Advance::Finished;
  }
  forgetFuture();
  if (!(segments_.back().filter == filter)) {
    if (segments_.back().first == index_) segments_.back().filter = filter;
    else segments_.push_back({index_, filter});
  }
  // A step that finds nothing to issue may still move the clock; that must not leave a trace.
  MachineState before = filter.kind == Filter::Kind::All ? MachineState{} : state_;
  const Advance a = machine_->step(state_, filter, &trace_);
  if (a != Advance::Issued) {
    if (filter.kind != Filter::Kind::All) {
      state_ = std::move(before);
      trace_.blocks.resize(state_.nextBlock);
    }
    return a;
  }
  ++index_;
  stallsAfter_.push_back(static_cast<std::uint32_t>(trace_.stalls.size()));
  if (index_ % interval_ == 0) takeSnapshot();
  return a;
}

}  // namespace warpmill::session
