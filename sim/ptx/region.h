// A kernel's or a function's own instructions, with the functions that it calls expanded in their places where that is possible, as
// ptxas does for small ones: the callee's registers and variables become the region's, its parameters are the caller's `.param`
// variables, its `ret` jumps behind the call. Source positions stay those of the callee. What is not expanded is a CallSite.
// The region of a function works in a frame of its own: its `.local` and `.param` variables are addressed from a register.
#pragma once

#include "ptx/call_graph.h"

namespace warpmill::ptx {

struct Region {
  Function body;                       // of a kernel or function; its numbers are the region's own
  std::vector<CallSite> sites;         // by rising instruction; `routine` and `saved` are filled in later
  std::uint32_t function = none;
  std::uint32_t frameRegister = none;  // of a function: holds the address of its frame
  std::uint32_t frameAlignment = 16;
};

Region buildRegion(const Module& module, const CallGraph& graph, std::uint32_t function);

}  // namespace warpmill::ptx
