// SHA-256, for the fingerprints of buffers in reports.
// Source: FIPS 180-4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace warpmill {

class Sha256 {
 public:
  void update(std::span<const std::uint8_t> bytes);
  // The digest as 64 lower-case hex digits; the object is used up afterwards.
  std::string hex();

 private:
  void block(const std::uint8_t* data);
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::size_t pendingBytes_ = 0;
  std::uint64_t totalBytes_ = 0;
};

std::string sha256Hex(std::span<const std::uint8_t> bytes);

}  // namespace warpmill
