#include "lowering/merge.h"

#include <algorithm>
#include <map>

namespace warpmill::lowering {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

namespace {

const Operand* addressOf(const Instruction& i) {
  const std::size_t at = i.opcode == Opcode::St ? 0 : 1;
  return i.operands.size() > at && i.operands[at].kind == Operand::Kind::Address ? &i.operands[at] : nullptr;
}

// A plain scalar access of 4 or 8 bytes through a register.
bool isCandidate(const Instruction& i, Opcode opcode) {
  if (i.opcode != opcode || i.mods.space != ptx::Space::Shared || i.guard != ptx::none || i.mods.vectorWidth > 1) return false;
  if (i.mods.order != ptx::MemoryOrder::None && i.mods.order != ptx::MemoryOrder::Weak) return false;
  const std::uint32_t bytes = sizeBytes(i.mods.type);
  if (bytes != 4 && bytes != 8) return false;
  const Operand* a = addressOf(i);
  return a != nullptr && a->scope == Operand::In::None && a->index != ptx::none && a->offset > -4096 && a->offset < (1 << 20);
}

class Merger {
 public:
  Merger(const ptx::Function& f, const Graph& graph, Lowered& lowered) : f_(f), graph_(graph), ops_(lowered.ops) {}

  void run() {
    for (std::uint32_t b = 0; b < f_.blockBegin.size(); ++b)
      for (std::uint32_t pc = f_.blockBegin[b]; pc < graph_.blockEnd(b); ++pc) look(pc);
    flush(loads_);
    flush(stores_);
  }

 private:
  using Key = std::pair<std::uint32_t, std::int64_t>;  // base register, aligned window of 16 bytes
  using Groups = std::map<Key, std::vector<std::uint32_t>>;

  void look(std::uint32_t pc) {
    const Instruction& i = f_.instructions[pc];
    if (std::binary_search(f_.blockBegin.begin(), f_.blockBegin.end(), pc) || ops_[pc].pipe == Pipe::Barrier) {
      flush(loads_);
      flush(stores_);
    }
    const bool shared = i.mods.space == ptx::Space::Shared || i.mods.space == ptx::Space::Generic || i.mods.space == ptx::Space::None;
    if (isCandidate(i, Opcode::Ld)) {
      flush(stores_);
      add(loads_, pc, i);
    } else if (isCandidate(i, Opcode::St)) {
      flush(loads_);
      add(stores_, pc, i);
    } else if (ops_[pc].isMemory && shared) {
      if (i.opcode != Opcode::Ld) flush(loads_);
      flush(stores_);
    }
    // A base that changes is another one.
    for (std::uint32_t r : ops_[pc].writes) {
      flush(loads_, r);
      flush(stores_, r);
    }
  }

  void add(Groups& groups, std::uint32_t pc, const Instruction& i) {
    const Operand& a = *addressOf(i);
    if (graph_.zeroBits(a.index) < 3) return;
    groups[{a.index, a.offset >> 4}].push_back(pc);
  }

  void flush(Groups& groups, std::uint32_t base = ptx::none) {
    for (auto it = groups.begin(); it != groups.end();) {
      if (base != ptx::none && it->first.first != base) {
        ++it;
        continue;
      }
      merge(it->second, graph_.zeroBits(it->first.first) >= 4);
      it = groups.erase(it);
    }
  }

  void merge(const std::vector<std::uint32_t>& group, bool wide) {
    std::vector<std::uint32_t> halves[2];
    for (std::uint32_t pc : group) halves[addressOf(f_.instructions[pc])->offset >> 3 & 1].push_back(pc);
    const bool both = !halves[0].empty() && !halves[1].empty();
    if (wide && both) return join(group, 16);
    for (const auto& half : halves) join(half, 8);
  }

  void join(const std::vector<std::uint32_t>& group, unsigned bytes) {
    if (group.size() < 2) return;
    const bool store = f_.instructions[group[0]].opcode == Opcode::St;
    if (store) {  // nothing may be written that was not
      std::uint64_t written = 0;
      for (std::uint32_t pc : group) written |= ((1ull << sizeBytes(f_.instructions[pc].mods.type)) - 1) << (addressOf(f_.instructions[pc])->offset & (bytes - 1));
      if (written != (1ull << bytes) - 1) return;
    }
    const std::uint32_t leader = store ? group.back() : group.front();
    TimedOp& op = ops_[leader];
    const std::int64_t offset = addressOf(f_.instructions[leader])->offset;
    op.mergedBytes = static_cast<std::uint8_t>(bytes);
    op.mergedOffset = static_cast<std::int16_t>(-(offset & (bytes - 1)));
    for (std::uint32_t pc : group) {
      if (pc == leader) continue;
      TimedOp& other = ops_[pc];
      other.pipe = Pipe::None;
      other.isMemory = false;
      other.issues = other.latency = other.interval = 0;
      if (store) op.reads.insert(op.reads.end(), other.reads.begin(), other.reads.end());
      else other.reads = op.writes;
    }
  }

  const ptx::Function& f_;
  const Graph& graph_;
  std::vector<TimedOp>& ops_;
  Groups loads_, stores_;
};

}  // namespace

void mergeSharedAccesses(const ptx::Function& f, const Graph& graph, Lowered& lowered) { Merger(f, graph, lowered).run(); }

}  // namespace warpmill::lowering
