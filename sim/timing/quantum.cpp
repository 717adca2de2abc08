#include "timing/quantum.h"

#include "timing/queue.h"

#include <bit>

namespace warpmill::timing {

using ptx::Opcode;

void SmQuantum::clear() {
  starts.clear();
  pendings.clear();
  parts.clear();
  sent.clear();
  reads.clear();
  written.clear();
  waiting.clear();
  lastCycle = never;
  runs = false;
}

std::uint64_t SmQuantum::later(std::uint64_t a, std::uint64_t b, Stall reason) {
  Pending p;
  p.latest.reason = reason;
  p.firstPart = static_cast<std::uint32_t>(parts.size());
  p.parts = 2;
  p.ownReason = true;
  parts.push_back({a, reason});
  parts.push_back({b, reason});
  return open(p);
}

void SmQuantum::resolve() {
  for (Pending& p : pendings) {
    if (p.parts == 0) continue;
    for (std::uint32_t k = p.firstPart; k < p.firstPart + p.parts; ++k) {
      const Scoreboard& part = isOpen(parts[k].readyAt) ? pendingOf(parts[k].readyAt).latest : parts[k];
      if (part.readyAt <= p.latest.readyAt) continue;
      p.latest.readyAt = part.readyAt;
      if (!p.ownReason) p.latest.reason = part.reason;
    }
    p.latest.readyAt += p.latency;
  }
}

void WakeUps::rank(std::uint32_t part, const std::array<std::uint64_t, 16>& age) {
  Part& p = parts_[part];
  std::uint32_t ready = 0;
  for (std::uint32_t place = 0; place < 16; ++place) ready |= (p.byRank >> p.rankOf[place] & 1) << place;
  for (std::uint32_t place = 0; place < 16; ++place) {  // mostly in order already
    std::uint32_t k = place;
    for (; k > 0 && age[p.order[k - 1]] > age[place]; --k) p.order[k] = p.order[k - 1];
    p.order[k] = static_cast<std::uint8_t>(place);
  }
  p.byRank = 0;
  for (std::uint32_t k = 0; k < 16; ++k) {
    p.rankOf[p.order[k]] = static_cast<std::uint8_t>(k);
    p.byRank |= (ready >> p.order[k] & 1) << k;
  }
}

std::uint64_t WakeUps::next(std::uint64_t now) const {
  std::uint64_t next = never;
  for (const Part& p : parts_)
    if ((p.byRank | p.folded) != 0) next = std::min(next, std::max(now + 1, p.tryAt));
  const std::uint64_t from = now - begin_ + 1;
  for (std::uint64_t word = from / 64; word < some_.size(); ++word) {
    const std::uint64_t left = some_[word] & (word == from / 64 ? ~0ull << from % 64 : ~0ull);
    if (left != 0) return std::min(next, begin_ + word * 64 + static_cast<std::uint64_t>(__builtin_ctzll(left)));
  }
  return next;
}

// ---- Meetings ----

std::size_t Meetings::find(std::uint64_t line) const {
  std::size_t at = spread(line) & (lines_.size() - 1);
  while (lines_[at].line != line && lines_[at].line != never) at = (at + 1) & (lines_.size() - 1);
  return at;
}

// True: another SM has written there.
bool Meetings::write(std::uint32_t sm, const LineAccess& access) {
  const std::size_t at = find(access.line);
  Line& l = lines_[at];
  if (l.line == never) {
    l = {access.line, sm, access.used};
    filled_.push_back(at);
    const std::uint64_t hash = spread(access.line);
    seen_[hash / 64 % seen_.size()] |= 1ull << hash % 64;
    return false;
  }
  bool meets = false;
  for (std::uint32_t s = 0; s < 4; ++s) {
    meets |= l.sm != sm && (l.used[s] & access.used[s]) != 0;
    l.used[s] |= access.used[s];
  }
  if (l.sm != sm) l.sm = ~0u;  // several
  return meets;
}

bool Meetings::any(const std::vector<SmQuantum>& quanta) {
  std::size_t writes = 0;
  for (const SmQuantum& q : quanta)
    for (const Sent& s : q.sent) writes += s.store ? 1 : 0;
  if (writes == 0) return false;
  for (const std::size_t at : filled_) lines_[at].line = never;
  filled_.clear();
  seen_.assign(1024, 0);
  if (lines_.size() < 2 * writes) lines_.assign(std::bit_ceil(4 * writes), {});
  for (std::uint32_t sm = 0; sm < quanta.size(); ++sm)
    for (const Sent& s : quanta[sm].sent)
      if (s.store && write(sm, s.access)) return true;
  for (std::uint32_t sm = 0; sm < quanta.size(); ++sm)
    for (const LineAccess& r : quanta[sm].reads) {
      const std::uint64_t hash = spread(r.line);
      if ((seen_[hash / 64 % seen_.size()] >> hash % 64 & 1) == 0) continue;
      const Line& l = lines_[find(r.line)];
      if (l.line != r.line || l.sm == sm) continue;
      for (std::uint32_t s = 0; s < 4; ++s)
        if ((l.used[s] & r.used[s]) != 0) return true;
    }
  return false;
}

// ---- Kernels ----

namespace {

bool isOfBlock(ptx::Space space) { return space == ptx::Space::Shared || space == ptx::Space::Local || space == ptx::Space::Param || space == ptx::Space::Const; }

bool staysInQuantum(const ptx::Instruction& i) {
  switch (i.opcode) {
    case Opcode::Ld: case Opcode::Ldu: case Opcode::St:
      return isOfBlock(i.mods.space) || ((i.mods.order == ptx::MemoryOrder::None || i.mods.order == ptx::MemoryOrder::Weak) && i.mods.cache != ptx::CacheOp::Cv);
    case Opcode::Atom: case Opcode::Red: return i.mods.space == ptx::Space::Shared;
    case Opcode::Membar: case Opcode::Fence: return true;  // without ordered accesses they tell other blocks nothing
    case Opcode::Abs: case Opcode::Activemask: case Opcode::Add: case Opcode::Addc: case Opcode::And: case Opcode::Bar: case Opcode::Barrier:
    case Opcode::Bfe: case Opcode::Bfi: case Opcode::Bfind: case Opcode::Bmsk: case Opcode::Bra: case Opcode::Brev: case Opcode::BrxIdx:
    case Opcode::Clz: case Opcode::Cnot: case Opcode::Copysign: case Opcode::Cos: case Opcode::CpAsync: case Opcode::CpAsyncCommitGroup:
    case Opcode::CpAsyncWaitAll: case Opcode::CpAsyncWaitGroup: case Opcode::Cvt: case Opcode::Cvta: case Opcode::Div: case Opcode::Dp2a:
    case Opcode::Dp4a: case Opcode::Elect: case Opcode::Ex2: case Opcode::Exit: case Opcode::Fma: case Opcode::Fns: case Opcode::Isspacep:
    case Opcode::Ldmatrix: case Opcode::Lg2: case Opcode::Lop3: case Opcode::Mad: case Opcode::Mad24: case Opcode::Madc: case Opcode::Match:
    case Opcode::Max: case Opcode::Min: case Opcode::Mma: case Opcode::Nanosleep: case Opcode::Mov: case Opcode::Movmatrix: case Opcode::Mul: case Opcode::Mul24:
    case Opcode::Neg: case Opcode::Not: case Opcode::Or: case Opcode::Popc: case Opcode::Prefetch: case Opcode::Prmt: case Opcode::Rcp:
    case Opcode::Redux: case Opcode::Rem: case Opcode::Ret: case Opcode::Rsqrt: case Opcode::Sad: case Opcode::Selp: case Opcode::Set:
    case Opcode::Setp: case Opcode::Shf: case Opcode::Shfl: case Opcode::Shl: case Opcode::Shr: case Opcode::Sin: case Opcode::Slct:
    case Opcode::Sqrt: case Opcode::Stmatrix: case Opcode::Sub: case Opcode::Subc: case Opcode::Szext: case Opcode::Tanh: case Opcode::Testp:
    case Opcode::Vote: case Opcode::Wgmma: case Opcode::Wmma: case Opcode::Xor:
      return true;
    default: return false;
  }
}

}  // namespace

bool runsInQuanta(const ptx::Function& function) {
  if (function.registers.size() >= SmQuantum::groups) return false;
  for (const ptx::Instruction& i : function.instructions)
    if (!staysInQuantum(i)) return false;
  return true;
}

}  // namespace warpmill::timing
