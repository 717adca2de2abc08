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
  void blocks(const std::uint8_t* data, std::size_t count);
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::size_t pendingBytes_ = 0;
  std::uint64_t totalBytes_ = 0;
};

std::string sha256Hex(std::span<const std::uint8_t> bytes);

// The two ways in which `count` blocks of 64 bytes go into a state: portable, and by the x86 SHA instructions where there are such.
using Sha256State = std::array<std::uint32_t, 8>;
void sha256BlocksPortable(Sha256State& state, const std::uint8_t* data, std::size_t count);
void sha256BlocksX86(Sha256State& state, const std::uint8_t* data, std::size_t count);
bool hasX86Sha();

}  // namespace warpmill
