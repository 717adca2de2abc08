// SMs one after the other for a quantum of cycles each, so that one SM's warps stay in the processor's cache meanwhile; see quantum.h.
#include "timing/engine.h"

#include "exec/op.h"

#include <algorithm>
#include <optional>

namespace warpmill::timing {

bool Engine::mayRunQuanta(std::uint64_t maxInstructions, bool exactly) const {
  if (machine_.quantum_ == 0 || trace_ != nullptr) return false;
  const std::uint64_t most = exactly ? 2 * parts_ * machine_.quantum_ : 0;  // of a quantum
  return maxInstructions == 0 || counters_->ptxInstructions + most < maxInstructions;
}

// True: all was well, and what comes next is left for running cycle by cycle. False: nothing was done, and this stretch must be run so.
bool Engine::runQuanta(std::uint64_t maxInstructions, bool exactly) {
  // Of a sample of the blocks nobody asks what threads that race would have written.
  looksForMeetings_ = machine_.sample_.isWhole();
  std::optional<MachineState> before;
  if (looksForMeetings_) before = state_;
  const Moment lastIssueBefore = lastIssue_;
  common_->seats.assign(state_.sms.size() * 64, {});  // what they show is shared now
  common_->quanta.resize(state_.sms.size());
  findPlain();
  makeCrew();
  bool good = true;
  while (good && mayRunQuanta(maxInstructions, exactly)) {
    std::uint64_t begin = state_.nextDispatch;
    for (const std::uint64_t t : state_.nextTry) begin = std::min(begin, t);
    if (begin == never) break;
    begin = std::max(begin, state_.at.cycle);
    good = runQuantum(begin, begin + machine_.quantum_);
  }
  crew_.reset();
  common_->quanta.clear();
  if (good) return true;
  state_ = std::move(*before);
  lastIssue_ = lastIssueBefore;
  common_->seats.assign(state_.sms.size() * 64, {});
  spare_.clear();
  return false;
}

void Engine::findPlain() {
  plain_.clear();
  for (const exec::Op& op : machine_.launch_.code->ops()) {
    const auto isPlain = [](const lowering::TimedOp& t) {
      return !t.isMemory && t.async == lowering::AsyncKind::None && !t.endsRound && t.armIssues == 0 && t.pipe != lowering::Pipe::Barrier && t.pipe != lowering::Pipe::Branch;
    };
    plain_.push_back(exec::Issuer::isPlain(op) && isPlain(lowered_.ops[op.pc]) && (lowered_.between.empty() || isPlain(lowered_.between[op.pc])) ? 1 : 0);
  }
}

bool Engine::runQuantum(std::uint64_t begin, std::uint64_t end) {
  for (SmQuantum& q : common_->quanta) q.clear();
  issuedIn_.assign(end - begin, 0);
  meets_ = false;
  // Places that get a block in this quantum were left before it.
  while (state_.nextDispatch < end) {
    now_ = std::max(state_.nextDispatch, begin);
    dispatch();
  }
  const std::uint64_t issuedBefore = counters_->ptxInstructions;
  quantumBegin_ = begin;
  quantumEnd_ = end;
  eachSm(&Engine::runOne);
  if (meets_ || (looksForMeetings_ && meetings_.any(common_->quanta))) return false;
  finishSent(begin, issuedBefore);
  eachSm(&Engine::settleOne);
  takeLastIssue();
  planDispatch();
  std::uint64_t next = state_.nextDispatch;
  for (const std::uint64_t t : state_.nextTry) next = std::min(next, t);
  WM_ASSERT(next >= end, "all that can issue in a quantum has issued");
  guard_.check(end, next == never ? end : next, counters_->ptxInstructions + state_.nextBlock);
  state_.at = {next == never ? end : next, 0};
  state_.cursor = 0;
  state_.partIssued = false;
  return true;
}

// What the warps of an SM that issue in this quantum need of the host's memory is brought while the SM before it runs, a little at each
// issue, in three steps, since each shows where the next one lies. Changes nothing but time.
void Engine::lookAhead(std::uint32_t smIndex, std::uint64_t end) {
  ahead_.count = 0;
  ahead_.done.fill(0);
  if (smIndex >= state_.sms.size() || state_.nextTry[smIndex] >= end) return;
  const SmState& sm = state_.sms[smIndex];
  for (std::uint32_t slot = 0; slot < 64; ++slot)
    if (sm.parts[slot % 4].readyAt[slot / 4] < end)
      if (const machine::Warp* warp = common_->seats[smIndex * 64 + slot].warp; warp != nullptr) ahead_.warps[ahead_.count++] = {warp, &sm.warps[slot]};
}

void Engine::bringAhead() {
  constexpr std::uint32_t apart = 4, instructions = 3;
  if (ahead_.done[2] == ahead_.count) return;
  const auto bring = [](const void* from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(static_cast<const char*>(from) + at);
  };
  for (std::uint32_t step = 0; step < 3; ++step) {
    std::uint32_t& k = ahead_.done[step];
    if (k == ahead_.count || (step > 0 && k + apart > ahead_.done[step - 1] && ahead_.done[step - 1] < ahead_.count)) break;
    const auto& [warp, slot] = ahead_.warps[k++];
    if (step == 0) {
      bring(warp, sizeof(*warp));
      bring(slot, sizeof(*slot));
    } else if (step == 1) {
      bring(warp->paths.data() + warp->current, 1);
      bring(slot->registers.data(), slot->registers.size() * sizeof(Scoreboard));
      bring(warp->predicates.data(), 1);
    } else if (warp->current < warp->paths.size()) {
      const std::vector<exec::Op>& ops = machine_.launch_.code->ops();
      const std::uint32_t pc = warp->path().pc;
      for (std::size_t i = pc; i < std::min<std::size_t>(pc + instructions, ops.size()); ++i)
        for (const exec::Slot* s : {&ops[i].dst, &ops[i].a, &ops[i].b, &ops[i].c, &ops[i].elements[0]})
          if (s->present && s->base == exec::Slot::Registers) bring(warp->planes.data() + s->offset, s->bits == 64 ? 256 : 128);
    }
  }
}

void Engine::runOne(std::uint32_t sm, std::uint32_t next) {
  lookAhead(next, quantumEnd_);
  runSm(sm, quantumBegin_, quantumEnd_);
  quantum_ = nullptr;
  memory_.keepIn(nullptr);
}

void Engine::settleOne(std::uint32_t sm, std::uint32_t) { settle(sm); }

// The issues of one SM, and the starts of its blocks.
void Engine::runSm(std::uint32_t smIndex, std::uint64_t begin, std::uint64_t end) {
  SmQuantum& q = common_->quanta[smIndex];
  SmState& sm = state_.sms[smIndex];
  auto start = q.starts.begin();
  const auto nextStart = [&] { return start == q.starts.end() ? never : start->cycle; };
  now_ = std::max(begin, std::min(state_.nextTry[smIndex], nextStart()));
  if (now_ >= end) return;
  quantum_ = &q;
  memory_.keepIn(&q);
  q.runs = true;
  wakeUps_.begin(begin, end);
  for (std::uint32_t part = 0; part < 4; ++part) {
    wakeUps_.rank(part, sm.parts[part].age);
    for (std::uint32_t place = 0; place < 16; ++place) wakeUps_.add(part, place, sm.parts[part].readyAt[place], now_, sm.parts[part].pipe[place] == lowering::Pipe::None);
  }
  for (; now_ < end && !meets_; now_ = std::min(wakeUps_.next(now_), nextStart())) {
    for (; start != q.starts.end() && start->cycle <= now_; ++start) beginBlock(smIndex, start->slot, start->linear);
    wakeUps_.arrive(now_);
    std::uint32_t issues = 0;
    for (std::uint32_t part = 0; part < 4; ++part)
      for (bool partIssued = false; issueOfPart(smIndex, part, partIssued);) {
        bringAhead();
        ++issues;
        q.lastPart = part;
        q.partIssued = partIssued;
      }
    if (issues == 0) continue;
    q.lastCycle = now_;
    q.issuesInCycle = issues;
    issuedIn_[now_ - begin] += issues;
  }
}

// The next issue of a sub-partition in this cycle, if there is one; as `pick` would choose it.
bool Engine::issueOfPart(std::uint32_t sm, std::uint32_t partIndex, bool& issued) {
  if (!wakeUps_.any(partIndex, now_)) return false;
  const SubPartition& part = state_.sms[sm].parts[partIndex];
  std::uint32_t place = wakeUps_.folded(partIndex);
  if (place == WakeUps::none) {
    if (issued || part.issueFreeAt > now_) {
      wakeUps_.tryNext(partIndex, std::max(part.issueFreeAt, now_ + 1));
      return false;
    }
    std::uint64_t next = never;
    place = wakeUps_.oldest(partIndex, part.lastPlace, [&](std::uint32_t p) {
      const std::uint64_t free = part.pipeFreeAt[static_cast<std::size_t>(part.pipe[p])];
      if (free > now_) next = std::min(next, free);
      return free <= now_;
    });
    if (place == WakeUps::none) {
      wakeUps_.tryNext(partIndex, next);
      return false;
    }
    issued = true;
  }
  wakeUps_.leave(partIndex, place);
  issue({sm, partIndex, place});
  return true;
}

// All SMs' requests to L2 in the order of their issue.
void Engine::finishSent(std::uint64_t begin, std::uint64_t issuedBefore) {
  std::vector<std::uint32_t>& first = firstTurn_;  // by cycle
  first.assign(issuedIn_.size() + 1, 0);
  for (const SmQuantum& q : common_->quanta)
    for (const Sent& s : q.sent) ++first[s.issuedAt - begin + 1];
  for (std::size_t c = 1; c < first.size(); ++c) first[c] += first[c - 1];
  turns_.resize(first.back());
  for (std::uint32_t sm = 0; sm < common_->quanta.size(); ++sm)
    for (std::uint32_t k = 0; k < common_->quanta[sm].sent.size(); ++k) turns_[first[common_->quanta[sm].sent[k].issuedAt - begin]++] = {sm, k};

  constexpr std::size_t ahead = 8;
  std::uint64_t issued = issuedBefore;
  std::size_t cycle = 0;
  for (std::size_t k = 0; k < turns_.size(); ++k) {
    const auto line = [&](std::size_t turn) { return common_->quanta[turns_[turn].sm].sent[turns_[turn].index].access.line; };
    if (k + 2 * ahead < turns_.size()) memory_.fetchAhead(line(k + 2 * ahead), true);
    if (k + ahead < turns_.size()) memory_.fetchAhead(line(k + ahead), false);
    const Turn turn = turns_[k];
    const Sent& sent = common_->quanta[turn.sm].sent[turn.index];
    for (; begin + cycle < sent.issuedAt; ++cycle) issued += issuedIn_[cycle];
    memory_.setProgress(issued);
    const std::uint64_t taken = memory_.finish(turn.sm, sent, common_->quanta[turn.sm]);
    *endCycle_ = std::max(*endCycle_, taken);
  }
}

// Puts in the times that are known now.
void Engine::settle(std::uint32_t smIndex) {
  SmQuantum& q = common_->quanta[smIndex];
  if (!q.runs) return;
  SmState& sm = state_.sms[smIndex];
  q.resolve();
  for (const Pending& p : q.pendings)
    if (p.ends) *endCycle_ = std::max(*endCycle_, p.latest.readyAt);
  for (const Sent& s : q.sent) {
    if (s.store) continue;
    for (std::uint64_t& validAt : sm.l1.at(s.way).validAt)
      if (validAt == firstOpen + s.pending) validAt = q.pendings[s.pending].latest.readyAt;
  }
  for (const SmQuantum::Written& w : q.written) {
    WarpSlot& slot = sm.warps[w.slot];
    const Scoreboard& known = q.pendingOf(w.open).latest;
    if (w.entry == SmQuantum::sunk) {
      if (slot.sunk.readyAt == w.open) slot.sunk = known;
    } else if (w.entry == SmQuantum::groups) {
      for (std::size_t kind = 0; kind < slot.groupsDoneAt.size(); ++kind) {
        if (slot.openGroupDoneAt[kind] == w.open) slot.openGroupDoneAt[kind] = known.readyAt;
        for (std::uint64_t& t : slot.groupsDoneAt[kind])
          if (t == w.open) t = known.readyAt;
      }
    } else if (w.entry < slot.registers.size() && slot.registers[w.entry].readyAt == w.open) {
      slot.registers[w.entry] = known;
    }
  }
  refreshesLater_ = true;
  for (const SmQuantum::Waiting& w : q.waiting) plan({smIndex, w.slot % 4u, w.slot / 4u}, w.earliest, w.reason, {w.lsuFreeAt, w.mioFreeAt});
  refreshesLater_ = false;
  for (std::uint32_t part = 0; part < 4; ++part) refresh(smIndex, part);
}

// The last issue of all SMs, as running cycle by cycle would have left it.
void Engine::takeLastIssue() {
  std::uint64_t last = 0;
  bool any = false;
  for (const SmQuantum& q : common_->quanta)
    if (q.lastCycle != never) last = std::max(last, q.lastCycle), any = true;
  if (!any) return;
  lastIssue_ = {{last, 0}, 0, false};
  for (std::uint32_t sm = 0; sm < common_->quanta.size(); ++sm) {
    const SmQuantum& q = common_->quanta[sm];
    if (q.lastCycle != last) continue;
    lastIssue_.at.slot += q.issuesInCycle;
    lastIssue_.cursor = sm * 4 + q.lastPart;
    lastIssue_.partIssued = q.partIssued;
  }
}

}  // namespace warpmill::timing
