// How many blocks of a launch the device holds at a time: what a barrier of the whole grid can count on.
#pragma once

#include "device/profile.h"
#include "exec/prepare.h"

namespace warpmill::timing {

// 0: all of the grid, as there is a place for each.
std::uint64_t residentBlocks(const exec::PreparedLaunch& launch, const device::Profile& profile);

}  // namespace warpmill::timing
