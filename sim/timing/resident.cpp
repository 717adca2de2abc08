#include "timing/resident.h"

#include "lowering/lowering.h"

#include <algorithm>

namespace warpmill::timing {

std::uint64_t residentBlocks(const exec::PreparedLaunch& launch, const device::Profile& profile) {
  const exec::LaunchContext& context = launch.code->context();
  const std::uint64_t blocks = std::uint64_t{context.grid.x} * context.grid.y * context.grid.z;
  const auto sms = static_cast<std::uint64_t>(profile.smCount);
  if (blocks <= sms) return 0;
  const std::uint32_t threads = context.block.x * context.block.y * context.block.z, shared = context.staticSharedBytes + context.dynamicSharedBytes;
  const std::uint32_t registers = lowering::lower(*launch.module, *launch.function, profile).registersPerThread;
  const std::uint64_t places = std::max<std::uint64_t>(device::occupancy(profile, threads, registers, shared).blocksPerSm, 1) * sms;
  return blocks <= places ? 0 : places;
}

}  // namespace warpmill::timing
