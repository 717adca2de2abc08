#include "exec/sequence.h"

#include "exec/functional.h"

#include <fmt/format.h>

namespace warpmill::exec {

Result<PreparedLaunch> prepareStep(const launch::Launch& sequence, std::size_t step, const ModuleOf& moduleOf, const device::Profile& profile,
                                   std::uint64_t seed) {
  WM_ASSERT(step < sequence.sequence.size(), "a launch of the sequence");
  auto device = prepareDevice(sequence);
  if (!device) return device.diagnostics();
  for (std::size_t i = 0;; ++i) {
    const launch::Launch& launch = sequence.sequence[i];
    const auto module = moduleOf(launch.ptxPath);
    if (!module) return module.diagnostics();
    auto prepared = prepareOn(*device, launch, *module, profile, seed);
    if (!prepared || i == step) return prepared;
    FunctionalLimits limits;
    limits.maxInstructions = 200'000'000;
    limits.stopAtFirstFault = true;
    device->memory = std::move(prepared->memory);
    const FunctionalRun run = runFunctional(*prepared->code, device->memory, limits);
    if (run.faults.empty()) continue;
    Diagnostic d;
    d.file = launch.file;
    d.position = launch.position;
    d.message = fmt::format("launch {} of '{}' comes before, and ends with a fault: {}", i + 1, sequence.name, run.faults.front().message);
    d.hint = "look at that launch first";
    return Diagnostics{d};
  }
}

}  // namespace warpmill::exec
