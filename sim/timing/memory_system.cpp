#include "timing/memory_system.h"

#include "timing/banks.h"
#include "timing/queue.h"

namespace warpmill::timing {

namespace {

std::uint64_t whole(double v) { return static_cast<std::uint64_t>(std::llround(v)); }

bool isAtomic(const exec::MemoryAccess& a) { return a.kind == exec::MemoryAccess::Kind::Atomic || a.kind == exec::MemoryAccess::Kind::Reduction; }

}  // namespace

MemoryRates::MemoryRates(const device::Profile& p, std::uint32_t carveOutBytes) {
  lsuPerRequest = ticks(p.lsuInterval);
  readPortPerSector = ticks(sectorBytes / p.smReadBytesPerCycle);
  writePortPerSlot = ticks(sectorBytes / p.smWriteBytesPerCycle);
  slicePerSector = ticks(1.0 / p.l2SectorsPerCycle);
  slicePerRequest = ticks(1.0 / p.l2RequestsPerCycle);
  slicePerWrite = ticks(1.0 / p.l2WritesPerCycle);
  const double bytesPerCycle = p.dramBytesPerSecond * 1000.0 / p.clockMHz / p.dramChannels;  // peak of one channel
  channelPerSector = ticks(sectorBytes / (bytesPerCycle * p.dramReadEfficiency));
  mixPenalty256 = whole(p.dramMixPenalty * p.dramReadEfficiency * 256.0);
  atomicPerSector = ticks(1.0 / p.atomicsPerCycle);
  floatAtomicPerWord = ticks(1.0 / p.floatAtomicsPerCycle);
  l1Latency = whole(p.l1Latency);
  l2Latency = whole(p.l2Latency);
  l2FarExtra = whole(p.l2FarExtra);
  dramExtra = whole(p.dramExtra);
  rowCycle = whole(p.dramRowCycleNs / p.nsPerCycle());
  sharedLatency = whole(p.sharedLatency);
  sharedAtomicLatency = whole(p.sharedAtomicLatency);
  const auto l1Bytes = static_cast<std::uint64_t>(std::max(p.l1AndSharedBytes - carveOutBytes, 16.0 * 1024));
  l1Ways = 4;
  l1Sets = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, l1Bytes / lineBytes / l1Ways));
  l2Ways = 16;
  l2Sets = static_cast<std::uint32_t>(std::max(1.0, p.l2Bytes * p.l2EffectiveFraction / lineBytes / l2Ways));
  slices = static_cast<std::uint32_t>(p.l2Slices);
  channels = static_cast<std::uint32_t>(p.dramChannels);
  atomicUnits = static_cast<std::uint32_t>(std::max(1.0, p.atomicUnits));
  linesPerStretch = static_cast<std::uint32_t>(std::max(1.0, p.dramInterleaveBytes / lineBytes));
  linesPerSlice = static_cast<std::uint32_t>(std::max(1.0, p.l2SliceInterleaveBytes / lineBytes));
  linesPerRow = static_cast<std::uint32_t>(std::max(1.0, p.dramRowBytes / lineBytes));
  banksPerChannel = static_cast<std::uint32_t>(std::max(1.0, p.dramBanksPerChannel));
  missesInFlight = static_cast<std::uint32_t>(p.l1MissesInFlight);
  tagBanks = static_cast<std::uint32_t>(std::clamp(p.l1TagBanks, 1.0, 16.0));
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
    if (count != 0 && from - sectors_[count - 1].address <= sectorBytes - access.bytesPerLane && access.bytesPerLane < sectorBytes) {
      sectors_[count - 1].used |= ((1u << access.bytesPerLane) - 1) << (from - sectors_[count - 1].address);
      continue;
    }
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

LineAccess MemorySystem::nextLine(std::size_t& s, std::size_t count) const {
  LineAccess a;
  a.line = sectors_[s].address / lineBytes;
  for (; s < count && sectors_[s].address / lineBytes == a.line; ++s) {
    const auto index = static_cast<std::uint32_t>(sectors_[s].address / sectorBytes % 4);
    a.sectors |= static_cast<std::uint8_t>(1u << index);
    a.used[index] = sectors_[s].used;
  }
  return a;
}

