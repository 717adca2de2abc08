// Bytes that nobody has written, in registers and in memory, and what becomes of them.
// Undefined bytes may be loaded, moved and computed with; what is told of is where they matter: a branch or a guard, an address, an atomic,
// a store to global memory. A masked load leaves the register of a lane that is off as it was: undefined, when nothing else set it.
// An element of a product of matrices is undefined when its place in the accumulator is, or, of mma, a part of its row or column in registers.
// Memory from malloc begins undefined; buffers of a sequence are what its launches have made of them. What Triton puts where a mask leaves
// something out of a load, without `other`, is no value (see facts.h).
// Simplified: fragments of wmma and operands of wgmma in shared memory and textures count as defined, as do registers that a recursive call
// brings back; in kernels with alloca local memory and registers are not watched; sums and products are undefined as a whole when one byte of an
// operand is; shared memory that clusters, copies of tensors or wmma stores write counts as written, and what cp.async and bulk copies bring as
// soon as they are issued; a block of the heap that is handed out again counts as written.
// Simplified: a store to global memory is told of when a whole word or element is undefined; so padding inside structures passes.
#pragma once

#include "faults/facts.h"
#include "faults/report.h"
#include "faults/undefined_memory.h"

#include <array>
#include <memory>
#include <optional>

namespace warpmill::faults {

using exec::LaneMask;

// Registers of one warp: for each byte (see Span) the lanes in which it is undefined.
struct WarpPoison {
  std::vector<LaneMask> bytes, predicates;
  std::vector<std::uint32_t> origin, predicateOrigin;  // by plane, by predicate: into Poison's origins
  std::uint32_t count = 0;                             // entries of `bytes` and `predicates` that are not zero

  void set(std::vector<LaneMask>& of, std::uint32_t index, LaneMask lanes, LaneMask undefined) {
    LaneMask& m = of[index];
    const LaneMask now = (m & ~lanes) | (undefined & lanes);
    count += static_cast<std::uint32_t>(now != 0) - static_cast<std::uint32_t>(m != 0);
    m = now;
  }
};

struct BlockPoison {
  DefinedBytes shared;
  std::vector<WarpPoison> warps;
  std::vector<DefinedBytes> local;  // by warp, [lane][bytes]
};

class Poison {
 public:
  Poison(const exec::Code& code, const machine::Memory& memory, UndefinedMemory& undefined, Reports& reports);

  [[nodiscard]] BlockPoison start(const machine::Block& block) const;
  [[nodiscard]] bool watchesShared() const { return tracksShared_; }
  [[nodiscard]] bool watchesLocal() const { return tracksLocal_; }
  [[nodiscard]] bool watchesGlobal() const { return !global_.ranges.empty() || heap_; }

  [[nodiscard]] bool fills(std::uint32_t pc) const { return maskedLoads_[pc] != ptx::none; }

  // Loads, stores and asynchronous copies of some lanes, before they happen; addresses in x.outcome->access.
  void load(const exec::Exec& x, const exec::Op& op, LaneMask lanes, BlockPoison& block);
  void store(const exec::Exec& x, const exec::Op& op, LaneMask lanes, BlockPoison& block);
  void asyncCopy(const exec::Exec& x, const exec::Op& op, LaneMask lanes, const std::array<std::uint64_t, 32>& target, BlockPoison& block);
  // A return from a function, before it happens.
  void returns(const exec::Exec& x, LaneMask lanes, BlockPoison& block);
  // Everything else, after it has happened.
  void after(const exec::Exec& x, const exec::Op& op, BlockPoison& block);

 private:
  [[nodiscard]] LaneMask undefinedIn(const WarpPoison& w, const Span& span) const;
  void guard(const exec::Exec& x, const exec::Op& op, WarpPoison& w);
  void takeFromAbsent(const exec::Exec& x, const exec::Op& op, WarpPoison& w);
  void address(const exec::Exec& x, const exec::Op& op, LaneMask lanes, WarpPoison& w);
  void atomic(const exec::Exec& x, const exec::Op& op, BlockPoison& block);
  // See poison_matrix.cpp.
  void fill(const exec::Exec& x, const exec::Op& op, WarpPoison& w);
  void product(const exec::Exec& x, const exec::Op& op, WarpPoison& w);
  void rows(const exec::Exec& x, const exec::Op& op, BlockPoison& block);
  void bulkCopy(const exec::Exec& x, const exec::Op& op, BlockPoison& block);
  // See poison_calls.cpp.
  void called(const exec::Exec& x, const exec::Op& op, BlockPoison& block);
  void handOver(const exec::Exec& x, BlockPoison& block, unsigned lane, std::uint64_t from, const ptx::Routine::Place& source, std::uint64_t to, const ptx::Routine::Place& target);
  void watchHeap(const machine::Memory& memory);
  // Bits of undefined bytes of one lane's place in memory, and setting them.
  std::uint32_t undefinedAt(const exec::Exec& x, const BlockPoison& block, ptx::Space space, std::uint64_t address, unsigned lane, std::uint32_t bytes);
  void define(const exec::Exec& x, BlockPoison& block, ptx::Space space, std::uint64_t address, unsigned lane, std::uint32_t bytes, std::uint32_t undefinedBits);
  [[nodiscard]] bool isDefined(const exec::MemoryAccess& access, LaneMask lanes, const BlockPoison& block) const;
  [[nodiscard]] bool wasStored(const exec::Exec& x, const BlockPoison& block, const Place& place, unsigned lane) const;
  [[nodiscard]] bool anyMissing(const BlockPoison& block, std::uint32_t warp, ptx::Space space) const;
  [[nodiscard]] Reports::Origin originOf(std::uint32_t number) const;
  std::uint32_t originIn(const WarpPoison& w, const Facts& facts) const;
  DefinedBytes* globalPage(std::uint64_t address);
  static constexpr std::uint64_t pageBytes = UndefinedMemory::pageBytes;

  const exec::Code& code_;
  Reports& reports_;
  std::vector<Facts> facts_;
  std::vector<std::uint32_t> unset_;          // registers that may be read before they are written
  std::vector<std::uint32_t> maskedLoads_;    // see facts.h
  std::vector<Place> loadedFrom_;             // by pc of a load
  UndefinedMemory& global_;                   // allocations that began undefined
  std::optional<UndefinedMemory::Range> heap_;
  bool tracksShared_, tracksLocal_;
};

// The space in which a lane's recorded address lies: one instruction with generic addresses may go to several.
inline ptx::Space spaceOf(const exec::MemoryAccess& access, unsigned lane) {
  return access.address[lane] >= machine::globalBase && access.space != ptx::Space::Const ? ptx::Space::Global : access.space;
}

}  // namespace warpmill::faults
