#include "exec/standstill.h"

#include "base/texts.h"
#include "exec/divergence.h"
#include "exec/faults.h"
#include "exec/mbarrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpmill::exec {

using machine::Block;
using machine::BlockBarrier;
using machine::Fault;
using machine::FaultKind;
using machine::OtherParty;
using machine::Path;
using machine::Warp;
using ptx::Space;

std::string numbers(const std::vector<std::uint32_t>& rising) {
  constexpr std::size_t mostRanges = 4;
  std::string text;
  std::size_t ranges = 0;
  for (std::size_t i = 0; i < rising.size();) {
    std::size_t last = i;
    while (last + 1 < rising.size() && rising[last + 1] == rising[last] + 1) ++last;
    if (ranges++ == mostRanges) return text + ", ...";
    if (!text.empty()) text += ", ";
    text += last == i ? fmt::format("{}", rising[i]) : fmt::format("{}-{}", rising[i], rising[last]);
    i = last + 1;
  }
  return text;
}

std::string numbersOf(LaneMask lanes) {
  std::vector<std::uint32_t> n;
  for (; lanes != 0; lanes &= lanes - 1) n.push_back(static_cast<std::uint32_t>(std::countr_zero(lanes)));
  return numbers(n);
}

namespace {

constexpr std::size_t mostParties = 8;

// Threads of a block that stand at one place, for one reason.
struct Group {
  const Block* block = nullptr;
  const Warp* warp = nullptr;          // of the first thread
  unsigned lane = 0;
  std::uint32_t pc = 0;
  bool ended = false, goesRound = false;
  Path::Status status = Path::Status::Runnable;
  std::uint32_t barrier = 0, awaited = 0;
  std::optional<EndlessRound::Polled> polled = {};
  std::vector<std::uint32_t> threads = {};  // by number in the block

