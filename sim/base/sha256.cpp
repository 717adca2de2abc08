#include "base/sha256.h"

#include "base/sha256_constants.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpmill {
namespace {

std::uint32_t bigEndian(const std::uint8_t* p) {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | std::uint32_t{p[3]};
}

}  // namespace

static void portableBlock(Sha256State& state, const std::uint8_t* data) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = bigEndian(data + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + sha256RoundConstants[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> after{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += after[i];
}

void sha256BlocksPortable(Sha256State& state, const std::uint8_t* data, std::size_t count) {
  for (; count != 0; --count, data += 64) portableBlock(state, data);
}

void Sha256::blocks(const std::uint8_t* data, std::size_t count) {
  static const bool fast = hasX86Sha();
  (fast ? sha256BlocksX86 : sha256BlocksPortable)(state_, data, count);
}

void Sha256::update(std::span<const std::uint8_t> bytes) {
  totalBytes_ += bytes.size();
  while (!bytes.empty()) {
    if (pendingBytes_ == 0 && bytes.size() >= 64) {
      blocks(bytes.data(), bytes.size() / 64);
      bytes = bytes.subspan(bytes.size() / 64 * 64);
      continue;
    }
    const std::size_t n = std::min(bytes.size(), pending_.size() - pendingBytes_);
    std::memcpy(pending_.data() + pendingBytes_, bytes.data(), n);
    pendingBytes_ += n;
    bytes = bytes.subspan(n);
    if (pendingBytes_ == pending_.size()) {
      blocks(pending_.data(), 1);
      pendingBytes_ = 0;
    }
  }
}

std::string Sha256::hex() {
  const std::uint64_t bits = totalBytes_ * 8;
  static constexpr std::array<std::uint8_t, 64> padding{0x80};
  const std::size_t padBytes = pendingBytes_ < 56 ? 56 - pendingBytes_ : 120 - pendingBytes_;
  update(std::span(padding).first(padBytes));
  std::array<std::uint8_t, 8> length;
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  update(length);
  std::string text;
  for (const std::uint32_t word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
  return text;
}

std::string sha256Hex(std::span<const std::uint8_t> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace warpmill
