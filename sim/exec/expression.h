// What a fault's expression was made of: its registers, where each of them got its value, and what one thread's value is.
// Simplified: followed within the function's text. A register that is written in one place only is followed there; one that is written in
// several is followed to the last of them before it in the same basic block, else its value is shown alone.
#pragma once

#include "exec/code.h"

namespace warpmill::exec {

// Of the instruction `pc`, with the values that `lane` of the warp has now.
std::vector<machine::ExpressionStep> expressionOf(const Code& code, const machine::Block& block, const machine::Warp& warp, std::uint32_t pc, unsigned lane,
                                                  machine::About about);

// The branch that decides whether a thread comes to the instruction: the innermost one of which only one side leads there. ptx::none: there is none.
std::uint32_t decidingBranch(const ptx::Function& function, std::uint32_t pc);

}  // namespace warpmill::exec
