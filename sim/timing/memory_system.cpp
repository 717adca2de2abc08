#include "timing/memory_system.h"

#include <algorithm>
#include <cmath>

namespace warpmill::timing {

namespace {

constexpr std::uint32_t sectorBytes = 32, lineBytes = 128;

std::uint64_t cycleUp(Ticks t) { return (t + ticksPerCycle - 1) / ticksPerCycle; }
Ticks ticks(double cycles) { return static_cast<Ticks>(std::llround(cycles * static_cast<double>(ticksPerCycle))); }

// Takes `cost` of a queue at `now`; gives the cycle at which it is served.
std::uint64_t serve(Ticks& freeAt, std::uint64_t now, Ticks cost) {
  freeAt = std::max(freeAt, now * ticksPerCycle) + cost;
  return cycleUp(freeAt);
}

// Spreads lines over sets, slices and channels, so that power-of-two strides do not meet in one place (hardware hashes too).
std::uint64_t spread(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 29;
  return x;
}

std::uint64_t whole(double v) { return static_cast<std::uint64_t>(std::llround(v)); }

}  // namespace

MemoryRates::MemoryRates(const device::Profile& p, std::uint32_t carveOutBytes) {
  lsuPerRequest = ticks(p.lsuInterval);
  l1PerSector = ticks(1.0 / p.l1SectorsPerCycle);
  readPortPerSector = ticks(sectorBytes / p.smReadBytesPerCycle);
  writePortPerSector = ticks(sectorBytes / p.smWriteBytesPerCycle);
  slicePerSector = ticks(1.0 / p.l2SectorsPerCycle);
  const double bytesPerCycle = p.dramBytesPerSecond * 1000.0 / p.clockMHz / p.dramChannels;  // peak of one channel
  channelPerSector = ticks(sectorBytes / (bytesPerCycle * p.dramReadEfficiency));
  mixPenalty256 = whole(p.dramMixPenalty * p.dramReadEfficiency * 256.0);
  atomicPerOperation = ticks(1.0 / p.atomicsPerCycle);
  l1Latency = whole(p.l1Latency);
  l2Latency = whole(p.l2Latency);
  l2FarExtra = whole(p.l2FarExtra);
  dramExtra = whole(p.dramExtra);
  sharedLatency = whole(p.sharedLatency);
  sharedAtomicLatency = whole(p.sharedAtomicLatency);
  const auto l1Bytes = static_cast<std::uint64_t>(std::max(p.l1AndSharedBytes - carveOutBytes, 16.0 * 1024));
  l1Ways = 4;
  l1Sets = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, l1Bytes / lineBytes / l1Ways));
  l2Ways = 16;
  l2Sets = static_cast<std::uint32_t>(std::max(1.0, p.l2Bytes * p.l2EffectiveFraction / lineBytes / l2Ways));
  slices = static_cast<std::uint32_t>(p.l2Slices);
  channels = static_cast<std::uint32_t>(p.dramChannels);
  linesPerStretch = static_cast<std::uint32_t>(std::max(1.0, p.dramInterleaveBytes / lineBytes));
  missesInFlight = static_cast<std::uint32_t>(p.l1MissesInFlight);
}

bool MemorySystem::isFar(std::uint32_t sm, std::uint64_t line) const {
  return ((spread(line * 7 + 3) >> 20 ^ sm) & 1) != 0;
}

// Lanes side by side without a gap, the common case: the sectors follow one another.
std::size_t MemorySystem::coalesceRow(std::uint64_t begin, std::uint64_t end) {
  std::size_t count = 0;
  for (std::uint64_t sector = begin & ~static_cast<std::uint64_t>(sectorBytes - 1); sector < end; sector += sectorBytes) {
    std::uint32_t used = ~0u;
    if (sector < begin) used &= ~0u << (begin - sector);
    if (sector + sectorBytes > end) used &= ~0u >> (sector + sectorBytes - end);
    sectors_[count++] = {sector, used};
  }
  return count;
}

