// Kernels and the functions that they call, made one list of instructions. Calls are expanded in place where that is possible (see
// ptx/region.h). Others are real: the bodies of recursive functions, of those called through pointers and of what would make a kernel
// too long stand behind the kernel's own instructions, once each, as routines. Registers are the routine's, not the activation's; what
// the caller still wants of them while the routine may run again inside the call is kept for the activation (CallSite::saved), as
// compiled code spills it to the stack.
#pragma once

#include "ptx/module.h"

namespace warpmill::ptx {

// Needs the layout. Analyses the control flow of kernels that get routines; that of others is to be analysed afterwards.
void linkCalls(Module& module);

}  // namespace warpmill::ptx
