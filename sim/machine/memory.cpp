#include "machine/memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpmill::machine {
namespace {

constexpr std::uint64_t alignment = 512;
static_assert(pageBytes == decltype(Allocation::bytes)::chunkElements());
constexpr std::uint64_t gapBytes = 64 * 1024;

// Index of the last allocation whose base is at most `address`, or -1. Bases rise, so this is a binary search.
std::ptrdiff_t candidate(const std::vector<Allocation>& allocations, std::uint64_t address) {
  const auto after = std::upper_bound(allocations.begin(), allocations.end(), address,
                                      [](std::uint64_t wanted, const Allocation& a) { return wanted < a.base; });
  return after - allocations.begin() - 1;
}

bool holds(const Allocation& a, std::uint64_t address, std::uint64_t sizeBytes) {
  const std::uint64_t offset = address - a.base;  // the caller knows that address >= a.base; written so that nothing can overflow
  return offset < a.sizeBytes && sizeBytes <= a.sizeBytes - offset;
}

void copyFromPages(const Allocation& a, std::uint64_t offset, std::uint8_t* into, std::uint64_t sizeBytes) {
  while (sizeBytes != 0) {
    const std::uint64_t inPage = offset % pageBytes;
    const std::uint64_t n = std::min(sizeBytes, pageBytes - inPage);
    std::memcpy(into, a.bytes.chunkForRead(offset / pageBytes) + inPage, n);
    into += n, offset += n, sizeBytes -= n;
  }
}

}  // namespace

std::uint32_t Memory::allocate(std::string name, std::uint64_t sizeBytes, std::uint32_t argument, bool readOnly) {
  Allocation a;
  a.name = std::move(name);
  a.argument = argument;
  a.base = next_;
  a.sizeBytes = sizeBytes;
  a.readOnly = readOnly;
  a.bytes = CowVector<std::uint8_t, 65536>(sizeBytes);
  next_ = (a.base + sizeBytes + alignment - 1) / alignment * alignment + gapBytes;
  allocations_.push_back(std::move(a));
  return static_cast<std::uint32_t>(allocations_.size() - 1);
}

void Memory::copyIn(std::uint32_t allocation, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  Allocation& a = allocations_.at(allocation);
  WM_ASSERT(offset <= a.sizeBytes && bytes.size() <= a.sizeBytes - offset, "copyIn outside the allocation");
  copyToPages(a, offset, bytes.data(), bytes.size());
}

void Memory::copyOut(std::uint32_t allocation, std::uint64_t offset, std::span<std::uint8_t> bytes) const {
  const Allocation& a = allocations_.at(allocation);
  WM_ASSERT(offset <= a.sizeBytes && bytes.size() <= a.sizeBytes - offset, "copyOut outside the allocation");
  copyFromPages(a, offset, bytes.data(), bytes.size());
}

const Allocation* Memory::find(std::uint64_t address, std::uint64_t sizeBytes) const {
  const std::ptrdiff_t i = candidate(allocations_, address);
  if (i < 0) return nullptr;
  const Allocation& a = allocations_[static_cast<std::size_t>(i)];
  if (!holds(a, address, sizeBytes)) return nullptr;
  if (static_cast<std::size_t>(i) == heapAllocation_) {
    const std::uint64_t offset = address - a.base;
    const HeapBlock* block = heap_.blockAt(offset);
    if (block == nullptr || !block->live || offset + sizeBytes > block->offset + block->bytes) return nullptr;
  }
  return &a;
}

void Memory::createHeap(std::uint64_t sizeBytes) {
  WM_ASSERT(!hasHeap(), "a device has one heap");
  heapAllocation_ = allocate("device heap", sizeBytes, 0xFFFFFFFFu);
  heap_ = Heap(sizeBytes);
}

std::uint64_t Memory::heapAllocate(std::uint64_t bytes) {
  WM_ASSERT(hasHeap(), "malloc needs a heap");
  const std::uint64_t offset = heap_.allocate(bytes);
  return offset == Heap::none ? 0 : allocations_[heapAllocation_].base + offset;
}

Heap::Freed Memory::heapFree(std::uint64_t address) {
  WM_ASSERT(hasHeap(), "free needs a heap");
  const Allocation& a = allocations_[heapAllocation_];
  return address >= a.base && address - a.base < a.sizeBytes ? heap_.free(address - a.base) : Heap::Freed::NoBlock;
}

const HeapBlock* Memory::heapBlock(std::uint64_t address) const {
  if (!hasHeap()) return nullptr;
  const Allocation& a = allocations_[heapAllocation_];
  return address >= a.base && address - a.base < a.sizeBytes ? heap_.blockAt(address - a.base) : nullptr;
}

void Memory::narrow(const Allocation& a, std::uint64_t address, std::uint64_t& low, std::uint64_t& high) const {
  if (!hasHeap() || &a != &allocations_[heapAllocation_]) return;
  const HeapBlock* block = heap_.blockAt(address - a.base);
  if (block == nullptr) return;
  low = std::max(low, a.base + block->offset);
  high = std::min(high, a.base + block->offset + block->bytes);
}

Allocation* Memory::findMutable(std::uint64_t address, std::uint64_t sizeBytes) {
  return const_cast<Allocation*>(find(address, sizeBytes));
}

