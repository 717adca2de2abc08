// Blocks on several threads, with the results of one: stretches of blocks run speculatively, each on its own copy of the memory (whose
// pages are shared until written), and are committed in the order of the blocks. A stretch that has read what an earlier one wrote after
// the copy was made is thrown away and run again in its turn; so are one that waits for other blocks and one in which a limit is reached.
// Which stretches there are and who runs them changes nothing in the results: not the buffers, not the faults and their order, no count.
#pragma once

#include "exec/functional.h"

namespace warpmill::exec {

void runParallel(const Code& code, machine::Memory& memory, const FunctionalLimits& limits, FunctionalRun& result);

}  // namespace warpmill::exec
