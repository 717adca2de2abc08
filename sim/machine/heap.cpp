#include "machine/heap.h"

#include <algorithm>

namespace warpmill::machine {
namespace {

constexpr std::uint64_t alignment = 16;

std::uint64_t spaceOf(std::uint64_t bytes) { return (std::max<std::uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment + alignment; }

}  // namespace

const std::vector<HeapBlock>& Heap::blocks() const {
  static const std::vector<HeapBlock> nothing;
  return blocks_ ? *blocks_ : nothing;
}

std::vector<HeapBlock>& Heap::own() {
  if (!blocks_) blocks_ = std::make_shared<std::vector<HeapBlock>>();
  else if (blocks_.use_count() != 1) blocks_ = std::make_shared<std::vector<HeapBlock>>(*blocks_);
  return *blocks_;
}

std::uint64_t Heap::allocate(std::uint64_t bytes) {
  if (bytes > sizeBytes_) return none;
  const std::uint64_t space = spaceOf(bytes);
  if (space <= sizeBytes_ - end_) {
    own().push_back({end_, bytes, true});
    end_ += space;
    return own().back().offset;
  }
  // The first gap between live blocks that is large enough; what was freed there is forgotten.
  std::vector<HeapBlock> kept;
  std::uint64_t from = 0;
  bool found = false;
  std::vector<HeapBlock>& all = own();
  for (std::size_t i = 0; i <= all.size() && !found; ++i) {
    if (i < all.size() && !all[i].live) continue;
    const std::uint64_t to = i < all.size() ? all[i].offset : sizeBytes_;
    if (to - from >= space) found = true;
    else if (i < all.size()) from = all[i].offset + spaceOf(all[i].bytes);
  }
  if (!found) return none;
  std::erase_if(all, [&](const HeapBlock& b) { return !b.live && b.offset < from + space && b.offset + spaceOf(b.bytes) > from; });
  const auto at = std::upper_bound(all.begin(), all.end(), from, [](std::uint64_t o, const HeapBlock& b) { return o < b.offset; });
  all.insert(at, {from, bytes, true});
  end_ = std::max(end_, from + space);
  return from;
}

Heap::Freed Heap::free(std::uint64_t offset) {
  const HeapBlock* block = blockAt(offset);
  if (block == nullptr) return Freed::NoBlock;
  if (block->offset != offset) return offset - block->offset < block->bytes ? Freed::InsideBlock : Freed::NoBlock;
  if (!block->live) return Freed::Twice;
  const auto index = static_cast<std::size_t>(block - blocks_->data());
  own()[index].live = false;
  return Freed::Done;
}

const HeapBlock* Heap::blockAt(std::uint64_t offset) const {
  const auto& all = blocks();
  const auto after = std::upper_bound(all.begin(), all.end(), offset, [](std::uint64_t o, const HeapBlock& b) { return o < b.offset; });
  return after == all.begin() ? nullptr : &*(after - 1);
}

}  // namespace warpmill::machine
