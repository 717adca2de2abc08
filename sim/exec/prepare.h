// From a launch file's launch to a machine that can run: module, memory with its buffers, parameter block, decoded code.
#pragma once

#include "device/profile.h"
#include "exec/code.h"
#include "launch/launch.h"

#include <memory>

namespace warpmill::exec {

// A device between the launches of a sequence: memory, and what in it has a name. Empty: a fresh device.
struct DeviceState {
  machine::Memory memory;
  std::vector<std::uint32_t> buffers;   // by buffer of the sequence: allocation
  struct Loaded {
    std::shared_ptr<const ptx::Module> module;
    std::vector<std::uint32_t> variables;   // by Module::variables: allocation, or ptx::none
  };
  std::vector<Loaded> modules;          // in the order in which they were loaded: their variables keep their values
};

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

// The buffers of a sequence on a fresh device. `sequence` may also be a single launch: then there are none.
Result<DeviceState> prepareDevice(const launch::Launch& sequence);
// A launch of a sequence on the device as the launches before left it. Modules that are loaded for it are added to `device`; its memory
// is for the caller to put back when the launch is over.
Result<PreparedLaunch> prepareOn(DeviceState& device, const launch::Launch& launch, std::shared_ptr<const ptx::Module> module,
                                 const device::Profile& profile, std::uint64_t seed = 0);

}  // namespace warpmill::exec
