// Someone who looks at a functional run instruction by instruction: the checks of sim/faults. The run shows it only the instructions
// that it asks for, and costs nothing when there is none.
#pragma once

#include "exec/op.h"

namespace warpmill::exec {

class Observer {
 public:
  // For each instruction, by pc: pass over it, or show it after, before, or both.
  enum Watch : std::uint8_t { Ignored = 0, After = 1, Before = 2 };

  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  // Once, before the first instruction. Faults found are added to `faults` (at most `mostFaults` different ones), in the order of the run.
  virtual void begin(const Code& code, const machine::Memory& memory, std::vector<machine::Fault>& faults, std::size_t mostFaults) = 0;
  virtual void end() {}  // after the last one
  // The instructions that follow are this warp's.
  virtual void runs(const machine::Block& block, const machine::Warp& warp) = 0;
  // What of the warp's instructions is to be shown from now on; asked again after each one that was shown.
  virtual const std::uint8_t* watched() = 0;
  // Registers and memory are as the instruction will find them; `executed`: lanes whose guard holds.
  virtual void before(Exec& x, const Op& op, LaneMask executed) = 0;
  // x.outcome says what it did, addresses included.
  virtual void after(Exec& x, const Op& op) = 0;
};

}  // namespace warpmill::exec
