// The heap of malloc and free on the device: which blocks of it are in use. Their bytes are one allocation of Memory.
// A block lies behind the one before, with a gap between them that belongs to nobody, so that an overrun is noticed. Freed places are
// used again only when the rest is used up: until then a use after free is noticed too.
// Simplified: hardware's allocator serves each SM from chunks of its own and gives other addresses.
// Source: CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations": 8 MiB unless the host asks for more, blocks
// aligned to 16 bytes, 0 when there is no room.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace warpmill::machine {

inline constexpr std::uint64_t defaultHeapBytes = 8ull << 20;

struct HeapBlock {
  std::uint64_t offset = 0, bytes = 0;  // in the heap
  bool live = false;
  bool operator==(const HeapBlock&) const = default;
};

class Heap {
 public:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  explicit Heap(std::uint64_t sizeBytes = 0) : sizeBytes_(sizeBytes) {}

  // Where a new block begins, or none.
  std::uint64_t allocate(std::uint64_t bytes);

  enum class Freed : std::uint8_t { Done, Twice, InsideBlock, NoBlock };
  Freed free(std::uint64_t offset);

  // The block that the place is in or behind, live or freed; nullptr: none lies below it.
  [[nodiscard]] const HeapBlock* blockAt(std::uint64_t offset) const;
  [[nodiscard]] const std::vector<HeapBlock>& blocks() const;  // by rising offset
  bool operator==(const Heap& o) const { return sizeBytes_ == o.sizeBytes_ && end_ == o.end_ && blocks() == o.blocks(); }

 private:
  std::vector<HeapBlock>& own();
  std::uint64_t sizeBytes_ = 0, end_ = 0;
  std::shared_ptr<std::vector<HeapBlock>> blocks_;  // copies of a state share it until one of them allocates
};

}  // namespace warpmill::machine
