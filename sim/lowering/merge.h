// Neighbouring accesses to shared memory that ptxas makes one: scalar loads (or stores) of one base register, at offsets within 8 or 16
// bytes of which it knows that they are aligned. The first load of them (the last store) takes in the others.
// Source: machine code of ptxas 13.0 for small kernels. It knows where static arrays lie, whatever alignment they ask for.
#pragma once

#include "lowering/graph.h"

namespace warpmill::lowering {

void mergeSharedAccesses(const ptx::Function& function, const Graph& graph, Lowered& lowered);

}  // namespace warpmill::lowering
