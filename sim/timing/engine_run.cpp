// Which warp issues when: step by step, and all of them in one loop.
#include "timing/engine.h"

#include <algorithm>

namespace warpmill::timing {

using lowering::Pipe;

bool Engine::allowed(const Filter& filter, std::uint32_t sm, std::uint32_t part, std::uint32_t place) const {
  if (filter.kind == Filter::Kind::All) return true;
  const WarpSlot& slot = state_.sms[sm].warps[place * 4 + part];
  if (!slot.used) return false;
  const machine::Block& block = *state_.sms[sm].blocks[slot.blockSlot].block;
  return block.linear == filter.warp.block && (filter.kind == Filter::Kind::Block || slot.warp == filter.warp.warp);
}

std::uint64_t Engine::earliestIssue(const SubPartition& part, std::uint32_t place) const {
  const std::uint64_t ready = part.readyAt[place];
  if (ready == never || part.pipe[place] == Pipe::None) return ready;
  return std::max({ready, part.pipeFreeAt[static_cast<std::size_t>(part.pipe[place])], part.issueFreeAt});
}

bool Engine::pick(std::uint32_t sm, std::uint32_t part, const Filter& filter, bool foldedOnly, std::uint32_t& place) const {
  const SubPartition& p = state_.sms[sm].parts[part];
  const std::uint64_t now = now_;
  bool found = false;
  std::uint64_t bestAge = never;
  for (std::uint32_t i = 0; i < 16; ++i) {
    if (p.readyAt[i] > now) continue;
    if (filter.kind != Filter::Kind::All && !allowed(filter, sm, part, i)) continue;
    if (p.pipe[i] == Pipe::None) {  // folded: goes along with what the warp issued
      place = i;
      return true;
    }
    if (foldedOnly || earliestIssue(p, i) > now) continue;
    // Greedy, then oldest: the warp that issued last goes on while it can.
    const std::uint64_t age = i == p.lastPlace ? 0 : p.age[i] + 1;
    if (age < bestAge) {
      bestAge = age;
      place = i;
      found = true;
    }
  }
  return found;
}

std::uint64_t Engine::nextAllowed(const Filter& filter) const {
  std::uint64_t next = never;
  for (std::uint32_t s = 0; s < state_.sms.size(); ++s) {
    if (filter.kind == Filter::Kind::All) {
      next = std::min(next, state_.nextTry[s]);
      continue;
    }
    for (std::uint32_t part = 0; part < 4; ++part)
      for (std::uint32_t i = 0; i < 16; ++i)
        if (allowed(filter, s, part, i)) next = std::min(next, earliestIssue(state_.sms[s].parts[part], i));
  }
  return next;
}

Advance Engine::step(const Filter& filter) {
  const Position before = state_.at;
  const std::uint32_t cursorBefore = state_.cursor;
  const bool partIssuedBefore = state_.partIssued;
  memory_.setProgress(counters_->ptxInstructions);
  for (;;) {
    now_ = state_.at.cycle;
    if (state_.cursor == 0 && !state_.partIssued && state_.nextDispatch <= state_.at.cycle) dispatch();
    while (state_.cursor < parts_) {
      const std::uint32_t sm = state_.cursor / 4, part = state_.cursor % 4;
      SmState& s = state_.sms[sm];
      if (state_.nextTry[sm] > state_.at.cycle) {
        state_.cursor = (sm + 1) * 4;
        state_.partIssued = false;
        continue;
      }
      std::uint32_t place = 0;
      if (s.parts[part].nextTry <= state_.at.cycle && pick(sm, part, filter, state_.partIssued, place)) {
        const bool folded = s.parts[part].pipe[place] == Pipe::None;
        issue({sm, part, place});
        if (!folded) state_.partIssued = true;
        ++state_.at.slot;
        return Advance::Issued;
      }
      ++state_.cursor;
      state_.partIssued = false;
    }
    // Nothing more in this cycle: to the next one in which something can happen.
    state_.cursor = 0;
    state_.at.slot = 0;
    const std::uint64_t next = std::min(nextAllowed(filter), state_.nextDispatch);
    if (next == never && filter.kind == Filter::Kind::All && expireWaits()) continue;
    if (next == never) {
      // A call that issues nothing leaves the clock where it was.
      state_.at = before;
      state_.cursor = cursorBefore;
      state_.partIssued = partIssuedBefore;
      return machine_.finished(state_) ? Advance::Finished : Advance::Blocked;
    }
    state_.at.cycle = std::max(state_.at.cycle + 1, next);
  }
}

// A device's warps do not fit into the processor's caches: what the SMs to come will touch in this cycle is brought in three steps, since
// each shows where the next one lies. Changes nothing but time.
void Engine::bringAheadOfCycle(std::uint32_t sm, std::uint32_t first) {
  const auto sms = static_cast<std::uint32_t>(state_.nextTry.size());
  const std::uint64_t now = state_.at.cycle;
  if (sm < sms) {
    AheadOfCycle& a = aheadOfCycle_[sm % aheadOfCycle_.size()];
    a.count = 0;
    if (state_.nextTry[sm] <= now) {
      const SmState& s = state_.sms[sm];
      for (std::uint32_t part = 0; part < 4; ++part) {
        std::uint32_t place = 0;
        if (s.parts[part].nextTry > now || !pick(sm, part, Filter{}, false, place)) continue;
        const std::uint32_t slot = place * 4 + part;
        const machine::Warp* warp = common_->seats[sm * 64 + slot].warp;
        if (warp == nullptr) continue;
        __builtin_prefetch(warp);
        __builtin_prefetch(reinterpret_cast<const char*>(warp) + 64);
        __builtin_prefetch(&s.warps[slot]);
        a.warps[a.count++] = {warp, &s.warps[slot]};
      }
    }
  }
  if (sm >= first + 2 && sm - 2 < sms) {
    const AheadOfCycle& a = aheadOfCycle_[(sm - 2) % aheadOfCycle_.size()];
    for (std::uint32_t k = 0; k < a.count; ++k) {
      __builtin_prefetch(a.warps[k].first->paths.data() + a.warps[k].first->current);
      __builtin_prefetch(a.warps[k].first->predicates.data());
    }
  }
  if (sm >= first + 4 && sm - 4 < sms) {
    const AheadOfCycle& a = aheadOfCycle_[(sm - 4) % aheadOfCycle_.size()];
    for (std::uint32_t k = 0; k < a.count; ++k) {
      const auto& [warp, slot] = a.warps[k];
      if (warp->current >= warp->paths.size()) continue;
      const std::uint32_t pc = warp->path().pc;
      const exec::Op& op = machine_.launch_.code->ops()[pc];
      for (const exec::Slot* s : {&op.dst, &op.a, &op.b, &op.c, &op.elements[0]}) {
        if (!s->present || s->base != exec::Slot::Registers) continue;
        const std::uint32_t* plane = warp->planes.data() + s->offset;
        __builtin_prefetch(plane);
        __builtin_prefetch(plane + 16);
        if (s->bits != 64) continue;
        __builtin_prefetch(plane + 32);
        __builtin_prefetch(plane + 48);
      }
      // What it writes, and what the next one waits for.
      for (std::uint32_t r : lowered_.ops[pc].writes) __builtin_prefetch(slot->registers.data() + r);
      if (pc + 1 < lowered_.ops.size())
        for (std::uint32_t r : lowered_.ops[pc + 1].reads) __builtin_prefetch(slot->registers.data() + r);
    }
  }
}

// The issues of one cycle, or what is left of them. True: the limit is reached.
bool Engine::runCycle(std::uint64_t maxInstructions) {
  const Filter all;
  const std::uint64_t now = state_.at.cycle;
  const auto sms = static_cast<std::uint32_t>(state_.nextTry.size());
  const std::uint32_t first = state_.cursor / 4;
  for (std::uint32_t ahead = first; ahead < first + lookAheadSms; ++ahead) bringAheadOfCycle(ahead, first);
  for (std::uint32_t sm = first, part = state_.cursor % 4; sm < sms; ++sm, part = 0) {
    bringAheadOfCycle(sm + lookAheadSms, first);
    if (state_.nextTry[sm] > now) {
      state_.partIssued = false;
      continue;
    }
    SubPartition* parts = state_.sms[sm].parts.data();
    for (; part < 4; ++part, state_.partIssued = false) {
      std::uint32_t place = 0;
      while (parts[part].nextTry <= now && pick(sm, part, all, state_.partIssued, place)) {
        const bool folded = parts[part].pipe[place] == Pipe::None;
        issue({sm, part, place});
        if (!folded) state_.partIssued = true;
        ++state_.at.slot;
        state_.cursor = sm * 4 + part;
        lastIssue_ = {state_.at, state_.cursor, state_.partIssued};
        if (maxInstructions != 0 && counters_->ptxInstructions >= maxInstructions) return true;
      }
    }
  }
  return false;
}

Advance Engine::run(std::uint64_t maxInstructions, bool exactly, unsigned jobs) {
  jobs_ = jobs;
  runs_ = true;
  common_->seats.assign(state_.sms.size() * 64, {});
  lastIssue_ = {state_.at, state_.cursor, state_.partIssued};
  bool quanta = true;
  for (;;) {
    if (state_.cursor == 0 && !state_.partIssued) {
      if (quanta && mayRunQuanta(maxInstructions, exactly)) quanta = runQuanta(maxInstructions, exactly);
      if (maxInstructions != 0 && !exactly && counters_->ptxInstructions >= maxInstructions) return Advance::Issued;
      now_ = state_.at.cycle;
      if (state_.nextDispatch <= now_) dispatch();
    }
    now_ = state_.at.cycle;
    memory_.setProgress(counters_->ptxInstructions);
    if (runCycle(maxInstructions)) return Advance::Issued;
    state_.cursor = 0;
    state_.partIssued = false;
    state_.at.slot = 0;
    std::uint64_t next = state_.nextDispatch;
    for (const std::uint64_t t : state_.nextTry) next = std::min(next, t);
    if (next == never) {
      if (expireWaits()) continue;
      // Where nothing more is issued the clock stays.
      state_.at = lastIssue_.at;
      state_.cursor = lastIssue_.cursor;
      state_.partIssued = lastIssue_.partIssued;
      guard_.check(state_.at.cycle, *endCycle_, ~0ull);
      return machine_.finished(state_) ? Advance::Finished : Advance::Blocked;
    }
    guard_.check(state_.at.cycle, next, counters_->ptxInstructions + state_.nextBlock);
    state_.at.cycle = std::max(state_.at.cycle + 1, next);
  }
}

}  // namespace warpmill::timing
