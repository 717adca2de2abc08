// Between lines and instructions: what a debugger asks when it sets a breakpoint on a line, or shows both texts side by side.
// Lines are those of one source file (index into Module::files); instructions are numbers within one function.
#pragma once

#include "ptx/module.h"

#include <vector>

namespace warpmill::ptx {

// Instructions of a source line, in order. A line's instructions need not follow one another.
std::vector<std::uint32_t> instructionsOfLine(const Function& function, std::uint32_t file, std::uint32_t line);

// All lines of `file` that have instructions, ascending.
std::vector<std::uint32_t> linesWithCode(const Function& function, std::uint32_t file);

// The first line from `line` on that has instructions: where a breakpoint on a comment or a brace goes. 0: none follows.
std::uint32_t nextLineWithCode(const Function& function, std::uint32_t file, std::uint32_t line);

// Where in the source an instruction belongs; for one without a line of its own (address arithmetic that a compiler moved there), the
// place of the next instruction of its basic block that has one, else of the one before. Line 0: the block has none.
SourceLocation locationNear(const Function& function, std::uint32_t instruction);

// The instruction whose statement stands in a line of the PTX, else the next one below; none: there is none in this function.
std::uint32_t instructionAtPtxLine(const Function& function, std::uint32_t line);

}  // namespace warpmill::ptx
