// Which registers hold values that are still wanted, at chosen places of a function.
#pragma once

#include "ptx/cfg.h"

#include <vector>

namespace warpmill::ptx {

// For each of `places` (instruction numbers, rising): the registers that are read later on some way without being written before,
// those that the instruction itself writes left out. Needs Function::blockBegin and its control flow.
std::vector<std::vector<std::uint32_t>> liveAfter(const Function& function, const ControlFlow& flow, const std::vector<std::uint32_t>& places);

}  // namespace warpmill::ptx