  [[nodiscard]] bool isLike(const Group& o) const {
    return block == o.block && pc == o.pc && ended == o.ended && goesRound == o.goesRound && status == o.status && barrier == o.barrier && awaited == o.awaited;
  }
};

void addGroup(std::vector<Group>& all, Group g, LaneMask lanes) {
  g.lane = static_cast<unsigned>(std::countr_zero(lanes));
  for (; lanes != 0; lanes &= lanes - 1) g.threads.push_back(g.warp->indexInBlock * machine::warpSize + static_cast<std::uint32_t>(std::countr_zero(lanes)));
  const auto same = std::find_if(all.begin(), all.end(), [&](const Group& o) { return o.isLike(g); });
  if (same == all.end()) return all.push_back(std::move(g));
  same->threads.insert(same->threads.end(), g.threads.begin(), g.threads.end());
}

Group groupOf(const Block& block, const Warp& warp, const Path& p) {
  Group g{&block, &warp};
  g.pc = p.pc;
  g.status = p.status;
  if (p.status == Path::Status::AtBarrier) g.barrier = p.barrier;
  if (p.status == Path::Status::AtMbarrier || p.status == Path::Status::AtWarpBarrier) g.awaited = p.awaited;
  return g;
}

// Of the lanes of one warp.
void addGroupsOf(std::vector<Group>& all, const Block& block, const Warp& warp, LaneMask lanes) {
  for (const Path& p : warp.paths)
    if ((p.lanes & lanes) != 0) addGroup(all, groupOf(block, warp, p), p.lanes & lanes);
  for (const machine::Ending& e : warp.endings)
    if ((e.lanes & lanes) != 0) {
      Group g{&block, &warp};
      g.pc = e.pc;
      g.ended = true;
      addGroup(all, g, e.lanes & lanes);
    }
}

std::vector<Group> groupsOf(const Block& block) {
  std::vector<Group> all;
  for (const Warp& w : block.warps) addGroupsOf(all, block, w, w.threads);
  std::stable_partition(all.begin(), all.end(), [](const Group& g) { return !g.ended; });
  return all;
}

Said lineAt(const Code& code, std::uint32_t pc) {
  const auto& instructions = code.function().instructions;
  if (pc >= instructions.size()) return Text::LineUnknown;
  const ptx::Instruction& in = instructions[pc];
  if (in.location.line == 0 || in.location.file >= code.module().files.size()) return {Text::LinePtx, {{"line", in.position.line}}};
  const std::string& file = code.module().files[in.location.file];
  const auto slash = file.rfind('/');
  return {Text::LineSource, {{"file", slash == std::string::npos ? file : file.substr(slash + 1)}, {"line", in.location.line}}};
}

Said placeOf(const machine::Memory* memory, Space space, std::uint64_t address) {
  if (space == Space::Shared || memory == nullptr) return {Text::SharedPlain, {{"at", address}}};
  const machine::Allocation* a = memory->find(address, 1);
  if (a == nullptr) return {Text::GlobalPlain, {{"at", address}}};
  const std::uint64_t offset = address - a->base;
  if (a->argument == ptx::none) return {Text::GlobalVariable, {{"at", offset}, {"name", a->name}}};
  if (a->name.empty() || a->name == fmt::format("argument {}", a->argument)) return {Text::GlobalArgument, {{"at", offset}, {"number", a->argument}}};
  return {Text::GlobalNamed, {{"at", offset}, {"name", a->name}, {"number", a->argument}}};
}

Said where(const Group& g, const machine::Memory* memory) {
  const auto n = g.threads.size();
  const auto said = [&](Text text, std::vector<Gap> gaps = {}) {
    gaps.emplace_back("n", n);
    gaps.emplace_back("list", numbers(g.threads));
    return Said{text, std::move(gaps)};
  };
  if (g.ended) return said(Text::HaveEnded);
  if (g.goesRound) {
    if (!g.polled) return said(Text::GoRound);
    return said(g.polled->isAtomic ? Text::GoRoundForAtomic : Text::GoRoundReading, {{"place", placeOf(memory, g.polled->space, g.polled->address)}});
  }
  switch (g.status) {
    case Path::Status::AtBarrier: {
      const BlockBarrier& b = g.block->barriers[g.barrier];
      if (b.expectedThreads == 0) return said(Text::WaitAtBarrier, {{"barrier", g.barrier}});
      return said(Text::WaitAtCounted, {{"barrier", g.barrier}, {"wanted", b.expectedThreads}});
    }
    case Path::Status::AtMbarrier: return said(Text::WaitAtMbarrier, {{"at", g.awaited}});
    case Path::Status::AtClusterBarrier: return said(Text::WaitAtCluster);
    case Path::Status::AtWarpBarrier: return said(Text::WaitForLanes, {{"lanes", numbersOf(g.awaited)}});
    case Path::Status::AtReconvergence: return said(Text::WaitToMeet);
    default: return said(Text::AreAt);
  }
}

OtherParty partyOf(const Code& code, const Group& g, const machine::Memory* memory) {
  const Fault at = faultAt(code, *g.block, *g.warp, g.pc, g.lane);
  OtherParty o;
  o.pc = at.pc;
  o.location = at.location;
  o.file = at.file;
  o.ptxLine = at.ptxLine;
  o.block = at.block;
  o.thread = at.thread;
  o.warp = at.warp;
  o.lane = at.lane;
  o.says = where(g, memory);
  return o;
}

void addParties(const Code& code, Fault& f, const std::vector<Group>& groups, const machine::Memory* memory) {
  for (const Group& g : groups) {
    if (f.parties.size() == mostParties) return;
    f.parties.push_back(partyOf(code, g, memory));
  }
}

// "threads 16-31 have ended (k.cu:9) and ..."; at most two of them.
Said listed(const Code& code, const std::vector<Group>& groups) {
  if (groups.empty()) return Text::NobodyIsLeft;
  const auto at = [&](const Group& g) { return Said{Text::WhereAtLine, {{"what", where(g, nullptr)}, {"line", lineAt(code, g.pc)}}}; };
  if (groups.size() == 1) return at(groups[0]);
  return {groups.size() == 2 ? Text::WhereTwo : Text::WhereMore, {{"first", at(groups[0])}, {"second", at(groups[1])}, {"more", groups.size() - 2}}};
}

std::uint32_t liveThreads(const Code& code, const Block& block) {
  std::uint32_t n = 0;
  for (const Warp& w : block.warps) n += static_cast<std::uint32_t>(std::popcount(w.threads & ~endedLanes(code, w)));
  return n;
}

void atBlockBarrier(const Code& code, Fault& f, const Group& at, const std::vector<Group>& all) {
  const BlockBarrier& b = at.block->barriers[at.barrier];
  std::vector<Group> missing;
  bool otherNumber = false;
  for (const Group& g : all) {
    const bool here = g.status == Path::Status::AtBarrier && g.barrier == at.barrier;
    if (here || (g.ended && b.expectedThreads == 0)) continue;  // who has ended is not waited for, unless a number was asked for
    otherNumber |= g.status == Path::Status::AtBarrier;
    missing.push_back(g);
  }
  f.kind = FaultKind::DivergentBarrier;
  f.says = {b.expectedThreads != 0 ? Text::BarrierCountNotReached : otherNumber ? Text::BarrierOtherNumber : Text::BarrierStuck,
            {{"arrived", b.arrivedThreads}, {"barrier", at.barrier}, {"wanted", b.expectedThreads != 0 ? b.expectedThreads : liveThreads(code, *at.block)},
             {"missing", listed(code, missing)}}};
  addParties(code, f, missing, nullptr);
}

void atMbarrier(const Code& code, Fault& f, const Group& at, const std::vector<Group>& all) {
  std::vector<Group> others;
  for (const Group& g : all)
    if (&g != &at) others.push_back(g);
  f.kind = FaultKind::Hang;
  std::uint32_t pending = 0;
  std::int32_t bytes = 0;
  if (at.awaited + 8 <= at.block->shared.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, at.block->shared.data() + at.awaited, 8);
    pending = Mbarrier::pending(word);
    bytes = Mbarrier::bytesToCome(word);
  }
  f.says = {Text::MbarrierStuck, {{"at", at.awaited}, {"pending", pending}, {"to_come", bytes}}};
  addParties(code, f, others, nullptr);
}

