// What would help: the launch simulated again on devices that lack one bottleneck each, and what that gains.
// Simplified: each bottleneck alone; two together may hide one another.
#pragma once

#include "cli/simulate.h"

namespace warpmill::cli {

// Runs the launch once for each remedy; those of the outcome's report must have a time. Sorted by what they gain.
std::vector<Remedy> whatIf(const launch::Launch& launch, const profile::Report& base, const device::Profile& profile, Modules& modules, const SimulateOptions& options);
std::string textOf(const std::vector<Remedy>& remedies);

}  // namespace warpmill::cli
