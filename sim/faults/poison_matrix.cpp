// Undefined bytes through instructions that take more than a lane's own registers: products of matrices, their rows, copies in bulk; and where
// memory comes from that nobody has written, the heap.
#include "base/texts.h"
#include "exec/async.h"
#include "exec/lanes.h"
#include "faults/poison.h"

#include <algorithm>
#include <bit>

namespace warpmill::faults {

using exec::Exec;
using exec::MemoryAccess;
using exec::Op;
using exec::portable::eachLane;
using exec::portable::getBits;
using ptx::Opcode;
using ptx::Space;

namespace {

bool has(const Exec& x, const Op& op, std::string_view word) {
  const auto& strings = x.code->module().strings;
  return op.instruction->mods.text < strings.size() && strings[op.instruction->mods.text].find(word) != std::string::npos;
}

// Where the elements of mma's D lie: in which rows and columns of the tile those of register `r` of lane `l` are.
struct Tile {
  bool isKnown = false;
  bool isNarrow = false;  // eight rows, else sixteen
  bool halves = false;    // two columns in a register
  [[nodiscard]] std::uint32_t row(unsigned l, unsigned r) const { return 1u << (l / 4 + (isNarrow ? 0 : halves ? 8 * r : 8 * (r / 2))); }
  [[nodiscard]] std::uint32_t columns(unsigned l, unsigned r) const { return halves ? 3u << (l % 4 * 2) : 1u << (l % 4 * 2 + (r & 1)); }
};

Tile tileOf(const Exec& x, const Op& op, std::size_t registers) {
  Tile t;
  if (op.instruction->opcode != Opcode::Mma) return t;
  const ptx::Type d = op.instruction->mods.type;
  t.halves = d == ptx::Type::F16;
  t.isNarrow = has(x, op, "m8n8");
  t.isKnown = registers == (t.isNarrow || t.halves ? 2u : 4u) && !(t.isNarrow && has(x, op, "m8n8k4") && d != ptx::Type::F64);
  return t;
}

}  // namespace

void Poison::product(const Exec& x, const Op& op, WarpPoison& w) {
  const Facts& facts = facts_[op.pc];
  const std::size_t a = facts.groups[0], b = facts.groups[1], c = facts.groups[2];
  const bool isWarpgroup = op.instruction->opcode == Opcode::Wgmma;
  const Tile tile = tileOf(x, op, facts.destinations.size());
  const std::uint32_t origin = originIn(w, facts);
  std::uint32_t rows = 0, columns = 0;
  if (tile.isKnown) {
    for (std::size_t r = 0; r < a; ++r)
      eachLane(undefinedIn(w, facts.sources[r]), [&](unsigned l) { rows |= 1u << (l / 4 + (tile.isNarrow ? 0 : 8 * (r & 1))); });
    for (std::size_t r = 0; r < b; ++r) eachLane(undefinedIn(w, facts.sources[a + r]), [&](unsigned l) { columns |= 1u << (l / 4); });
  }
  const bool keeps = isWarpgroup && (x.value(op.predicate) & x.outcome->executed) != 0;  // the accumulator is D itself, where it counts at all
  if (isWarpgroup && keeps) return;
  for (std::size_t r = 0; r < facts.destinations.size(); ++r) {
    const Span& d = facts.destinations[r];
    LaneMask ofTile = 0;
    if ((rows | columns) != 0)
      for (unsigned l = 0; l < 32; ++l)
        if ((tile.row(l, static_cast<unsigned>(r)) & rows) != 0 || (tile.columns(l, static_cast<unsigned>(r)) & columns) != 0) ofTile |= 1u << l;
    const bool hasAccumulator = !isWarpgroup && facts.destinations.size() == c;
    const Span from = hasAccumulator ? facts.sources[a + b + r] : Span{};
    const std::uint32_t fromOrigin = from.count != 0 && undefinedIn(w, from) != 0 ? w.origin[from.first / 4] : origin;
    std::array<LaneMask, 8> undefined{};
    for (std::uint32_t k = 0; k < std::min(d.count, 8u); ++k) undefined[k] = ofTile | (k < from.count ? w.bytes[from.first + k] : 0);
    for (std::uint32_t k = 0; k < std::min(d.count, 8u); ++k) {
      w.set(w.bytes, d.first + k, x.outcome->executed, undefined[k]);
      if ((undefined[k] & x.outcome->executed) != 0) w.origin[(d.first + k) / 4] = fromOrigin;
    }
  }
}

// Lane l gets a word of row l / 4 of each matrix; of a transposed one elements of two rows.
void Poison::rows(const Exec& x, const Op& op, BlockPoison& block) {
  WarpPoison& w = block.warps[x.warp->indexInBlock];
  const Facts& facts = facts_[op.pc];
  const MemoryAccess& access = x.outcome->access;
  const LaneMask lanes = x.outcome->executed;
  const bool missing = tracksShared_ && block.shared.missing != 0;
  if (w.count != 0) address(x, op, lanes, w);
  if (lanes == 0 || (!missing && w.count == 0)) return;
  const bool isKnown = has(x, op, "m8n8"), transposed = has(x, op, ".trans");
  for (std::size_t m = 0; m < facts.destinations.size(); ++m) {
    const Span& d = facts.destinations[m];
    std::array<LaneMask, 4> undefined{};
    for (unsigned l = 0; l < 32 && isKnown && missing; ++l)
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned row = transposed ? l % 4 * 2 + k / 2 : l / 4, at = transposed ? l / 4 * 2 + k % 2 : l % 4 * 4 + k, giver = static_cast<unsigned>(8 * m + row) & 31;
        if ((access.lanes >> giver & 1) == 0) continue;
        const std::uint64_t place = access.address[giver] + at;
        if (undefinedAt(x, block, Space::Shared, place, giver, 1) == 0) continue;
        undefined[k] |= 1u << l;
        Place& from = loadedFrom_[op.pc];
        from = {Space::Shared, place, 1};
        from.wasStored = wasStored(x, block, from, giver);
      }
    for (unsigned k = 0; k < std::min(d.count, 4u); ++k) {
      w.set(w.bytes, d.first + k, lanes, undefined[k]);
      if ((undefined[k] & lanes) != 0) w.origin[(d.first + k) / 4] = op.pc;
    }
  }
}

