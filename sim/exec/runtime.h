// Functions of the device's own runtime, which compiled code calls without having their bodies: vprintf, malloc, free, __assertfail.
// Simplified: hardware's runtime runs instructions of its own for them; here each is done at once, in the call.
// Source: CUDA C++ Programming Guide, "Formatted Output", "Dynamic Global Memory Allocation and Operations", "Assertion"; what nvcc and
// clang emit for them.
#pragma once

#include "exec/op.h"

namespace warpmill::exec {

enum class RuntimeFunction : std::uint8_t { None, Printf, Malloc, Free, AssertFail };

// By name and shape, of a function without a body.
RuntimeFunction runtimeFunction(const ptx::Function& function);

// Does it for each lane, in the order of lanes. The lanes of a failed assertion are for the caller to end.
void callRuntime(Exec& x, const Op& op, RuntimeFunction function, LaneMask lanes);

// Does the kernel call malloc or free, as far as can be told from its calls?
bool usesHeap(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace warpmill::exec
