// Values as text for debuggers: a register of one lane by its PTX type, bytes of memory by a type.
#pragma once

#include "machine/warp.h"
#include "ptx/module.h"

#include <cstdint>
#include <string>

namespace warpmill::exec {

// How a 16-, 32- or 64-bit value without a type of its own (.b32 ...) is shown.
enum class Untyped : std::uint8_t { Unsigned, Signed, Hex, Float };

// "3.14159274", "-5", "true", "0x7f0000000200"; f32 and f64 with as many digits as identify the value, packed halves as "(0.5, 2)".
std::string formatValue(ptx::Type type, std::uint64_t bits, Untyped untyped = Untyped::Unsigned);

// The bits of register `index` of the function in one lane of a warp: a predicate gives 0 or 1, a .b128 its low half.
std::uint64_t registerBits(const ptx::Function& function, const machine::Warp& warp, std::uint32_t index, unsigned lane);
std::string formatRegister(const ptx::Function& function, const machine::Warp& warp, std::uint32_t index, unsigned lane,
                           Untyped untyped = Untyped::Unsigned);

}  // namespace warpmill::exec