bool isWarpBarrier(const Op& op) { return op.instruction->opcode == ptx::Opcode::Bar || op.instruction->opcode == ptx::Opcode::Barrier; }

// "shfl.sync": without types and operands.
std::string nameOf(const Code& code, const Op& op) {
  const std::string_view text = code.module().textOf(*op.instruction);
  const auto begin = text.starts_with('@') ? std::min(text.find_first_of(" \t"), text.size()) : 0;
  const std::string_view rest = text.substr(std::min(text.find_first_not_of(" \t", begin), text.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  const auto sync = word.find(".sync");
  return std::string(sync == std::string_view::npos ? word : word.substr(0, sync + 5));
}

}  // namespace

std::optional<Fault> deadlockOf(const Code& code, const Block& block, std::span<const Block* const> cluster) {
  for (const Warp& w : block.warps)
    if (runnable(w)) return std::nullopt;
  const std::vector<Group> all = groupsOf(block);
  // A collective in vain is the cause where there is one, then a barrier.
  const Group* at = nullptr;
  const auto rank = [](const Group& g) {
    return g.ended ? 9 : g.status == Path::Status::AtWarpBarrier ? 0 : g.status == Path::Status::AtBarrier ? 1 : g.status == Path::Status::AtReconvergence ? 8 : 2;
  };
  for (const Group& g : all)
    if (!g.ended && (at == nullptr || rank(g) < rank(*at))) at = &g;
  if (at == nullptr) return std::nullopt;
  Fault f = faultAt(code, block, *at->warp, at->pc, at->lane);
  f.count = at->threads.size();
  f.about = machine::About::Decision;
  switch (at->status) {
    case Path::Status::AtBarrier: atBlockBarrier(code, f, *at, all); break;
    case Path::Status::AtMbarrier: atMbarrier(code, f, *at, all); break;
    case Path::Status::AtClusterBarrier: {
      std::vector<Group> missing;
      for (const Block* b : cluster)
        for (const Group& g : groupsOf(*b))
          if (g.status != Path::Status::AtClusterBarrier && !g.ended) missing.push_back(g);
      f.kind = FaultKind::DivergentBarrier;
      f.says = Text::ClusterBarrierStuck;
      addParties(code, f, missing, nullptr);
      break;
    }
    default: {
      const Op& op = code.ops()[at->pc];
      std::vector<Group> missing;
      addGroupsOf(missing, block, *at->warp, at->awaited & ~at->warp->exited);
      std::erase_if(missing, [&](const Group& g) { return g.isLike(*at); });
      f.kind = isWarpBarrier(op) ? FaultKind::DivergentBarrier : FaultKind::InvalidShuffle;
      f.says = {Text::CollectiveStuck, {{"name", nameOf(code, op)}, {"missing", listed(code, missing)}}};
      addParties(code, f, missing, nullptr);
      break;
    }
  }
  complete(f, code, block, *at->warp);
  return f;
}

std::optional<Fault> unfinishedIn(const Code& code, const Block& block, std::uint64_t warpInstructions) {
  for (const Warp& w : block.warps) {
    if (w.done()) continue;
    const Path& p = w.path();
    Fault f = faultAt(code, block, w, p.pc, static_cast<unsigned>(std::countr_zero(p.lanes)));
    f.kind = FaultKind::Hang;
    f.says = {Text::NotEnded, {{"issued", warpInstructions}}};
    f.about = machine::About::Decision;
    addParties(code, f, groupsOf(block), nullptr);
    complete(f, code, block, w);
    return f;
  }
  return std::nullopt;
}

Fault livelockFault(const Code& code, const machine::Memory& memory, const std::vector<EndlessRound>& rounds, std::span<const Block* const> blocks, std::uint64_t notStarted) {
  std::vector<Group> groups;
  for (const EndlessRound& r : rounds) {
    const Warp& w = r.block->warps[r.warp];
    Group g{r.block, &w};
    g.pc = r.polled ? r.polled->pc : r.pc;
    g.goesRound = true;
    g.polled = r.polled;
    addGroup(groups, g, r.lanes);
  }
  const Group first = groups.front();
  std::uint64_t waiting = 0;
  for (const Group& g : groups) waiting += g.threads.size();
  for (const Block* b : blocks)  // those that wait beside them
    for (const Warp& w : b->warps) {
      LaneMask round = 0;
      for (const EndlessRound& r : rounds)
        if (r.block == b && r.warp == w.indexInBlock) round |= r.lanes;
      for (const Path& p : w.paths)
        if (p.status != Path::Status::Runnable && (p.lanes & ~round) != 0) addGroup(groups, groupOf(*b, w, p), p.lanes & ~round);
    }
  Fault f = faultAt(code, *first.block, *first.warp, first.pc, first.lane);
  f.kind = FaultKind::Hang;
  f.about = machine::About::Decision;
  f.count = waiting;
  const Said place = first.polled ? placeOf(&memory, first.polled->space, first.polled->address) : Said{};
  if (!first.polled) f.says = Text::LoopForEver;
  else if (notStarted != 0) f.says = {Text::GridNotResident, {{"place", place}, {"resident", blocks.size()}, {"not_started", notStarted}}};
  else f.says = {first.polled->isAtomic ? Text::LockForEver : Text::PollForEver, {{"place", place}}};
  groups.erase(groups.begin());
  addParties(code, f, groups, &memory);
  complete(f, code, *first.block, *first.warp);
  return f;
}

Fault apartAtBarrier(const Code& code, const Block& block, const Warp& warp, const Path& path, LaneMask others) {
  std::vector<Group> groups;
  addGroupsOf(groups, block, warp, others);
  Fault f = faultAt(code, block, warp, path.pc, static_cast<unsigned>(std::countr_zero(path.lanes)));
  f.kind = FaultKind::DivergentBarrier;
  f.count = static_cast<std::uint64_t>(std::popcount(path.lanes));
  f.about = machine::About::Decision;
  f.says = {Text::BarrierApart, {{"lanes", numbersOf(path.lanes)}, {"barrier", std::uint32_t{path.barrier}}, {"missing", listed(code, groups)}}};
  addParties(code, f, groups, nullptr);
  return f;
}

void reportMask(Exec& x, const Op& op, LaneMask lacking, std::uint32_t mask) {
  if (lacking == 0) return;
  reportPlain(x, op, isWarpBarrier(op) ? FaultKind::DivergentBarrier : FaultKind::InvalidShuffle, lacking,
              {Text::MaskWithoutCaller, {{"name", nameOf(*x.code, op)}, {"mask", mask}, {"lanes", numbersOf(lacking)}}});
}

void reportMissing(Exec& x, const Op& op, LaneMask callers, LaneMask missing) {
  if (missing == 0) return;
  std::vector<Group> groups;
  addGroupsOf(groups, *x.block, *x.warp, missing);
  Fault f = faultAt(*x.code, *x.block, *x.warp, op.pc, static_cast<unsigned>(std::countr_zero(callers)));
  f.kind = isWarpBarrier(op) ? FaultKind::DivergentBarrier : FaultKind::InvalidShuffle;
  f.count = static_cast<std::uint64_t>(std::popcount(callers));
  f.about = machine::About::Decision;
  f.says = {Text::LanesMissing, {{"name", nameOf(*x.code, op)}, {"lanes", numbersOf(missing)}, {"missing", listed(*x.code, groups)}}};
  addParties(*x.code, f, groups, nullptr);
  x.outcome->faults.push_back(std::move(f));
  x.outcome->fault = true;
}

}  // namespace warpmill::exec
