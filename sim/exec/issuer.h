// The loop body of execution: like `step`, with what does not change from issue to issue set up once.
#pragma once

#include "exec/op.h"

namespace warpmill::exec {

class Issuer {
 public:
  Issuer(const Code& code, machine::Memory& memory, StepOutcome& outcome);
  Issuer(const Issuer&) = delete;
  Issuer& operator=(const Issuer&) = delete;

  void bind(machine::Block& block, machine::Warp& warp);  // until the warp's vectors are resized or moved
  void issue(const Clock& clock);                         // see `step`

 private:
  const Op* ops_;
  std::uint32_t end_;
  Exec x_;
  // Special registers, then what "_" receives. Left uninitialised: each is written before it is read.
  alignas(64) std::uint32_t scratch_[4 * 64 + 128];
};

}  // namespace warpmill::exec
