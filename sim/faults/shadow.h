// Who accessed each place of memory last: for every granule the last write, the last read, and one of another warp before it that may
// matter beside it. A granule is four bytes, until something narrower is accessed there; then the page's granules become as narrow.
// Global memory: pages of 4 KiB, made on first touch, up to a limit; what lies beyond it is not watched.
// Simplified: of several writes or reads that are not ordered, the last one (two, of reads by different warps) stand for all; of lanes of one
// warp that read one place, one.
#pragma once

#include "faults/epoch.h"
#include "machine/memory.h"

#include <memory>
#include <vector>

namespace warpmill::faults {

class ShadowPage {
 public:
  explicit ShadowPage(std::uint64_t bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // log2 of the bytes of a granule, with granules no wider than `count`.
  unsigned shiftFor(std::uint32_t count) {
    if (count < (1u << shift_)) narrow(count >= 2 ? 1 : 0);
    return shift_;
  }
  // By granule; nullptr while nothing of the kind has happened in the page. `make` is for writing.
  Epoch* writes() { return writes_.get(); }
  Epoch* reads() { return reads_.get(); }
  Epoch* otherReads() { return otherReads_.get(); }
  Epoch* makeWrites() { return made(writes_); }
  Epoch* makeReads() { return made(reads_); }
  Epoch* makeOtherReads() { return made(otherReads_); }

 private:
  using Epochs = std::unique_ptr<Epoch[]>;
  [[nodiscard]] std::uint64_t granules() const { return (bytes_ + (1u << shift_) - 1) >> shift_; }
  Epoch* made(Epochs& of) {
    if (!of) of = std::make_unique<Epoch[]>(granules());
    return of.get();
  }
  void narrow(unsigned shift) {
    const std::uint64_t count = (bytes_ + (1u << shift) - 1) >> shift;
    for (Epochs* of : {&writes_, &reads_, &otherReads_}) {
      if (!*of) continue;
      auto wider = std::make_unique<Epoch[]>(count);
      for (std::uint64_t i = 0; i < count; ++i) wider[i] = (*of)[i >> (shift_ - shift)];
      *of = std::move(wider);
    }
    shift_ = shift;
  }

  std::uint64_t bytes_;
  unsigned shift_ = 2;
  Epochs writes_, reads_, otherReads_;
};

class GlobalShadow {
 public:
  static constexpr std::uint64_t pageBytes = 4096;
  static constexpr std::uint64_t mostBytes = 512ull << 20;  // of shadow, when each page has been written and read

  static constexpr std::uint64_t usualBytes = 4 * pageBytes;

  explicit GlobalShadow(const machine::Memory& memory) {
    for (const machine::Allocation& a : memory.allocations())
      if (!a.readOnly) regions_.push_back({a.base, a.sizeBytes, std::vector<std::unique_ptr<ShadowPage>>((a.sizeBytes + pageBytes - 1) / pageBytes)});
  }

  // nullptr: in no allocation, or beyond the limit.
  ShadowPage* page(std::uint64_t address, std::uint64_t& offset) {
    if (address - pageBase_ >= pageBytes && !seek(address)) return nullptr;
    offset = address - pageBase_;
    return page_;
  }
  [[nodiscard]] bool isFull() const { return full_; }

 private:
  struct Region {
    std::uint64_t base, sizeBytes;
    std::vector<std::unique_ptr<ShadowPage>> pages;
  };

  bool seek(std::uint64_t address) {
    if (region_ == nullptr || address - region_->base >= region_->sizeBytes) {
      region_ = nullptr;
      for (Region& r : regions_)
        if (address - r.base < r.sizeBytes) region_ = &r;
      if (region_ == nullptr) return false;
    }
    const std::uint64_t number = (address - region_->base) / pageBytes;
    auto& page = region_->pages[number];
    if (!page) {
      if (used_ + usualBytes > mostBytes) {
        full_ = true;
        return false;
      }
      page = std::make_unique<ShadowPage>(pageBytes);
      used_ += usualBytes;
    }
    page_ = page.get();
    pageBase_ = region_->base + number * pageBytes;
    return true;
  }

  std::vector<Region> regions_;
  Region* region_ = nullptr;
  ShadowPage* page_ = nullptr;
  std::uint64_t pageBase_ = ~std::uint64_t{0}, used_ = 0;
  bool full_ = false;
};

}  // namespace warpmill::faults
