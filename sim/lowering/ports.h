// FP32 instructions that read three registers. The register file of a sub-partition has two banks (even and odd registers) that give a
// register a cycle each, so that of three different ones two come from the same bank: the pipe is taken for two cycles instead of one.
// Operands that stay the same from one instruction to the next are kept in a reuse cache, as long as no other warp issues in between: a
// warp whose instructions form fewer than four chains has to wait for its own results, and another takes its turn. Constants, immediates
// and uniform registers do not come from the banks.
// Simplified: which register lies in which bank is not known; two operands are taken to be in different ones, as ptxas tries to put them.
// Where no operand stays in its place the crowded bank changes, too: two in a row with different ones take three cycles, so that one in
// four is counted with one cycle.
// Source: measured on an H200: FFMA with three registers 1.97 cycles each in a chain a warp, 1.54 in two, 1.34 in three, 1.05 in four (one
// warp can then go on without a pause), 1.00 when one operand is a uniform register; Huerta et al., MICRO 2025, on the banks and the cache.
#pragma once

#include "lowering/graph.h"

namespace warpmill::lowering {

void findPortConflicts(const ptx::Function& function, const device::Profile& profile, const Graph& graph, Lowered& lowered);

}  // namespace warpmill::lowering
