// The control-flow graph of a function: basic blocks, dominators, post-dominators, loops.
// Simplified: a `call` is an instruction like others; an indirect branch goes where its table says.
#pragma once

#include "ptx/module.h"

#include <vector>

namespace warpmill::ptx {

struct ControlFlow {
  std::vector<std::uint32_t> blockOf;                  // by instruction
  std::vector<std::vector<std::uint32_t>> successors;  // by block, each block once
  std::vector<std::vector<std::uint32_t>> predecessors;
  std::vector<std::uint32_t> dominator;  // immediate; none: the entry, or never reached
  // Immediate post-dominator; none: only the exit. Ways that end early (`exit`, `trap`, a `ret` that is not the function's last) do
  // not count for blocks that can reach the last `ret`: lanes that took one are gone and nobody waits for them.
  std::vector<std::uint32_t> postDominator;
  [[nodiscard]] bool dominates(std::uint32_t a, std::uint32_t b) const;
};

// Needs Function::blockBegin (set by analyseControlFlow).
ControlFlow controlFlow(const Function& function);

// Fills blockBegin and each branch's `reconvergence` and `spinLoop`.
void analyseControlFlow(Function& function);

// A branch that lanes of a warp may take differently: guarded and not `.uni`, or by a table.
bool mayDiverge(const Instruction& instruction);
// Nothing follows it on this path: ret, exit, trap, an unguarded bra, brx.idx.
bool endsPath(const Instruction& instruction);

}  // namespace warpmill::ptx
