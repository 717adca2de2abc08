// The L2 and DRAM side of the memory system.
#include "timing/memory_system.h"
#include "timing/queue.h"

#include <bit>

namespace warpmill::timing {

namespace {

// Requests of one cycle reach L2 at times that differ by so much: by the queues of their SMs and by what goes before them in a request.
constexpr std::uint64_t slack = 128;

// Time that what leaves L2 may wait for DRAM without holding up what comes.
constexpr std::uint64_t writeQueueCycles = 2000;

// Stretches of DRAM are dealt to the channels in groups, so many for each channel in a group.
constexpr std::uint32_t turnsShuffled = 64;

// Changes the order of the numbers of each group of so many.
std::uint64_t shuffled(std::uint64_t n, std::uint64_t group) {
  const std::uint64_t number = n / group, mask = std::bit_ceil(group) - 1, salt = spread(number + 0x9E3779B97F4A7C15ull);
  std::uint64_t x = n % group;
  do {  // a permutation of the numbers up to the next power of two; those beyond the group are sent on
    x = (x * (salt << 3 | 5) + (salt >> 32)) & mask;
    x ^= x >> 5;
    x = (x * 0x2C9277B5u) & mask;
    x ^= x >> 7;
  } while (x >= group);
  return number * group + x;
}

}  // namespace

bool MemorySystem::isFar(std::uint32_t sm, std::uint64_t line) const {
  return ((spread(line / rates_.linesPerSlice * 7 + 3) >> 20 ^ sm) & 1) != 0;
}

std::uint64_t MemorySystem::dram(std::uint64_t line, std::uint32_t sectors, bool write, std::uint64_t arrivesAt) {
  if (elsewhere_) return arrivesAt;
  (write ? counters_->dramWriteBytes : counters_->dramReadBytes) += sectors * sectorBytes;
  // Data moves in pairs of sectors; a lone one takes the time of two.
  const std::uint32_t moved = (sectors + 1) / 2 * 2;
  (write ? state_.recentWriteBytes : state_.recentReadBytes) += moved * sectorBytes;
  const std::uint64_t reads = state_.recentReadBytes, writes = state_.recentWriteBytes;
  if (reads + writes > 1u << 20) {
    state_.recentReadBytes /= 2;
    state_.recentWriteBytes /= 2;
  }
  // Turning between reading and writing costs time in proportion to the rarer kind.
  const std::uint64_t factor256 = 256 + (reads + writes == 0 ? 0 : rates_.mixPenalty256 * std::min(reads, writes) / (reads + writes));
  // Of many stretches each channel gets as many, in no order that is seen; its rows go to all of its banks in turn.
  const std::uint64_t stretch = shuffled(line / rates_.linesPerStretch, rates_.channels * std::uint64_t{turnsShuffled});
  const std::uint64_t channel = stretch % rates_.channels, turn = stretch / rates_.channels;
  const Ticks cost = moved * rates_.channelPerSector * factor256 / 256;
  counters_->channelBusy += cost;
  const std::uint64_t left = serveOutOfOrder(state_.channelFreeAt[channel], arrivesAt, cost, slack);
  // Reads and writes are collected apart, so that a row is opened for each.
  const std::uint64_t row = line / rates_.linesPerRow * 2 + (write ? 1 : 0);
  const std::uint64_t rowsOfStretch = std::max<std::uint64_t>(1, rates_.linesPerStretch / rates_.linesPerRow);
  const std::uint64_t place = turn * rowsOfStretch + line / rates_.linesPerRow % rowsOfStretch;
  MachineState::DramBank& bank = state_.banks[channel * rates_.banksPerChannel + (place + spread(place / rates_.banksPerChannel + 0x2545F491)) % rates_.banksPerChannel];
  if (bank.rows[0] == row || bank.rows[1] == row) return left;
  bank.rows = {row, bank.rows[0]};
  const std::uint64_t opened = std::max(arrivesAt, bank.freeAt);
  bank.freeAt = opened + rates_.rowCycle;
  return std::max(left, opened);
}

// Dirty sectors leave; of those that were written in part DRAM gives the rest first. Gives the time at which DRAM has them.
std::uint64_t MemorySystem::evict(const CacheLine& c, std::uint64_t now) {
  if (c.tag == never || c.dirty == 0) return 0;
  std::uint32_t inPart = 0;
  for (std::uint32_t s = 0; s < 4; ++s)
    if ((c.dirty >> s & 1) != 0 && c.validAt[s] == never) ++inPart;
  if (inPart != 0) dram(c.tag, inPart, false, now);
  return dram(c.tag, static_cast<std::uint32_t>(__builtin_popcount(c.dirty)), true, now);
}

void MemorySystem::fetchAhead(std::uint64_t line, bool marks) const {
  const std::uint64_t hash = spread(line), set = hash % rates_.l2Sets;
  const L2Set& tags = state_.l2Sets[set];
  if (marks) return __builtin_prefetch(&tags);
  const auto mark = static_cast<std::uint16_t>(hash >> 48);
  std::uint32_t way = tags.oldest();
  for (std::uint32_t w = 0; w < 16; ++w)
    if (tags.mark[w] == mark) way = w;
  __builtin_prefetch(state_.l2.chunkForRead(set / 4) + set % 4 * 16 + way);
}

// The line, which is used now.
CacheLine& MemorySystem::l2Line(std::uint64_t line, std::uint64_t now) {
  constexpr std::uint32_t ways = 16;
  const std::uint64_t hash = spread(line), set = hash % rates_.l2Sets;
  const auto mark = static_cast<std::uint16_t>(hash >> 48);
  L2Set& tags = state_.l2Sets.at(set);
  CacheLine* lines = state_.l2.chunkForWrite(set / (64 / ways)) + set % (64 / ways) * ways;
  std::uint32_t alike = 0;
  for (std::uint32_t w = 0; w < ways; ++w) alike |= static_cast<std::uint32_t>(tags.mark[w] == mark) << w;
  for (; alike != 0; alike &= alike - 1) {
    const auto way = static_cast<std::uint32_t>(__builtin_ctz(alike));
    if (lines[way].tag != line) continue;
    tags.use(way);
    return lines[way];
  }
  const std::uint32_t way = tags.oldest();
  CacheLine& c = lines[way];
  evictedAt_ = evict(c, now);
  c = CacheLine{};
  c.tag = line;
  tags.mark[way] = mark;
  tags.use(way);
  return c;
}

std::uint64_t MemorySystem::slice(std::uint64_t line, Ticks cost, std::uint64_t arrivesAt) {
  counters_->sliceBusy += cost;
  return serveOutOfOrder(state_.sliceFreeAt[spread(line / rates_.linesPerSlice + 0x51ED27) % rates_.slices], arrivesAt, cost, slack);
}

// Gets sectors from DRAM, in pairs (64 bytes); gives the time at which they are there.
std::uint64_t MemorySystem::fetch(CacheLine& c, std::uint8_t missing, std::uint64_t at, LineTimes& times) {
  std::uint8_t fetched = missing;
  if (missing & 3) fetched |= 3;
  if (missing & 12) fetched |= 12;
  for (std::uint32_t s = 0; s < 4; ++s)
    if (c.validAt[s] != never) fetched &= static_cast<std::uint8_t>(~(1u << s));
  const auto count = static_cast<std::uint32_t>(__builtin_popcount(fetched));
  slice(c.tag, count * rates_.slicePerSector, at);
  const std::uint64_t left = dram(c.tag, count, false, at);
  const std::uint64_t there = left + rates_.dramExtra;
  for (std::uint32_t s = 0; s < 4; ++s)
    if (fetched >> s & 1) c.validAt[s] = there;
  times.level = Level::Dram;
  times.atDram = std::max(times.atDram, at + rates_.dramExtra / 2);
  times.leftDram = std::max(times.leftDram, left + rates_.dramExtra / 2);
  return there;
}

// What comes from DRAM through the far half, or is written there, passes the near one and counts in both.
std::uint64_t MemorySystem::l2Read(std::uint64_t line, std::uint8_t sectors, bool far, std::uint64_t arrivesAt, LineTimes& times) {
  const auto count = static_cast<std::uint32_t>(__builtin_popcount(sectors));
  const std::uint64_t served = slice(line, std::max(rates_.slicePerRequest, count * rates_.slicePerSector), arrivesAt);
  CacheLine& c = l2Line(line, served);
  times.atL2 = std::max(times.atL2, served);
  std::uint64_t done = served;
  std::uint8_t missing = 0;
  for (std::uint32_t s = 0; s < 4; ++s) {
    if ((sectors >> s & 1) == 0) continue;
    if (c.validAt[s] == never) missing |= static_cast<std::uint8_t>(1u << s);
    else done = std::max(done, c.validAt[s]);
  }
  if (missing != 0 && !rates_.allotments.empty()) missing = toFetch(c, missing, served);
  const auto misses = static_cast<std::uint32_t>(__builtin_popcount(missing));
  counters_->l2ReadSectors += count + (far ? misses : 0);
  counters_->l2Hits += count - misses;
  if (missing != 0) done = std::max(done, fetch(c, missing, served, times));
  if (times.level < Level::L2) times.level = Level::L2;
  return done;
}

// A write needs no fetch: bytes of a sector are masked.
std::uint64_t MemorySystem::l2Write(const LineAccess& a, bool far, bool together, std::uint64_t arrivesAt, LineTimes& times) {
  std::uint64_t served = together ? arrivesAt : slice(a.line, (a.count() + (a.inPart() ? 1 : 0)) * rates_.slicePerWrite, arrivesAt);
  evictedAt_ = 0;
  CacheLine& c = l2Line(a.line, served);
  // What has to leave for it waits in a queue; when that is full, the write waits too.
  if (evictedAt_ > served + writeQueueCycles) served = evictedAt_ - writeQueueCycles;
  times.atL2 = std::max(times.atL2, served);
  if (!together) {
    counters_->l2WriteSectors += a.count() * (far ? 2 : 1);
    counters_->l2Hits += a.count() * (far ? 2 : 1);
  }
  for (std::uint32_t s = 0; s < 4; ++s) {
    if ((a.sectors >> s & 1) == 0) continue;
    c.dirty |= static_cast<std::uint8_t>(1u << s);
    c.written[s] |= a.used[s];
    if (c.validAt[s] == never && c.written[s] == ~0u) c.validAt[s] = served;
  }
  return served;
}

}  // namespace warpmill::timing
