// The peephole rules: PTX instructions that the machine does in passing (addresses, copies, halves of 64-bit values, the first of two
// additions), and those that share work (the reciprocals of divisions by one divisor, the base of shared memory).
// Source: the machine code of ptxas 13.0 for sm_90.
#pragma once

#include "lowering/graph.h"

namespace warpmill::lowering {

void foldInstructions(const ptx::Module& module, const ptx::Function& function, const device::Profile& profile, const Graph& graph, Lowered& lowered);

// More machine instructions for one that may have been folded.
void addIssues(TimedOp& op, unsigned count, const device::Profile& profile);

}  // namespace warpmill::lowering
