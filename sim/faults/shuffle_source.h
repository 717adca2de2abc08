// The lane that a shuffle gives a lane its value from.
// Source: PTX ISA 9.0, shfl.sync.
#pragma once

#include "ptx/module.h"

namespace warpmill::faults {

inline unsigned shuffleSource(ptx::ShflMode mode, unsigned lane, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t by = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const std::uint32_t most = (lane & segment) | (clamp & ~segment);
  std::uint32_t from = lane;
  bool good = false;
  switch (mode) {
    case ptx::ShflMode::Up: from = lane - by; good = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(most); break;
    case ptx::ShflMode::Down: from = lane + by; good = from <= most; break;
    case ptx::ShflMode::Bfly: from = lane ^ by; good = from <= most; break;
    default: from = (lane & segment) | (by & ~segment & 31); good = from <= most; break;
  }
  return good ? from & 31 : lane;
}

}  // namespace warpmill::faults
