#include "faults/checker.h"

#include "exec/access.h"
#include "faults/numbers.h"
#include "faults/overflow.h"
#include "faults/poison.h"
#include "faults/races.h"
#include "faults/sub_arrays.h"

#include <map>
#include <optional>

namespace warpmill::faults {
namespace {

using exec::Exec;
using exec::MemoryAccess;
using exec::Op;
using ptx::Opcode;
using ptx::Space;

class OneChecker final : public Checker {
 public:
  OneChecker(Checks checks, std::vector<std::uint32_t> undefinedAllocations, std::shared_ptr<UndefinedMemory> undefined)
      : checks_(checks), undefinedAllocations_(std::move(undefinedAllocations)), undefined_(std::move(undefined)) {}

  void begin(const exec::Code& code, const machine::Memory& memory, std::vector<machine::Fault>& faults, std::size_t mostFaults) override {
    code_ = &code;
    reports_.begin(code, faults, mostFaults);
    if (checks_.races) races_.emplace(code, memory, reports_, [this](const machine::Block& b) { return stateOf(b).races ? &*stateOf(b).races : nullptr; });
    for (const std::uint32_t a : undefinedAllocations_) undefined_->add(memory.allocations().at(a).base, memory.allocations().at(a).sizeBytes);
    if (checks_.uninitialized) poison_.emplace(code, memory, *undefined_, reports_);
    if (checks_.overflow) {
      overflows_.emplace(code, reports_);
      if (!overflows_->any()) overflows_.reset();
    }
    if (checks_.arrays) {
      arrays_.emplace(code, reports_);
      if (!arrays_->any()) arrays_.reset();
    }
    if (checks_.numbers) numbers_.emplace(code, reports_);
    blocks_.clear();
    block_ = nullptr;
    for (const Op& op : code.ops()) {
      watched_.push_back(watchOf(op));
      const bool wraps = overflows_ && overflows_->watches(op.pc), follows = overflows_ && overflows_->follows(op.pc);
      if (wraps) watched_.back() |= Before;
      if (numbers_ && numbers_->watches(op.pc)) watched_.back() |= Before | After;
      marked_.push_back(static_cast<std::uint8_t>(watched_.back() | (follows ? Before : Ignored)));
      const bool moves = follows || op.instruction->opcode == Opcode::Ld || op.instruction->opcode == Opcode::Ldu || op.instruction->opcode == Opcode::St;
      all_.push_back(static_cast<std::uint8_t>(watched_.back() | After | (moves ? Before : Ignored)));
    }
  }

  void runs(const machine::Block& block, const machine::Warp& warp) override {
    if (block_ == nullptr || number_ != block.linear) {
      block_ = &stateOf(block);
      number_ = block.linear;
    }
    warp_ = warp.indexInBlock;
  }

  const std::uint8_t* watched() override {
    if (block_->poison && block_->poison->warps[warp_].count != 0) return all_.data();
    return overflows_ && block_->marks[warp_].count != 0 ? marked_.data() : watched_.data();
  }

