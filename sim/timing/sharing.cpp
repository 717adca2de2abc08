#include "timing/sharing.h"

#include "exec/observer.h"
#include "exec/scheduler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace warpmill::timing {

namespace {

constexpr std::uint64_t pieceBytes = 64, sectorBytes = 32;
constexpr std::size_t mostPieces = 1u << 18;              // of a block
constexpr std::uint64_t mostInstructions = 4'000'000;
constexpr std::uint32_t bases = 3, shiftsOfAxis = 3, shiftsOfRow = 7;

using Pieces = std::vector<std::uint64_t>;                // sorted, each once

void sortOut(Pieces& pieces) {
  std::sort(pieces.begin(), pieces.end());
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
}

// Notes where the loads and the atomics of a block go.
class Watcher final : public exec::Observer {
 public:
  void begin(const exec::Code& code, const machine::Memory&, std::vector<machine::Fault>&, std::size_t) override {
    watch_.assign(code.ops().size(), Ignored);
    for (std::size_t pc = 0; pc < watch_.size(); ++pc)
      switch (code.function().instructions[pc].opcode) {
        case ptx::Opcode::Ld: case ptx::Opcode::Ldu: case ptx::Opcode::Atom: case ptx::Opcode::Red: case ptx::Opcode::CpAsync: watch_[pc] = After; break;
        default: break;
      }
  }
  void runs(const machine::Block&, const machine::Warp&) override {}
  const std::uint8_t* watched() override { return watch_.data(); }
  void before(exec::Exec&, const exec::Op&, exec::LaneMask) override {}
  void after(exec::Exec& x, const exec::Op&) override {
    const exec::MemoryAccess& a = x.outcome->access;
    if (a.space != ptx::Space::Global) return;
    const bool atomic = a.kind == exec::MemoryAccess::Kind::Atomic || a.kind == exec::MemoryAccess::Kind::Reduction;
    add(a, atomic ? sectorBytes : pieceBytes, atomic ? atomics : reads);
  }

  Pieces reads, atomics;

 private:
  static void add(const exec::MemoryAccess& a, std::uint64_t unit, Pieces& into) {
    std::uint64_t last = ~std::uint64_t{0};
    for (std::uint32_t lanes = a.lanes; lanes != 0 && into.size() < mostPieces; lanes &= lanes - 1) {
      const std::uint64_t begin = a.address[static_cast<std::size_t>(__builtin_ctz(lanes))];
      for (std::uint64_t piece = begin / unit; piece <= (begin + a.bytesPerLane - 1) / unit; ++piece) {
        if (piece != last) into.push_back(piece);
        last = piece;
      }
    }
  }
  std::vector<std::uint8_t> watch_;
};

class Look {
 public:
  explicit Look(const exec::PreparedLaunch& launch) : launch_(launch), memory_(launch.memory), limits_(limitsWith(watcher_)), scheduler_(*launch.code, memory_, limits_, run_) {
    const exec::Dim3& g = launch.code->context().grid;
    extent_ = {g.x, g.y, g.z};
    std::vector<machine::Fault> faults;
    watcher_.begin(*launch.code, memory_, faults, 1);
  }

  // The blocks that are compared: some, and for each of them others that differ along one axis.
  void run() {
    const auto rows = static_cast<std::uint32_t>(std::count_if(extent_.begin(), extent_.end(), [](std::uint64_t e) { return e > 1; }));
    for (std::uint32_t b = 0; b < bases; ++b) {
      Base base;
      std::array<std::uint64_t, 3> at{};
      for (std::size_t axis = 0; axis < 3; ++axis) at[axis] = exec::scramble(b * 3 + axis) % extent_[axis];
      if (!look(at, base.own)) return;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (extent_[axis] == 1) continue;
        for (std::uint32_t k = 0; k < (rows == 1 ? shiftsOfRow : shiftsOfAxis); ++k) {
          std::array<std::uint64_t, 3> shifted = at;
          shifted[axis] = (at[axis] + 1 + exec::scramble(b * 97 + axis * 31 + k) % (extent_[axis] - 1)) % extent_[axis];
          Pieces pieces;
          if (!look(shifted, pieces)) return;
          base.along[axis].push_back(std::move(pieces));
        }
      }
      bases_.push_back(std::move(base));
    }
  }

