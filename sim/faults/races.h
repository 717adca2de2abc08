// Data races in shared and global memory: two accesses to one place by different threads, at least one of them a store, of which none
// happened before the other (see clocks.h) and which are not both atomic or volatile in a scope that holds both threads.
// Found in whatever order the run took, as long as both accesses happened: the order of warps and blocks hides none.
// Stores of what is there already (several threads that all set one flag) are no fault.
// cp.async stores from its issue to its wait: what its own thread reads or writes there before it has waited is told of, too. Copies in bulk and
// st.async count as accesses when they are issued, and as arrivals at their mbarrier.
// Simplified: accesses by wgmma, wmma, textures, tensor copies and multicasts are not looked at.
// Simplified: strong accesses of different sizes to one place count as if they had the same.
// Source: PTX ISA 9.0, chapter 8.
#pragma once

#include "faults/clocks.h"
#include "faults/report.h"
#include "faults/shadow.h"

#include <functional>

namespace warpmill::faults {

// cp.async of some lanes that nobody has waited for.
struct PendingCopy {
  std::uint32_t pc = 0, bytes = 0;
  LaneMask lanes = 0;
  std::array<std::uint64_t, 32> target{};
  std::array<std::uint32_t, 32> group{};
  std::uint64_t first = 0, end = 0;   // of all its targets
};

struct BlockRaces {
  BlockRaces(std::uint32_t block, std::uint32_t warps, std::uint64_t sharedBytes) : clocks(block, warps), shared(sharedBytes), copies(warps), groups(warps), ordered(warps), seen(warps) {}
  BlockClocks clocks;
  ShadowPage shared;
  SyncPlaces places;                                   // in shared memory
  std::vector<std::vector<PendingCopy>> copies;        // by warp
  std::vector<std::array<std::uint32_t, 32>> groups;   // committed so far
  // By warp: some epochs, without lane and pc, that are known to be ordered before all it does; what is ordered once stays so.
  std::vector<std::array<Epoch, 16>> ordered;
  // By warp: the strong writes whose values its strong reads saw last. Whoever has seen one comes behind it at that place.
  struct Seen {
    std::array<Epoch, 8> writes{};
    std::uint32_t next = 0;
  };
  std::vector<Seen> seen;
};

class Races {
 public:
  // peer: the state of another block of the running one's cluster.
  using Peer = std::function<BlockRaces*(const machine::Block&)>;
  Races(const exec::Code& code, const machine::Memory& memory, Reports& reports, Peer peer);

  // A load, store or asynchronous copy of some lanes, before it happens; addresses in x.outcome->access (of cp.async: of the source).
  void load(const exec::Exec& x, const exec::Op& op, LaneMask lanes, BlockRaces& block);
  void store(const exec::Exec& x, const exec::Op& op, LaneMask lanes, BlockRaces& block);
  void asyncCopy(const exec::Exec& x, const exec::Op& op, LaneMask lanes, const std::array<std::uint64_t, 32>& target, BlockRaces& block);
  // Everything else, after it has happened.
  void after(const exec::Exec& x, const exec::Op& op, BlockRaces& block);
  [[nodiscard]] bool isFull() const { return global_.isFull(); }
  [[nodiscard]] bool watchesGlobal() const { return watchesGlobal_; }

 private:
  enum class Kind : std::uint8_t { Load, Store, Atomic };
  struct Access {
    const exec::Exec& x;
    const exec::Op& op;
    BlockRaces& block;
    Kind kind;
    std::uint32_t warp, bytes;
    Epoch base;      // of lane 0
    Strength strength;
  };

  void access(const exec::Exec& x, const exec::Op& op, Kind kind, LaneMask lanes, BlockRaces& block);
  template <Kind kind> void each(const Access& a, LaneMask lanes, const exec::MemoryAccess& where);
  struct View {      // of the page that was touched last
    ShadowPage* page = nullptr;
    std::uint64_t base = 0, last = 0;  // where it begins, and the last place in it at which an access may begin
    unsigned shift = 2;
    Epoch *writes = nullptr, *reads = nullptr, *others = nullptr;
  };
  template <Kind kind> bool open(const Access& a, ptx::Space space, std::uint64_t address, View& view);
  static bool isRowFine(const Access& a, const Epoch* row, unsigned count, Epoch mine);
  template <Kind kind> bool touchRow(const Access& a, View& view, std::uint64_t first, unsigned lane, unsigned count);
  static unsigned rowFrom(const View& view, const exec::MemoryAccess& where, unsigned lane);
  template <Kind kind> void touch(const Access& a, View& view, ptx::Space space, std::uint64_t address, unsigned lane);
  void conflict(const Access& a, ptx::Space space, std::uint64_t address, unsigned lane, Epoch other, std::uint64_t granule, std::uint32_t width, bool withStore);
  LaneMask repeated(const Access& a, LaneMask lanes, const exec::MemoryAccess& where);
  void pendingCopies(const Access& a, LaneMask lanes, const exec::MemoryAccess& where);
  void copyInBulk(const exec::Exec& x, const exec::Op& op, BlockRaces& block);
  void storeRemotely(const exec::Exec& x, const exec::Op& op, BlockRaces& block);
  template <Kind kind> void range(const Access& a, ptx::Space space, std::uint64_t address, std::uint64_t count, unsigned lane);
  void arriveEverywhere(const exec::Exec& x, BlockRaces& block);
  void clusterBarrier(const exec::Exec& x, const exec::Op& op, BlockRaces& block);
  BlockRaces* owner(const exec::Exec& x, BlockRaces& own, std::uint64_t& address) const;
  SyncPlace* place(BlockRaces& block, ptx::Space space, std::uint64_t address, bool make);
  void synchronise(const Access& a, LaneMask lanes, const exec::MemoryAccess& where, bool reads, bool writes);
  void finishCopies(const exec::Exec& x, const exec::Op& op, BlockRaces& block, std::uint32_t keep);

  Reports& reports_;
  GlobalShadow global_;
  SyncPlaces places_;  // in global memory
  bool watchesGlobal_;
  Peer peer_;
  std::map<std::uint64_t, Knowledge> clusters_;  // what those know who arrived at the cluster's barrier, by the cluster's first block
};

}  // namespace warpmill::faults
