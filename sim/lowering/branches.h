// Short forward branches that ptxas replaces by predicates, and the convergence barriers (BSSY, BSYNC) round those over which lanes may part.
// Of a replaced branch nothing is left; its arms' instructions are issued whichever way the warp goes.
// Source: the machine code of ptxas 13.0 for arms of rising length: six instructions when lanes may part, four when the predicate is uniform;
// loads and atomics of global memory keep their branch.
#pragma once

#include "lowering/graph.h"

namespace warpmill::lowering {

void convertBranches(const ptx::Function& function, const device::Profile& profile, const Graph& graph, Lowered& lowered);

}  // namespace warpmill::lowering
