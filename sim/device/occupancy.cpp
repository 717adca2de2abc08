#include "device/profile.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpmill::device {
namespace {

// Source: CUDA C++ Programming Guide, technical specifications: more only as dynamic shared memory, whatever the device.
constexpr std::uint64_t mostStaticShared = 48 * 1024;

std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(value);
}
std::uint64_t roundUp(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Warps that the register files hold: each scheduler has its own file, and a warp's registers come in units.
std::uint64_t warpsByRegisters(const Profile& p, std::uint32_t registersPerThread) {
  const std::uint64_t perWarp = roundUp(std::uint64_t{std::max(registersPerThread, 1u)} * 32, whole(p.registerAllocationUnit));
  const std::uint64_t schedulers = whole(p.schedulersPerSm);
  return whole(p.registersPerSm) / schedulers / perWarp * schedulers;
}

// Shared memory that the driver sets aside on an SM: enough for the blocks that the other limits allow, and about as much again where
// that leaves L1 its half.
std::uint64_t carveOut(const Profile& p, std::uint64_t blocks, std::uint64_t perBlock) {
  const std::uint64_t total = whole(p.l1AndSharedBytes);
  const std::uint64_t need = blocks * perBlock;
  std::uint64_t wanted = need;
  if (need <= total * 20 / 256)
    wanted = std::max(need, std::min(blocks * 4096, total / 8));
  else if (blocks > 1)
    wanted = std::max(need, std::min(2 * need, total * 132 / 256));
  for (const std::uint32_t option : p.sharedOptionsKiB)
    if (std::uint64_t{option} * 1024 >= wanted) return std::uint64_t{option} * 1024;
  return std::uint64_t{p.sharedOptionsKiB.back()} * 1024;
}

}  // namespace

Occupancy occupancy(const Profile& p, std::uint32_t threadsPerBlock, std::uint32_t registersPerThread, std::uint32_t sharedBytesPerBlock) {
  const std::uint64_t warps = std::max<std::uint64_t>(1, (std::uint64_t{threadsPerBlock} + 31) / 32);
  Occupancy o;
  o.byBlocks = static_cast<std::uint32_t>(p.maxBlocksPerSm);
  o.byWarps = static_cast<std::uint32_t>(whole(p.maxWarpsPerSm) / warps);
  o.byRegisters = static_cast<std::uint32_t>(warpsByRegisters(p, registersPerThread) / warps);
  const std::uint64_t perBlock = roundUp(sharedBytesPerBlock, whole(p.sharedAllocationUnit)) + whole(p.sharedReservedPerBlock);
  const std::uint32_t others = std::min({o.byBlocks, o.byWarps, o.byRegisters});
  const std::uint64_t carve = carveOut(p, std::max(others, 1u), perBlock);
  o.byShared = perBlock == 0 ? o.byBlocks : static_cast<std::uint32_t>(std::min<std::uint64_t>(carve / perBlock, o.byBlocks));
  o.sharedBytesPerBlock = static_cast<std::uint32_t>(perBlock);
  o.carveOutBytes = static_cast<std::uint32_t>(carve);
  o.blocksPerSm = std::min(others, o.byShared);
  // Of equal limits the hardware's own comes first: no change to the kernel's registers or shared memory would help.
  if (o.blocksPerSm == o.byWarps)
    o.limiter = "warps";
  else if (o.blocksPerSm == o.byBlocks)
    o.limiter = "blocks";
  else if (o.blocksPerSm == o.byRegisters)
    o.limiter = "registers";
  else
    o.limiter = "shared_mem";
  return o;
}

Diagnostics checkLaunch(const Profile& p, std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                        std::uint32_t registersPerThread, std::uint64_t sharedBytesPerBlock, std::uint64_t staticSharedBytes) {
  Diagnostics errors;
  const auto refuse = [&](std::string message, std::string hint) {
    Diagnostic d;
    d.message = std::move(message);
    d.hint = std::move(hint);
    errors.push_back(std::move(d));
  };
  static constexpr const char* axes[] = {"x", "y", "z"};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint64_t mostBlocks = whole(i == 0 ? p.maxGridX : p.maxGridYZ), mostThreads = whole(i == 2 ? p.maxBlockZ : p.maxBlockXY);
    if (grid[i] == 0) refuse(fmt::format("the grid has 0 blocks in {}", axes[i]), "every dimension is at least 1");
    if (grid[i] > mostBlocks)
      refuse(fmt::format("the grid is too large: {} blocks in {}, {} allows {}", grid[i], axes[i], p.name, mostBlocks),
             i == 0 ? "let each thread handle more elements (a grid-stride loop)" : "put the large dimension in x");
    if (block[i] == 0) refuse(fmt::format("the block has 0 threads in {}", axes[i]), "every dimension is at least 1");
    if (block[i] > mostThreads)
      refuse(fmt::format("the block is too large: {} threads in {}, {} allows {}", block[i], axes[i], p.name, mostThreads),
             "use more blocks of fewer threads");
  }
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  const bool fitsAxes = errors.empty();
  if (fitsAxes && threads > whole(p.maxThreadsPerBlock))
    refuse(fmt::format("the block has {} x {} x {} = {} threads, {} allows {}", block[0], block[1], block[2], threads, p.name,
                       whole(p.maxThreadsPerBlock)),
           "use more blocks of fewer threads");
  if (registersPerThread > whole(p.maxRegistersPerThread))
    refuse(fmt::format("a thread needs {} registers, {} allows {}", registersPerThread, p.name, whole(p.maxRegistersPerThread)), "");
  if (fitsAxes && threads != 0 && threads <= whole(p.maxThreadsPerBlock)) {
    const std::uint64_t warps = (threads + 31) / 32, held = warpsByRegisters(p, registersPerThread);
    if (warps > whole(p.maxWarpsPerSm))
      refuse(fmt::format("the block has {} warps, an SM of {} holds {}", warps, p.name, whole(p.maxWarpsPerSm)),
             "use more blocks of fewer threads");
    else if (warps > held && registersPerThread <= whole(p.maxRegistersPerThread))
      refuse(
          fmt::format(
              "the block needs too many registers: {} warps x 32 threads x {} registers, with units of {} a warp an SM holds {} such warps",
              warps, registersPerThread, whole(p.registerAllocationUnit), held),
          "use fewer threads a block, or compile with fewer registers (__launch_bounds__, .maxnreg)");
  }
  if (sharedBytesPerBlock > whole(p.maxSharedPerBlock)) {
    const std::string sum = staticSharedBytes == 0 || staticSharedBytes >= sharedBytesPerBlock
                                ? fmt::format("{}", sharedBytesPerBlock)
                                : fmt::format("{} static + {} dynamic = {}", staticSharedBytes, sharedBytesPerBlock - staticSharedBytes, sharedBytesPerBlock);
    refuse(fmt::format("the block needs {} bytes of shared memory, {} allows {} ({} KiB)", sum, p.name, whole(p.maxSharedPerBlock),
                       whole(p.maxSharedPerBlock) / 1024),
           "use smaller tiles");
  } else if (staticSharedBytes > mostStaticShared) {
    refuse(fmt::format("the kernel has {} bytes of static shared memory, at most {} (48 KiB) can be", staticSharedBytes, mostStaticShared),
           "make the array dynamic (extern __shared__), and ask for its size in the launch (\"dynamic_shared_bytes\"; in CUDA after cudaFuncSetAttribute)");
  }
  return errors;
}

}  // namespace warpmill::device
