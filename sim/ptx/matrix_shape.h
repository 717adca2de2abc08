// The shape and the element types of a matrix instruction (mma, mma.sp, wmma), as its modifiers tell them.
#pragma once

#include "ptx/module.h"

#include <cstdint>
#include <string_view>

namespace warpmill::ptx {

// ".m16n8k16" as m | n << 8 | k << 16; 0: none.
std::uint32_t matrixShape(std::string_view modifiers);
// Of A. wmma does not write it when it is f16.
Type typeOfA(const Instruction& instruction);
// 1 for .b1, 4 for .s4, 32 for .tf32, ...
std::uint32_t bitsOfElement(Type type);

}  // namespace warpmill::ptx
