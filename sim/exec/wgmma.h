// What a decoded wgmma carries besides its operands, packed in Op::aux2. Op::aux is N | K << 16; D's registers are Code::manySlots from
// Op::offset on; `a`, `b` the descriptors (A's registers in `elements`), `c` the positions of a sparse A, `predicate` scale-d.
#pragma once

#include <cstdint>

namespace warpmill::exec {

struct WgmmaFlags {
  bool fromRegisters = false, negateA = false, negateB = false, acrossA = false, acrossB = false, sparse = false;  // across: transposed
  unsigned selector = 0;
  [[gnu::always_inline]] static WgmmaFlags of(std::uint32_t bits) {
    return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0, (bits & 32) != 0, bits >> 8};
  }
  [[nodiscard]] std::uint32_t packed() const {
    return (fromRegisters ? 1u : 0) | (negateA ? 2u : 0) | (negateB ? 4u : 0) | (acrossA ? 8u : 0) | (acrossB ? 16u : 0) | (sparse ? 32u : 0) | selector << 8;
  }
};

}  // namespace warpmill::exec
