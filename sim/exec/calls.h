// Calls, returns and tables of branches; the stack of each thread.
// A routine's frame lies in local memory behind its caller's: parameters, returned values, variables, and what alloca takes. What a call
// leaves for the return (where to, and registers that the routine may overwrite) lies in machine::CallStack. Both together may take
// LaunchContext::stackBytes a thread; a call that needs more is a fault and ends the thread.
// Simplified: hardware passes the first arguments in registers and keeps what compiled code spills; frames here have other sizes, so that
// a given stack lets calls go to another depth. Its default stack is 1 KiB a thread, here it is 16 KiB.
#pragma once

#include "exec/op.h"

namespace warpmill::exec {

// The rest of a step of path `path` whose instruction is a call, a return from a routine, or a brx.idx. `end` as for moveTo.
void stepCall(Exec& x, const Op& op, std::uint32_t path, std::uint32_t end, LaneMask executed);
void stepReturn(Exec& x, const Op& op, std::uint32_t path, std::uint32_t end, LaneMask executed);
void stepTable(Exec& x, const Op& op, std::uint32_t path, std::uint32_t end, LaneMask executed);

// Local memory of at least so many bytes for each lane of the warp; what is there stays.
void growLocal(Exec& x, std::uint64_t bytes);

}  // namespace warpmill::exec
