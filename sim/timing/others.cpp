#include "timing/others.h"

#include "exec/observer.h"
#include "exec/scheduler.h"
#include "timing/memory_system.h"
#include "timing/queue.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

namespace warpmill::timing {

namespace {

using Kind = exec::MemoryAccess::Kind;
using See = std::function<void(const exec::MemoryAccess&)>;

bool mayBeGlobal(const ptx::Instruction& i) {
  return i.opcode == ptx::Opcode::CpAsync || i.mods.space == ptx::Space::Global || i.mods.space == ptx::Space::None || i.mods.space == ptx::Space::Generic;
}

bool isAccess(const ptx::Instruction& i) {
  switch (i.opcode) {
    case ptx::Opcode::Ld: case ptx::Opcode::Ldu: case ptx::Opcode::St: case ptx::Opcode::Atom: case ptx::Opcode::Red: case ptx::Opcode::CpAsync:
      return mayBeGlobal(i);
    default: return false;
  }
}

class Watcher final : public exec::Observer {
 public:
  explicit Watcher(See see) : see_(std::move(see)) {}
  void begin(const exec::Code& code, const machine::Memory&, std::vector<machine::Fault>&, std::size_t) override {
    watch_.assign(code.ops().size(), Ignored);
    for (std::size_t pc = 0; pc < watch_.size(); ++pc)
      if (isAccess(code.function().instructions[pc])) watch_[pc] = After;
  }
  void runs(const machine::Block&, const machine::Warp&) override {}
  const std::uint8_t* watched() override { return watch_.data(); }
  void before(exec::Exec&, const exec::Op&, exec::LaneMask) override {}
  void after(exec::Exec& x, const exec::Op&) override {
    const exec::MemoryAccess& a = x.outcome->access;
    if (a.space == ptx::Space::Global && a.lanes != 0) see_(a);
  }

 private:
  See see_;
  std::vector<std::uint8_t> watch_;
};

// Runs single blocks and shows their accesses to global memory.
class Look {
 public:
  Look(const exec::PreparedLaunch& launch, See see) : memory_(launch.memory), watcher_(std::move(see)), limits_(limitsWith(watcher_)), scheduler_(*launch.code, memory_, limits_, result_) {
    std::vector<machine::Fault> faults;
    watcher_.begin(*launch.code, memory_, faults, 1);
  }
  bool block(std::uint64_t position) { return scheduler_.runAlone(position, position + 1); }
  [[nodiscard]] std::uint64_t instructions() const { return result_.warpInstructions; }

 private:
  static exec::FunctionalLimits limitsWith(Watcher& watcher) {
    exec::FunctionalLimits limits;
    limits.observer = &watcher;
    return limits;
  }
  machine::Memory memory_;
  Watcher watcher_;
  exec::FunctionalRun result_;
  exec::FunctionalLimits limits_;
  exec::Scheduler scheduler_;
};

void count(GridCounts& c, const exec::MemoryAccess& a, std::uint64_t sectors) {
  if (a.kind == Kind::Store || a.kind == Kind::Reduction) {
    ++c.storeRequests;
    c.storeSectors += sectors;
  } else if (a.kind != Kind::Atomic) {
    ++c.loadRequests;
    c.loadSectors += sectors;
  }
}

}  // namespace

struct Others::Run {
  Run(const Machine& m, const BlockSample& s)
      : machine(m), sample(s), counter(m.memorySystem(none)), look(m.launch(), [this](const exec::MemoryAccess& a) { note(a); }) {}

  void note(const exec::MemoryAccess& a) {
    const std::uint64_t sectors = l2 != nullptr && !ofSample ? l2->fromElsewhere(a) : counter->sectorsOf(a);
    count(counts, a, sectors);
    if (ofSample) count(countsOfSample, a, sectors);
  }