// Local memory lies interleaved: the words of the 32 lanes side by side. The words of a vector lie in as many lines one after the other; as long
// as all lanes want the same ones, that is a row.
exec::MemoryAccess MemorySystem::inLocalMemory(const MemoryRequest& what) const {
  exec::MemoryAccess a = what.access;
  // The frame of the kernel itself, warp after warp; far behind them what its calls add.
  constexpr std::uint64_t localBegin = 1ull << 46, callsBegin = 1ull << 47, bytesPerWarp = 1ull << 26;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t offset = a.address[lane];
    const std::uint64_t word = offset / 4;
    const std::uint64_t line = word < rates_.localLines ? localBegin / lineBytes + what.residentWarp * rates_.localLines + word : (callsBegin + what.residentWarp * bytesPerWarp) / lineBytes + word;
    a.address[lane] = line * lineBytes + lane * std::max(4u, a.bytesPerLane) + offset % 4;
  }
  return a;
}

MemoryTiming MemorySystem::shared(SmState& sm, std::uint64_t cycle, const MemoryRequest& what, Request* request) {
  const exec::MemoryAccess& access = what.access;
  const bool atomic = isAtomic(access), store = access.kind == exec::MemoryAccess::Kind::Store;
  Wavefronts w = wavefronts(access, atomic && !what.countsLanes);
  const SwapLoop loop = atomic && what.isFloat ? swapLoopOf(access) : SwapLoop{};
  if (loop.rounds != 0) w = {loop.passes, loop.rounds};
  const Ticks held = pipelineCost(w.passes + loop.rounds);
  counters_->lsuBusy += held;
  const std::uint64_t served = serve(sm.lsuFreeAt, cycle, held);
  // Nsight Compute counts what an atomic unit does with neither; a float's loop loads.
  if (!atomic || what.isFloat) {
    (store ? counters_->sharedStoreWavefronts : counters_->sharedLoadWavefronts) += w.passes;
    (store ? counters_->sharedStoreConflicts : counters_->sharedLoadConflicts) += w.passes - w.ideal;
  }
  MemoryTiming t;
  t.isShared = true;
  t.acceptedAt = served;
  t.doneAt = served - 1 + (atomic ? rates_.sharedAtomicLatency : rates_.sharedLatency);
  if (atomic && what.isFloat) {
    // There is no unit for floats: a loop of load, addition and compare-and-swap, a round for each lane that a bank has to serve.
    // Measured on an H200 (atom.shared.add.f32 of 1 to 32 lanes on one word, and on words of one bank): 97 cycles and six instructions a
    // round, two cycles for each pass more of its load and swap, two instructions before.
    constexpr std::uint64_t cyclesOfRound = 97, cyclesOfPass = 2;
    constexpr std::uint32_t issuesOfRound = 6, issuesBefore = 2;
    t.doneAt = served - held / ticksPerCycle + loop.rounds * cyclesOfRound + (loop.passes - loop.rounds) * cyclesOfPass;
    t.loopIssues = issuesBefore + loop.rounds * issuesOfRound;
  }
  if (request) {
    request->isShared = true;
    request->wavefronts = w.passes;
    request->level = Level::Shared;
    request->atL1 = request->atL2 = request->atDram = request->leftDram = served;
    request->done = t.doneAt;
  }
  return t;
}

// Lines lie in the tag banks in turn; each looks up one a cycle.
std::uint32_t MemorySystem::tagCycles(std::size_t count) const {
  std::array<std::uint32_t, 16> ofBank{};
  std::uint32_t most = 1;
  std::uint64_t last = ~0ull;
  for (std::size_t s = 0; s < count; ++s) {
    const std::uint64_t line = sectors_[s].address / lineBytes;
    if (line == last) continue;
    last = line;
    most = std::max(most, ++ofBank[line % rates_.tagBanks]);
  }
  return most;
}

