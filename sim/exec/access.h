// From addresses to bytes: where a lane's access goes, and what is wrong with it when it goes nowhere.
#pragma once

#include "exec/cluster.h"
#include "exec/faults.h"
#include "exec/lanes.h"

namespace warpmill::exec {

// Addresses of all lanes of the mask into `outcome.access`; also its kind, lanes and size.
inline void recordAccess(Exec& x, LaneMask mask, MemoryAccess::Kind kind, ptx::Space space, std::uint32_t bytes, const Slot& base, std::int64_t offset) {
  MemoryAccess& access = x.outcome->access;
  access.kind = kind;
  access.space = space;
  access.lanes = mask;
  access.bytesPerLane = bytes;
  const auto add = static_cast<std::uint64_t>(offset);
  if (!base.present) {
    access.address.fill(add);
  } else if (base.bits == 64) {
    const auto* a = reinterpret_cast<const portable::PlaneWord64*>(x.at(base));
    for (unsigned i = 0; i < 32; ++i) access.address[i] = a[i] + add;
  } else {
    const std::uint32_t* a = x.at(base);
    for (unsigned i = 0; i < 32; ++i) access.address[i] = static_cast<std::uint32_t>(a[i] + add);
  }
}

// Generic addresses become addresses of their space, lane by lane; the access keeps the first lane's space. Returns the lanes that are
// in that space; the others go another round.
inline LaneMask resolveGeneric(Exec& x, LaneMask mask) {
  MemoryAccess& access = x.outcome->access;
  const auto spaceOf = [](std::uint64_t a) {
    return a - machine::sharedWindow < machine::windowBytes ? ptx::Space::Shared
           : a - machine::localWindow < machine::windowBytes ? ptx::Space::Local
           : a - machine::paramWindow < machine::windowBytes ? ptx::Space::Param : ptx::Space::Global;
  };
  access.space = spaceOf(access.address[static_cast<unsigned>(std::countr_zero(mask))]);
  const std::uint64_t base = access.space == ptx::Space::Shared ? machine::sharedWindow : access.space == ptx::Space::Local ? machine::localWindow
                             : access.space == ptx::Space::Param ? machine::paramWindow : 0;
  LaneMask same = 0;
  portable::eachLane(mask, [&](unsigned i) {
    if (spaceOf(access.address[i]) != access.space) return;
    same |= 1u << i;
    access.address[i] -= base;
  });
  return same;
}

// Lanes whose access failed, by reason.
struct BadLanes {
  LaneMask null = 0, misaligned = 0, outside = 0, constant = 0;
  [[nodiscard]] LaneMask all() const { return null | misaligned | outside | constant; }
  void report(Exec& x, const Op& op, ptx::Space space, std::string_view access, std::uint32_t bytes) const {
    if (all() == 0) return;
    const auto& address = x.outcome->access.address;
    reportAccess(x, op, machine::FaultKind::NullAccess, null, space, access, bytes, address);
    reportAccess(x, op, machine::FaultKind::Misaligned, misaligned, space, access, bytes, address);
    reportAccess(x, op, machine::FaultKind::OutOfBounds, outside, space, access, bytes, address);
    reportAccess(x, op, machine::FaultKind::WriteToConstant, constant, space, access, bytes, address);
    x.outcome->access.lanes &= ~all();
  }
};

// Finds bytes in one space; keeps the page of the last hit, since neighbouring lanes mostly go there too.
class Locator {
 public:
  // `readsToo`: of what is written the old value is used, as atomics do.
  Locator(Exec& x, ptx::Space space, std::uint32_t bytes, bool forWrite, bool readsToo = false)
      : x_(x), space_(space), bytes_(bytes), forWrite_(forWrite), readsToo_(readsToo) {
    switch (space) {
      case ptx::Space::Shared: low_ = 0; high_ = x.block->shared.size(); page_ = x.block->shared.data(); break;
      case ptx::Space::Param:
        low_ = 0;
        high_ = forWrite ? 0 : x.code->context().parameters.size();  // a kernel cannot write its parameters
        page_ = const_cast<std::uint8_t*>(x.code->context().parameters.data());
        break;
      case ptx::Space::Local: high_ = x.warp->local.size() / machine::warpSize; break;
      default: low_ = 1; break;  // no page yet
    }
  }

  // The bytes of lane i's access, or nullptr with the reason in `bad`.
  std::uint8_t* find(std::uint64_t address, unsigned lane, BadLanes& bad) {
    const LaneMask bit = 1u << lane;
    if ((address & (bytes_ - 1)) != 0) {
      (isGlobal() && address < 4096 ? bad.null : bad.misaligned) |= bit;
      return nullptr;
    }
    if (space_ == ptx::Space::Local) {
      if (address <= high_ && bytes_ <= high_ - address) return x_.warp->local.data() + lane * high_ + address;
    } else {
      if (address >= low_ && address + bytes_ <= high_ && address + bytes_ > address) return found(address);
      if (isGlobal() && fetchPage(address, bit, bad)) return found(address);
      if ((bad.constant & bit) != 0) return nullptr;
    }
    if (space_ == ptx::Space::Shared && address >= clusterWindow)
      if (std::uint8_t* there = sharedPlace(x_, address).bytes(bytes_)) return there;
    (isGlobal() && address < 4096 ? bad.null : space_ == ptx::Space::Param && forWrite_ ? bad.constant : bad.outside) |= bit;
    return nullptr;
  }

