// Natural loops, and those among them that wait for memory.
#pragma once

#include "ptx/cfg.h"

#include <vector>

namespace warpmill::ptx {

struct Loop {
  std::uint32_t header = 0;           // block
  std::vector<std::uint32_t> blocks;  // in order, header included
};

std::vector<Loop> naturalLoops(const ControlFlow& flow);  // loops with one header are one loop; by header

// Sets Instruction::spinLoop: on the branches that repeat or leave a loop whose end hangs on a value that the loop reads by an atomic,
// volatile, acquiring or otherwise uncached access.
// Does the instruction look at memory that others may be about to change? A real call does when its modifiers' order is Volatile, which
// it is given when what it calls does (see call_graph.h).
bool pollsMemory(const Instruction& instruction);

void markSpinLoops(Function& function, const ControlFlow& flow);

}  // namespace warpmill::ptx
