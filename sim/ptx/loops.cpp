#include "ptx/loops.h"

#include <algorithm>
#include <map>

namespace warpmill::ptx {
namespace {

bool polls(const Instruction& instruction) { return pollsMemory(instruction); }

std::uint32_t blockEnd(const Function& function, std::uint32_t block) {
  return block + 1 < function.blockBegin.size() ? function.blockBegin[block + 1] : static_cast<std::uint32_t>(function.instructions.size());
}

// Calls `f` with each register that operands [first, last) name.
template <class F>
void eachRegister(const Function& function, const Instruction& instruction, std::size_t first, std::size_t last, F&& f) {
  for (std::size_t i = first; i < last; ++i) {
    const Operand& operand = instruction.operands[i];
    if ((operand.kind == Operand::Kind::Register || operand.kind == Operand::Kind::Address) && operand.scope == Operand::In::None &&
        operand.index != none)
      f(operand.index);
    if (operand.hasPredicate) f(operand.predicate);
    if (operand.kind == Operand::Kind::Vector)
      for (std::uint32_t e = 0; e < operand.count; ++e) {
        const Operand& element = function.vectorElements[operand.index + e];
        if (element.kind == Operand::Kind::Register) f(element.index);
      }
  }
}

// What the end of a loop hangs on, followed backwards through the loop's own instructions.
class Slice {
 public:
  Slice(const Function& function, const ControlFlow& flow, const Loop& loop, const std::vector<bool>& inside)
      : function_(function), flow_(flow), loop_(loop), inside_(inside), wanted_(function.registers.size(), false) {}

  bool reachesPoll() {
    for (std::uint32_t block : loop_.blocks) {
      const std::uint32_t last = blockEnd(function_, block) - 1;
      const bool leaves =
          std::any_of(flow_.successors[block].begin(), flow_.successors[block].end(), [&](std::uint32_t to) { return !inside_[to]; });
      if (leaves || endsSomeLanes(function_.instructions[last])) addBranch(last);
    }
    while (changed_) {
      changed_ = false;
      for (std::uint32_t block : loop_.blocks)
        for (std::uint32_t i = function_.blockBegin[block]; i < blockEnd(function_, block); ++i) follow(i, block);
    }
    return found_;
  }

 private:
  static bool endsSomeLanes(const Instruction& instruction) {
    return instruction.guard != none && (instruction.opcode == Opcode::Ret || instruction.opcode == Opcode::Exit);
  }

  // Variables for what calls take and return are; a kernel's own parameters are not.
  static bool inFrame(const Instruction& instruction) {
    const Space space = instruction.mods.space;
    if (space != Space::Param) return space == Space::Local || space == Space::None;
    return instruction.mods.toSpace == Space::Local ||
           std::any_of(instruction.operands.begin(), instruction.operands.end(), [](const Operand& o) { return o.scope == Operand::In::Function; });
  }

  void want(std::uint32_t index) {
    if (wanted_[index]) return;
    wanted_[index] = true;
    changed_ = true;
  }

  void addBranch(std::uint32_t number) {
    const Instruction& branch = function_.instructions[number];
    if (branch.guard != none) want(branch.guard);
    eachRegister(function_, branch, 0, branch.operands.size(), [&](std::uint32_t index) { want(index); });
  }

  void follow(std::uint32_t number, std::uint32_t block) {
    const Instruction& instruction = function_.instructions[number];
    bool defines = false;
    eachRegister(function_, instruction, 0, instruction.destinationCount, [&](std::uint32_t index) { defines |= wanted_[index]; });
    defines |= wantsFrame_ && ((instruction.opcode == Opcode::St && inFrame(instruction)) || instruction.opcode == Opcode::Call);
    if (!defines) return;
    if (polls(instruction)) found_ = true;
    // Unoptimised code keeps its variables in the frame: what is loaded there was stored there.
    if (instruction.opcode == Opcode::Ld && inFrame(instruction) && !wantsFrame_) wantsFrame_ = changed_ = true;
    if (instruction.guard != none) want(instruction.guard);
    eachRegister(function_, instruction, instruction.destinationCount, instruction.operands.size(),
                 [&](std::uint32_t index) { want(index); });
    // Whether it is reached at all may hang on branches above it in the loop.
    for (std::uint32_t at = block; at != loop_.header && at != none;) {
      at = flow_.dominator[at];
      if (at != none && inside_[at] && flow_.successors[at].size() > 1) addBranch(blockEnd(function_, at) - 1);
    }
  }

  const Function& function_;
  const ControlFlow& flow_;
  const Loop& loop_;
  const std::vector<bool>& inside_;
  std::vector<bool> wanted_;
  bool changed_ = false, found_ = false, wantsFrame_ = false;
};

}  // namespace

bool pollsMemory(const Instruction& instruction) {
  if (instruction.opcode == Opcode::Atom) return true;
  if (instruction.opcode == Opcode::Call) return instruction.mods.order == MemoryOrder::Volatile;
  if (instruction.opcode == Opcode::Mbarrier) return instruction.destinationCount != 0;
  if (instruction.opcode != Opcode::Ld) return false;
  const MemoryOrder order = instruction.mods.order;
  return order == MemoryOrder::Volatile || order == MemoryOrder::Acquire || order == MemoryOrder::Relaxed || order == MemoryOrder::Mmio ||
         instruction.mods.cache == CacheOp::Cv;
}

std::vector<Loop> naturalLoops(const ControlFlow& flow) {
  std::map<std::uint32_t, std::vector<bool>> members;
  const std::size_t blocks = flow.successors.size();
  for (std::uint32_t from = 0; from < blocks; ++from)
    for (std::uint32_t header : flow.successors[from]) {
      if (from != 0 && flow.dominator[from] == none) continue;  // never reached
      if (!flow.dominates(header, from)) continue;
      std::vector<bool>& inside = members[header];
      inside.resize(blocks, false);
      inside[header] = true;
      std::vector<std::uint32_t> todo{from};
      while (!todo.empty()) {
        const std::uint32_t block = todo.back();
        todo.pop_back();
        if (inside[block]) continue;
        inside[block] = true;
        todo.insert(todo.end(), flow.predecessors[block].begin(), flow.predecessors[block].end());
      }
    }
  std::vector<Loop> loops;
  for (const auto& [header, inside] : members) {
    Loop loop;
    loop.header = header;
    for (std::uint32_t block = 0; block < blocks; ++block)
      if (inside[block]) loop.blocks.push_back(block);
    loops.push_back(std::move(loop));
  }
  return loops;
}

void markSpinLoops(Function& function, const ControlFlow& flow) {
  if (std::none_of(function.instructions.begin(), function.instructions.end(), polls)) return;
  std::vector<bool> inside(flow.successors.size(), false);
  for (const Loop& loop : naturalLoops(flow)) {
    std::fill(inside.begin(), inside.end(), false);
    bool any = false;
    for (std::uint32_t block : loop.blocks) {
      inside[block] = true;
      for (std::uint32_t i = function.blockBegin[block]; i < blockEnd(function, block); ++i) any |= polls(function.instructions[i]);
    }
    if (!any || !Slice(function, flow, loop, inside).reachesPoll()) continue;
    for (std::uint32_t block : loop.blocks) {
      Instruction& last = function.instructions[blockEnd(function, block) - 1];
      if (last.opcode != Opcode::Bra && last.opcode != Opcode::BrxIdx) continue;
      const auto& next = flow.successors[block];
      last.spinLoop |= std::any_of(next.begin(), next.end(), [&](std::uint32_t to) { return to == loop.header || !inside[to]; });
    }
  }
}

}  // namespace warpmill::ptx