// Lanes on one word of a sector go one after another, those on different words together.
MemorySystem::AtomicWork MemorySystem::atomicWork(const exec::MemoryAccess& access, std::uint64_t line) const {
  std::array<std::array<std::uint8_t, 8>, 4> lanesOn{};
  for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(__builtin_ctz(lanes))];
    if (address / lineBytes == line) ++lanesOn[address / sectorBytes % 4][address / 4 % 8];
  }
  AtomicWork work;
  for (const auto& words : lanesOn) {
    const std::uint32_t passes = *std::max_element(words.begin(), words.end());
    work.sectorPasses += passes;
    work.mostOfSector = std::max(work.mostOfSector, passes);
  }
  return work;
}

std::uint64_t MemorySystem::wayTo(std::uint32_t smIndex, std::uint64_t line) const {
  return (rates_.l2Latency + (isFar(smIndex, line) ? rates_.l2FarExtra : 0) - rates_.l1Latency) / 2;
}

void MemorySystem::waitFor(std::uint64_t openTime) {
  if (openTimes_.empty() || openTimes_.back() != openTime) openTimes_.push_back(openTime);
}

std::uint64_t MemorySystem::finish(std::uint32_t smIndex, const Sent& sent, SmQuantum& quantum) {
  const std::uint64_t line = sent.access.line;
  LineTimes times;
  if (sent.store) {
    const std::uint64_t taken = l2Write(sent.access, isFar(smIndex, line), sent.together, sent.leavesAt + wayTo(smIndex, line), times);
    if (!sent.together) state_.sms[smIndex].writesDoneAt[sent.way] = taken;
    return taken;
  }
  quantum.pendings[sent.pending].latest.readyAt = bring(state_.sms[smIndex], smIndex, line, sent.access.sectors, sent.leavesAt, times);
  return 0;
}

// The line in L1, which is used now, and its number there.
std::pair<CacheLine*, std::size_t> MemorySystem::l1Line(SmState& sm, std::uint64_t line) const {
  // Neighbouring lines go to neighbouring sets.
  const std::size_t first = (line + spread(line / rates_.l1Sets)) % rates_.l1Sets * rates_.l1Ways;  // a set lies in one chunk
  CacheLine* ways = sm.l1.chunkForWrite(first / 64) + first % 64;
  CacheLine* oldest = ways;
  bool found = false;
  for (std::uint32_t w = 0; w < rates_.l1Ways; ++w) {
    if (ways[w].tag == line) { oldest = ways + w; found = true; break; }
    if (ways[w].lastUse < oldest->lastUse) oldest = ways + w;  // those that were never used have 0
  }
  CacheLine& c = *oldest;
  if (!found) {
    c = CacheLine{};
    c.tag = line;
  }
  c.lastUse = ++sm.cacheUses;
  return {oldest, first + static_cast<std::size_t>(oldest - ways)};
}

// Local memory that is written stays in L1, too: nobody else reads it.
void MemorySystem::keepInL1(SmState& sm, const LineAccess& a, std::uint64_t now) const {
  CacheLine& c = *l1Line(sm, a.line).first;
  for (std::uint32_t s = 0; s < 4; ++s) {
    if ((a.sectors >> s & 1) == 0) continue;
    c.written[s] |= a.used[s];
    if (c.validAt[s] == never && c.written[s] == ~0u) c.validAt[s] = now;
  }
}

