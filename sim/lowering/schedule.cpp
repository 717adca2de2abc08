#include "lowering/schedule.h"

#include <algorithm>
#include <utility>

namespace warpmill::lowering {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Space;

namespace {

bool readsClock(const Instruction& i) {
  if (i.opcode != Opcode::Mov || i.operands.size() < 2 || i.operands[1].kind != ptx::Operand::Kind::Special) return false;
  switch (i.operands[1].special) {
    case ptx::SpecialRegister::Clock: case ptx::SpecialRegister::ClockHi: case ptx::SpecialRegister::Clock64: case ptx::SpecialRegister::GlobalTimer:
    case ptx::SpecialRegister::GlobalTimerLo: case ptx::SpecialRegister::GlobalTimerHi:
      return true;
    default: return false;
  }
}

// Nothing is moved across these.
bool isFence(const Instruction& i, const TimedOp& op) {
  if (op.async != AsyncKind::None) return true;
  switch (op.pipe) {
    case Pipe::Branch: case Pipe::Barrier: return true;
    default: break;
  }
  switch (i.opcode) {
    case Opcode::Bra: case Opcode::BrxIdx: case Opcode::Call: case Opcode::Ret: case Opcode::Exit: case Opcode::Trap:
    case Opcode::Membar: case Opcode::Fence: case Opcode::Mbarrier: case Opcode::Nanosleep: case Opcode::Unknown:
      return true;
    default: return readsClock(i);
  }
}

bool isOrdered(const Instruction& i) { return i.mods.order != ptx::MemoryOrder::None && i.mods.order != ptx::MemoryOrder::Weak; }

bool readsMemory(const Instruction& i, const TimedOp& op) { return op.isMemory && i.opcode != Opcode::St && i.opcode != Opcode::Red; }

struct Bytes { const ptx::Operand* address = nullptr; std::int64_t begin = 0, end = 0; };

// What a plain load or store reaches from its base register.
Bytes bytesOf(const Instruction& i) {
  if ((i.opcode != Opcode::Ld && i.opcode != Opcode::St) || i.operands.size() < 2) return {};
  const ptx::Operand &address = i.operands[i.opcode == Opcode::Ld ? 1 : 0], &value = i.operands[i.opcode == Opcode::Ld ? 0 : 1];
  if (address.kind != ptx::Operand::Kind::Address || address.scope != ptx::Operand::In::None || address.index == ptx::none) return {};
  const std::int64_t elements = value.kind == ptx::Operand::Kind::Vector ? value.count : 1;
  return {&address, address.offset, address.offset + elements * static_cast<std::int64_t>(ptx::sizeBytes(i.mods.type))};
}

// Different places from the same base, which has not changed in between.
bool areApart(const Instruction& a, const Instruction& b) {
  const Bytes x = bytesOf(a), y = bytesOf(b);
  return x.address != nullptr && y.address != nullptr && x.address->index == y.address->index && (x.end <= y.begin || y.end <= x.begin);
}

// May a load of what `load` reads stand before a store that stood before it?
bool mayPass(const Instruction& load, const Instruction& store) {
  if (load.mods.nonCoherent && load.opcode == Opcode::Ld) return true;
  const Space a = load.mods.space, b = store.mods.space;
  return a != b && a != Space::None && b != Space::None && a != Space::Generic && b != Space::Generic && load.opcode == Opcode::Ld;
}

// A straight stretch of code, [begin, end). Behind its end comes its beginning when it is the body of a loop that ptxas unrolls.
class Stretch {
 public:
  Stretch(const ptx::Function& f, Lowered& lowered, std::uint32_t begin, std::uint32_t end)
      : f_(f), ops_(lowered.ops), begin_(begin), end_(end), body_(bodyOf(f, lowered, begin, end)), tainted_(f.registers.size(), 0), written_(f.registers.size(), 0) {}

  void run() {
    std::vector<std::uint8_t> loaded(f_.registers.size(), 0);  // depends on something that takes long
    for (std::uint32_t pc = begin_; pc < end_; ++pc) {
      TimedOp& op = ops_[pc];
      bool slow = false;
      for (std::uint32_t r : op.reads) slow = slow || loaded[r] != 0;
      for (std::uint32_t r : op.writes) loaded[r] = slow || readsMemory(f_.instructions[pc], op) || op.pipe == Pipe::Lsu || op.pipe == Pipe::Tensor;
      if (op.pipe != Pipe::None) op.sinks = op.isMemory ? storeSinks(pc) || goesAlong(pc) : othersFollow(pc, slow) || isForOneThatGoesAlong(pc);
      if (f_.instructions[pc].opcode == Opcode::St && op.pipe != Pipe::None) {
        const ptx::Operand* const base = bytesOf(f_.instructions[pc]).address;
        sunkBase_ = op.sinks && base != nullptr ? base->index : ptx::none;
      }
      if (std::find(op.writes.begin(), op.writes.end(), sunkBase_) != op.writes.end()) sunkBase_ = ptx::none;
      for (std::uint32_t r : op.writes) written_[r] = 1;
    }
    if (body_ != ptx::none) limitLoads();
  }

 private:
  // A store to the same place as the one before, which sank: they leave together.
  [[nodiscard]] bool goesAlong(std::uint32_t pc) const {
    const Bytes own = bytesOf(f_.instructions[pc]);
    return f_.instructions[pc].opcode == Opcode::St && own.address != nullptr && own.address->index == sunkBase_ && !isOrdered(f_.instructions[pc]);
  }