const Allocation* Memory::nearest(std::uint64_t address) const {
  const std::ptrdiff_t i = candidate(allocations_, address);
  if (i >= 0) return &allocations_[static_cast<std::size_t>(i)];
  // Below the first one: an index that went negative. Farther away than the gap between buffers it is a wild pointer.
  if (!allocations_.empty() && allocations_.front().base - address <= gapBytes) return &allocations_.front();
  return nullptr;
}

bool Memory::read(std::uint64_t address, void* into, std::uint32_t sizeBytes) const {
  const Allocation* a = find(address, sizeBytes);
  if (a == nullptr) return false;
  if (log() != nullptr) log()->read(indexOf(*a), address - a->base, sizeBytes);
  copyFromPages(*a, address - a->base, static_cast<std::uint8_t*>(into), sizeBytes);
  return true;
}

bool Memory::write(std::uint64_t address, const void* from, std::uint32_t sizeBytes) {
  Allocation* a = findMutable(address, sizeBytes);
  if (a == nullptr || a->readOnly) return false;
  copyToPages(*a, address - a->base, static_cast<const std::uint8_t*>(from), sizeBytes);
  return true;
}

const std::uint8_t* Memory::contiguous(std::uint64_t address, std::uint32_t sizeBytes) const {
  const Allocation* a = find(address, sizeBytes);
  if (a == nullptr) return nullptr;
  const std::uint64_t offset = address - a->base;
  if (offset % pageBytes + sizeBytes > pageBytes) return nullptr;
  if (log() != nullptr) log()->read(indexOf(*a), offset, sizeBytes);
  return a->bytes.chunkForRead(offset / pageBytes) + offset % pageBytes;
}

std::uint8_t* Memory::contiguousForWrite(std::uint64_t address, std::uint32_t sizeBytes) {
  Allocation* a = findMutable(address, sizeBytes);
  if (a == nullptr || a->readOnly) return nullptr;
  const std::uint64_t offset = address - a->base;
  if (offset % pageBytes + sizeBytes > pageBytes) return nullptr;
  if (log() != nullptr) log()->wrote(indexOf(*a), offset, sizeBytes);
  return ownPage(*a, offset / pageBytes) + offset % pageBytes;
}

std::uint8_t* Memory::ownPage(Allocation& allocation, std::uint64_t page) {
  std::uint8_t* bytes = allocation.bytes.chunkForWrite(page);
  // Threads that share the memory write nothing that is there already.
  if (const PageTable::Region* r = table_.find(indexOf(allocation)); r != nullptr && r->write[page] != bytes) table_.pageIsOwn(indexOf(allocation), page, bytes);
  return bytes;
}

void Memory::takeBytes(const Memory& from, const AccessLog::Page& changed, bool wholePage) {
  Allocation& mine = allocations_[changed.allocation];
  const Allocation& theirs = from.allocations_[changed.allocation];
  if (wholePage) {
    mine.bytes.shareChunk(theirs.bytes, changed.page);
    table_.pageIsShared(changed.allocation, changed.page, mine.bytes.chunkForRead(changed.page));
    return;
  }
  std::uint8_t* to = ownPage(mine, changed.page);
  const std::uint8_t* source = theirs.bytes.chunkForRead(changed.page);
  for (std::size_t line = 0; line < changed.bytes.size(); ++line) {
    std::uint64_t bits = changed.bytes[line];
    if (bits == ~std::uint64_t{0}) std::memcpy(to + line * 64, source + line * 64, 64);
    else
      for (; bits != 0; bits &= bits - 1) {
        const auto i = line * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        to[i] = source[i];
      }
  }
}

void Memory::copyToPages(Allocation& allocation, std::uint64_t offset, const std::uint8_t* from, std::uint64_t sizeBytes) {
  if (log() != nullptr) log()->wrote(indexOf(allocation), offset, sizeBytes);
  while (sizeBytes != 0) {
    const std::uint64_t inPage = offset % pageBytes;
    const std::uint64_t n = std::min(sizeBytes, pageBytes - inPage);
    std::memcpy(ownPage(allocation, offset / pageBytes) + inPage, from, n);
    from += n, offset += n, sizeBytes -= n;
  }
}

PageTable::Region* Memory::region(std::uint64_t address) {
  const std::ptrdiff_t i = candidate(allocations_, address);
  if (i < 0 || static_cast<std::size_t>(i) == heapAllocation_) return nullptr;  // each block of the heap has bounds of its own
  const Allocation& a = allocations_[static_cast<std::size_t>(i)];
  if (!holds(a, address, 1)) return nullptr;
  if (PageTable::Region* known = table_.find(static_cast<std::size_t>(i))) return known;
  PageTable::Region& made = table_.add(static_cast<std::size_t>(i), a.bytes.chunkCount());
  made.base = a.base;
  made.sizeBytes = a.sizeBytes;
  made.readOnly = a.readOnly;
  for (std::size_t p = 0; p < a.bytes.chunkCount(); ++p) made.read[p] = a.bytes.chunkForRead(p);
  return &made;
}

std::uint8_t* Memory::writablePage(PageTable::Region& region, std::uint64_t page) {
  WM_ASSERT(!region.readOnly, "constants are not written");
  return ownPage(allocations_[region.allocation], page);
}

}  // namespace warpmill::machine
