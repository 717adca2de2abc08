// What of a kernel cannot be executed here: known before it runs.
#pragma once

#include "exec/code.h"

namespace warpmill::exec {

// Numbers of the instructions that end as `unsupported` when they are reached, rising.
std::vector<std::uint32_t> unsupportedInstructions(const Code& code);

}  // namespace warpmill::exec
