// What a share of the SMs would find in L2 because the other SMs have read it.
#include "timing/memory_system.h"

#include <algorithm>

namespace warpmill::timing {

std::uint8_t MemorySystem::toFetch(CacheLine& c, std::uint8_t missing, std::uint64_t now) {
  const std::uint64_t address = c.tag * 128;
  const auto next = std::upper_bound(rates_.allotments.begin(), rates_.allotments.end(), address, [](std::uint64_t at, const Allotment& a) { return at < a.base; });
  if (next == rates_.allotments.begin() || address >= (next - 1)->end) return missing;
  const Allotment& a = *(next - 1);
  std::uint64_t& fetched = state_.fetchedBytes[static_cast<std::size_t>(&a - rates_.allotments.data())];
  // As many pairs of sectors as will be read.
  const std::uint64_t bytes = 64u * (((missing & 3) != 0 ? 1u : 0u) + ((missing & 12) != 0 ? 1u : 0u));
  if (static_cast<double>(fetched + bytes) <= a.atOnce + a.perInstruction * static_cast<double>(progress_)) {
    fetched += bytes;
    return missing;
  }
  for (std::uint32_t s = 0; s < 4; ++s)
    if ((missing >> s & 1) != 0) c.validAt[s] = now;
  return 0;
}

std::size_t MemorySystem::fromElsewhere(const exec::MemoryAccess& access) {
  using Kind = exec::MemoryAccess::Kind;
  const bool store = access.kind == Kind::Store, atomic = access.kind == Kind::Atomic || access.kind == Kind::Reduction;
  const std::size_t count = coalesce(access);
  elsewhere_ = true;
  for (std::size_t s = 0; s < count;) {
    const LineAccess a = nextLine(s, count);
    CacheLine& c = l2Line(a.line, 0);
    if (store || atomic) c.dirty |= a.sectors;
    for (std::uint32_t k = 0; k < 4; ++k) {
      if ((a.sectors >> k & 1) == 0) continue;
      if (store) c.written[k] |= a.used[k];
      // Reads come from DRAM in pairs.
      for (const std::uint32_t there : {k, store ? k : k ^ 1})
        if (c.validAt[there] == never && (!store || c.written[k] == ~0u)) c.validAt[there] = 0;
    }
  }
  elsewhere_ = false;
  return count;
}

}  // namespace warpmill::timing
