// Calls are expanded in place: a kernel's instructions then hold those of the functions that it calls, as ptxas does for small ones.
// The callee's registers and variables become the kernel's, its parameters are the caller's `.param` variables, its `ret` jumps behind
// the call. Source positions stay those of the callee.
// Simplified: recursion, indirect calls and functions without a body stay calls, which the simulator cannot execute.
#pragma once

#include "ptx/module.h"

namespace warpmill::ptx {

// Needs the layout; control flow is to be analysed afterwards.
void inlineCalls(Module& module);

}  // namespace warpmill::ptx
