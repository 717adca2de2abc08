// Copies, integer additions and shifts by constants can be done by the pipe of integer products as well as by the one for logic (IMAD.MOV,
// IMAD.IADD, IMAD.SHL); ptxas gives them to the one that has less to do in the block. Expanded divisions are a mixture of both.
#pragma once

#include "lowering/graph.h"

namespace warpmill::lowering {

void balancePipes(const ptx::Function& function, const device::Profile& profile, const Graph& graph, Lowered& lowered);

}  // namespace warpmill::lowering