void MemorySystem::loadLine(SmState& sm, std::uint32_t smIndex, const LineAccess& a, std::uint64_t lookedUpAt, bool bypassL1, LineTimes& times) {
  const auto [place, number] = l1Line(sm, a.line);
  CacheLine& c = *place;
  std::uint8_t missing = 0;
  std::uint64_t ready = lookedUpAt;
  for (std::uint32_t s = 0; s < 4; ++s) {
    if ((a.sectors >> s & 1) == 0) continue;
    if (c.validAt[s] == never || bypassL1) missing |= static_cast<std::uint8_t>(1u << s);
    else if (isOpen(c.validAt[s])) waitFor(c.validAt[s]);
    else ready = std::max(ready, c.validAt[s]);
  }
  const auto misses = static_cast<std::uint32_t>(__builtin_popcount(missing));
  counters_->globalLoadHits += a.count() - misses;
  if (misses != 0) {
    std::uint64_t back = 0;
    if (quantum_ != nullptr) {
      back = quantum_->open({{0, Stall::LongScoreboard}});
      quantum_->sent.push_back({a, issuedAt_, lookedUpAt, static_cast<std::uint32_t>(back - firstOpen), static_cast<std::uint32_t>(number)});
      quantum_->sent.back().access.sectors = missing;
      openTimes_.push_back(back);
    } else {
      back = bring(sm, smIndex, a.line, missing, lookedUpAt, times);
      ready = std::max(ready, back);
    }
    for (std::uint32_t s = 0; s < 4; ++s)
      if (missing >> s & 1) c.validAt[s] = back;
  }
  times.done = std::max(times.done, ready);
}

// From L2; gives the time at which all of it is back.
std::uint64_t MemorySystem::bring(SmState& sm, std::uint32_t smIndex, std::uint64_t line, std::uint8_t missing, std::uint64_t lookedUpAt, LineTimes& times) {
  const auto misses = static_cast<std::uint32_t>(__builtin_popcount(missing));
  // An SM waits for so many sectors at most; the next one leaves when the oldest is back.
  std::uint64_t leave = lookedUpAt;
  for (std::uint32_t m = 0; m < misses; ++m) {
    const std::uint64_t& oldestMiss = sm.missesDoneAt[(sm.missesHead + m) % sm.missesDoneAt.size()];
    leave = std::max(leave, oldestMiss);
  }
  const std::uint64_t way0 = wayTo(smIndex, line);
  const std::uint64_t left = l2Read(line, missing, isFar(smIndex, line), leave + way0, times);
  const std::uint64_t back = serve(sm.readPortFreeAt, left + way0, misses * rates_.readPortPerSector);
  for (std::uint32_t m = 0; m < misses; ++m) {
    sm.missesDoneAt[sm.missesHead % sm.missesDoneAt.size()] = back;
    ++sm.missesHead;
  }
  return back;
}

void MemorySystem::storeLine(SmState& sm, std::uint32_t smIndex, const LineAccess& a, std::uint64_t leftAt, bool waitsForData, LineTimes& times) {
  auto known = std::find_if(sm.sent.begin(), sm.sent.end(), [&](const SentLine& l) { return l.line == a.line; });
  const bool together = known != sm.sent.end() && leftAt < known->leavesAt;
  if (known == sm.sent.end()) known = std::min_element(sm.sent.begin(), sm.sent.end(), [](const SentLine& x, const SentLine& y) { return x.leavesAt < y.leavesAt; });
  const std::uint32_t slots = a.count() + (a.inPart() ? 1 : 0);
  const std::uint32_t turn = sm.writesHead % MemoryRates::writesInFlight;
  if (!together) ++sm.writesHead;
  const std::uint64_t sent = together ? std::min(known->leavesAt, sm.writePortFreeAt / ticksPerCycle) : serve(sm.writePortFreeAt, std::max(leftAt, sm.writesDoneAt[turn]), slots * rates_.writePortPerSlot);
  // Stores whose data is on its way leave together, at least so much later.
  *known = {a.line, waitsForData ? std::max(sent, leftAt + rates_.l2Latency + rates_.dramExtra) : sent};
  if (quantum_ != nullptr) {
    quantum_->sent.push_back({a, issuedAt_, sent, 0, turn, true, together});
    return;
  }
  const std::uint64_t left = l2Write(a, isFar(smIndex, a.line), together, sent + wayTo(smIndex, a.line), times);
  if (!together) sm.writesDoneAt[turn] = left;
  if (times.level < Level::L2) times.level = Level::L2;
  times.done = std::max(times.done, left);
}

