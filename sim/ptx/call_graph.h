// Who may call whom in a module, and which functions may come back to themselves.
// Simplified: a call through a pointer may reach every function whose address is taken anywhere in the module, whatever its prototype.
#pragma once

#include "ptx/module.h"

#include <vector>

namespace warpmill::ptx {

struct CallGraph {
  std::vector<std::vector<std::uint32_t>> callees;  // by function; through pointers too
  std::vector<std::uint32_t> addressTaken;          // functions with a body that a register or a variable may point to
  std::vector<std::uint32_t> group;                 // functions that can reach each other have the same number
  std::vector<bool> recursive;                      // by function: it may be called again while it runs
  std::vector<bool> polls;                          // by function, and one more for calls through pointers: it, or what it calls, looks at
                                                    // memory that others change (see loops.h)
  [[nodiscard]] bool sameGroup(std::uint32_t a, std::uint32_t b) const { return a == b ? recursive[a] : group[a] == group[b]; }
};

CallGraph callGraph(const Module& module);

}  // namespace warpmill::ptx