std::size_t MemorySystem::coalesce(const exec::MemoryAccess& access) {
  if ((access.lanes & (access.lanes + 1)) == 0) {  // lanes 0 to n - 1
    const auto lanes = static_cast<std::uint32_t>(__builtin_popcount(access.lanes));
    bool row = true;
    for (std::uint32_t i = 1; i < lanes; ++i) row &= access.address[i] == access.address[0] + i * access.bytesPerLane;
    if (row) return coalesceRow(access.address[0], access.address[0] + static_cast<std::uint64_t>(lanes) * access.bytesPerLane);
  }
  std::size_t count = 0;
  const auto add = [&](std::uint64_t address, std::uint32_t used) {
    // Neighbouring lanes mostly share the sector that was added last.
    for (std::size_t back = 0; back < std::min<std::size_t>(count, 4); ++back) {
      Sector& s = sectors_[count - 1 - back];
      if (s.address == address) { s.used |= used; return; }
    }
    sectors_[count++] = {address, used};
  };
  for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
    std::uint64_t from = access.address[static_cast<std::size_t>(__builtin_ctz(lanes))];
    const std::uint64_t end = from + access.bytesPerLane;
    while (from < end) {
      const std::uint64_t sector = from & ~static_cast<std::uint64_t>(sectorBytes - 1);
      const std::uint64_t stop = std::min(end, sector + sectorBytes);
      const auto first = static_cast<std::uint32_t>(from - sector), n = static_cast<std::uint32_t>(stop - from);
      add(sector, (n == 32 ? ~0u : (1u << n) - 1) << first);
      from = stop;
    }
  }
  const auto begin = sectors_.begin(), end = begin + static_cast<std::ptrdiff_t>(count);
  if (!std::is_sorted(begin, end, [](const Sector& a, const Sector& b) { return a.address < b.address; }))
    std::sort(begin, end, [](const Sector& a, const Sector& b) { return a.address < b.address; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (kept > 0 && sectors_[kept - 1].address == sectors_[i].address) sectors_[kept - 1].used |= sectors_[i].used;
    else sectors_[kept++] = sectors_[i];
  }
  return kept;
}

MemoryTiming MemorySystem::shared(SmState& sm, std::uint64_t cycle, const exec::MemoryAccess& access, Request* request) {
  // 32 banks of 4 bytes. Lanes that want different words of one bank are served one after another; wide accesses go in parts of 32
  // words: pairs of half-warps for 8 bytes, quarter-warps for 16.
  const std::uint32_t lanesPerPart = access.bytesPerLane >= 16 ? 8 : access.bytesPerLane == 8 ? 16 : 32;
  const bool atomic = access.kind == exec::MemoryAccess::Kind::Atomic || access.kind == exec::MemoryAccess::Kind::Reduction;
  std::uint32_t wavefronts = 0, ideal = 0;
  for (std::uint32_t first = 0; first < 32; first += lanesPerPart) {
    const std::uint32_t part = access.lanes & (lanesPerPart == 32 ? ~0u : ((1u << lanesPerPart) - 1) << first);
    if (part == 0) continue;
    std::array<std::array<std::uint64_t, 32>, 32> wordsOfBank;
    std::array<std::uint32_t, 32> count{};
    std::uint32_t most = 1;
    for (std::uint32_t lanes = part; lanes != 0; lanes &= lanes - 1) {
      const std::uint64_t begin = access.address[static_cast<std::size_t>(__builtin_ctz(lanes))] / 4;
      const std::uint64_t words = std::max(1u, access.bytesPerLane / 4);
      for (std::uint64_t w = begin; w < begin + words; ++w) {
        const std::size_t bank = w % 32;
        auto& list = wordsOfBank[bank];
        const auto end = list.begin() + count[bank];
        // Reads of the same word are one; atomics on the same word are not.
        if (!atomic && std::find(list.begin(), end, w) != end) continue;
        if (count[bank] < 32) list[count[bank]++] = w;
        most = std::max(most, count[bank]);
      }
    }
    wavefronts += most;
    ++ideal;
  }
  const std::uint64_t served = serve(sm.sharedFreeAt, cycle, wavefronts * ticksPerCycle);
  const bool store = access.kind == exec::MemoryAccess::Kind::Store;
  (store ? state_.counters.sharedStoreWavefronts : state_.counters.sharedLoadWavefronts) += wavefronts;
  (store ? state_.counters.sharedStoreConflicts : state_.counters.sharedLoadConflicts) += wavefronts - ideal;
  MemoryTiming t;
  t.isShared = true;
  t.acceptedAt = served;
  t.doneAt = served - 1 + (atomic ? rates_.sharedAtomicLatency : rates_.sharedLatency);
  if (request) {
    request->isShared = true;
    request->wavefronts = wavefronts;
    request->level = Level::Shared;
    request->atL1 = request->atL2 = request->atDram = request->leftDram = served;
  }
  return t;
}

