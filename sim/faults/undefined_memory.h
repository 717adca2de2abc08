// Which bytes of memory nobody has written: of shared and local memory, and of the buffers in global memory that began so. What is known of
// buffers is kept from one launch of a sequence to the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace warpmill::faults {

// 1 where a byte is defined, 0 where nothing was written, 2 where something undefined was.
struct DefinedBytes {
  std::vector<std::uint8_t> defined;
  std::uint64_t missing = 0;
  void reset(std::uint64_t bytes) { defined.assign(bytes, 0), missing = bytes; }
  [[nodiscard]] bool isAll(std::uint64_t at, std::uint32_t count) const {
    if (count == 4) return word<std::uint32_t>(at) == 0x01010101u;
    if (count == 8) return word<std::uint64_t>(at) == 0x0101010101010101ull;
    if (count == 16) return (word<std::uint64_t>(at) & word<std::uint64_t>(at + 8)) == 0x0101010101010101ull;
    return undefined(at, count) == 0;
  }
  template <class T> [[nodiscard]] T word(std::uint64_t at) const {
    T value;
    std::memcpy(&value, defined.data() + at, sizeof value);
    return value;
  }
  void set(std::uint64_t at, std::uint32_t count, std::uint32_t undefinedBits) {
    if (undefinedBits == 0 && isAll(at, count)) return;
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint8_t now = (undefinedBits >> k & 1) == 0 ? 1 : 2;
      missing += std::uint64_t{now != 1} - (defined[at + k] != 1);
      defined[at + k] = now;
    }
  }
  [[nodiscard]] std::uint32_t undefined(std::uint64_t at, std::uint32_t count) const {  // a bit a byte
    std::uint32_t bits = 0;
    for (std::uint32_t k = 0; k < count; ++k) bits |= (defined[at + k] != 1 ? 1u : 0u) << k;
    return bits;
  }
};

struct UndefinedMemory {
  static constexpr std::uint64_t pageBytes = 4096;
  struct Range {
    std::uint64_t base = 0, sizeBytes = 0;
    std::vector<std::unique_ptr<DefinedBytes>> pages;  // nullptr: not touched yet
    Range(std::uint64_t from, std::uint64_t bytes) : base(from), sizeBytes(bytes), pages((bytes + pageBytes - 1) / pageBytes) {}
    DefinedBytes& page(std::uint64_t address) {
      auto& p = pages[(address - base) / pageBytes];
      if (!p) {
        p = std::make_unique<DefinedBytes>();
        p->reset(pageBytes);
      }
      return *p;
    }
  };
  std::vector<Range> ranges;
  void add(std::uint64_t base, std::uint64_t bytes) {
    if (std::none_of(ranges.begin(), ranges.end(), [&](const Range& r) { return r.base == base; })) ranges.emplace_back(base, bytes);
  }
};

}  // namespace warpmill::faults
