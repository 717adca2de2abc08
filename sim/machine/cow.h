// A vector in chunks that copies share until one of them writes: copying a machine's state costs a pointer a chunk, so snapshots
// of megabytes of memory or cache tags are cheap.
#pragma once

#include "base/assert.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace warpmill {

template <class T, std::size_t ChunkElements>
class CowVector {
 public:
  using Chunk = std::array<T, ChunkElements>;

  CowVector() = default;
  explicit CowVector(std::size_t size, T fill = T{}) : size_(size) {
    auto filled = std::make_shared<Chunk>();
    filled->fill(fill);
    chunks_.assign((size + ChunkElements - 1) / ChunkElements, filled);  // all share one chunk until written
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return (*chunks_[i / ChunkElements])[i % ChunkElements]; }

  // For writing; clones the chunk when another copy still shows it. The reference is good until the next copy of the vector.
  T& at(std::size_t i) { return own(i / ChunkElements)[i % ChunkElements]; }
  [[nodiscard]] const T* chunkForRead(std::size_t chunk) const { return chunks_[chunk]->data(); }
  T* chunkForWrite(std::size_t chunk) { return own(chunk).data(); }
  [[nodiscard]] std::size_t chunkCount() const { return chunks_.size(); }
  static constexpr std::size_t chunkElements() { return ChunkElements; }

  // Shows the other vector's chunk from now on.
  void shareChunk(const CowVector& other, std::size_t chunk) { chunks_[chunk] = other.chunks_[chunk]; }

  // True when both show the same chunk object (equal without looking).
  [[nodiscard]] bool sharesChunk(const CowVector& other, std::size_t chunk) const { return chunks_[chunk] == other.chunks_[chunk]; }

  friend bool operator==(const CowVector& a, const CowVector& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t c = 0; c < a.chunks_.size(); ++c)
      if (a.chunks_[c] != b.chunks_[c] && *a.chunks_[c] != *b.chunks_[c]) return false;
    return true;
  }

 private:
  Chunk& own(std::size_t chunk) {
    std::shared_ptr<Chunk>& held = chunks_[chunk];
    if (held.use_count() != 1) held = std::make_shared<Chunk>(*held);
    else std::atomic_thread_fence(std::memory_order_acquire);  // another thread may have read it until it let go
    return *held;
  }

  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace warpmill
