// How many 32-bit registers a thread needs, from the lifetimes of PTX registers.
// Simplified: no scheduling and no spilling; ptxas' own choice differs by a few.
#pragma once

#include "lowering/lowering.h"

namespace warpmill::lowering {

std::uint32_t estimateRegisters(const ptx::Function& function, const Lowered& lowered);
// Most predicates that are wanted at one time. The machine has seven.
std::uint32_t livePredicates(const ptx::Function& function, const Lowered& lowered);

}  // namespace warpmill::lowering
