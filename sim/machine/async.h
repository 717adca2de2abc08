// Copies and stores that are on their way while their threads go on: the values wait here until a thread waits for them.
#pragma once

#include "ptx/module.h"

#include <array>
#include <cstdint>
#include <vector>

namespace warpmill::machine {

// One cp.async of a warp whose bytes are not in shared memory yet.
struct LaneCopies {
  std::uint32_t lanes = 0;
  std::uint32_t bytes = 0;                 // of each lane
  std::array<std::uint32_t, 32> target{};  // offsets in shared memory
  std::array<std::uint32_t, 32> group{};   // how many groups the lane had committed before
  std::vector<std::uint8_t> data;          // [lane][bytes]
  bool operator==(const LaneCopies&) const = default;
};

// A bulk copy or reduction to global memory that its thread has not waited for.
struct BulkStore {
  std::uint32_t lane = 0, group = 0;
  std::uint64_t address = 0;
  ptx::AtomOp reduce = ptx::AtomOp::None;
  ptx::Type type = ptx::Type::None;
  std::vector<std::uint8_t> data;
  std::vector<bool> masked;                // bytes that stay as they are; empty: none
  bool operator==(const BulkStore&) const = default;
};

struct WarpAsync {
  std::vector<LaneCopies> copies;          // in the order of issue
  std::vector<std::uint32_t> groups;       // committed by each lane so far; empty: none at all
  std::vector<BulkStore> stores;
  std::vector<std::uint32_t> storeGroups;
  std::uint32_t clusterArrived = 0;        // lanes that have arrived at the cluster's barrier since it opened last
  bool operator==(const WarpAsync&) const = default;
};

// What will come to an mbarrier of a block: bytes, and that they have come; or that earlier copies of some lanes are complete.
struct Arrival {
  std::uint32_t barrier = 0;               // its offset in the block's shared memory
  std::uint32_t transferred = 0;           // bytes it counts
  std::uint32_t target = 0;
  ptx::AtomOp reduce = ptx::AtomOp::None;
  ptx::Type type = ptx::Type::None;
  std::vector<std::uint8_t> data;
  std::uint32_t warp = 0, lanes = 0;       // cp.async.mbarrier.arrive: whose copies; each lane arrives once
  std::uint64_t readyAt = 0;               // cycle; the run in time sets it, and clears `fresh`
  bool fresh = true;
  bool operator==(const Arrival&) const = default;
};

}  // namespace warpmill::machine
