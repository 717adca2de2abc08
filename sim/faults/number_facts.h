// Where floating-point numbers are in a kernel's registers, found once: what each instruction reads and writes as which format, and the
// sums and products in double precision that serve values of single precision only.
#pragma once

#include "exec/op.h"

#include <vector>

namespace warpmill::faults {

enum class Real : std::uint8_t { None, F16, BF16, F16x2, BF16x2, F32, F64 };
Real realOf(ptx::Type type);

struct NumberPlace {
  std::uint32_t plane = ptx::none;  // none: a constant
  Real real = Real::None;
  std::uint64_t constant = 0;
};

enum class NumberWork : std::uint8_t {
  None,
  Compute,   // gives a number of its own
  Matrix,    // the same, from the operands of all lanes
  Move,      // passes on what it reads: moves, choices, bits
  Exchange,  // shfl
  Load, Store, StoreMatrix, Atomic,
  ToInteger
};

struct NumberFacts {
  NumberWork work = NumberWork::None;
  bool flushes = false;          // f32 with .ftz
  bool isDetour = false;         // in double precision, between a float that was widened and one that is rounded back
  std::vector<NumberPlace> sources, destinations;
};

// By instruction.
std::vector<NumberFacts> numberFactsOf(const exec::Code& code);

}  // namespace warpmill::faults
