// The blocks of a cluster, which see each other's shared memory. Addresses of shared memory from clusterWindow on belong to the block
// whose rank is in bits 24 and up, less one; below they are the running block's own.
// Simplified: hardware has another numbering of these addresses; a kernel cannot tell but by looking at the bits that mapa gives.
// Source: PTX ISA 9.0, 3.2 (clusters), 9.7.9 (mapa, getctarank), 9.7.13 (barrier.cluster).
#pragma once

#include "exec/op.h"

namespace warpmill::exec {

inline constexpr std::uint64_t clusterWindow = 1u << 24;

// Where an address of shared memory leads; block is nullptr where there is none.
struct SharedPlace {
  machine::Block* block = nullptr;
  std::uint64_t offset = 0;
  [[nodiscard]] std::uint8_t* bytes(std::uint64_t count) const {
    return block != nullptr && offset <= block->shared.size() && count <= block->shared.size() - offset ? block->shared.data() + offset : nullptr;
  }
};
SharedPlace sharedPlace(const Exec& x, std::uint64_t address);

std::uint32_t clusterRank(const Code& code, const machine::Block& block);
std::uint32_t clusterSize(const LaunchContext& context);
// Linear number of the block that has this rank in the cluster of `block`.
std::uint64_t blockOfCluster(const LaunchContext& context, std::uint64_t block, std::uint32_t rank);

// After a thread has arrived or exited: opens the cluster's barrier when all have.
void openClusterBarrier(Exec& x);

Handler mapaHandler();
Handler ctaRankHandler();
Handler clusterArriveHandler();
Handler clusterWaitHandler();

}  // namespace warpmill::exec
