#include "ptx/inline_calls.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace warpmill::ptx {
namespace {

constexpr std::size_t maxInstructions = 1u << 20;  // expansion stops here: calls of calls of calls can grow without end

// Where a function's names lead to in the kernel.
struct Frame {
  const Function* function = nullptr;
  std::uint32_t registerBase = 0, variableBase = 0;        // into the kernel's lists
  std::uint32_t planeEnd = 0, predicateEnd = 0;            // first ones free for what it calls
  std::uint64_t localEnd = 0;
  std::vector<Operand> params, returns;                    // the caller's variables, by parameter
};

class Expander {
 public:
  Expander(Module& module, Function& kernel) : module_(module), source_(kernel), kernel_(kernel) {}

  void run() {
    kernel_.instructions.clear();
    Frame frame;
    frame.function = &source_;
    frame.planeEnd = kernel_.planeCount;
    frame.predicateEnd = kernel_.predicateCount;
    frame.localEnd = kernel_.localBytes;
    chain_.push_back(&source_);
    emit(frame, nullptr);
  }

 private:
  // Instructions of the frame's function; `call` is what it was called by, nullptr for the kernel itself.
  void emit(const Frame& frame, const Instruction* call) {
    const Function& f = *frame.function;
    std::vector<std::uint32_t> place(f.instructions.size() + 1);
    std::vector<std::uint32_t> emitted, returns;
    for (std::uint32_t i = 0; i < f.instructions.size(); ++i) {
      place[i] = size();
      const Instruction& in = f.instructions[i];
      if (in.opcode == Opcode::Call && expand(frame, in)) continue;
      const bool isReturn = call != nullptr && in.opcode == Opcode::Ret;
      if (isReturn && in.guard == none && i + 1 == f.instructions.size()) continue;  // falls through to what follows the call
      Instruction copy = renamed(frame, in);
      if (isReturn) {
        copy.opcode = Opcode::Bra;
        copy.mods.uniform = in.guard == none;
        returns.push_back(size());
      } else {
        emitted.push_back(size());
      }
      kernel_.instructions.push_back(std::move(copy));
    }
    place[f.instructions.size()] = size();
    for (const std::uint32_t at : emitted) {
      Instruction& in = kernel_.instructions[at];
      if (in.target != none) in.target = place[in.target];
      for (Operand& o : in.operands)
        if (o.kind == Operand::Kind::Label) o.index = place[o.index];
    }
    for (const std::uint32_t at : returns) kernel_.instructions[at].target = size();
  }

  // The body of a call in its place; false: it stays a call.
  bool expand(const Frame& caller, const Instruction& call) {
    if (call.operands.size() <= call.destinationCount) return false;
    const Operand& callee = call.operands[call.destinationCount];
    if (callee.kind != Operand::Kind::FunctionRef) return false;
    const Function& f = module_.functions[callee.index];
    const std::size_t arguments = call.operands.size() - call.destinationCount - 1;
    if (f.isEntry || f.isDeclaration || f.instructions.empty() || std::find(chain_.begin(), chain_.end(), &f) != chain_.end()) return false;
    if (f.params.size() != arguments || f.returns.size() != call.destinationCount || kernel_.instructions.size() + f.instructions.size() > maxInstructions) return false;
    Frame frame = frameFor(caller, callee.index);
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
      if (k == call.destinationCount) continue;
      const Operand o = renamed(caller, call.operands[k]);
      if (o.kind != Operand::Kind::Variable || o.scope != Operand::In::Function) return false;
      (k < call.destinationCount ? frame.returns : frame.params).push_back(o);
    }
    std::optional<std::uint32_t> skip;
    if (call.guard != none) {  // "@p call": the others go past the body
      Instruction branch = renamed(caller, call);
      branch.opcode = Opcode::Bra;
      branch.guardNegated = !branch.guardNegated;
      branch.operands.clear();
      branch.destinationCount = 0;
      branch.mods.uniform = false;
      skip = size();
      kernel_.instructions.push_back(std::move(branch));
    }
    chain_.push_back(&f);
    emit(frame, &call);
    chain_.pop_back();
    if (skip) kernel_.instructions[*skip].target = size();
    return true;
  }

