#include "exec/cluster_run.h"

#include "exec/async.h"
#include "exec/cluster.h"
#include "exec/divergence.h"
#include "exec/faults.h"
#include "exec/standstill.h"
#include "exec/warp_turn.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <memory>

namespace warpmill::exec {
namespace {

constexpr std::uint64_t clusterTurn = 1u << 20;   // instructions a cluster runs before another is started beside it
constexpr std::size_t mostAtOnce = 256;

using End = RunEnd;

struct Cluster {
  std::vector<machine::Block> blocks;
  std::vector<machine::Block*> view;   // by rank; nullptr: ended
  std::uint64_t turns = 0;             // that it has had without ending
  [[nodiscard]] std::vector<const machine::Block*> all() const {
    std::vector<const machine::Block*> of;
    for (const machine::Block& b : blocks) of.push_back(&b);
    return of;
  }
};

class Runner {
 public:
  Runner(const Code& code, machine::Memory& memory, const FunctionalLimits& limits, FunctionalRun& result)
      : code_(code), limits_(limits), result_(result), issuer_(code, memory, outcome_) {
    issuer_.observe(limits.observer);
  }

  End run(Cluster& c) {
    std::uint64_t budget = clusterTurn;
    while (budget != 0) {
      bool moved = false, done = true;
      for (std::size_t rank = 0; rank < c.blocks.size(); ++rank) {
        machine::Block& block = c.blocks[rank];
        for (machine::Warp& warp : block.warps) {
          if (!runnable(warp)) continue;
          moved = true;
          const End end = warpRuns(c, block, warp, budget);
          if (end != End::Turn) return end;
        }
        if (block.done()) c.view[rank] = nullptr;
        done &= c.view[rank] == nullptr;
      }
      if (done) return End::Done;
      for (machine::Block& block : c.blocks)
        if (!moved && (expireWaits(block) || letGoOn(block))) moved = true;
      if (!moved) return End::Stuck;
    }
    return End::Turn;
  }

  void reportHang(const Cluster& c) {
    for (const machine::Block& block : c.blocks)
      if (const auto fault = unfinishedIn(code_, block, result_.warpInstructions)) return mergeFault(result_.faults, *fault, limits_.maxFaults);
  }

 private:
  End warpRuns(Cluster& c, machine::Block& block, machine::Warp& warp, std::uint64_t& budget) {
    issuer_.bind(block, warp, {c.view.data(), static_cast<std::uint32_t>(c.view.size())});
    Issuer::Count spent;
    const End end = runTurn(issuer_, outcome_, limits_, result_, warp, warpTurn, spent, [&] { return outcome_.fault && limits_.stopAtFirstFault; });
    budget -= std::min(budget, spent.instructions);
    return end;
  }

  const Code& code_;
  const FunctionalLimits& limits_;
  FunctionalRun& result_;
  StepOutcome outcome_{};
  Issuer issuer_;
};

}  // namespace

void runClusters(const Code& code, machine::Memory& memory, const FunctionalLimits& limits, FunctionalRun& result) {
  Runner runner(code, memory, limits, result);
  const LaunchContext& context = code.context();
  const std::uint64_t blocks = std::uint64_t{context.grid.x} * context.grid.y * context.grid.z;
  const std::uint32_t sms = context.smCount == 0 ? 1 : context.smCount, size = clusterSize(context);
  std::uint64_t next = 0;  // a cluster starts with its block of rank 0
  std::deque<std::unique_ptr<Cluster>> active;
  const auto isFirst = [&](std::uint64_t b) { return blockOfCluster(context, b, 0) == b; };
  while (next < blocks || !active.empty()) {
    while (next < blocks && !isFirst(next)) ++next;
    if (next < blocks && active.size() < mostAtOnce) {
      auto cluster = std::make_unique<Cluster>();
      for (std::uint32_t rank = 0; rank < size; ++rank) {
        const std::uint64_t linear = blockOfCluster(context, next, rank);
        cluster->blocks.push_back(code.makeBlock(linear, static_cast<std::uint32_t>(linear % sms)));
      }
      for (machine::Block& b : cluster->blocks) cluster->view.push_back(&b);
      active.push_front(std::move(cluster));
      ++next;
    }
    if (active.empty()) break;
    Cluster& cluster = *active.front();
    switch (runner.run(cluster)) {
      case End::Done: active.pop_front(); break;
      case End::Turn:
        // It may wait for another cluster, unless there is none.
        if (std::has_single_bit(++cluster.turns)) {
          const auto all = cluster.all();
          if (const auto rounds = livelockOf(code, memory, all, active.size() > 1 || next < blocks, true)) {
            mergeFault(result.faults, livelockFault(code, memory, *rounds, all, 0), limits.maxFaults);
            return;
          }
        }
        active.push_back(std::move(active.front()));
        active.pop_front();
        break;
      case End::Stuck:
        for (const machine::Block& b : cluster.blocks)
          if (const auto fault = deadlockOf(code, b, cluster.all())) mergeFault(result.faults, *fault, limits.maxFaults);
        active.pop_front();
        break;
      case End::Limit: runner.reportHang(cluster); return;
      case End::Fault: return;
    }
  }
}

}  // namespace warpmill::exec
