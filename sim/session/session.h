// Time travel over one launch: step, seek and run to, forwards and backwards, by snapshots and exact re-execution.
// Opening a session runs the whole launch once with all warps free, so that the timeline is known from the first moment. Stepping
// with a narrower scope freezes the other warps: from there on it is another history, and the trace is recorded anew; `timingHolds`
// is then false. Going back is exact: the state at a position is the same byte for byte however it was reached.
#pragma once

#include "faults/checker.h"
#include "timing/machine.h"

#include <memory>
#include <optional>
#include <vector>

namespace warpmill::session {

using timing::Filter;
using timing::Position;
using timing::WarpId;

enum class Unit : std::uint8_t { Instruction, SourceLine, Cycle, MemoryRequest, Barrier };
enum class Scope : std::uint8_t { Warp, Block, Everything };

struct Options {
  std::uint64_t snapshotBytes = 256ull << 20;   // memory for snapshots; the oldest dense ones are thinned out
  std::uint64_t maxInstructions = 50'000'000;   // of the first run: a hang ends as fault `hang`
  faults::Checks checks;                        // for faults()
};

enum class Stop : std::uint8_t { Done, AtStart, AtEnd, Blocked /* the scope's warps cannot go on alone */, NotFound };

class Session {
 public:
  static Result<std::unique_ptr<Session>> open(std::shared_ptr<const timing::Machine> machine, Options options = {});
  ~Session();

  [[nodiscard]] const timing::Machine& machine() const;
  [[nodiscard]] const timing::MachineState& state() const;   // at the playhead
  [[nodiscard]] const timing::Trace& trace() const;          // of the present history, its future included as far as it is known
  // The playhead: {cycle, slot} of the last issue that the state includes, or a later cycle in which nothing has issued yet.
  [[nodiscard]] Position position() const;
  [[nodiscard]] std::uint64_t stepIndex() const;             // issues made so far
  [[nodiscard]] std::uint64_t stepCount() const;             // issues of the present history, as far as known
  [[nodiscard]] bool timingHolds() const;                    // false after steps that froze warps
  // The issue made last before the playhead, or nullptr at the start.
  [[nodiscard]] const timing::IssueEvent* lastIssue() const;

  // `focus` says which warp or block for the narrower scopes, and whose line SourceLine means. With Scope::Everything the unit is
  // that of the focused warp, except Instruction (the next issue of anyone) and Cycle.
  Stop step(Unit unit, Scope scope, WarpId focus);
  Stop stepBack(Unit unit, Scope scope, WarpId focus);
  // The state after all issues up to and including `position`; {c, ~0u} is the end of cycle c. seek(position()) changes nothing.
  Stop seek(Position position);
  Stop seekStep(std::uint64_t index);
  Stop runToLine(std::uint32_t file, std::uint32_t line, WarpId focus);      // next time the warp is about to issue it
  Stop runBackToLine(std::uint32_t file, std::uint32_t line, WarpId focus);
  Stop runToEnd();
  Stop runToStart();
  // The issue that last wrote these bytes of global memory before the playhead, if the trace has it.
  [[nodiscard]] const timing::IssueEvent* lastWriter(std::uint64_t address, std::uint32_t sizeBytes) const;
  // All faults of the launch with all warps free: those of the run in time, and those that a look at every access finds (see
  // faults/checker.h). They do not depend on the playhead; made on the first call, which runs the launch once more without time.
  const std::vector<machine::Fault>& faults();
  // The issue that made a fault, as a number of steps before it: seekStep of that is the moment before, of one more the moment after. In
  // another history of which the fault is no part: nothing. A hang has no such issue but the last one of a warp that waits.
  [[nodiscard]] std::optional<std::uint64_t> stepOf(const machine::Fault& fault) const;
  // The same of another party: the last time before the fault's step that its thread was at the instruction, else the first time.
  [[nodiscard]] std::optional<std::uint64_t> stepOf(const machine::OtherParty& party, std::uint64_t faultStep) const;
  // Where the warp stands before its next issue: its next instruction number, or ptx::none (not resident).
  [[nodiscard]] std::uint32_t nextPc(WarpId warp) const;
  // Snapshots held and about how many bytes they take.
  [[nodiscard]] std::size_t snapshotCount() const;
  [[nodiscard]] std::uint64_t snapshotBytes() const;

 private:
  Session();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpmill::session