void MemorySystem::atomicLine(SmState& sm, std::uint32_t smIndex, const LineAccess& a, std::uint64_t leftAt, const MemoryRequest& what, LineTimes& times) {
  AtomicWork work = atomicWork(what.access, a.line);
  // Lanes that all add integers to one word are added up in the warp first.
  if (!what.isFloat && work.sectorPasses == static_cast<std::uint32_t>(__builtin_popcount(what.access.lanes)) && work.mostOfSector == work.sectorPasses) work = {1, 1};
  const std::uint64_t sent = serve(sm.writePortFreeAt, leftAt, work.sectorPasses * rates_.writePortPerSlot);
  const std::uint64_t way = wayTo(smIndex, a.line);
  const std::uint64_t there = l2Read(a.line, a.sectors, isFar(smIndex, a.line), sent + way, times);
  l2Line(a.line, there).dirty |= a.sectors;
  Ticks cost = work.sectorPasses * rates_.atomicPerSector;
  if (what.isFloat) cost = std::max(cost, work.mostOfSector * rates_.floatAtomicPerWord);
  const std::size_t unit = spread(a.line / rates_.linesPerSlice + 0x51ED27) % rates_.atomicUnits;
  state_.atomicBusy[unit] += cost;
  const std::uint64_t left = serve(state_.atomicFreeAt[unit], there, cost);
  if (times.level < Level::L2) times.level = Level::L2;
  times.done = std::max(times.done, left + (what.access.kind == exec::MemoryAccess::Kind::Atomic ? way : 0));
}

MemoryTiming MemorySystem::issue(std::uint32_t smIndex, std::uint64_t cycle, const MemoryRequest& what, Request* request) {
  using Kind = exec::MemoryAccess::Kind;
  SmState& sm = state_.sms[smIndex];
  const exec::MemoryAccess& access = what.access;
  if (request) {
    request->issued = cycle;
    request->isStore = access.kind == Kind::Store;
    request->isAtomic = isAtomic(access);
    request->bytesPerLane = access.bytesPerLane;
    request->lanes = access.lanes;
    request->address = access.address;
    request->firstSector = static_cast<std::uint32_t>(trace_->sectors.size());
  }
  if (access.space == ptx::Space::Const || access.space == ptx::Space::Param) {
    const std::uint64_t taken = serve(sm.lsuFreeAt, cycle, rates_.lsuPerRequest);
    const MemoryTiming t{taken, taken + rates_.l1Latency, false};
    if (request) request->atL1 = request->atL2 = request->atDram = request->leftDram = request->done = t.doneAt;
    return t;
  }
  if (access.space == ptx::Space::Local) {
    const exec::MemoryAccess interleaved = inLocalMemory(what);
    return coalesced(smIndex, cycle, {interleaved, what.bypassL1, what.isFloat, what.countsLanes, what.residentWarp, what.waitsForData}, request);
  }
  if (access.space == ptx::Space::Shared && request == nullptr) return shared(sm, cycle, what, request);  // nobody asks for its sectors
  return coalesced(smIndex, cycle, what, request);
}

MemoryTiming MemorySystem::coalesced(std::uint32_t smIndex, std::uint64_t cycle, const MemoryRequest& here, Request* request) {
  SmState& sm = state_.sms[smIndex];
  const exec::MemoryAccess& access = here.access;
  const std::size_t count = coalesce(access);
  if (request) {
    for (std::size_t s = 0; s < count; ++s) {
      trace_->sectors.push_back({sectors_[s].address, sectors_[s].used, access.space == ptx::Space::Shared ? Level::Shared : Level::L1});
      request->usedBytes += static_cast<std::uint32_t>(__builtin_popcount(sectors_[s].used));
    }
    request->sectorCount = static_cast<std::uint32_t>(count);
  }
  return access.space == ptx::Space::Shared ? shared(sm, cycle, here, request) : global(sm, smIndex, cycle, here, count, request);
}