  const Machine& machine;
  BlockSample sample;
  MachineState none;
  std::unique_ptr<MemorySystem> counter;
  MemorySystem* l2 = nullptr;
  bool ofSample = false;
  std::uint64_t next = 0, nextOfSample = 0;
  GridCounts counts, countsOfSample;
  Look look;
};

Others::Others(const Machine& machine, const BlockSample& sample) : run_(std::make_unique<Run>(machine, sample)) {}
Others::~Others() = default;
const GridCounts& Others::counts() const { return run_->counts; }
const GridCounts& Others::countsOfSample() const { return run_->countsOfSample; }

bool Others::runTo(std::uint64_t position, MachineState* state) {
  Run& r = *run_;
  const std::unique_ptr<MemorySystem> l2 = state != nullptr ? r.machine.memorySystem(*state) : nullptr;
  r.l2 = l2.get();
  bool good = true;
  for (; r.next < position && good; ++r.next) {
    r.ofSample = r.nextOfSample < r.sample.count() && r.sample.at(r.nextOfSample) == r.next;
    if (r.ofSample) ++r.nextOfSample;
    good = r.look.block(r.next);
  }
  r.l2 = nullptr;
  return good;
}

bool accessesAsWritten(const Machine& machine) {
  const std::vector<lowering::TimedOp>& ops = machine.lowered().ops;
  for (std::size_t pc = 0; pc < ops.size(); ++pc) {
    const ptx::Instruction& i = machine.launch().function->instructions[pc];
    const lowering::TimedOp& op = ops[pc];
    if (isAccess(i) ? !op.isMemory || op.mergedBytes != 0 || op.pieces > 1 || op.oneLane || op.every > 1 : op.isMemory && mayBeGlobal(i)) return false;
  }
  return true;
}

bool blocksMeet(const Machine& machine, const std::vector<std::uint64_t>& known) {
  constexpr std::uint64_t mostInstructions = 1'500'000, pieceBytes = 64, watchedOneOf = 16;
  constexpr double worthIt = 0.05;
  const std::vector<machine::Allocation>& buffers = machine.launch().memory.allocations();
  const auto isKnown = [&](std::uint64_t address) {
    const auto next = std::upper_bound(buffers.begin(), buffers.end(), address, [](std::uint64_t at, const machine::Allocation& b) { return at < b.base; });
    return next != buffers.begin() && std::find(known.begin(), known.end(), (next - 1)->base) != known.end();
  };
  // What was used so long ago that L2 has lost it since does not count. In lines, of which a piece takes one.
  const double room = 0.8 * machine.profile().l2Bytes * machine.profile().l2EffectiveFraction / 128 / static_cast<double>(watchedOneOf);
  struct Use { std::uint64_t block = 0, touched = 0; };
  std::unordered_map<std::uint64_t, Use> lastUse;  // by piece; a hash chooses those that are watched
  std::uint64_t touched = 0, met = 0, block = 0;
  Look look(machine.launch(), [&](const exec::MemoryAccess& a) {
    std::uint64_t last = ~std::uint64_t{0};
    for (std::uint32_t lanes = a.lanes; lanes != 0; lanes &= lanes - 1) {
      const std::uint64_t address = a.address[static_cast<std::size_t>(__builtin_ctz(lanes))], piece = address / pieceBytes;
      if (piece == last) continue;
      last = piece;
      if (spread(piece) % watchedOneOf != 0 || (a.kind != Kind::Store && isKnown(address))) continue;
      const auto [at, fresh] = lastUse.try_emplace(piece);
      if (!fresh && at->second.block == block) continue;
      ++touched;
      if (!fresh && static_cast<double>(touched - at->second.touched) < room) ++met;
      at->second = {block, touched};
    }
  });
  for (; block < machine.gridBlocks() && look.instructions() < mostInstructions; ++block)
    if (!look.block(block)) return false;
  return touched != 0 && static_cast<double>(met) > worthIt * static_cast<double>(touched);
}

namespace {

// Blocks that stand at the same edges of the grid, or at none: along each axis the first, those between, the last.
struct EdgeClass {
  std::array<std::uint64_t, 3> begin{}, extent{};
  [[nodiscard]] std::uint64_t size() const { return extent[0] * extent[1] * extent[2]; }
};

std::vector<EdgeClass> edgeClasses(const std::array<std::uint64_t, 3>& grid) {
  std::vector<EdgeClass> classes(1);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<EdgeClass> next;
    for (const EdgeClass& c : classes)
      for (std::uint64_t part = 0; part < 3; ++part) {
        const std::uint64_t begin = part == 0 ? 0 : part == 1 ? 1 : grid[axis] - 1, end = part == 0 ? 1 : part == 1 ? grid[axis] - 1 : grid[axis];
        if (end <= begin || (part == 2 && grid[axis] == 1)) continue;
        EdgeClass e = c;
        e.begin[axis] = begin;
        e.extent[axis] = end - begin;
        next.push_back(e);
      }
    classes = std::move(next);
  }
  return classes;
}

}  // namespace

std::optional<GridCounts> countsOfAlike(const Machine& machine, std::uint64_t mostInstructions) {
  constexpr std::uint64_t looksAtMost = 48;
  const exec::Dim3& g = machine.launch().code->context().grid;
  if (machine.launch().code->context().seed != 0) return std::nullopt;  // positions are not the blocks' numbers
  GridCounts seen, all;
  MachineState none;
  const std::unique_ptr<MemorySystem> counter = machine.memorySystem(none);
  Look look(machine.launch(), [&](const exec::MemoryAccess& a) { count(seen, a, counter->sectorsOf(a)); });
  const std::vector<EdgeClass> classes = edgeClasses({g.x, g.y, g.z});
  for (const EdgeClass& c : classes) {
    // One out of each of equal stretches, so that a change somewhere in the grid is seen.
    const std::uint64_t looks = std::min<std::uint64_t>(c.size(), std::max<std::uint64_t>(2, looksAtMost / classes.size()));
    const BlockSample sample(c.size(), looks, 1);
    GridCounts first;
    for (std::uint64_t n = 0; n < looks; ++n) {
      const std::uint64_t i = sample.at(n);
      const std::uint64_t x = c.begin[0] + i % c.extent[0], y = c.begin[1] + i / c.extent[0] % c.extent[1], z = c.begin[2] + i / c.extent[0] / c.extent[1];
      seen = {};
      if (look.instructions() > mostInstructions || !look.block(x + g.x * (y + std::uint64_t{g.y} * z))) return std::nullopt;
      if (n == 0) first = seen;
      else if (!(seen == first)) return std::nullopt;
    }
    all.loadRequests += c.size() * first.loadRequests;
    all.loadSectors += c.size() * first.loadSectors;
    all.storeRequests += c.size() * first.storeRequests;
    all.storeSectors += c.size() * first.storeSectors;
  }
  return all;
}

}  // namespace warpmill::timing
