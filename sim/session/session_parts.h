// What a session consists of. Internal to the room.
#pragma once

#include "session/history.h"
#include "session/session.h"

namespace warpmill::session {

using timing::Advance;
using timing::IssueEvent;

struct Session::Impl {
  explicit Impl(std::shared_ptr<const timing::Machine> machine, const Options& options)
      : history(std::move(machine), options.snapshotBytes), maxInstructions(options.maxInstructions), checks(options.checks) {}

  History history;
  Position playhead;
  std::uint64_t maxInstructions;
  faults::Checks checks;
  std::vector<machine::Fault> faultsInTime;  // of the first run
  std::optional<std::vector<machine::Fault>> allFaults;

  [[nodiscard]] const std::vector<IssueEvent>& issues() const { return history.trace().issues; }

  void toIndex(std::uint64_t index) {
    history.goTo(index);
    playhead = index == 0 ? Position{} : issues()[index - 1].at;
  }

  // One issue. With a narrow scope that cannot go on alone (a barrier, a block that is not resident yet) the next wider one helps,
  // until a warp of the scope can issue again.
  Advance forward(const Filter& filter) {
    Filter now = filter;
    for (;;) {
      const Advance a = history.advance(now);
      if (a != Advance::Blocked || now.kind == Filter::Kind::All) {
        if (a == Advance::Issued) playhead = issues()[history.index() - 1].at;
        return a;
      }
      now.kind = now.kind == Filter::Kind::Warp ? Filter::Kind::Block : Filter::Kind::All;
    }
  }

  [[nodiscard]] const IssueEvent* last() const { return history.index() == 0 ? nullptr : &issues()[history.index() - 1]; }

  [[nodiscard]] ptx::SourceLocation locationOf(std::uint32_t pc) const {
    const auto& code = history.machine().launch().function->instructions;
    return pc < code.size() ? code[pc].location : ptx::SourceLocation{};
  }

  [[nodiscard]] static bool sameLine(const ptx::SourceLocation& a, const ptx::SourceLocation& b) { return a.file == b.file && a.line == b.line; }

  [[nodiscard]] std::uint32_t nextPc(WarpId warp) const {
    const machine::Warp* w = history.machine().findWarp(history.state(), warp);
    return w && !w->done() && !w->paths.empty() ? w->path().pc : ptx::none;
  }
};

}  // namespace warpmill::session
