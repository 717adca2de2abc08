#include "timing/banks.h"

#include <algorithm>
#include <array>

namespace warpmill::timing {

namespace {

constexpr std::uint32_t banks = 32;

// Most different words that one bank has to give to these lanes.
std::uint32_t mostOfBank(const exec::MemoryAccess& access, std::uint32_t lanes, bool serial) {
  std::array<std::array<std::uint64_t, 32>, banks> wordsOfBank;
  std::array<std::uint32_t, banks> count{};
  std::uint32_t most = lanes == 0 ? 0 : 1;
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t begin = access.address[static_cast<std::size_t>(__builtin_ctz(lanes))] / 4;
    const std::uint64_t words = std::max(1u, access.bytesPerLane / 4);
    for (std::uint64_t w = begin; w < begin + words; ++w) {
      const std::size_t bank = w % banks;
      auto& list = wordsOfBank[bank];
      const auto end = list.begin() + count[bank];
      if (!serial && std::find(list.begin(), end, w) != end) continue;
      if (count[bank] < list.size()) list[count[bank]++] = w;
      most = std::max(most, count[bank]);
    }
  }
  return most;
}

// Do all of these lanes' words, pairs or quadruples of words lie at multiples of their width?
bool isAligned(const exec::MemoryAccess& access, std::uint32_t lanes) {
  std::uint64_t low = 0;
  for (; lanes != 0; lanes &= lanes - 1) low |= access.address[static_cast<std::size_t>(__builtin_ctz(lanes))];
  return (low & (access.bytesPerLane - 1)) == 0;
}

// Of aligned words, pairs or quadruples: no two lie in the same banks, but what several lanes want.
bool oneOfEachBank(const exec::MemoryAccess& access, std::uint32_t lanes) {
  std::array<std::uint64_t, banks> known{};
  std::uint32_t seen = 0, differ = 0;
  const int shift = __builtin_ctz(access.bytesPerLane);
  const std::uint32_t groups = banks * 4 >> shift;
  std::uint64_t last = ~0ull;
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t w = access.address[static_cast<std::size_t>(__builtin_ctz(lanes))] >> shift;
    if (w == last) continue;
    last = w;
    const std::size_t bank = w & (groups - 1);
    if ((seen >> bank & 1) == 0) known[bank] = w;
    seen |= 1u << bank;
    differ |= static_cast<std::uint32_t>(known[bank] != w);
  }
  return differ == 0;
}

// All lanes side by side from a multiple of their whole width on: no two meet.
bool isRow(const exec::MemoryAccess& access) {
  if (access.lanes != ~0u || access.bytesPerLane < 4) return false;
  bool row = access.address[0] % 4 == 0 && access.address[31] == access.address[0] + std::uint64_t{31} * access.bytesPerLane;
  if (!row) return false;
  for (std::uint32_t i = 1; i < 32; ++i) row &= access.address[i] == access.address[0] + i * access.bytesPerLane;
  return row;
}

}  // namespace

SwapLoop swapLoopOf(const exec::MemoryAccess& access) {
  // By bank its words in the order of the lanes, each with how many lanes want it.
  struct Word { std::uint64_t word = 0; std::uint32_t lanes = 0; };
  std::array<std::array<Word, 32>, banks> words{};
  std::array<std::uint32_t, banks> count{}, first{};
  for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t word = access.address[static_cast<std::size_t>(__builtin_ctz(lanes))] / 4;
    const std::size_t bank = word % banks;
    std::uint32_t k = 0;
    while (k < count[bank] && words[bank][k].word != word) ++k;
    if (k == count[bank]) words[bank][count[bank]++] = {word, 0};
    ++words[bank][k].lanes;
  }
  SwapLoop loop;
  for (;;) {
    std::uint32_t most = 0;
    for (std::size_t b = 0; b < banks; ++b) most = std::max(most, count[b] - first[b]);
    if (most == 0) return loop;
    ++loop.rounds;
    loop.passes += most;
    for (std::size_t b = 0; b < banks; ++b)
      if (first[b] < count[b] && --words[b][first[b]].lanes == 0) ++first[b];
  }
}

Wavefronts wavefrontsOf(const exec::MemoryAccess& access, bool serial) {
  const std::uint32_t parts = access.bytesPerLane >= 16 ? 4 : access.bytesPerLane == 8 ? 2 : 1;
  if (isRow(access)) return {parts, parts};
  const std::uint32_t width = access.bytesPerLane;
  const bool aligned = !serial && (width == 4 || width == 8 || width == 16) && isAligned(access, access.lanes);
  if (parts == 1 && aligned && access.lanes != 0 && oneOfEachBank(access, access.lanes)) return {1, 1};
  if (parts == 1) return {mostOfBank(access, access.lanes, serial), 1};

  const bool load = access.kind == exec::MemoryAccess::Kind::Load;
  const auto together = [&](std::uint32_t lanes) { return aligned ? oneOfEachBank(access, lanes) : mostOfBank(access, lanes, serial) <= 1; };
  if (load && parts == 2 && together(access.lanes)) return {1, 1};
  if (load && parts == 4 && together(access.lanes & 0xFFFFu) && together(access.lanes & 0xFFFF0000u)) return {2, 2};
  Wavefronts w;
  const std::uint32_t lanesPerPart = 32 / parts;
  for (std::uint32_t first = 0; first < 32; first += lanesPerPart) {
    const std::uint32_t part = access.lanes & ((1u << lanesPerPart) - 1) << first;
    if (part == 0) continue;
    w.passes += aligned && oneOfEachBank(access, part) ? 1 : mostOfBank(access, part, serial);
    ++w.ideal;
  }
  return w;
}

Wavefronts KnownWavefronts::of(const exec::MemoryAccess& access, bool serial) {
  std::array<std::uint32_t, 32> distance;
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    const std::uint64_t d = access.address[i] - access.address[0];
    distance[i] = static_cast<std::uint32_t>(d);
    beyond |= d + 0x80000000u;
  }
  if (beyond >> 32 != 0) return wavefrontsOf(access, serial);
  const bool load = access.kind == exec::MemoryAccess::Kind::Load;
  const std::uint32_t how = access.bytesPerLane << 8 | static_cast<std::uint32_t>(access.address[0] & 15) << 4 | (load ? 2u : 0u) | (serial ? 1u : 0u);
  const std::uint32_t hash = (distance[1] ^ distance[15] * 5 ^ distance[16] * 3 ^ distance[31] * 7 ^ how * 9) * 0x9E3779B1u;
  if (patterns_.empty()) patterns_.resize(64);
  Pattern& p = patterns_[hash >> 26];
  if (p.how != how || p.lanes != access.lanes || p.distance != distance) p = {distance, access.lanes, how, wavefrontsOf(access, serial)};
  return p.wavefronts;
}

}  // namespace warpmill::timing