MemoryTiming MemorySystem::global(SmState& sm, std::uint32_t smIndex, std::uint64_t cycle, const MemoryRequest& what, std::size_t count, Request* request) {
  using Kind = exec::MemoryAccess::Kind;
  const exec::MemoryAccess& access = what.access;
  const bool counted = access.space == ptx::Space::Global;
  const bool store = access.kind == Kind::Store, atomic = isAtomic(access), reduction = access.kind == Kind::Reduction;
  Counters& k = *counters_;
  if (counted) {
    if (store || reduction) { ++k.globalStoreRequests; k.globalStoreSectors += count; }
    else if (!atomic) { ++k.globalLoadRequests; k.globalLoadSectors += count; }
  }
  const std::uint64_t hitsBefore = k.globalLoadHits;
  std::uint32_t held = tagCycles(count);
  if (!store && !atomic) held = std::max({held, wavefronts(access, false).passes, what.copyPasses});
  // What waits to be sent holds the pipeline when it is more than the buffer. Measured on an H200: stores that are 80 slots behind another one
  // to their line go along with it, when the way is full, those that are 160 behind do not; of stores of one word in four by four stores in a row
  // one to two in four go.
  constexpr Ticks sendBuffer = 96 * ticksPerCycle;
  if (sm.writePortFreeAt > sendBuffer) sm.lsuFreeAt = std::max(sm.lsuFreeAt, sm.writePortFreeAt - sendBuffer);
  k.lsuBusy += pipelineCost(held);
  const std::uint64_t taken = serve(sm.lsuFreeAt, cycle, pipelineCost(held));
  const std::uint64_t atL1 = taken + rates_.l1Latency / 2;
  std::uint64_t done = taken + (store || reduction ? 0 : rates_.l1Latency);
  LineTimes all;
  issuedAt_ = cycle;
  openTimes_.clear();
  for (std::size_t s = 0; s < count;) {
    const std::size_t begin = s;
    const LineAccess a = nextLine(s, count);
    LineTimes times;
    if (quantum_ != nullptr && counted && !store) quantum_->reads.push_back(a);
    if (atomic) {
      atomicLine(sm, smIndex, a, atL1, what, times);
    } else if (store) {
      storeLine(sm, smIndex, a, atL1, what.waitsForData, times);
      if (!counted) keepInL1(sm, a, atL1);
    } else {
      loadLine(sm, smIndex, a, atL1, what.bypassL1, times);
    }
    if (request)
      for (std::size_t i = begin; i < s; ++i) trace_->sectors[request->firstSector + i].level = times.level;
    all.atL2 = std::max(all.atL2, times.atL2);
    all.atDram = std::max(all.atDram, times.atDram);
    all.leftDram = std::max(all.leftDram, times.leftDram);
    all.level = std::max(all.level, times.level);
    // The data of a hit is there when the lookup is; of a miss, half an L1 latency after it is back.
    done = std::max(done, times.done + (store || reduction ? 0 : rates_.l1Latency - rates_.l1Latency / 2));
  }
  if (!counted) k.globalLoadHits = hitsBefore;  // local memory has its own counters
  if (!openTimes_.empty()) {
    // `back` above, and as much more as for the others.
    const std::uint64_t more = rates_.l1Latency - rates_.l1Latency / 2;
    done = quantum_->open({{done - more, Stall::LongScoreboard}, static_cast<std::uint32_t>(quantum_->parts.size()), static_cast<std::uint32_t>(openTimes_.size()),
                           static_cast<std::uint32_t>(more), true});
    for (const std::uint64_t t : openTimes_) quantum_->parts.push_back({t, Stall::LongScoreboard});
  }
  if (request) {
    request->level = all.level;
    request->atL1 = atL1;
    request->atL2 = std::max(all.atL2, request->atL1);
    request->atDram = std::max(all.atDram, request->atL2);
    request->leftDram = std::max(all.leftDram, request->atDram);
    request->done = std::max(done, request->leftDram);
  }
  return {taken, done, false};
}

}  // namespace warpmill::timing
