// Where the pages of allocations lie in the host's memory, for code that would else search an allocation and ask for a reference count
// at every access. Belongs to one Memory and is only a shortcut to what its copy-on-write pages say: copying the memory makes every
// page a shared one, so the table of both is forgotten then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace warpmill::machine {

inline constexpr std::uint64_t pageBytes = 65536;

class AccessLog;

// Not copied: a table of a copied memory would show pages as its own that are not.
class PageTable {
 public:
  struct Region {
    std::uint64_t base = 0, sizeBytes = 0;
    const std::uint8_t** read = nullptr;  // by page
    std::uint8_t** write = nullptr;       // by page; nullptr where the page may still be shared: ask Memory::writablePage
    std::size_t allocation = 0;
    bool readOnly = false;

    std::vector<const std::uint8_t*> readPages;
    std::vector<std::uint8_t*> writePages;
  };

  AccessLog* log = nullptr;  // of the memory; not copied either

  PageTable() = default;
  PageTable(const PageTable& other) { other.forget(); }
  PageTable& operator=(const PageTable& other) {
    other.forget();
    forget();
    return *this;
  }
  PageTable(PageTable&& other) noexcept : regions_(std::move(other.regions_)), generation_(other.generation_) { other.forget(); }
  PageTable& operator=(PageTable&& other) noexcept {
    forget();
    regions_ = std::move(other.regions_);
    other.forget();
    return *this;
  }
  ~PageTable() = default;

  [[nodiscard]] Region* find(std::size_t allocation) const { return allocation < regions_.size() ? regions_[allocation].get() : nullptr; }
  Region& add(std::size_t allocation, std::size_t pages) {
    if (allocation >= regions_.size()) regions_.resize(allocation + 1);
    auto made = std::make_unique<Region>();
    made->allocation = allocation;
    made->readPages.resize(pages);
    made->writePages.resize(pages);
    made->read = made->readPages.data();
    made->write = made->writePages.data();
    regions_[allocation] = std::move(made);
    return *regions_[allocation];
  }
  void pageIsOwn(std::size_t allocation, std::uint64_t page, std::uint8_t* bytes) {
    if (Region* r = find(allocation)) r->read[page] = r->write[page] = bytes;
  }

  void pageIsShared(std::size_t allocation, std::uint64_t page, const std::uint8_t* bytes) {
    if (Region* r = find(allocation)) r->read[page] = bytes, r->write[page] = nullptr;
  }

  // Regions found before the last change of this number are gone.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  void forget() const {
    if (regions_.empty()) return;  // a memory that nobody runs on may be copied by several threads at once
    regions_.clear();
    ++generation_;
  }

 private:
  mutable std::vector<std::unique_ptr<Region>> regions_;  // by allocation; made when first asked for
  mutable std::uint64_t generation_ = 0;
};

}  // namespace warpmill::machine
