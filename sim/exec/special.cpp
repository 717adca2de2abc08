#include "exec/special.h"

#include "exec/cluster.h"
#include "exec/faults.h"
#include "exec/lanes.h"

namespace warpmill::exec {

using ptx::SpecialRegister;

std::optional<std::uint64_t> launchConstant(SpecialRegister special, const LaunchContext& c) {
  switch (special) {
    case SpecialRegister::NtidX: return c.block.x;
    case SpecialRegister::NtidY: return c.block.y;
    case SpecialRegister::NtidZ: return c.block.z;
    case SpecialRegister::NctaidX: return c.grid.x;
    case SpecialRegister::NctaidY: return c.grid.y;
    case SpecialRegister::NctaidZ: return c.grid.z;
    case SpecialRegister::NclusteridX: return c.grid.x / c.cluster.x;
    case SpecialRegister::NclusteridY: return c.grid.y / c.cluster.y;
    case SpecialRegister::NclusteridZ: return c.grid.z / c.cluster.z;
    case SpecialRegister::NwarpId: return c.maxWarpsPerSm;
    case SpecialRegister::NsmId: return c.smCount;
    case SpecialRegister::DynamicSmemSize: return c.dynamicSharedBytes;
    case SpecialRegister::TotalSmemSize: return c.dynamicSharedBytes + c.staticSharedBytes;
    case SpecialRegister::AggrSmemSize: return c.dynamicSharedBytes + c.staticSharedBytes + c.reservedSharedBytes;
    case SpecialRegister::ReservedSmemOffsetCap: return c.reservedSharedBytes;
    case SpecialRegister::ReservedSmemOffsetEnd: return c.reservedSharedBytes == 0 ? 0 : 0x120;  // as an H200 says without any other use
    case SpecialRegister::ClusterNctaidX: return c.cluster.x;
    case SpecialRegister::ClusterNctaidY: return c.cluster.y;
    case SpecialRegister::ClusterNctaidZ: return c.cluster.z;
    case SpecialRegister::ClusterNctaRank: return clusterSize(c);
    case SpecialRegister::GridId: return 0;
    case SpecialRegister::IsExplicitCluster: return c.explicitCluster ? 1 : 0;
    default: return std::nullopt;
  }
}

namespace {

// Without a clock time is what the block has issued, which does not depend on other blocks.
Clock clockOf(const Exec& x) {
  if (x.clock != nullptr) return *x.clock;
  std::uint64_t issued = 0;
  for (const machine::Warp& w : x.block->warps) issued += w.instructionsIssued;
  return {issued, issued};
}

}  // namespace

void fillSpecial(Exec& x, const SpecialFill& fill) {
  std::uint32_t* plane = x.base[Slot::Scratch] + fill.offset;
  const auto write = [&](auto value) {
    for (unsigned i = 0; i < 32; ++i) {
      if (fill.wide) portable::put<std::uint64_t>(plane, i, value(i));
      else plane[i] = static_cast<std::uint32_t>(value(i));
    }
  };
  const auto uniform = [&](std::uint64_t v) { write([v](unsigned) { return v; }); };
  const auto thread = [&](unsigned axis) {
    const Dim3& b = x.code->context().block;
    std::uint32_t t = x.warp->indexInBlock * machine::warpSize;
    if (b.y == 1 && b.z == 1 && !fill.wide) {
      for (unsigned i = 0; i < 32; ++i) plane[i] = axis == 0 ? t + i : 0;
      return;
    }
    std::array<std::uint32_t, 3> at{t % b.x, t / b.x % b.y, t / b.x / b.y};
    for (unsigned i = 0; i < 32; ++i) {  // counts on instead of dividing a lane
      if (fill.wide) portable::put<std::uint64_t>(plane, i, at[axis]);
      else plane[i] = at[axis];
      if (++at[0] == b.x) {
        at[0] = 0;
        if (++at[1] == b.y) at[1] = 0, ++at[2];
      }
    }
  };
  const Dim3& cluster = x.code->context().cluster;
  switch (fill.special) {
    case SpecialRegister::TidX: return thread(0);
    case SpecialRegister::TidY: return thread(1);
    case SpecialRegister::TidZ: return thread(2);
    case SpecialRegister::CtaidX: return uniform(x.block->index[0]);
    case SpecialRegister::CtaidY: return uniform(x.block->index[1]);
    case SpecialRegister::CtaidZ: return uniform(x.block->index[2]);
    case SpecialRegister::ClusteridX: return uniform(x.block->index[0] / cluster.x);
    case SpecialRegister::ClusteridY: return uniform(x.block->index[1] / cluster.y);
    case SpecialRegister::ClusteridZ: return uniform(x.block->index[2] / cluster.z);
    case SpecialRegister::ClusterCtaidX: return uniform(x.block->index[0] % cluster.x);
    case SpecialRegister::ClusterCtaidY: return uniform(x.block->index[1] % cluster.y);
    case SpecialRegister::ClusterCtaidZ: return uniform(x.block->index[2] % cluster.z);
    case SpecialRegister::ClusterCtaRank: return uniform(clusterRank(*x.code, *x.block));
    case SpecialRegister::LaneId: return write([](unsigned i) { return std::uint64_t{i}; });
    case SpecialRegister::WarpId: return uniform(x.warp->indexInBlock);
    case SpecialRegister::SmId: return uniform(x.block->sm);
    case SpecialRegister::Clock: return uniform(clockOf(x).cycle & 0xFFFFFFFFu);
    case SpecialRegister::ClockHi: return uniform(clockOf(x).cycle >> 32);
    case SpecialRegister::Clock64: return uniform(clockOf(x).cycle);
    case SpecialRegister::GlobalTimer: return uniform(clockOf(x).nanoseconds);
    case SpecialRegister::GlobalTimerLo: return uniform(clockOf(x).nanoseconds & 0xFFFFFFFFu);
    case SpecialRegister::GlobalTimerHi: return uniform(clockOf(x).nanoseconds >> 32);
    case SpecialRegister::LanemaskEq: return write([](unsigned i) { return std::uint64_t{1u << i}; });
    case SpecialRegister::LanemaskLe: return write([](unsigned i) { return std::uint64_t{(2u << i) - 1}; });
    case SpecialRegister::LanemaskLt: return write([](unsigned i) { return std::uint64_t{(1u << i) - 1}; });
    case SpecialRegister::LanemaskGe: return write([](unsigned i) { return std::uint64_t{~((1u << i) - 1)}; });
    case SpecialRegister::LanemaskGt: return write([](unsigned i) { return std::uint64_t{~((2u << i) - 1)}; });
    default: return uniform(0);
  }
}

}  // namespace warpmill::exec
