// A launch's history: how it was driven (which warps might issue when), snapshots along it, and its trace. Internal to the room.
#pragma once

#include "timing/machine.h"

#include <map>
#include <memory>
#include <vector>

namespace warpmill::session {

class History {
 public:
  History(std::shared_ptr<const timing::Machine> machine, std::uint64_t snapshotBytes);

  [[nodiscard]] const timing::Machine& machine() const { return *machine_; }
  [[nodiscard]] const timing::MachineState& state() const { return state_; }
  [[nodiscard]] const timing::Trace& trace() const { return trace_; }
  [[nodiscard]] std::uint64_t index() const { return index_; }
  [[nodiscard]] std::uint64_t known() const { return trace_.issues.size(); }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] bool timingHolds() const { return segments_.size() == 1 && segments_[0].filter.kind == timing::Filter::Kind::All; }
  [[nodiscard]] std::size_t snapshotCount() const { return snapshots_.size(); }
  [[nodiscard]] std::uint64_t snapshotBytes() const { return bytes_; }

  // The state after `index` issues, which must be known.
  void goTo(std::uint64_t index);
  // One issue under `filter`. Where the known future was made under the same filter it is replayed, else it is forgotten.
  timing::Advance advance(const timing::Filter& filter);

 private:
  struct Segment { std::uint64_t first; timing::Filter filter; };
  [[nodiscard]] const timing::Filter& filterAt(std::uint64_t index) const;
  void forgetFuture();
  void takeSnapshot();
  [[nodiscard]] std::uint64_t sizeOf(const timing::MachineState& state) const;

  std::shared_ptr<const timing::Machine> machine_;
  timing::MachineState state_;
  std::uint64_t index_ = 0;
  timing::Trace trace_;
  std::vector<std::uint32_t> stallsAfter_;   // by issue: length of trace_.stalls behind it
  std::vector<Segment> segments_{{0, {}}};
  std::map<std::uint64_t, timing::MachineState> snapshots_;
  std::uint64_t interval_ = 512;             // issues between snapshots; doubles when they take too much memory
  std::uint64_t budget_ = 0, bytes_ = 0;
  bool ended_ = false;                       // the known future reaches the end of the launch
};

}  // namespace warpmill::session
