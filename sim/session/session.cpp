#include "session/session.h"

#include "session/session_parts.h"

#include <algorithm>

namespace warpmill::session {

namespace {

Filter filterOf(Scope scope, WarpId focus) {
  switch (scope) {
    case Scope::Warp: return {Filter::Kind::Warp, focus};
    case Scope::Block: return {Filter::Kind::Block, {focus.block, 0}};
    case Scope::Everything: break;
  }
  return {};
}

bool inScope(Scope scope, WarpId focus, const IssueEvent& e) {
  return scope == Scope::Everything || (e.warp.block == focus.block && (scope == Scope::Block || e.warp.warp == focus.warp));
}

}  // namespace

Session::Session() = default;
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::open(std::shared_ptr<const timing::Machine> machine, Options options) {
  std::unique_ptr<Session> s(new Session);
  s->impl_ = std::make_unique<Impl>(std::move(machine), options);
  s->runToEnd();
  s->impl_->faultsInTime = s->state().faults;
  s->runToStart();
  return s;
}

const timing::Machine& Session::machine() const { return impl_->history.machine(); }
const timing::MachineState& Session::state() const { return impl_->history.state(); }
const timing::Trace& Session::trace() const { return impl_->history.trace(); }
Position Session::position() const { return impl_->playhead; }
std::uint64_t Session::stepIndex() const { return impl_->history.index(); }
std::uint64_t Session::stepCount() const { return impl_->history.known(); }
bool Session::timingHolds() const { return impl_->history.timingHolds(); }
const IssueEvent* Session::lastIssue() const { return impl_->last(); }
std::uint32_t Session::nextPc(WarpId warp) const { return impl_->nextPc(warp); }
std::size_t Session::snapshotCount() const { return impl_->history.snapshotCount(); }
std::uint64_t Session::snapshotBytes() const { return impl_->history.snapshotBytes(); }

Stop Session::step(Unit unit, Scope scope, WarpId focus) {
  Impl& i = *impl_;
  const Filter filter = filterOf(scope, focus);
  if (unit == Unit::Cycle && scope == Scope::Everything) {
    if (i.history.machine().finished(i.history.state()) && i.playhead.cycle >= i.history.state().endCycle) return Stop::AtEnd;
    return seek({i.playhead.cycle + 1, ~0u});
  }
  const ptx::SourceLocation line = i.locationOf(i.nextPc(focus));
  const std::uint64_t cycle = i.playhead.cycle;
  for (bool first = true;; first = false) {
    const Advance a = i.forward(filter);
    if (a == Advance::Finished) return first ? Stop::AtEnd : Stop::Done;
    if (a == Advance::Blocked) return first ? Stop::Blocked : Stop::Done;
    const IssueEvent& e = *i.last();
    if (!inScope(scope, focus, e)) continue;
    const bool focused = e.warp == focus;
    switch (unit) {
      case Unit::Instruction: return Stop::Done;
      case Unit::Cycle:
        if (e.at.cycle > cycle) return Stop::Done;
        break;
      case Unit::SourceLine: {
        // Until the focused warp stands before another line (or is gone).
        if (!focused) break;
        const std::uint32_t next = i.nextPc(focus);
        if (next == ptx::none) return Stop::Done;
        const ptx::SourceLocation there = i.locationOf(next);
        if (there.line != 0 && !Impl::sameLine(there, line)) return Stop::Done;
        break;
      }
      case Unit::MemoryRequest:
        if ((focused || scope != Scope::Warp) && e.request != timing::noRequest) return Stop::Done;
        break;
      case Unit::Barrier: {
        const ptx::Opcode op = i.history.machine().launch().function->instructions[e.pc].opcode;
        if ((focused || scope != Scope::Warp) && (op == ptx::Opcode::Bar || op == ptx::Opcode::Barrier)) return Stop::Done;
        break;
      }
    }
  }
}

Stop Session::stepBack(Unit unit, Scope scope, WarpId focus) {
  Impl& i = *impl_;
  const std::uint64_t index = i.history.index();
  if (unit == Unit::Cycle) {
    if (i.playhead.cycle == 0) return index == 0 ? Stop::AtStart : runToStart();
    return seek({i.playhead.cycle - 1, ~0u});
  }
  if (index == 0) {
    i.playhead = {};
    return Stop::AtStart;
  }
  const auto& code = i.history.machine().launch().function->instructions;
  // The newest issue before the playhead that is a whole unit of the scope; the state before it is where we go.
  const auto isUnit = [&](const IssueEvent& e) {
    if (!inScope(scope, focus, e)) return false;
    if (unit == Unit::MemoryRequest) return e.request != timing::noRequest;
    if (unit == Unit::Barrier) return code[e.pc].opcode == ptx::Opcode::Bar || code[e.pc].opcode == ptx::Opcode::Barrier;
    if (unit == Unit::SourceLine) return e.warp == focus;
    return true;
  };
  std::uint64_t k = index;
  while (k > 0 && !isUnit(i.issues()[k - 1])) --k;
  if (k == 0) {
    i.toIndex(0);
    return Stop::AtStart;
  }
  if (unit == Unit::SourceLine) {
    // Back over all issues of that warp on the same line.
    const ptx::SourceLocation line = i.locationOf(i.issues()[k - 1].pc);
    std::uint64_t start = k;
    for (std::uint64_t j = k; j > 0; --j) {
      const IssueEvent& e = i.issues()[j - 1];
      if (e.warp != focus) continue;
      const ptx::SourceLocation there = i.locationOf(e.pc);
      if (there.line != 0 && !Impl::sameLine(there, line)) break;
      start = j;
    }
    k = start;
  }
  i.toIndex(k - 1);
  return Stop::Done;
}

Stop Session::seek(Position position) {
  Impl& i = *impl_;
  const auto& issues = i.issues();
  // Known part by search, the rest by running on.
  const auto after = std::upper_bound(issues.begin(), issues.end(), position, [](const Position& p, const IssueEvent& e) { return p < e.at; });
  i.history.goTo(static_cast<std::uint64_t>(after - issues.begin()));
  Stop stop = Stop::Done;
  if (after == issues.end())
    for (;;) {
      const Advance a = i.history.advance({});
      if (a != Advance::Issued) {
        stop = a == Advance::Finished ? Stop::AtEnd : Stop::Blocked;
        break;
      }
      if (position < i.last()->at) {
        i.history.goTo(i.history.index() - 1);
        break;
      }
    }
  const Position reached = i.last() ? i.last()->at : Position{};
  i.playhead = reached;
  const std::uint64_t limit = stop == Stop::AtEnd ? std::max(reached.cycle, i.history.state().endCycle) : position.cycle;
  if (position.cycle > reached.cycle) i.playhead = {std::min(position.cycle, limit), 0};
  return stop;
}

Stop Session::seekStep(std::uint64_t index) {
  Impl& i = *impl_;
  i.history.goTo(std::min(index, i.history.known()));
  while (i.history.index() < index)
    if (i.history.advance({}) != Advance::Issued) break;
  i.toIndex(i.history.index());
  return i.history.index() == index ? Stop::Done : Stop::AtEnd;
}

Stop Session::runToLine(std::uint32_t file, std::uint32_t line, WarpId focus) {
  Impl& i = *impl_;
  const std::uint64_t start = i.history.index();
  const Position before = i.playhead;
  for (std::uint64_t n = 0; n < i.maxInstructions; ++n) {
    if (i.forward({}) != Advance::Issued) break;
    if (i.last()->warp != focus && n != 0) continue;
    const std::uint32_t pc = i.nextPc(focus);
    const ptx::SourceLocation there = i.locationOf(pc);
    if (pc != ptx::none && there.file == file && there.line == line) return Stop::Done;
  }
  i.history.goTo(start);
  i.playhead = before;
  return Stop::NotFound;
}

Stop Session::runBackToLine(std::uint32_t file, std::uint32_t line, WarpId focus) {
  Impl& i = *impl_;
  for (std::uint64_t k = i.history.index(); k > 0; --k) {
    const IssueEvent& e = i.issues()[k - 1];
    const ptx::SourceLocation there = i.locationOf(e.pc);
    if (e.warp != focus || there.file != file || there.line != line) continue;
    i.toIndex(k - 1);
    return Stop::Done;
  }
  return Stop::NotFound;
}

Stop Session::runToEnd() {
  Impl& i = *impl_;
  i.history.goTo(i.history.known());
  Advance a = Advance::Issued;
  while (a == Advance::Issued && i.history.index() < i.maxInstructions) a = i.history.advance({});
  i.toIndex(i.history.index());
  if (a == Advance::Finished) i.playhead = {std::max(i.playhead.cycle, i.history.state().endCycle), 0};
  return a == Advance::Blocked ? Stop::Blocked : Stop::AtEnd;
}

Stop Session::runToStart() {
  impl_->toIndex(0);
  return Stop::AtStart;
}

const IssueEvent* Session::lastWriter(std::uint64_t address, std::uint32_t sizeBytes) const {
  const Impl& i = *impl_;
  const auto& requests = i.history.trace().requests;
  for (std::uint64_t k = i.history.index(); k > 0; --k) {
    const IssueEvent& e = i.issues()[k - 1];
    if (e.request == timing::noRequest) continue;
    const timing::Request& r = requests[e.request];
    if ((!r.isStore && !r.isAtomic) || r.isShared) continue;
    for (std::uint32_t lanes = r.lanes; lanes != 0; lanes &= lanes - 1) {
      const std::uint64_t a = r.address[static_cast<std::size_t>(__builtin_ctz(lanes))];
      if (a < address + sizeBytes && address < a + r.bytesPerLane) return &e;
    }
  }
  return nullptr;
}

}  // namespace warpmill::session
