// Where variables live: offsets in the constant, global and shared segments.
#pragma once

#include "ptx/module.h"
#include "ptx/reporter.h"

namespace warpmill::ptx {

// Needs all instructions: a shared variable counts for the kernels that use it, be it through a function they call.
void layOut(Module& module, Reporter& reporter);

}  // namespace warpmill::ptx
