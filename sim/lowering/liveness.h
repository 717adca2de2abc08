// How many 32-bit registers a thread needs, from the lifetimes of PTX registers.
// ptxas issues global loads ahead as long as registers are free up to 32, and shared loads and addresses late when they are not; so is it counted.
// Simplified: no spilling; ptxas' own choice differs by some.
#pragma once

#include "lowering/lowering.h"

namespace warpmill::lowering {

std::uint32_t estimateRegisters(const ptx::Function& function, const Lowered& lowered);
// Most predicates that are wanted at one time. The machine has seven.
std::uint32_t livePredicates(const ptx::Function& function, const Lowered& lowered);

}  // namespace warpmill::lowering