std::uint64_t MemorySystem::dram(std::uint64_t line, std::uint32_t sectors, bool write, std::uint64_t arrivesAt) {
  (write ? state_.counters.dramWriteBytes : state_.counters.dramReadBytes) += sectors * sectorBytes;
  (write ? state_.recentWriteBytes : state_.recentReadBytes) += sectors * sectorBytes;
  const std::uint64_t reads = state_.recentReadBytes, writes = state_.recentWriteBytes;
  if (reads + writes > 1u << 20) {
    state_.recentReadBytes /= 2;
    state_.recentWriteBytes /= 2;
  }
  // Turning between reading and writing costs time in proportion to the rarer kind.
  const std::uint64_t factor256 = 256 + (reads + writes == 0 ? 0 : rates_.mixPenalty256 * std::min(reads, writes) / (reads + writes));
  Ticks& channel = state_.channelFreeAt[spread(line / rates_.linesPerStretch ^ 0x9E3779B97F4A7C15ull) % rates_.channels];
  return serve(channel, arrivesAt, sectors * rates_.channelPerSector * factor256 / 256);
}

CacheLine& MemorySystem::l2Line(std::uint64_t line, bool& hit, std::uint64_t now) {
  const std::size_t set = spread(line) % rates_.l2Sets * rates_.l2Ways;
  std::size_t victim = set;
  std::uint64_t oldest = never;
  for (std::size_t way = set; way < set + rates_.l2Ways; ++way) {
    const CacheLine& c = state_.l2[way];
    if (c.tag == line) {
      hit = true;
      return state_.l2.at(way);
    }
    const std::uint64_t use = c.tag == never ? 0 : c.lastUse + 1;
    if (use < oldest) { oldest = use; victim = way; }
  }
  hit = false;
  CacheLine& c = state_.l2.at(victim);
  if (c.tag != never && c.dirty != 0) dram(c.tag, static_cast<std::uint32_t>(__builtin_popcount(c.dirty)), true, now);
  c = CacheLine{};
  c.tag = line;
  return c;
}

std::uint64_t MemorySystem::l2Access(std::uint64_t line, std::uint8_t sectors, bool write, std::uint64_t arrivesAt, LineTimes& times) {
  const auto count = static_cast<std::uint32_t>(__builtin_popcount(sectors));
  Ticks& slice = state_.sliceFreeAt[spread(line + 0x51ED27) % rates_.slices];
  const std::uint64_t served = serve(slice, arrivesAt, count * rates_.slicePerSector);
  bool hit = false;
  CacheLine& c = l2Line(line, hit, served);
  c.lastUse = ++state_.sequence;
  times.atL2 = std::max(times.atL2, served);
  (write ? state_.counters.l2WriteSectors : state_.counters.l2ReadSectors) += count;

  std::uint64_t done = served;
  std::uint8_t missing = 0;
  for (std::uint32_t s = 0; s < 4; ++s) {
    if ((sectors >> s & 1) == 0) continue;
    if (c.validAt[s] == never) missing |= static_cast<std::uint8_t>(1u << s);
    else done = std::max(done, c.validAt[s]);
  }
  if (missing != 0 && !write && !rates_.allotments.empty()) missing = toFetch(c, missing, served);
  state_.counters.l2Hits += count - static_cast<std::uint32_t>(__builtin_popcount(missing));
  if (write) {
    // A write needs no fetch: bytes of a sector are masked.
    for (std::uint32_t s = 0; s < 4; ++s)
      if (sectors >> s & 1) {
        if (c.validAt[s] == never) c.validAt[s] = served;
        c.dirty |= static_cast<std::uint8_t>(1u << s);
      }
    return served;
  }
  if (missing != 0) {
    // DRAM is read in pairs of sectors (64 bytes).
    std::uint8_t fetched = missing;
    if (missing & 3) fetched |= 3;
    if (missing & 12) fetched |= 12;
    for (std::uint32_t s = 0; s < 4; ++s)
      if (c.validAt[s] != never) fetched &= static_cast<std::uint8_t>(~(1u << s));
    const std::uint64_t left = dram(line, static_cast<std::uint32_t>(__builtin_popcount(fetched)), false, served);
    const std::uint64_t there = left + rates_.dramExtra;
    for (std::uint32_t s = 0; s < 4; ++s)
      if (fetched >> s & 1) c.validAt[s] = there;
    times.level = Level::Dram;
    times.atDram = std::max(times.atDram, served + rates_.dramExtra / 2);
    times.leftDram = std::max(times.leftDram, left + rates_.dramExtra / 2);
    done = std::max(done, there);
  }
  if (times.level < Level::L2) times.level = Level::L2;
  return done;
}

