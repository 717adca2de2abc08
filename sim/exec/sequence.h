// One launch of a sequence made ready, for those who look at a single launch: the launches before it have run, for their results only.
#pragma once

#include "exec/prepare.h"

#include <functional>

namespace warpmill::exec {

// The module of a PTX file, the same one whenever it is asked for again.
using ModuleOf = std::function<Result<std::shared_ptr<const ptx::Module>>(const std::string& path)>;

// `step` counts from 0. An error also when a launch before it has a fault or does not end.
Result<PreparedLaunch> prepareStep(const launch::Launch& sequence, std::size_t step, const ModuleOf& moduleOf, const device::Profile& profile,
                                   std::uint64_t seed = 0);

}  // namespace warpmill::exec
