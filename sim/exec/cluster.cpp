#include "exec/cluster.h"

#include "exec/divergence.h"
#include "exec/lanes.h"

#include <bit>

namespace warpmill::exec {

using machine::Path;

std::uint32_t clusterSize(const LaunchContext& c) { return c.cluster.x * c.cluster.y * c.cluster.z; }

std::uint32_t clusterRank(const Code& code, const machine::Block& b) {
  const Dim3& c = code.context().cluster;
  return b.index[0] % c.x + (b.index[1] % c.y + b.index[2] % c.z * c.y) * c.x;
}

std::uint64_t blockOfCluster(const LaunchContext& context, std::uint64_t block, std::uint32_t rank) {
  const Dim3 &g = context.grid, &c = context.cluster;
  const std::uint64_t x = block % g.x / c.x * c.x + rank % c.x, y = block / g.x % g.y / c.y * c.y + rank / c.x % c.y;
  const std::uint64_t z = block / g.x / g.y / c.z * c.z + rank / c.x / c.y;
  return x + g.x * (y + g.y * z);
}

SharedPlace sharedPlace(const Exec& x, std::uint64_t address) {
  if (address < clusterWindow) return {x.block, address};
  const std::uint64_t rank = (address >> 24) - 1;
  if (x.cluster.blocks == nullptr) return {rank == 0 ? x.block : nullptr, address & (clusterWindow - 1)};
  return {rank < x.cluster.count ? x.cluster.blocks[rank] : nullptr, address & (clusterWindow - 1)};
}

namespace {

using namespace portable;

template <class F> void eachBlock(const Exec& x, F f) {
  if (x.cluster.blocks == nullptr) return f(*x.block);
  for (u32 rank = 0; rank < x.cluster.count; ++rank)
    if (x.cluster.blocks[rank] != nullptr) f(*x.cluster.blocks[rank]);
}

// a: the address, b: the rank. aux: the address is generic.
void executeMapa(Exec& x, const Op& op, LaneMask mask) {
  eachLane(mask, [&](unsigned i) {
    const u64 a = getBits(x, op.a, i) + static_cast<u64>(op.offset), window = op.aux != 0 ? machine::sharedWindow : 0;
    const u64 rank = static_cast<u32>(getBits(x, op.b, i));
    putBits(x, op.dst, i, window + (rank + 1) * clusterWindow + ((a - window) & (clusterWindow - 1)));
  });
}
void executeCtaRank(Exec& x, const Op& op, LaneMask mask) {
  eachLane(mask, [&](unsigned i) {
    const u64 a = getBits(x, op.a, i) + static_cast<u64>(op.offset) - (op.aux != 0 ? machine::sharedWindow : 0);
    putBits(x, op.dst, i, a < clusterWindow ? clusterRank(*x.code, *x.block) : (a >> 24) - 1);
  });
}

void executeArrive(Exec& x, const Op&, LaneMask mask) {
  x.warp->async.clusterArrived |= mask;
  openClusterBarrier(x);
}
void executeWait(Exec& x, const Op&, LaneMask mask) {
  if ((x.warp->async.clusterArrived & mask) == 0) return;  // it has opened since
  x.waitsAs = Path::Status::AtClusterBarrier;
  x.waitsFor = 0;
}

}  // namespace

void openClusterBarrier(Exec& x) {
  bool missing = false, any = false;
  eachBlock(x, [&](machine::Block& b) {
    for (const machine::Warp& w : b.warps) {
      missing |= (w.threads & ~w.exited & ~w.async.clusterArrived) != 0;
      any |= (w.async.clusterArrived & ~w.exited) != 0;
    }
  });
  if (missing || !any) return;
  eachBlock(x, [&](machine::Block& b) {
    for (machine::Warp& w : b.warps) {
      w.async.clusterArrived = 0;
      bool here = false;
      for (Path& p : w.paths)
        if (p.status == Path::Status::AtClusterBarrier) {
          p.status = Path::Status::Runnable;  // it looks again, and goes on
          here = true;
        }
      if (here && w.paths[w.current].status != Path::Status::Runnable) choosePath(w, static_cast<unsigned>(std::countr_zero(w.paths[w.current].lanes)));
    }
  });
  x.outcome->woke = true;
}

Handler mapaHandler() { return &executeMapa; }
Handler ctaRankHandler() { return &executeCtaRank; }
Handler clusterArriveHandler() { return &executeArrive; }
Handler clusterWaitHandler() { return &executeWait; }

}  // namespace warpmill::exec