  void before(Exec& x, const Op& op, LaneMask executed) override {
    reports_.at(x.warp->instructionsIssued + 1);
    if (overflows_) overflows_->before(x, op, executed, block_->marks[warp_]);
    if (numbers_ && numbers_->watches(op.pc)) numbers_->before(x, op, executed, *block_->numbers);
    if (op.flow == exec::Flow::Return && block_->poison) poison_->returns(x, executed, *block_->poison);
    if (executed == 0 || !isAccess(op)) return;
    MemoryAccess& access = x.outcome->access;
    if (op.instruction->opcode == Opcode::CpAsync) {
      exec::recordAccess(x, executed, MemoryAccess::Kind::AsyncCopy, Space::Shared, op.aux, op.a, op.offset);
      const std::array<std::uint64_t, 32> target = access.address;
      exec::recordAccess(x, executed, MemoryAccess::Kind::AsyncCopy, Space::Global, op.aux, op.b, op.offset2);
      if (arrays_) arrays_->access(x, op, executed, target, op.aux);
      if (block_->races) races_->asyncCopy(x, op, executed, target, *block_->races);
      if (block_->poison) poison_->asyncCopy(x, op, executed, target, *block_->poison);
      return;
    }
    const bool isStore = op.instruction->opcode == Opcode::St;
    const std::uint32_t bytes = ptx::sizeBytes(op.instruction->mods.type) * std::max<std::uint32_t>(op.instruction->mods.vectorWidth, 1);
    exec::recordAccess(x, executed, isStore ? MemoryAccess::Kind::Store : MemoryAccess::Kind::Load, op.space, bytes, op.a, op.offset);
    for (LaneMask rest = executed; rest != 0;) {
      const LaneMask lanes = op.space == Space::Generic ? exec::resolveGeneric(x, rest) : rest;
      rest &= ~lanes;
      if (arrays_ && access.space == Space::Shared) arrays_->access(x, op, lanes, access.address, bytes);
      if (block_->races) isStore ? races_->store(x, op, lanes, *block_->races) : races_->load(x, op, lanes, *block_->races);
      if (block_->poison) isStore ? poison_->store(x, op, lanes, *block_->poison) : poison_->load(x, op, lanes, *block_->poison);
    }
  }

  void after(Exec& x, const Op& op) override {
    reports_.at(x.warp->instructionsIssued);
    if (arrays_ && isAtomic(op) && x.outcome->access.space == Space::Shared)
      arrays_->access(x, op, x.outcome->executed & x.outcome->access.lanes, x.outcome->access.address, x.outcome->access.bytesPerLane);
    if (block_->poison) poison_->after(x, op, *block_->poison);
    if (block_->races) races_->after(x, op, *block_->races);
    if (numbers_ && numbers_->watches(op.pc)) numbers_->after(x, op, *block_->numbers);
    if (x.outcome->warpDone && x.block->done()) {
      blocks_.erase(number_);
      block_ = nullptr;
      reports_.settle();
    }
  }

  void end() override { reports_.settle(); }

  [[nodiscard]] std::string incomplete() const override {
    if (code_ == nullptr) return "races, uninitialised values and index overflow were not looked for in this launch";
    if (!races_) return "";
    if (!races_->watchesGlobal()) return "races between blocks were not looked for: more than 4 million blocks";
    return races_->isFull() ? "races were looked for in the first 128 MB of global memory that were touched" : "";
  }

  [[nodiscard]] std::vector<Note> notes() const override { return numbers_ ? numbers_->notes() : std::vector<Note>{}; }

 private:
  struct BlockState {
    std::optional<BlockRaces> races;
    std::optional<BlockPoison> poison;
    std::vector<WarpMarks> marks;
    std::optional<BlockNumbers> numbers;
  };

  BlockState& stateOf(const machine::Block& block) {
    auto& state = blocks_[block.linear];
    if (!state) state = start(block);
    return *state;
  }

  std::unique_ptr<BlockState> start(const machine::Block& block) const {
    auto state = std::make_unique<BlockState>();
    if (races_) state->races.emplace(static_cast<std::uint32_t>(block.linear % mostBlocks), static_cast<std::uint32_t>(block.warps.size()), block.shared.size());
    if (poison_) state->poison.emplace(poison_->start(block));
    if (numbers_) state->numbers.emplace(numbers_->start(block));
    if (overflows_) state->marks.resize(block.warps.size());
    return state;
  }