  // Registers, variables and local memory of a function called from `caller`: behind the caller's. Two calls from the same place in the
  // stack share them.
  Frame frameFor(const Frame& caller, std::uint32_t callee) {
    const Function& f = module_.functions[callee];
    constexpr std::uint64_t localAlignment = 16;
    const std::uint64_t localBase = (caller.localEnd + localAlignment - 1) / localAlignment * localAlignment;
    const auto [at, isNew] = frames_.try_emplace({callee, caller.planeEnd, caller.predicateEnd, localBase});
    if (isNew) {
      Frame& frame = at->second;
      frame.function = &f;
      frame.registerBase = static_cast<std::uint32_t>(kernel_.registers.size());
      frame.variableBase = static_cast<std::uint32_t>(kernel_.variables.size());
      for (Register r : f.registers) {
        r.name = f.name + ":" + r.name;
        r.slot += r.type == Type::Pred ? caller.predicateEnd : caller.planeEnd;
        kernel_.registers.push_back(std::move(r));
      }
      for (Variable v : f.variables) {
        v.name = f.name + ":" + v.name;
        if (v.space == Space::Local || v.space == Space::Param) v.offset += localBase;
        kernel_.variables.push_back(std::move(v));
      }
      frame.planeEnd = caller.planeEnd + f.planeCount;
      frame.predicateEnd = caller.predicateEnd + f.predicateCount;
      frame.localEnd = localBase + f.localBytes;
      kernel_.planeCount = std::max(kernel_.planeCount, frame.planeEnd);
      kernel_.predicateCount = std::max(kernel_.predicateCount, frame.predicateEnd);
      kernel_.localBytes = std::max(kernel_.localBytes, frame.localEnd);
    }
    return at->second;
  }

  Instruction renamed(const Frame& frame, const Instruction& in) {
    Instruction copy = in;
    if (copy.guard != none) copy.guard += frame.registerBase;
    for (Operand& o : copy.operands) o = renamed(frame, o);
    return copy;
  }

  Operand renamed(const Frame& frame, Operand o) {
    using Kind = Operand::Kind;
    if (frame.function == &source_) return o;
    if (o.predicate != none) o.predicate += frame.registerBase;
    if (o.kind == Kind::Register || (o.kind == Kind::Address && o.scope == Operand::In::None && o.index != none)) o.index += frame.registerBase;
    if (o.kind == Kind::Variable || o.kind == Kind::Address) {
      const bool isParam = o.scope == Operand::In::Parameter;
      if (o.scope == Operand::In::Function) {
        o.index += frame.variableBase;
      } else if (isParam || o.scope == Operand::In::Return) {
        const Operand& given = (isParam ? frame.params : frame.returns)[o.index];
        o.scope = given.scope;
        o.index = given.index;
        o.offset += given.offset;
      }
    }
    if (o.kind == Kind::Vector) {
      const auto first = static_cast<std::uint32_t>(kernel_.vectorElements.size());
      for (std::uint32_t k = 0; k < o.count; ++k) {
        const Operand element = renamed(frame, frame.function->vectorElements[o.index + k]);
        kernel_.vectorElements.push_back(element);
      }
      o.index = first;
    }
    return o;
  }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(kernel_.instructions.size()); }

  const Module& module_;
  const Function source_;   // the kernel as it was written
  Function& kernel_;
  std::vector<const Function*> chain_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>, Frame> frames_;
};

}  // namespace

void inlineCalls(Module& module) {
  for (Function& function : module.functions) {
    const auto isCall = [](const Instruction& in) { return in.opcode == Opcode::Call; };
    if (function.isEntry && std::any_of(function.instructions.begin(), function.instructions.end(), isCall)) Expander(module, function).run();
  }
}

}  // namespace warpmill::ptx
