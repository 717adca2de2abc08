#include "lowering/branches.h"

#include "lowering/fold.h"

#include <algorithm>

namespace warpmill::lowering {

using ptx::Instruction;
using ptx::Opcode;

namespace {

class Branches {
 public:
  Branches(const ptx::Function& f, const device::Profile& profile, const Graph& g, Lowered& out) : f_(f), profile_(profile), g_(g), ops_(out.ops) {}

  void run() {
    const auto count = static_cast<std::uint32_t>(f_.instructions.size());
    for (std::uint32_t pc = 0; pc < count; ++pc) {
      const Instruction& i = f_.instructions[pc];
      if (i.opcode != Opcode::Bra || i.guard == ptx::none || ops_[pc].issues == 0) continue;
      const std::uint32_t target = turned(pc);
      if (target != ptx::none && target > pc && convert(pc, target)) continue;
      if (g_.isUniform(i.guard) || i.mods.uniform) continue;
      converge(pc, i);
    }
  }

 private:
  // Where the branch goes, when the jump behind it is counted in: "@p bra A; bra B; A:" goes to B.
  [[nodiscard]] std::uint32_t turned(std::uint32_t pc) const {
    const Instruction& i = f_.instructions[pc];
    if (i.target == pc + 2 && f_.instructions[pc + 1].opcode == Opcode::Bra && f_.instructions[pc + 1].guard == ptx::none) return f_.instructions[pc + 1].target;
    return i.target;
  }

  // Is [from, to) one arm that may be predicated?
  [[nodiscard]] bool isShort(std::uint32_t branch, std::uint32_t from, std::uint32_t to, unsigned& size) const {
    size = 0;
    bool stores = true;
    for (std::uint32_t pc = from; pc < to; ++pc) {
      const Instruction& i = f_.instructions[pc];
      const TimedOp& op = ops_[pc];
      if (i.guard != ptx::none || op.async != AsyncKind::None || op.pipe == Pipe::Barrier || (op.pipe == Pipe::Branch && op.issues != 0)) return false;
      if (pc > from && std::binary_search(f_.blockBegin.begin(), f_.blockBegin.end(), pc)) return false;
      const bool shared = i.mods.space == ptx::Space::Shared;
      if (op.isMemory && i.opcode != Opcode::St && !(shared && i.opcode == Opcode::Ld)) return false;
      if (op.pipe == Pipe::Tensor || i.opcode == Opcode::Shfl || i.opcode == Opcode::Vote || i.opcode == Opcode::Unknown) return false;
      stores = stores && (op.issues == 0 || i.opcode == Opcode::St);
      size += op.issues;
    }
    const unsigned most = g_.isUniform(f_.instructions[branch].guard) ? 4 : 6;
    return size <= (stores ? most + 2 : most);
  }

  bool convert(std::uint32_t pc, std::uint32_t target) {
    const bool jumps = turned(pc) != f_.instructions[pc].target;
    const std::uint32_t from = jumps ? pc + 2 : pc + 1;
    if (target <= from || target >= f_.instructions.size()) return false;
    const Instruction& last = f_.instructions[target - 1];
    unsigned first = 0, second = 0;
    if (last.opcode == Opcode::Bra && last.guard == ptx::none && last.target > target && target - 1 > from && ops_[target - 1].issues != 0) {  // if and else
      if (!isShort(pc, from, target - 1, first) || !isShort(pc, target, last.target, second) || !joinsOnly(target, pc)) return false;
      clear(target - 1);
      ops_[pc].armIssues = static_cast<std::uint16_t>(jumps ? second : first);  // what the other way does not issue
      ops_[target - 1].armIssues = static_cast<std::uint16_t>(second);
      clear(pc);
      return true;
    }
    if (!isShort(pc, from, target, first)) return false;
    ops_[pc].armIssues = static_cast<std::uint16_t>(jumps ? 0 : first);
    if (jumps) ops_[pc + 1].armIssues = static_cast<std::uint16_t>(first);
    clear(pc);
    return true;
  }

  // Nobody else comes to `target`.
  [[nodiscard]] bool joinsOnly(std::uint32_t target, std::uint32_t branch) const {
    const auto& from = g_.flow().predecessors[g_.flow().blockOf[target]];
    return from.size() == 1 && (from[0] == g_.flow().blockOf[branch] || g_.blockEnd(from[0]) == branch + 2);
  }

  void clear(std::uint32_t pc) {
    TimedOp& op = ops_[pc];
    op.pipe = Pipe::None;
    op.issues = op.latency = op.interval = 0;
  }

  // BSSY in front of the branch (of a loop: in front of it), BSYNC where lanes meet; nothing when they only meet at the end.
  void converge(std::uint32_t pc, const Instruction& i) {
    const std::uint32_t meets = i.reconvergence;
    if (meets == ptx::none || meets >= f_.instructions.size()) return;
    if (f_.instructions[meets].opcode == Opcode::Ret || f_.instructions[meets].opcode == Opcode::Exit) return;
    std::uint32_t at = pc;
    if (i.target <= pc) {
      const std::uint32_t begin = i.target;
      at = begin == 0 ? pc : begin - 1;
    } else if (meets == pc + 1) {
      return;
    }
    if (std::find(met_.begin(), met_.end(), meets) != met_.end()) return;  // of a branch round it
    met_.push_back(meets);
    addIssues(ops_[at], 1, profile_);
    addIssues(ops_[meets], 1, profile_);
  }

  const ptx::Function& f_;
  const device::Profile& profile_;
  const Graph& g_;
  std::vector<TimedOp>& ops_;
  std::vector<std::uint32_t> met_;
};

}  // namespace

void convertBranches(const ptx::Function& f, const device::Profile& profile, const Graph& graph, Lowered& lowered) { Branches(f, profile, graph, lowered).run(); }

}  // namespace warpmill::lowering