  static bool isAccess(const Op& op) {
    const Opcode o = op.instruction->opcode;
    return o == Opcode::Ld || o == Opcode::Ldu || o == Opcode::St || o == Opcode::CpAsync;
  }
  static bool isAtomic(const Op& op) { return op.instruction->opcode == Opcode::Atom || op.instruction->opcode == Opcode::Red; }
  // While none of a warp's registers is undefined, only what goes to memory or orders it is of interest.
  [[nodiscard]] std::uint8_t watchOf(const Op& op) const {
    if (checks_.uninitialized && poison_->fills(op.pc)) return After;
    if (checks_.uninitialized && op.flow == exec::Flow::Return && !code_->function().routines.empty()) return Before;
    if (op.flow == exec::Flow::Exit || op.pc + 1 == code_->ops().size()) return After;
    switch (op.instruction->opcode) {
      case Opcode::St: case Opcode::Ld: case Opcode::Ldu: return isWatched(op.space) || (arrays_ && arrays_->watches(op.pc)) ? Before : Ignored;
      case Opcode::CpAsync: return Before;
      case Opcode::Shfl: return checks_.uninitialized ? After : Ignored;
      case Opcode::Atom: case Opcode::Red: return isWatched(op.space) || (arrays_ && arrays_->watches(op.pc)) ? After : Ignored;
      case Opcode::Ldmatrix: case Opcode::Stmatrix: return After;
      case Opcode::CpAsyncBulk: return checks_.uninitialized || checks_.races ? After : Ignored;
      case Opcode::CpReduceAsyncBulk: case Opcode::StAsync: case Opcode::RedAsync: return checks_.races ? After : Ignored;
      case Opcode::Call: return checks_.uninitialized ? After : Ignored;
      case Opcode::Membar: case Opcode::Fence: case Opcode::Bar: case Opcode::Barrier: case Opcode::BarrierCluster: case Opcode::Mbarrier:
      case Opcode::CpAsyncMbarrier: case Opcode::CpAsyncCommitGroup: case Opcode::CpAsyncWaitAll: case Opcode::CpAsyncWaitGroup:
        return checks_.races ? After : Ignored;
      default: return Ignored;
    }
  }
  [[nodiscard]] bool isWatched(Space space) const {
    switch (space) {
      case Space::Shared: return checks_.races || (checks_.uninitialized && poison_->watchesShared());
      case Space::Local: return checks_.uninitialized && poison_->watchesLocal();
      case Space::Global: return checks_.races || (checks_.uninitialized && poison_->watchesGlobal());
      case Space::Generic: return true;
      default: return false;
    }
  }

  Checks checks_;
  std::vector<std::uint32_t> undefinedAllocations_;
  std::shared_ptr<UndefinedMemory> undefined_;
  const exec::Code* code_ = nullptr;
  Reports reports_;
  std::optional<Races> races_;
  std::optional<Poison> poison_;
  std::optional<Overflows> overflows_;
  std::optional<Numbers> numbers_;
  std::optional<SubArrays> arrays_;
  std::map<std::uint64_t, std::unique_ptr<BlockState>> blocks_;  // those that run, by number
  BlockState* block_ = nullptr;
  std::uint64_t number_ = 0;
  std::uint32_t warp_ = 0;
  std::vector<std::uint8_t> watched_, marked_, all_;
};

}  // namespace

std::unique_ptr<Checker> makeChecker(Checks checks, std::vector<std::uint32_t> undefinedAllocations) {
  return std::make_unique<OneChecker>(checks, std::move(undefinedAllocations), std::make_shared<UndefinedMemory>());
}

std::unique_ptr<Checker> makeChecker(Checks checks, const exec::PreparedLaunch& launch, std::shared_ptr<UndefinedMemory> undefined) {
  std::vector<std::uint32_t> own;
  for (std::size_t i = 0; i < launch.launch.arguments.size(); ++i) {
    const launch::Argument& a = launch.launch.arguments[i];
    const bool isOwn = a.shared == launch::noBuffer;
    if (a.isBuffer && isOwn && a.init.kind == launch::Init::Kind::Uninitialized) own.push_back(launch.argumentAllocation[i]);
  }
  return std::make_unique<OneChecker>(checks, std::move(own), undefined ? std::move(undefined) : std::make_shared<UndefinedMemory>());
}

std::shared_ptr<UndefinedMemory> undefinedBuffers(const launch::Launch& sequence, const exec::DeviceState& device) {
  auto undefined = std::make_shared<UndefinedMemory>();
  for (std::size_t b = 0; b < sequence.buffers.size() && b < device.buffers.size(); ++b)
    if (sequence.buffers[b].init.kind == launch::Init::Kind::Uninitialized) {
      const machine::Allocation& a = device.memory.allocations().at(device.buffers[b]);
      undefined->add(a.base, a.sizeBytes);
    }
  return undefined;
}

}  // namespace warpmill::faults