  // Where all lanes of the mask find their bytes without a further check: lane i at bytes + i * laneStride + (address - low).
  struct Window {
    std::uint8_t* bytes = nullptr;  // nullptr: some access is bad, or they are spread over several pages
    std::uint64_t low = 0, laneStride = 0;
  };
  Window windowFor(const std::array<std::uint64_t, 32>& address, LaneMask mask) {
    if (isGlobal() && x_.memory->log() != nullptr) return {};  // each lane's access is noted
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    BadLanes ignored;
    if (find(address[first], first, ignored) == nullptr) return {};
    const std::uint64_t limit = high_ - low_ - bytes_;
    std::uint64_t low = ~std::uint64_t{0}, high = 0, all = 0;
    const auto look = [&](unsigned i) {
      const std::uint64_t offset = address[i] - low_;
      low = offset < low ? offset : low;
      high = offset > high ? offset : high;
      all |= address[i];
    };
    if (mask == allLanes)
      for (unsigned i = 0; i < 32; ++i) look(i);
    else portable::eachLane(mask, look);
    if (high > limit || (all & (bytes_ - 1)) != 0) return {};
    if (space_ == ptx::Space::Local) return {x_.warp->local.data(), 0, high_};
    return {page_, low_, 0};
  }

 private:
  [[nodiscard]] bool isGlobal() const { return space_ == ptx::Space::Global || space_ == ptx::Space::Const; }
  std::uint8_t* found(std::uint64_t address) {
    if (machine::AccessLog* log = region_ != nullptr ? x_.memory->log() : nullptr; log != nullptr) {
      if (forWrite_) log->wrote(region_->allocation, address - region_->base, bytes_);
      if (!forWrite_ || readsToo_) log->read(region_->allocation, address - region_->base, bytes_);
    }
    return page_ + (address - low_);
  }
  bool fetchPage(std::uint64_t address, LaneMask bit, BadLanes& bad) {
    if (x_.last == nullptr) return fetchChunk(address, bit, bad);
    machine::PageTable::Region* r = x_.memory->region(address);
    if (r == nullptr && x_.memory->hasHeap()) {  // blocks of the heap have no table, and are not followed by logs
      if (x_.memory->log() != nullptr) x_.memory->log()->needTurn();  // (in its turn that means nothing)
      region_ = nullptr;
      return fetchChunk(address, bit, bad);
    }
    if (r == nullptr || bytes_ > r->sizeBytes - (address - r->base)) return false;
    if (forWrite_ && r->readOnly) {
      bad.constant |= bit;
      return false;
    }
    const std::uint64_t page = (address - r->base) / machine::pageBytes;
    region_ = r;
    low_ = r->base + page * machine::pageBytes;
    high_ = low_ + machine::pageBytes < r->base + r->sizeBytes ? low_ + machine::pageBytes : r->base + r->sizeBytes;
    page_ = forWrite_ ? x_.memory->writablePage(*r, page) : const_cast<std::uint8_t*>(r->read[page]);
    return address + bytes_ <= high_;
  }

  // Without a table of pages, for memories that are copied now and then.
  bool fetchChunk(std::uint64_t address, LaneMask bit, BadLanes& bad) {
    const machine::Allocation* a = x_.memory->find(address, bytes_);
    if (a == nullptr) return false;
    if (forWrite_ && a->readOnly) {
      bad.constant |= bit;
      return false;
    }
    const std::uint64_t page = (address - a->base) / machine::pageBytes;
    low_ = a->base + page * machine::pageBytes;
    high_ = low_ + machine::pageBytes < a->base + a->sizeBytes ? low_ + machine::pageBytes : a->base + a->sizeBytes;
    x_.memory->narrow(*a, address, low_, high_);
    page_ = forWrite_ ? x_.memory->contiguousForWrite(low_, static_cast<std::uint32_t>(high_ - low_)) : const_cast<std::uint8_t*>(a->bytes.chunkForRead(page)) + (low_ - a->base - page * machine::pageBytes);
    WM_ASSERT(page_ != nullptr, "a page of an allocation is contiguous");
    return address + bytes_ <= high_;
  }

  Exec& x_;
  ptx::Space space_;
  std::uint32_t bytes_;
  bool forWrite_, readsToo_;
  std::uint64_t low_ = 0, high_ = 0;  // what `page_` shows; Local: high_ is the frame of one thread
  std::uint8_t* page_ = nullptr;
  machine::PageTable::Region* region_ = nullptr;
};

}  // namespace warpmill::exec
