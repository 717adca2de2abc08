// Which thread holds which element of a Triton program's block: Triton's "blocked" layout in one dimension.
// Each thread takes `perThread` neighbours, a warp 32 times that, then come the next warps; where the block is larger than all threads
// hold, it goes on from the first warp in further registers; where it is smaller, warps (or lanes) hold the same elements again.
// Source: Triton 3.6, TritonGPU dialect, #ttg.blocked.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmill::lesson {

struct BlockedLayout {
  std::uint32_t block = 0;         // elements of the block (tl.arange)
  std::uint32_t warps = 1;
  std::uint32_t perThread = 1;     // neighbours that a thread takes at once (sizePerThread)

  struct Place {
    std::uint32_t warp = 0, lane = 0, slot = 0;   // slot: which of the thread's elements
    bool operator==(const Place&) const = default;
  };

  [[nodiscard]] std::uint32_t threads() const { return 32 * warps; }
  // Elements a thread holds, copies included.
  [[nodiscard]] std::uint32_t elementsPerThread() const;
  // How many threads hold the same element (1: nobody does another's work).
  [[nodiscard]] std::uint32_t copies() const;
  [[nodiscard]] std::uint32_t elementAt(Place place) const;
  // All places of an element, the one that stores it first.
  [[nodiscard]] std::vector<Place> placesOf(std::uint32_t element) const;
};

}  // namespace warpmill::lesson
