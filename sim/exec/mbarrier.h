// An mbarrier: 64 bits in shared memory. The layout is our own, as it is the hardware's: pending arrivals in bits 0 to 19, those that a
// phase expects in 20 to 39, bytes that are still to come (signed) in 40 to 61, the phase in 63.
// Source: PTX ISA 9.0, 9.7.13.15.
#pragma once

#include <cstdint>
#include <cstring>

namespace warpmill::exec {

class Mbarrier {
 public:
  explicit Mbarrier(std::uint8_t* at) : at_(at) { std::memcpy(&word_, at, 8); }

  [[nodiscard]] std::uint64_t word() const { return word_; }
  [[nodiscard]] static std::uint32_t pending(std::uint64_t word) { return static_cast<std::uint32_t>(word & countMask); }
  [[nodiscard]] static std::uint32_t phase(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 63); }

  [[nodiscard]] static std::int32_t bytesToCome(std::uint64_t word) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(word >> 40 & 0x3FFFFF) << 10) >> 10;
  }

  void init(std::uint32_t count) { set(count & countMask, count & countMask, 0, 0); }
  void arrive(std::uint32_t count) { set(pending(word_) - count, expected(), bytes(), phase(word_)); }
  void drop(std::uint32_t count) { set(pending(word_) - count, expected() - count, bytes(), phase(word_)); }
  void expectOneMore() { set(pending(word_) + 1, expected(), bytes(), phase(word_)); }
  void expect(std::uint32_t more) { set(pending(word_), expected(), bytes() + static_cast<std::int32_t>(more), phase(word_), false); }
  void complete(std::uint32_t count) { set(pending(word_), expected(), bytes() - static_cast<std::int32_t>(count), phase(word_)); }

 private:
  static constexpr std::uint64_t countMask = (1u << 20) - 1;
  [[nodiscard]] std::uint32_t expected() const { return static_cast<std::uint32_t>(word_ >> 20 & countMask); }
  [[nodiscard]] std::int32_t bytes() const { return bytesToCome(word_); }
  // A phase is complete when nobody and nothing is awaited any more; the next begins at once.
  void set(std::uint64_t pendingNow, std::uint64_t expectedNow, std::int32_t bytesNow, std::uint64_t phaseNow, bool mayComplete = true) {
    pendingNow &= countMask;
    expectedNow &= countMask;
    if (mayComplete && pendingNow == 0 && bytesNow == 0) {
      pendingNow = expectedNow;
      phaseNow ^= 1;
    }
    word_ = pendingNow | expectedNow << 20 | (static_cast<std::uint64_t>(static_cast<std::uint32_t>(bytesNow)) & 0x3FFFFF) << 40 | phaseNow << 63;
    std::memcpy(at_, &word_, 8);
  }
  std::uint8_t* at_;
  std::uint64_t word_ = 0;
};

}  // namespace warpmill::exec
