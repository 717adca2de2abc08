// Operations whose rounding is not "to nearest": done with the host's rounding mode, which is set and put back around them.
#pragma once

#include <cstdint>

namespace warpmill::exec {

// `mode`: 0 nearest, 1 toward zero, 2 down, 3 up (in the order of Round).
double integerToDouble(std::uint64_t value, bool isSigned, int mode);

}  // namespace warpmill::exec