  [[nodiscard]] Sharing result(std::uint64_t wave, std::uint64_t share) const {
    Sharing s;
    const double blocks = static_cast<double>(extent_[0]) * static_cast<double>(extent_[1]) * static_cast<double>(extent_[2]);
    wave = std::min(wave, static_cast<std::uint64_t>(blocks));
    const std::array<double, 3> inWave = extentOf(wave);
    for (const machine::Allocation& a : launch_.memory.allocations()) {
      if (a.readOnly || a.sizeBytes == 0) continue;
      BufferReads r;
      r.base = a.base;
      r.end = a.base + a.sizeBytes;
      std::uint64_t pieces = 0;
      for (const Base& base : bases_)
        for (auto p = std::lower_bound(base.own.begin(), base.own.end(), a.base / pieceBytes); p != base.own.end() && *p * pieceBytes < r.end; ++p) {
          ++pieces;
          double inGrid = 1, together = 1;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            const double others = shareAlong(base, axis, *p);
            inGrid *= 1 + others * (static_cast<double>(extent_[axis]) - 1);
            together *= 1 + others * (inWave[axis] - 1);
          }
          r.ofGrid += blocks / inGrid;
          r.ofWave += static_cast<double>(wave) / together;
          const double near = wave <= 1 ? 0 : (together - 1) * (static_cast<double>(share) - 1) / (static_cast<double>(wave) - 1);
          r.ofShare += static_cast<double>(share) / (1 + near);
        }
      if (pieces == 0) continue;
      const double unit = static_cast<double>(pieceBytes) / static_cast<double>(bases_.size()), size = static_cast<double>(a.sizeBytes);
      r.perBlock = static_cast<double>(pieces) * unit;
      r.ofGrid *= unit;
      r.ofWave = std::min(r.ofWave * unit, size);
      r.ofShare = std::min(r.ofShare * unit, size);
      s.buffers.push_back(r);
    }
    s.atomicSectors = atomicSectors(blocks);
    return s;
  }

 private:
  struct Base {
    Pieces own;
    std::array<std::vector<Pieces>, 3> along;  // of blocks that differ along the axis
  };

  static exec::FunctionalLimits limitsWith(Watcher& watcher) {
    exec::FunctionalLimits limits;
    limits.observer = &watcher;
    return limits;
  }

  // False: enough has been seen, or the block does not run alone.
  bool look(const std::array<std::uint64_t, 3>& at, Pieces& reads) {
    if (run_.warpInstructions > mostInstructions && !bases_.empty()) return false;
    watcher_.reads.clear();
    const std::uint64_t block = at[0] + extent_[0] * (at[1] + extent_[1] * at[2]);
    const bool good = scheduler_.runAlone(block, block + 1);
    reads = watcher_.reads;
    sortOut(reads);
    sortOut(watcher_.atomics);
    ++looked_;
    atomicsOfBlocks_ += static_cast<double>(watcher_.atomics.size());
    allAtomics_.insert(allAtomics_.end(), watcher_.atomics.begin(), watcher_.atomics.end());
    watcher_.atomics.clear();
    return good;
  }

  // Blocks that are resident together are neighbours in the order of their numbers.
  [[nodiscard]] std::array<double, 3> extentOf(std::uint64_t wave) const {
    const double x = std::min<double>(static_cast<double>(wave), static_cast<double>(extent_[0]));
    const double y = std::clamp(static_cast<double>(wave) / x, 1.0, static_cast<double>(extent_[1]));
    const double z = std::clamp(static_cast<double>(wave) / x / y, 1.0, static_cast<double>(extent_[2]));
    return {x, y, z};
  }

  static double shareAlong(const Base& base, std::size_t axis, std::uint64_t piece) {
    if (base.along[axis].empty()) return 0;
    const auto n = std::count_if(base.along[axis].begin(), base.along[axis].end(), [piece](const Pieces& p) { return std::binary_search(p.begin(), p.end(), piece); });
    return static_cast<double>(n) / static_cast<double>(base.along[axis].size());
  }

  // If each block touches a sector of a pool with the same chance, as many as all touch: solved from what the few have in common.
  [[nodiscard]] double atomicSectors(double blocks) const {
    if (allAtomics_.empty() || looked_ == 0) return 0;
    Pieces all = allAtomics_;
    sortOut(all);
    const double n = looked_, mean = atomicsOfBlocks_ / n, fresh = static_cast<double>(all.size()) / (n * mean);
    const auto covered = [n](double p) { return (1 - std::pow(1 - p, n)) / (n * p); };
    double low = 1e-9, high = 1;
    for (int i = 0; i < 60; ++i) {
      const double p = std::sqrt(low * high);
      (covered(p) > fresh ? low : high) = p;
    }
    return std::max(static_cast<double>(all.size()), mean / low * (1 - std::pow(1 - low, blocks)));
  }

  const exec::PreparedLaunch& launch_;
  machine::Memory memory_;
  Watcher watcher_;
  exec::FunctionalRun run_;
  exec::FunctionalLimits limits_;
  exec::Scheduler scheduler_;
  std::array<std::uint64_t, 3> extent_{};
  std::vector<Base> bases_;
  double looked_ = 0, atomicsOfBlocks_ = 0;
  Pieces allAtomics_;
};

double sumOf(const std::vector<BufferReads>& buffers, double BufferReads::*what) {
  double sum = 0;
  for (const BufferReads& b : buffers) sum += b.*what;
  return sum;
}

}  // namespace

double Sharing::perBlock() const { return sumOf(buffers, &BufferReads::perBlock); }
double Sharing::ofGrid() const { return sumOf(buffers, &BufferReads::ofGrid); }
double Sharing::ofWave() const { return sumOf(buffers, &BufferReads::ofWave); }
double Sharing::ofShare() const { return sumOf(buffers, &BufferReads::ofShare); }

Sharing lookAtSharing(const exec::PreparedLaunch& launch, std::uint64_t wave, std::uint64_t share) {
  const auto look = std::make_unique<Look>(launch);
  look->run();
  return look->result(wave, share);
}

}  // namespace warpmill::timing
