// Loops that ptxas unrolls: those of one basic block that count in constant steps to a bound that does not change, without
// `.pragma "nounroll"`. By four when the body is short enough, wholly when the number of rounds is known and small. What counts and
// branches is then needed once in a while, and loads of several rounds are on their way together.
// Simplified: the rounds that are left over are taken for parts of a whole one, and what decides between them costs nothing.
// Source: the machine code of ptxas 13.0 for loops of rising length: up to 21 machine instructions when nothing takes long, about 50 with
// global loads, three more for every two shared ones.
#pragma once

#include "lowering/graph.h"

namespace warpmill::lowering {

void unrollLoops(const ptx::Module& module, const ptx::Function& function, const Graph& graph, Lowered& lowered);

}  // namespace warpmill::lowering
