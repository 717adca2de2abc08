// Global memory: one allocation a buffer, with exact bounds, in copy-on-write pages.
// Addresses: buffers start at multiples of 512 bytes from 0x7f0000000000 on, at least 64 KiB apart, so that an overrun of one never
// lands in the next. Module-level .global and .const variables are allocations of their own. Blocks of the device's heap lie in one
// allocation; only those in use can be accessed.
// Simplified: hardware maps memory in 2 MiB pages and lets a kernel read the slack behind an allocation; here every byte outside
// a buffer is a fault.
#pragma once

#include "machine/access_log.h"
#include "machine/cow.h"
#include "machine/heap.h"
#include "machine/page_table.h"
#include "machine/print_output.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpmill::machine {

inline constexpr std::uint64_t globalBase = 0x7f0000000000ull;
// Generic addresses below globalBase: shared window and local window of the running thread, constant segment.
inline constexpr std::uint64_t sharedWindow = 0x7e0000000000ull;
inline constexpr std::uint64_t localWindow = 0x7d0000000000ull;
inline constexpr std::uint64_t constWindow = 0x7c0000000000ull;
inline constexpr std::uint64_t paramWindow = 0x7b0000000000ull;
inline constexpr std::uint64_t windowBytes = 0x10000000000ull;
// What a pointer to function number f of the module holds. No data lies there.
inline constexpr std::uint64_t codeWindow = 0x7b0000000000ull;
inline constexpr std::uint64_t functionSpacing = 256;
constexpr std::uint64_t functionAddress(std::uint32_t f) { return codeWindow + functionSpacing * (std::uint64_t{f} + 1); }


struct Allocation {
  std::string name;            // argument's name, or "argument 2", or the variable's name
  std::uint32_t argument = 0xFFFFFFFFu;  // index of the launch argument it is, or none
  std::uint64_t base = 0;
  std::uint64_t sizeBytes = 0;
  bool readOnly = false;       // .const
  bool isBuffer = false;       // one that launches of a sequence share, even where this launch has no argument for it
  CowVector<std::uint8_t, 65536> bytes;
  bool operator==(const Allocation& o) const { return base == o.base && sizeBytes == o.sizeBytes && bytes == o.bytes; }
};

class Memory {
 public:
  // Adds an allocation of zero bytes; returns its index.
  std::uint32_t allocate(std::string name, std::uint64_t sizeBytes, std::uint32_t argument, bool readOnly = false);
  // Which argument of the launch it is now; launches of a sequence have different ones.
  void setArgument(std::uint32_t allocation, std::uint32_t argument) { allocations_.at(allocation).argument = argument; }
  void markBuffer(std::uint32_t allocation) { allocations_.at(allocation).isBuffer = true; }
  void copyIn(std::uint32_t allocation, std::uint64_t offset, std::span<const std::uint8_t> bytes);
  void copyOut(std::uint32_t allocation, std::uint64_t offset, std::span<std::uint8_t> bytes) const;

  // The allocation that holds all of [address, address + sizeBytes), or nullptr. `find` also takes the last hit as a first guess.
  [[nodiscard]] const Allocation* find(std::uint64_t address, std::uint64_t sizeBytes) const;
  // The allocation nearest below or around the address, for messages; nullptr when there is none.
  [[nodiscard]] const Allocation* nearest(std::uint64_t address) const;

  // Values up to 16 bytes; false when the range is not wholly inside one allocation (or, for write, that is read-only).
  bool read(std::uint64_t address, void* into, std::uint32_t sizeBytes) const;
  bool write(std::uint64_t address, const void* from, std::uint32_t sizeBytes);

  // Contiguous fast paths: a pointer to sizeBytes bytes when they lie in one page of one allocation, else nullptr.
  [[nodiscard]] const std::uint8_t* contiguous(std::uint64_t address, std::uint32_t sizeBytes) const;
  std::uint8_t* contiguousForWrite(std::uint64_t address, std::uint32_t sizeBytes);

  // For code that accesses memory much: the allocation that holds the byte as raw pages, or nullptr. Good until the memory is copied or
  // assigned to (see `tableGeneration`). `writablePage` makes one of its pages this memory's own.
  [[nodiscard]] PageTable::Region* region(std::uint64_t address);
  std::uint8_t* writablePage(PageTable::Region& region, std::uint64_t page);
  // Everything that is read or written from now on is noted there, if not nullptr; a copy of the memory has none.
  void setLog(AccessLog* log) { table_.log = log; }
  [[nodiscard, gnu::always_inline]] AccessLog* log() const { return table_.log; }
  // Bytes that another memory with the same allocations has changed, as its log says; where this one's page is still what the other began
  // with (`wholePage`), the page itself.
  void takeBytes(const Memory& from, const AccessLog::Page& page, bool wholePage);
  [[nodiscard]] std::uint64_t tableGeneration() const { return table_.generation(); }

  [[nodiscard]] const std::vector<Allocation>& allocations() const { return allocations_; }
  bool operator==(const Memory& o) const { return allocations_ == o.allocations_ && heap_ == o.heap_ && output == o.output; }

  // The heap of malloc and free: made once, before the first of them.
  void createHeap(std::uint64_t sizeBytes);
  [[nodiscard]] bool hasHeap() const { return heapAllocation_ != noHeap; }
  std::uint64_t heapAllocate(std::uint64_t bytes);              // the block's address; 0: no room
  Heap::Freed heapFree(std::uint64_t address);
  // The block in or behind which the address lies; nullptr: it is not in the heap, or below the first block.
  [[nodiscard]] const HeapBlock* heapBlock(std::uint64_t address) const;
  // [low, high) lies in `a`; makes it what may be accessed round `address`, which `find` has found.
  void narrow(const Allocation& a, std::uint64_t address, std::uint64_t& low, std::uint64_t& high) const;

  PrintOutput output;          // of printf

 private:
  [[nodiscard]] std::size_t indexOf(const Allocation& a) const { return static_cast<std::size_t>(&a - allocations_.data()); }
  Allocation* findMutable(std::uint64_t address, std::uint64_t sizeBytes);
  std::uint8_t* ownPage(Allocation& allocation, std::uint64_t page);
  void copyToPages(Allocation& allocation, std::uint64_t offset, const std::uint8_t* from, std::uint64_t sizeBytes);
  std::vector<Allocation> allocations_;  // by rising base
  PageTable table_;
  std::uint64_t next_ = globalBase;
  static constexpr std::size_t noHeap = ~std::size_t{0};
  std::size_t heapAllocation_ = noHeap;
  Heap heap_;
};

}  // namespace warpmill::machine
