#include "ptx/layout.h"

#include "ptx/call_graph.h"

#include <algorithm>

namespace warpmill::ptx {
namespace {

std::uint64_t alignUp(std::uint64_t value, std::uint64_t alignment) {
  const std::uint64_t step = std::max<std::uint64_t>(alignment, 1);
  return (value + step - 1) / step * step;
}

void placeSegments(Module& module) {
  for (Variable& variable : module.variables) {
    std::uint64_t* end = variable.space == Space::Const    ? &module.constBytes
                         : variable.space == Space::Global ? &module.globalBytes
                                                           : nullptr;
    if (!end) continue;
    variable.offset = alignUp(*end, variable.alignment);
    *end = variable.offset + variable.sizeBytes;
  }
}

// A shared variable of the module (function none) or of a function's body.
struct SharedVariable {
  std::uint32_t function;
  std::uint32_t index;
};

class SharedLayout {
 public:
  explicit SharedLayout(Module& module) : module_(module), usesOf_(module.functions.size() + 1), calls_(callGraph(module).callees) {}

  void run() {
    collect();
    for (std::uint32_t f = 0; f < module_.functions.size(); ++f) gather(f);
    place();
    for (std::uint32_t f = 0; f < module_.functions.size(); ++f) measure(f);
  }

 private:
  Variable& variableOf(const SharedVariable& shared) {
    return shared.function == none ? module_.variables[shared.index] : module_.functions[shared.function].variables[shared.index];
  }

  void collect() {
    std::vector<std::uint32_t> ofModule(module_.variables.size(), none);
    const auto add = [&](std::uint32_t function, std::uint32_t index) {
      shared_.push_back({function, index});
      return static_cast<std::uint32_t>(shared_.size() - 1);
    };
    for (std::uint32_t v = 0; v < module_.variables.size(); ++v)
      if (module_.variables[v].space == Space::Shared) ofModule[v] = add(none, v);
    for (std::uint32_t f = 0; f < module_.functions.size(); ++f) {
      const Function& function = module_.functions[f];
      for (std::uint32_t v = 0; v < function.variables.size(); ++v)
        if (function.variables[v].space == Space::Shared) usesOf_[f].push_back(add(f, v));
      const auto visit = [&](const Operand& operand) {
        if (operand.scope == Operand::In::Module && (operand.kind == Operand::Kind::Variable || operand.kind == Operand::Kind::Address) &&
            ofModule[operand.index] != none)
          usesOf_[f].push_back(ofModule[operand.index]);
      };
      for (const Instruction& instruction : function.instructions)
        for (const Operand& operand : instruction.operands) visit(operand);
      for (const Operand& operand : function.vectorElements) visit(operand);
      tidy(usesOf_[f]);
    }
  }

  static void tidy(std::vector<std::uint32_t>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  // What functions called by a kernel use is the kernel's.
  void gather(std::uint32_t kernel) {
    if (!module_.functions[kernel].isEntry) return;
    std::vector<bool> seen(calls_.size(), false);
    std::vector<std::uint32_t> todo = calls_[kernel];
    seen[kernel] = true;
    while (!todo.empty()) {
      const std::uint32_t f = todo.back();
      todo.pop_back();
      if (seen[f]) continue;
      seen[f] = true;
      usesOf_[kernel].insert(usesOf_[kernel].end(), usesOf_[f].begin(), usesOf_[f].end());
      todo.insert(todo.end(), calls_[f].begin(), calls_[f].end());
    }
    tidy(usesOf_[kernel]);
  }

  // First fit: two variables may overlap unless some kernel uses both.
  void place() {
    std::vector<std::vector<std::uint32_t>> users(shared_.size());
    for (std::uint32_t f = 0; f < module_.functions.size(); ++f)
      for (std::uint32_t shared : usesOf_[f]) users[shared].push_back(f);
    std::vector<bool> placed(shared_.size(), false);
    for (std::uint32_t s = 0; s < shared_.size(); ++s) {
      std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
      for (std::uint32_t f : users[s])
        for (std::uint32_t other : usesOf_[f]) {
          if (!placed[other]) continue;
          const Variable& there = variableOf(shared_[other]);
          taken.emplace_back(there.offset, there.offset + there.sizeBytes);
        }
      std::sort(taken.begin(), taken.end());
      Variable& variable = variableOf(shared_[s]);
      std::uint64_t offset = 0;
      for (const auto& [begin, end] : taken) {
        if (offset + variable.sizeBytes <= begin) break;
        offset = std::max(offset, alignUp(end, variable.alignment));
      }
      placed[s] = true;
      variable.offset = variable.sizeBytes == 0 ? 0 : offset;
    }
  }

  void measure(std::uint32_t f) {
    Function& function = module_.functions[f];
    std::uint64_t alignment = 1;
    for (std::uint32_t shared : usesOf_[f]) {
      const Variable& variable = variableOf(shared_[shared]);
      if (variable.sizeBytes == 0) alignment = std::max<std::uint64_t>(alignment, variable.alignment);
      function.staticSharedBytes = std::max(function.staticSharedBytes, variable.offset + variable.sizeBytes);
    }
    function.dynamicSharedOffset = alignUp(function.staticSharedBytes, alignment);
  }

  Module& module_;
  std::vector<SharedVariable> shared_;
  std::vector<std::vector<std::uint32_t>> usesOf_;  // by function: indices into shared_
  std::vector<std::vector<std::uint32_t>> calls_;   // by function, and one node more for calls through pointers
};

}  // namespace

void layOut(Module& module, Reporter& reporter) {
  placeSegments(module);
  SharedLayout(module).run();
  constexpr std::uint64_t maxConstBytes = 64 * 1024;
  if (module.constBytes > maxConstBytes)
    for (const Variable& variable : module.variables)
      if (variable.space == Space::Const && variable.offset + variable.sizeBytes > maxConstBytes) {
        reporter.error(
            variable.position, static_cast<std::uint32_t>(variable.name.size()),
            "constant memory holds 64 KiB, '" + variable.name + "' ends at byte " + std::to_string(variable.offset + variable.sizeBytes),
            "use .global");
        return;
      }
}

}  // namespace warpmill::ptx
