// The order in which ptxas would issue, as far as it changes when a warp has to wait: see `sinks` and `joins` in lowering.h.
// Simplified: within one straight stretch of code; the number of registers does not limit how many loads go ahead.
#pragma once

#include "lowering/lowering.h"

namespace warpmill::lowering {

void schedule(const ptx::Function& function, Lowered& lowered);

}  // namespace warpmill::lowering
