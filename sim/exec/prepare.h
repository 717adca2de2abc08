// From a launch file's launch to a machine that can run: module, memory with its buffers, parameter block, decoded code.
#pragma once

#include "device/profile.h"
#include "exec/code.h"
#include "launch/launch.h"

#include <memory>

namespace warpmill::exec {

struct PreparedLaunch {
  launch::Launch launch;
  std::shared_ptr<const ptx::Module> module;  // shared by the launches of a suite
  const ptx::Function* function = nullptr;
  machine::Memory memory;                     // as it is before the first instruction
  std::vector<std::uint32_t> argumentAllocation;  // by argument: index into memory.allocations(), ptx::none for scalars
  std::shared_ptr<const Code> code;
};

// Errors: kernel not found, wrong argument count or size (positions in the launch file), block shape against .reqntid/.maxntid, limits
// of the device. Reads initial bytes of buffers.
Result<PreparedLaunch> prepare(const launch::Launch& launch, std::shared_ptr<const ptx::Module> module, const device::Profile& profile,
                               std::uint64_t seed = 0);

}  // namespace warpmill::exec