  [[nodiscard]] bool isForOneThatGoesAlong(std::uint32_t pc) const {
    const std::vector<std::uint32_t>& made = ops_[pc].writes;
    return pc + 1 < end_ && made.size() == 1 && goesAlong(pc + 1) && std::find(ops_[pc + 1].reads.begin(), ops_[pc + 1].reads.end(), made[0]) != ops_[pc + 1].reads.end();
  }

  // The values of loads that go ahead need registers; what uses them comes before the next ones.
  void limitLoads() {
    constexpr std::uint32_t room = 16;
    std::uint32_t loaded = 0, first = end_;
    for (std::uint32_t pc = end_; pc-- > body_;) {
      if (ops_[pc].pipe != Pipe::None && ops_[pc].every <= 1) first = pc;
      if (ops_[pc].isMemory && ops_[pc].pipe != Pipe::None) loaded += static_cast<std::uint32_t>(ops_[pc].writes.size());
    }
    const std::uint32_t rounds = std::max(1u, room / std::max(1u, loaded));
    if (first == end_ || rounds >= ops_[end_].every) return;
    ops_[first].joinsEvery = static_cast<std::uint8_t>(rounds);
    ops_[first].loop = ops_[end_].loop;
  }

  // Where the body of an unrolled loop begins that ends with the stretch; ptx::none: there is none.
  static std::uint32_t bodyOf(const ptx::Function& f, const Lowered& lowered, std::uint32_t begin, std::uint32_t end) {
    if (end >= lowered.ops.size() || !lowered.ops[end].endsRound || lowered.ops[end].every <= 1) return ptx::none;
    const std::uint32_t target = f.instructions[end].target;
    return target >= begin && target < end ? target : ptx::none;
  }
  // What comes after `pc` for one that stands at `from`; `from` or the end: nothing more.
  [[nodiscard]] std::uint32_t next(std::uint32_t pc, std::uint32_t from) const { return pc + 1 == end_ && body_ != ptx::none && from >= body_ ? body_ : pc + 1; }

  // Is there anything behind it that waits neither for it nor for what it waits for itself? What waits for a load is only put behind loads.
  bool othersFollow(std::uint32_t from, bool onlyLoads) {
    bool found = false;
    touched_.clear();
    taint(ops_[from].writes);
    for (std::uint32_t r : ops_[from].reads)
      if (written_[r] != 0) taint({r});
    for (std::uint32_t pc = next(from, from); pc != from && pc < end_ && !found; pc = next(pc, from)) {
      const TimedOp& op = ops_[pc];
      bool depends = false;
      for (std::uint32_t r : op.reads) depends = depends || tainted_[r] != 0;
      if (depends) taint(op.writes);
      else found = op.pipe != Pipe::None && (!onlyLoads || readsMemory(f_.instructions[pc], op));
    }
    for (std::uint32_t r : touched_) tainted_[r] = 0;
    return found;
  }

  void taint(const std::vector<std::uint32_t>& registers) {
    for (std::uint32_t r : registers) {
      tainted_[r] = 1;
      touched_.push_back(r);
    }
  }

  // A store sinks if loads behind it want to go past it, and all may; and if there are registers for what both hold.
  [[nodiscard]] bool storeSinks(std::uint32_t from) const {
    const Instruction& store = f_.instructions[from];
    if (store.opcode != Opcode::St || isOrdered(store)) return false;
    const ptx::Operand* const base = bytesOf(store).address;
    bool wanted = false, sameBase = base != nullptr;
    constexpr std::size_t room = 24;
    std::size_t held = 0, ofStores = 0;  // registers, up to the last of the loads
    for (std::uint32_t pc = from + 1; pc < end_; ++pc) {
      if (readsMemory(f_.instructions[pc], ops_[pc])) {
        wanted = true;
        held += ops_[pc].writes.size() + std::exchange(ofStores, 0);
        if (!mayPass(f_.instructions[pc], store) && !(sameBase && areApart(f_.instructions[pc], store))) return false;
      }
      if (f_.instructions[pc].opcode == Opcode::St) ++ofStores;
      if (sameBase) sameBase = std::find(ops_[pc].writes.begin(), ops_[pc].writes.end(), base->index) == ops_[pc].writes.end();
    }
    return wanted && held <= room;
  }

  const ptx::Function& f_;
  std::vector<TimedOp>& ops_;
  std::uint32_t begin_, end_;
  std::uint32_t body_;
  std::uint32_t sunkBase_ = ptx::none;           // the base register of the last store, if that sank
  std::vector<std::uint8_t> tainted_, written_;  // written: in this stretch
  std::vector<std::uint32_t> touched_;
};

}  // namespace

void schedule(const ptx::Function& f, Lowered& lowered) {
  const auto count = static_cast<std::uint32_t>(f.instructions.size());
  std::uint32_t next = 0;  // first of the stretch behind
  for (std::uint32_t begin = 0; begin < count; begin = next) {
    std::uint32_t end = begin;
    while (end < count && !isFence(f.instructions[end], lowered.ops[end])) ++end;
    Stretch(f, lowered, begin, end).run();
    if (end < count && lowered.ops[end].pipe != Pipe::None) lowered.ops[end].joins = true;
    next = end + 1;
  }
}

}  // namespace warpmill::lowering
