// Divisions are a reciprocal of the divisor and a quotient from it. The reciprocal is computed once for the divisions by one divisor that it
// dominates, and in front of loops in which the divisor does not change.
// Source: the machine code of ptxas 13.0 for sm_90.
#pragma once

#include "lowering/graph.h"

namespace warpmill::lowering {

void shareReciprocals(const ptx::Function& function, const device::Profile& profile, const Graph& graph, Lowered& lowered);

}  // namespace warpmill::lowering