void Poison::bulkCopy(const Exec& x, const Op& op, BlockPoison& block) {
  if (!op.elements[0].present) return;
  const exec::BulkFlags flags = exec::BulkFlags::of(op.aux);
  eachLane(x.outcome->executed, [&](unsigned i) {
    const std::uint64_t to = getBits(x, op.a, i) + static_cast<std::uint64_t>(op.offset);
    const auto bytes = static_cast<std::uint32_t>(getBits(x, op.elements[0], i));
    if (flags.direction == exec::BulkFlags::GlobalToShared) {
      define(x, block, Space::Shared, to & 0xFFFFFFFFu, i, bytes, 0);
      return;
    }
    if (flags.direction != exec::BulkFlags::SharedToGlobal || flags.masked) return;
    const std::uint64_t from = (getBits(x, op.b, i) + static_cast<std::uint64_t>(op.offset2)) & 0xFFFFFFFFu;
    for (std::uint32_t k = 0; k < bytes; k += 16) {
      const std::uint32_t some = std::min(bytes - k, 16u);
      if (undefinedAt(x, block, Space::Shared, from + k, i, some) == (1u << some) - 1) {
        const Place target{Space::Global, to + k, some};
        Reports::Origin origin;
        origin.pc = op.pc;
        origin.place = {Space::Shared, from + k, some};
        reports_.uninitialized(x, op, 1u << i, Text::UseCopy, &target, origin);
        k = bytes;
      }
      define(x, block, Space::Global, to + k, i, some, 0);
    }
  });
}

// What earlier launches have had from it counts as written.
void Poison::watchHeap(const machine::Memory& memory) {
  const auto& all = memory.allocations();
  const auto heap = std::find_if(all.begin(), all.end(), [&](const machine::Allocation& a) {
    std::uint64_t low = a.base, high = a.base + a.sizeBytes;
    memory.narrow(a, a.base, low, high);
    return a.sizeBytes != 0 && (memory.find(a.base, 1) == nullptr || high - low != a.sizeBytes);  // only the heap has less than all of it to use
  });
  if (heap == all.end()) return;
  heap_.emplace(heap->base, heap->sizeBytes);
  const machine::HeapBlock* last = memory.heapBlock(heap->base + heap->sizeBytes - 1);
  if (last == nullptr) return;
  for (std::uint64_t at = 0; at < last->offset + last->bytes; at += pageBytes) {
    heap_->page(heap->base + at).set(0, static_cast<std::uint32_t>(std::min(pageBytes, last->offset + last->bytes - at)), 0);
  }
}

}  // namespace warpmill::faults