void MemorySystem::loadLine(SmState& sm, std::uint32_t smIndex, std::uint64_t line, std::uint8_t wanted, std::uint64_t lookedUpAt, bool bypassL1,
                            LineTimes& times) {
  const std::size_t set = spread(line) % rates_.l1Sets * rates_.l1Ways;
  std::size_t way = set;
  std::uint64_t oldest = never;
  bool found = false;
  for (std::size_t w = set; w < set + rates_.l1Ways; ++w) {
    const CacheLine& c = sm.l1[w];
    if (c.tag == line) { way = w; found = true; break; }
    const std::uint64_t use = c.tag == never ? 0 : c.lastUse + 1;
    if (use < oldest) { oldest = use; way = w; }
  }
  CacheLine& c = sm.l1.at(way);
  if (!found) {
    c = CacheLine{};
    c.tag = line;
  }
  c.lastUse = ++state_.sequence;
  std::uint8_t missing = 0;
  std::uint64_t ready = lookedUpAt;
  for (std::uint32_t s = 0; s < 4; ++s) {
    if ((wanted >> s & 1) == 0) continue;
    if (c.validAt[s] == never || bypassL1) missing |= static_cast<std::uint8_t>(1u << s);
    else ready = std::max(ready, c.validAt[s]);
  }
  const auto misses = static_cast<std::uint32_t>(__builtin_popcount(missing));
  state_.counters.globalLoadHits += static_cast<std::uint32_t>(__builtin_popcount(wanted)) - misses;
  if (misses != 0) {
    // An SM waits for so many sectors at most; the next one leaves when the oldest is back.
    std::uint64_t leave = lookedUpAt;
    for (std::uint32_t m = 0; m < misses; ++m) {
      const std::uint64_t& oldestMiss = sm.missesDoneAt[(sm.missesHead + m) % sm.missesDoneAt.size()];
      leave = std::max(leave, oldestMiss);
    }
    const std::uint64_t far = isFar(smIndex, line) ? rates_.l2FarExtra : 0;
    const std::uint64_t way0 = (rates_.l2Latency + far - rates_.l1Latency) / 2;  // half of the way to L2 and back
    const std::uint64_t left = l2Access(line, missing, false, leave + way0, times);
    const std::uint64_t back = serve(sm.readPortFreeAt, left + way0, misses * rates_.readPortPerSector);
    for (std::uint32_t m = 0; m < misses; ++m) {
      sm.missesDoneAt[sm.missesHead % sm.missesDoneAt.size()] = back;
      ++sm.missesHead;
    }
    for (std::uint32_t s = 0; s < 4; ++s)
      if (missing >> s & 1) c.validAt[s] = back;
    ready = std::max(ready, back);
  }
  times.done = std::max(times.done, ready);
}

void MemorySystem::storeLine(SmState& sm, std::uint32_t smIndex, std::uint64_t line, std::uint8_t written, std::uint64_t leftAt, bool atomic,
                             std::uint32_t operations, LineTimes& times) {
  const auto count = static_cast<std::uint32_t>(__builtin_popcount(written));
  const std::uint64_t sent = serve(sm.writePortFreeAt, leftAt, count * rates_.writePortPerSector);
  const std::uint64_t far = isFar(smIndex, line) ? rates_.l2FarExtra : 0;
  const std::uint64_t way = (rates_.l2Latency + far - rates_.l1Latency) / 2;
  std::uint64_t left = l2Access(line, written, true, sent + way, times);
  if (atomic) {
    Ticks& slice = state_.sliceFreeAt[spread(line + 0x51ED27) % rates_.slices];
    left = std::max(left, serve(slice, left, operations * rates_.atomicPerOperation));
  }
  if (times.level < Level::L2) times.level = Level::L2;
  times.done = std::max(times.done, atomic ? left + way : left);
}

