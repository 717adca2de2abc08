#include "ptx/cfg.h"

#include "ptx/loops.h"

#include <algorithm>

namespace warpmill::ptx {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

bool leaves(const Instruction& instruction) {
  return instruction.opcode == Opcode::Ret || instruction.opcode == Opcode::Exit || instruction.opcode == Opcode::Trap;
}

// Where a branch goes, by instruction.
void targetsOf(const Instruction& instruction, std::vector<std::uint32_t>& out) {
  out.clear();
  if (instruction.opcode != Opcode::Bra && instruction.opcode != Opcode::BrxIdx) return;
  for (const Operand& operand : instruction.operands)
    if (operand.kind == Operand::Kind::Label) out.push_back(operand.index);
}

void findBlocks(Function& function) {
  const std::size_t count = function.instructions.size();
  std::vector<bool> leader(count, false);
  if (count != 0) leader[0] = true;
  std::vector<std::uint32_t> targets;
  for (std::size_t i = 0; i < count; ++i) {
    const Instruction& instruction = function.instructions[i];
    targetsOf(instruction, targets);
    for (std::uint32_t target : targets) leader[target] = true;
    if ((!targets.empty() || leaves(instruction)) && i + 1 < count) leader[i + 1] = true;
  }
  function.blockBegin.clear();
  for (std::uint32_t i = 0; i < count; ++i)
    if (leader[i]) function.blockBegin.push_back(i);
}

std::uint32_t lastOf(const Function& function, std::uint32_t block) {
  const std::size_t next = block + 1;
  return (next < function.blockBegin.size() ? function.blockBegin[next] : static_cast<std::uint32_t>(function.instructions.size())) - 1;
}

// Blocks from `root` in reverse post-order.
std::vector<std::uint32_t> reversePostOrder(const Graph& next, std::uint32_t root) {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(next.size(), false);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
  seen[root] = true;
  while (!stack.empty()) {
    auto& [block, edge] = stack.back();
    if (edge < next[block].size()) {
      const std::uint32_t to = next[block][edge++];
      if (!seen[to]) {
        seen[to] = true;
        stack.emplace_back(to, 0);
      }
    } else {
      order.push_back(block);
      stack.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Immediate dominators of all that `root` reaches; the root's and others' are none.
// Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
std::vector<std::uint32_t> dominators(const Graph& next, const Graph& previous, std::uint32_t root) {
  const std::vector<std::uint32_t> order = reversePostOrder(next, root);
  std::vector<std::uint32_t> rank(next.size(), none), idom(next.size(), none);
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  idom[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::uint32_t block = order[i];
      std::uint32_t best = none;
      for (std::uint32_t from : previous[block]) {
        if (rank[from] == none || idom[from] == none) continue;
        if (best == none) {
          best = from;
          continue;
        }
        std::uint32_t other = from;
        while (best != other) {
          while (rank[best] > rank[other]) best = idom[best];
          while (rank[other] > rank[best]) other = idom[other];
        }
      }
      if (best != idom[block]) {
        idom[block] = best;
        changed = true;
      }
    }
  }
  idom[root] = none;
  return idom;
}

// Post-dominators of the blocks of `inside`, leaving edges to others out; `ends` lead to the exit.
void postDominators(const Graph& successors, const std::vector<bool>& inside, const std::vector<bool>& ends,
                    std::vector<std::uint32_t>& out) {
  const auto exit = static_cast<std::uint32_t>(successors.size());
  Graph backward(successors.size() + 1), forward(successors.size() + 1);
  const auto connect = [&](std::uint32_t from, std::uint32_t to) {
    forward[from].push_back(to);
    backward[to].push_back(from);
  };
  for (std::uint32_t block = 0; block < successors.size(); ++block) {
    if (!inside[block]) continue;
    if (ends[block]) connect(block, exit);
    for (std::uint32_t to : successors[block])
      if (inside[to]) connect(block, to);
  }
  const std::vector<std::uint32_t> found = dominators(backward, forward, exit);
  for (std::uint32_t block = 0; block < successors.size(); ++block)
    if (inside[block]) out[block] = found[block] == exit ? none : found[block];
}

std::vector<bool> reaching(const Graph& predecessors, std::uint32_t goal) {
  std::vector<bool> reached(predecessors.size(), false);
  std::vector<std::uint32_t> todo{goal};
  reached[goal] = true;
  while (!todo.empty()) {
    const std::uint32_t block = todo.back();
    todo.pop_back();
    for (std::uint32_t from : predecessors[block])
      if (!reached[from]) {
        reached[from] = true;
        todo.push_back(from);
      }
  }
  return reached;
}

void findPostDominators(const Function& function, ControlFlow& flow) {
  const auto blocks = static_cast<std::uint32_t>(function.blockBegin.size());
  flow.postDominator.assign(blocks, none);
  std::vector<bool> ends(blocks, false);
  std::uint32_t lastReturn = none, lastExit = none;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const Instruction& last = function.instructions[lastOf(function, block)];
    ends[block] = leaves(last) && last.guard == none;
    const bool isReached = block == 0 || flow.dominator[block] != none;
    if (!ends[block] || !isReached) continue;
    (last.opcode == Opcode::Ret ? lastReturn : lastExit) = block;
  }
  const std::uint32_t goal = lastReturn != none ? lastReturn : lastExit;
  std::vector<bool> inside(blocks, false);
  if (goal != none) {
    inside = reaching(flow.predecessors, goal);
    std::vector<bool> end(blocks, false);
    end[goal] = true;
    postDominators(flow.successors, inside, end, flow.postDominator);
  }
  inside.flip();
  postDominators(flow.successors, inside, ends, flow.postDominator);
}

}  // namespace

bool mayDiverge(const Instruction& instruction) {
  if (instruction.opcode == Opcode::BrxIdx) return !instruction.mods.uniform;
  return instruction.opcode == Opcode::Bra && instruction.guard != none && !instruction.mods.uniform;
}

bool endsPath(const Instruction& instruction) {
  return instruction.guard == none && (leaves(instruction) || instruction.opcode == Opcode::Bra || instruction.opcode == Opcode::BrxIdx);
}

bool ControlFlow::dominates(std::uint32_t a, std::uint32_t b) const {
  while (b != none && b != a) b = dominator[b];
  return b == a;
}

ControlFlow controlFlow(const Function& function) {
  ControlFlow flow;
  const auto blocks = static_cast<std::uint32_t>(function.blockBegin.size());
  flow.blockOf.assign(function.instructions.size(), 0);
  flow.successors.resize(blocks);
  flow.predecessors.resize(blocks);
  for (std::uint32_t block = 0; block < blocks; ++block)
    for (std::uint32_t i = function.blockBegin[block]; i <= lastOf(function, block); ++i) flow.blockOf[i] = block;
  std::vector<std::uint32_t> targets;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::uint32_t last = lastOf(function, block);
    targetsOf(function.instructions[last], targets);
    for (std::uint32_t& target : targets) target = flow.blockOf[target];
    if (!endsPath(function.instructions[last]) && block + 1 < blocks) targets.push_back(block + 1);
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    flow.successors[block] = targets;
    for (std::uint32_t to : targets) flow.predecessors[to].push_back(block);
  }
  if (blocks != 0) {
    flow.dominator = dominators(flow.successors, flow.predecessors, 0);
    findPostDominators(function, flow);
  }
  return flow;
}

void analyseControlFlow(Function& function) {
  if (function.instructions.empty()) return;
  findBlocks(function);
  const ControlFlow flow = controlFlow(function);
  // Blocks outside hold lanes that never come back to the last return; see ControlFlow::postDominator.
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    Instruction& instruction = function.instructions[i];
    if (!mayDiverge(instruction)) continue;
    const std::uint32_t block = flow.blockOf[i];
    const std::uint32_t meet = flow.postDominator[block];
    if (meet == none) continue;
    // If one side ends early, the other must not wait for it at its own first instruction.
    const std::vector<std::uint32_t>& next = flow.successors[block];
    const bool oneSideEnds = next.size() > 1 && std::any_of(next.begin(), next.end(), [&](std::uint32_t side) {
                               for (std::uint32_t at = side; at != none; at = flow.postDominator[at])
                                 if (at == meet) return false;
                               return true;
                             });
    if (!oneSideEnds) instruction.reconvergence = function.blockBegin[meet];
  }
  markSpinLoops(function, flow);
}

}  // namespace warpmill::ptx
