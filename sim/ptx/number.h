// PTX literals: integers of all bases, 0f and 0d bit patterns, decimals.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpmill::ptx {

struct Number {
  enum class Kind : std::uint8_t { Bad, Integer, Float32Bits, Float64Bits, Decimal };  // Decimal: `bits` are those of a double
  Kind kind = Kind::Bad;
  std::uint64_t bits = 0;
};

Number readNumber(std::string_view text);

}  // namespace warpmill::ptx