MemoryTiming MemorySystem::issue(std::uint32_t smIndex, std::uint64_t cycle, const exec::MemoryAccess& access, bool bypassL1, Request* request) {
  using Kind = exec::MemoryAccess::Kind;
  SmState& sm = state_.sms[smIndex];
  const std::uint64_t taken = serve(sm.lsuFreeAt, cycle, rates_.lsuPerRequest);
  if (request) {
    request->issued = cycle;
    request->isStore = access.kind == Kind::Store;
    request->isAtomic = access.kind == Kind::Atomic || access.kind == Kind::Reduction;
    request->bytesPerLane = access.bytesPerLane;
    request->lanes = access.lanes;
    request->address = access.address;
    request->firstSector = static_cast<std::uint32_t>(trace_->sectors.size());
  }
  if (access.space == ptx::Space::Const || access.space == ptx::Space::Param) {
    // Indexed constant loads: one pass for each different address.
    const MemoryTiming t{taken, taken + rates_.l1Latency, false};
    if (request) request->atL1 = request->atL2 = request->atDram = request->leftDram = request->done = t.doneAt;
    return t;
  }
  const std::size_t count = coalesce(access);
  if (request) {
    for (std::size_t s = 0; s < count; ++s) {
      trace_->sectors.push_back({sectors_[s].address, sectors_[s].used, Level::L1});
      request->usedBytes += static_cast<std::uint32_t>(__builtin_popcount(sectors_[s].used));
    }
    request->sectorCount = static_cast<std::uint32_t>(count);
  }
  if (access.space == ptx::Space::Shared) {
    MemoryTiming t = shared(sm, taken, access, request);
    if (request) {
      request->done = t.doneAt;
      for (std::size_t s = 0; s < count; ++s) trace_->sectors[request->firstSector + s].level = Level::Shared;
    }
    return t;
  }

  const bool global = access.space == ptx::Space::Global;
  const bool store = access.kind == Kind::Store, atomic = access.kind == Kind::Atomic || access.kind == Kind::Reduction;
  Counters& k = state_.counters;
  if (global) {
    if (store || access.kind == Kind::Reduction) { ++k.globalStoreRequests; k.globalStoreSectors += count; }
    else if (!atomic) { ++k.globalLoadRequests; k.globalLoadSectors += count; }
  }
  const std::uint64_t hitsBefore = k.globalLoadHits;
  const std::uint64_t lookedUp = serve(sm.l1FreeAt, taken, std::max<Ticks>(ticksPerCycle, count * rates_.l1PerSector));
  const std::uint64_t atL1 = lookedUp + rates_.l1Latency / 2;
  std::uint64_t done = lookedUp + (store ? 0 : rates_.l1Latency);
  LineTimes all;
  for (std::size_t s = 0; s < count;) {
    const std::uint64_t line = sectors_[s].address / lineBytes;
    std::uint8_t wanted = 0;
    std::uint32_t operations = 0;
    const std::size_t begin = s;
    for (; s < count && sectors_[s].address / lineBytes == line; ++s) {
      wanted |= static_cast<std::uint8_t>(1u << (sectors_[s].address / sectorBytes % 4));
      operations += static_cast<std::uint32_t>(__builtin_popcount(sectors_[s].used)) / std::max(1u, access.bytesPerLane);
    }
    LineTimes times;
    if (store || atomic) storeLine(sm, smIndex, line, wanted, atL1, atomic, std::max(operations, 1u), times);
    else loadLine(sm, smIndex, line, wanted, atL1, bypassL1, times);
    if (request)
      for (std::size_t i = begin; i < s; ++i) trace_->sectors[request->firstSector + i].level = times.level;
    all.atL2 = std::max(all.atL2, times.atL2);
    all.atDram = std::max(all.atDram, times.atDram);
    all.leftDram = std::max(all.leftDram, times.leftDram);
    all.level = std::max(all.level, times.level);
    // The data of a hit is there when the lookup is; of a miss, half an L1 latency after it is back.
    done = std::max(done, times.done + (store ? 0 : rates_.l1Latency - rates_.l1Latency / 2));
  }
  if (!global) k.globalLoadHits = hitsBefore;  // local memory has its own counters
  if (request) {
    request->level = all.level;
    request->atL1 = atL1;
    request->atL2 = std::max(all.atL2, request->atL1);
    request->atDram = std::max(all.atDram, request->atL2);
    request->leftDram = std::max(all.leftDram, request->atDram);
    request->done = std::max(done, request->leftDram);
  }
  return {lookedUp, done, false};
}

}  // namespace warpmill::timing
