#include "ptx/call_graph.h"

#include "ptx/loops.h"

#include <algorithm>

namespace warpmill::ptx {
namespace {

void tidy(std::vector<std::uint32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

bool isCallee(const Instruction& in, std::size_t operand) {
  return in.opcode == Opcode::Call && operand == in.destinationCount;
}

// Strongly connected components. Source: Tarjan, "Depth-first search and linear graph algorithms".
class Groups {
 public:
  explicit Groups(const std::vector<std::vector<std::uint32_t>>& next) : next_(next), order_(next.size(), none), low_(next.size(), 0), group(next.size(), none) {
    for (std::uint32_t f = 0; f < next.size(); ++f)
      if (order_[f] == none) visit(f);
  }

 private:
  void visit(std::uint32_t root) {
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    enter(root, stack);
    while (!stack.empty()) {
      const std::uint32_t f = stack.back().first;
      if (stack.back().second < next_[f].size()) {
        const std::uint32_t to = next_[f][stack.back().second++];
        if (order_[to] == none) enter(to, stack);
        else if (group[to] == none) low_[f] = std::min(low_[f], order_[to]);
        continue;
      }
      stack.pop_back();
      if (!stack.empty()) low_[stack.back().first] = std::min(low_[stack.back().first], low_[f]);
      if (low_[f] != order_[f]) continue;
      for (std::uint32_t member = none; member != f;) {
        member = open_.back();
        open_.pop_back();
        group[member] = f;
      }
    }
  }

  void enter(std::uint32_t f, std::vector<std::pair<std::uint32_t, std::size_t>>& stack) {
    order_[f] = low_[f] = count_++;
    open_.push_back(f);
    stack.emplace_back(f, 0);
  }

  const std::vector<std::vector<std::uint32_t>>& next_;
  std::vector<std::uint32_t> order_, low_, open_;
  std::uint32_t count_ = 0;

 public:
  std::vector<std::uint32_t> group;
};

void findPolls(const Module& module, CallGraph& graph) {
  graph.polls.assign(graph.callees.size(), false);
  std::vector<std::vector<std::uint32_t>> callers(graph.callees.size());
  std::vector<std::uint32_t> todo;
  for (std::uint32_t f = 0; f < graph.callees.size(); ++f) {
    for (const std::uint32_t callee : graph.callees[f]) callers[callee].push_back(f);
    if (f >= module.functions.size()) continue;
    const auto& instructions = module.functions[f].instructions;
    if (std::any_of(instructions.begin(), instructions.end(), pollsMemory)) todo.push_back(f);
  }
  while (!todo.empty()) {
    const std::uint32_t f = todo.back();
    todo.pop_back();
    if (graph.polls[f]) continue;
    graph.polls[f] = true;
    todo.insert(todo.end(), callers[f].begin(), callers[f].end());
  }
}

}  // namespace

CallGraph callGraph(const Module& module) {
  CallGraph graph;
  const std::size_t count = module.functions.size();
  graph.callees.resize(count);
  std::vector<bool> throughPointer(count, false);
  const auto hasBody = [&](std::uint32_t f) { return f < count && !module.functions[f].isDeclaration && !module.functions[f].isEntry; };
  for (const Variable& v : module.variables)
    for (const auto& r : v.relocations)
      if (hasBody(r.function)) graph.addressTaken.push_back(r.function);
  for (std::uint32_t f = 0; f < count; ++f) {
    const Function& function = module.functions[f];
    for (const Instruction& in : function.instructions)
      for (std::size_t k = 0; k < in.operands.size(); ++k) {
        const Operand& o = in.operands[k];
        if (isCallee(in, k) && o.kind != Operand::Kind::FunctionRef) throughPointer[f] = true;
        if (o.kind != Operand::Kind::FunctionRef || !hasBody(o.index)) continue;
        (isCallee(in, k) ? graph.callees[f] : graph.addressTaken).push_back(o.index);
      }
    for (const Operand& o : function.vectorElements)
      if (o.kind == Operand::Kind::FunctionRef && hasBody(o.index)) graph.addressTaken.push_back(o.index);
  }
  tidy(graph.addressTaken);
  // Calls through pointers meet in one more node, so that the graph stays small.
  const auto anyPointer = static_cast<std::uint32_t>(count);
  std::vector<std::vector<std::uint32_t>> next = graph.callees;
  next.push_back(graph.addressTaken);
  for (std::uint32_t f = 0; f < count; ++f) {
    if (throughPointer[f]) next[f].push_back(anyPointer);
    tidy(next[f]);
  }
  graph.group = Groups(next).group;
  std::vector<std::uint32_t> size(count + 1, 0);
  for (std::uint32_t g : graph.group) ++size[g];
  graph.recursive.resize(count);
  for (std::uint32_t f = 0; f < count; ++f)
    graph.recursive[f] = size[graph.group[f]] > 1 || std::binary_search(next[f].begin(), next[f].end(), f);
  graph.callees = std::move(next);
  findPolls(module, graph);
  return graph;
}

}  // namespace warpmill::ptx
