// Many launches simulated, several at a time.
#pragma once

#include "cli/simulate.h"

namespace warpmill::cli {

// Which way a mode ("auto", "detailed", ...) runs; nothing, and the exit code, when it was said why not.
std::optional<Mode> parseMode(const std::string& text, int& exitCode);

// In the order of the launches, whatever the number of threads. A launch that needs more memory than there is is refused and takes no
// other with it. keepMemory: what the kernels left in memory is kept.
std::vector<Outcome> simulateAll(const std::vector<launch::Launch>& launches, const device::Profile& profile, const SimulateOptions& options,
                                 unsigned jobs, bool keepMemory);

}  // namespace warpmill::cli
