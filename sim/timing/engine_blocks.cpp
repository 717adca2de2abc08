// Blocks come to SMs and leave them.
#include "timing/engine.h"

#include "exec/cluster.h"

#include <algorithm>

namespace warpmill::timing {

// The free place of an SM that is ready first, or none.
std::uint32_t Engine::freePlace(const SmState& sm) const {
  std::uint32_t best = ~0u;
  for (std::uint32_t b = 0; b < sm.blocks.size(); ++b)
    if (!sm.blocks[b].used && (best == ~0u || sm.blocks[b].freeAt < sm.blocks[best].freeAt)) best = b;
  return best;
}

void Engine::updatePlace(std::uint32_t smIndex) {
  const SmState& sm = state_.sms[smIndex];
  const std::uint32_t place = freePlace(sm);
  state_.placeFreeAt[smIndex] = place == ~0u ? never : sm.blocks[place].freeAt;
}

// When can the next block start? Free places decide, and the dispatcher's rate.
void Engine::planDispatch() {
  state_.nextDispatch = never;
  if (state_.nextBlock >= machine_.blockCount_) return;
  std::uint64_t earliest = never;
  if (const std::uint32_t size = exec::clusterSize(machine_.launch_.code->context()); size > 1) {
    std::vector<std::uint64_t> freeAt;
    for (const SmState& sm : state_.sms)
      for (const ResidentBlock& b : sm.blocks)
        if (!b.used) freeAt.push_back(b.freeAt);
    if (freeAt.size() >= size) {
      std::nth_element(freeAt.begin(), freeAt.begin() + (size - 1), freeAt.end());
      earliest = freeAt[size - 1];
    }
  } else {
    for (const std::uint64_t t : state_.placeFreeAt) earliest = std::min(earliest, t);
  }
  if (earliest != never) state_.nextDispatch = std::max(earliest, (state_.dispatcherFreeAt + ticksPerCycle - 1) / ticksPerCycle);
}

void Engine::dispatch() {
  const std::uint64_t now = now_;
  while (state_.nextBlock < machine_.blockCount_ && state_.dispatcherFreeAt <= now * ticksPerCycle) {
    if (exec::clusterSize(machine_.launch_.code->context()) > 1) {
      if (!dispatchCluster()) break;
      state_.dispatcherFreeAt = std::max(state_.dispatcherFreeAt, now >= 1 ? (now - 1) * ticksPerCycle : 0) + machine_.blockInterval_;
      continue;
    }
    // The SM with the fewest blocks gets the next one; among equals the first. A block that has ended counts until its place is free.
    std::uint32_t best = ~0u, fewest = ~0u;
    for (std::uint32_t sm = 0; sm < state_.sms.size(); ++sm) {
      if (state_.placeFreeAt[sm] > now) continue;
      const auto& blocks = state_.sms[sm].blocks;
      const auto taken = static_cast<std::uint32_t>(std::count_if(blocks.begin(), blocks.end(), [now](const ResidentBlock& b) { return b.used || b.freeAt > now; }));
      if (taken < fewest) {
        fewest = taken;
        best = sm;
      }
    }
    if (best == ~0u) break;
    startBlock(best, freePlace(state_.sms[best]));
    state_.dispatcherFreeAt = std::max(state_.dispatcherFreeAt, now >= 1 ? (now - 1) * ticksPerCycle : 0) + machine_.blockInterval_;
  }
  planDispatch();
}

// The next block gets this place now; in a quantum its SM starts it when it gets there.
void Engine::startBlock(std::uint32_t smIndex, std::uint32_t blockSlot) {
  ResidentBlock& resident = state_.sms[smIndex].blocks[blockSlot];
  resident.used = true;
  resident.startedAt = now_;
  updatePlace(smIndex);
  const std::uint64_t linear = exec::clusterSize(machine_.launch_.code->context()) > 1 ? linearOf(state_.nextBlock) : machine_.order_.at(machine_.sample_.at(state_.nextBlock));
  ++state_.nextBlock;
  if (common_->quanta.empty()) beginBlock(smIndex, blockSlot, linear);
  else common_->quanta[smIndex].starts.push_back({now_, linear, blockSlot});
}

void Engine::beginBlock(std::uint32_t smIndex, std::uint32_t blockSlot, std::uint64_t linear) {
  SmState& sm = state_.sms[smIndex];
  countResidency(smIndex);
  ResidentBlock& resident = sm.blocks[blockSlot];
  const std::uint64_t now = now_;
  if (spare_.empty()) {
    resident.block = std::make_shared<machine::Block>(machine_.launch_.code->makeBlock(linear, smIndex));
  } else {
    resident.block = std::move(spare_.back());
    spare_.pop_back();
    machine_.launch_.code->startBlock(*resident.block, linear, smIndex);
  }
  resident.warpsLeft = static_cast<std::uint32_t>(resident.block->warps.size());
  resident.warpSlots.assign(resident.block->warps.size(), 0);
  ++state_.residentBlocks[smIndex];
  if (trace_) trace_->blocks.push_back({linear, static_cast<std::uint16_t>(smIndex), static_cast<std::uint16_t>(blockSlot), now, 0});

  for (std::uint32_t w = 0; w < resident.block->warps.size(); ++w) {
    // The sub-partition with the fewest warps, so that a block's warps go round all four.
    std::uint32_t slot = 0, fewest = ~0u;
    for (std::uint32_t k = 0; k < 4; ++k) {
      std::uint32_t usedCount = 0, firstFree = ~0u;
      for (std::uint32_t place = 0; place < 16; ++place) {
        if (sm.warps[place * 4 + k].used) ++usedCount;
        else if (firstFree == ~0u) firstFree = place * 4 + k;
      }
      if (firstFree != ~0u && usedCount < fewest) {
        fewest = usedCount;
        slot = firstFree;
      }
    }
    WarpSlot& ws = sm.warps[slot];
    ws.used = true;
    ws.blockSlot = blockSlot;
    ws.warp = w;
    const auto start = now + static_cast<std::uint64_t>(static_cast<double>(w) * profile_.warpLaunchInterval);
    ws.startedAt = start;
    ws.lastIssueAt = never;
    ws.waitingSince = start;
    ws.groupsDoneAt = {};
    ws.openGroupDoneAt = {};
    ws.registers.assign(machine_.launch_.function->registers.size(), Scoreboard{});
    ws.sunk = {};
    ws.rounds.assign(lowered_.loops, 0);
    resident.warpSlots[w] = static_cast<std::uint8_t>(slot);
    if (runs_) common_->seats[smIndex * 64 + slot] = {resident.block.get(), &resident.block->warps[w]};
    const Place at{smIndex, slot % 4, slot / 4};
    sm.parts[at.part].age[at.place] = ++sm.sequence;
    ++sm.residentWarps;
    counters_->machineInstructions += lowered_.prologueIssues;
    plan(at, start + lowered_.prologueIssues * 2, Stall::Wait);
  }
  if (quantum_ != nullptr)
    for (std::uint32_t part = 0; part < 4; ++part) wakeUps_.rank(part, sm.parts[part].age);
}

void Engine::finishBlock(std::uint32_t smIndex, std::uint32_t blockSlot) {
  SmState& sm = state_.sms[smIndex];
  ResidentBlock& resident = sm.blocks[blockSlot];
  if (trace_)
    for (auto it = trace_->blocks.rbegin(); it != trace_->blocks.rend(); ++it)
      if (it->block == resident.block->linear) {
        it->end = now_ + 1;
        break;
      }
  resident.used = false;
  if (runs_ && resident.block.use_count() == 1) spare_.push_back(std::move(resident.block));
  resident.block.reset();
  resident.warpSlots.clear();
  resident.cluster.clear();
  resident.freeAt = now_ + static_cast<std::uint64_t>(profile_.blockTurnover);
  --state_.residentBlocks[smIndex];
  updatePlace(smIndex);
  ++*blocksDone_;
  if (common_->quanta.empty()) planDispatch();
}

void Engine::countResidency(std::uint32_t smIndex) {
  SmState& sm = state_.sms[smIndex];
  const std::uint64_t now = now_, passed = now - sm.lastCounted;
  sm.residentWarpCycles += passed * sm.residentWarps;
  if (state_.residentBlocks[smIndex] != 0) sm.activeCycles += passed;
  sm.lastCounted = now;
}

void Engine::retireWarp(const Place& at) {
  SmState& sm = state_.sms[at.sm];
  countResidency(at.sm);
  WarpSlot& slot = sm.warps[at.place * 4 + at.part];
  const std::uint32_t blockSlot = slot.blockSlot;
  slot.used = false;
  slot.registers.clear();
  if (runs_) common_->seats[at.sm * 64 + at.place * 4 + at.part] = {};
  sm.parts[at.part].readyAt[at.place] = never;
  --sm.residentWarps;
  *endCycle_ = std::max(*endCycle_, now_ + 1);
  if (--sm.blocks[blockSlot].warpsLeft == 0) finishBlock(at.sm, blockSlot);
}

}  // namespace warpmill::timing
