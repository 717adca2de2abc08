// The functional run of a grid of clusters: the blocks of a cluster run beside one another, clusters in their natural order.
#pragma once

#include "exec/functional.h"

namespace warpmill::exec {

void runClusters(const Code& code, machine::Memory& memory, const FunctionalLimits& limits, FunctionalRun& result);

}  // namespace warpmill::exec
