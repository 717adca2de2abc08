// Any bytes given to the PTX parser: a module or an error with a place inside the text, never a crash; a module is consistent in itself.
//   cmake --preset fuzz && cmake --build --preset fuzz --target fuzz_ptx
//   build/fuzz/tests/fuzz/fuzz_ptx -dict=tests/fuzz/ptx.dict -max_total_time=300 FOLDER_FOR_FINDS tests/fuzz/corpus/ptx
#include "base/assert.h"
#include "ptx/module.h"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace warpmill;

namespace {

void checkOperand(const ptx::Module& module, const ptx::Function& function, const ptx::Operand& operand, bool isElement) {
  using Kind = ptx::Operand::Kind;
  using In = ptx::Operand::In;
  const auto within = [&](std::size_t size) { WM_ASSERT(operand.index < size, "an operand's index lies in its list"); };
  const bool isAddress = operand.kind == Kind::Address || operand.kind == Kind::Variable;
  if (operand.kind == Kind::Register || (operand.kind == Kind::Address && operand.scope == In::None && operand.index != ptx::none))
    within(function.registers.size());
  if (isAddress && operand.scope == In::Module) within(module.variables.size());
  if (isAddress && operand.scope == In::Function) within(function.variables.size());
  if (isAddress && operand.scope == In::Parameter) within(function.params.size());
  if (isAddress && operand.scope == In::Return) within(function.returns.size());
  if (operand.kind == Kind::FunctionRef) within(module.functions.size());
  if (operand.kind == Kind::Label) within(function.instructions.size());
  if (operand.kind == Kind::Text) within(module.strings.size());
  if (operand.hasPredicate) WM_ASSERT(operand.predicate < function.registers.size(), "a second destination is a register");
  if (operand.kind != Kind::Vector) return;
  WM_ASSERT(!isElement, "vectors do not nest");
  WM_ASSERT(operand.index + operand.count <= function.vectorElements.size(), "a vector's elements are there");
  for (std::uint32_t i = 0; i < operand.count; ++i) checkOperand(module, function, function.vectorElements[operand.index + i], true);
}

void checkFunction(const ptx::Module& module, const ptx::Function& function) {
  if (function.isDeclaration) return;
  WM_ASSERT(!function.instructions.empty() && !function.blockBegin.empty(), "a body has an instruction");
  for (const ptx::Instruction& instruction : function.instructions) {
    WM_ASSERT(instruction.destinationCount <= instruction.operands.size(), "destinations are operands");
    WM_ASSERT(instruction.textBegin + instruction.textLength <= module.text.size(), "the statement lies in the text");
    WM_ASSERT(instruction.guard == ptx::none || function.registers.at(instruction.guard).type == ptx::Type::Pred, "a guard is a predicate");
    WM_ASSERT(instruction.target == ptx::none || instruction.target < function.instructions.size(), "a target is an instruction");
    WM_ASSERT(instruction.reconvergence == ptx::none || instruction.reconvergence < function.instructions.size(), "a meeting place is an instruction");
    WM_ASSERT(instruction.location.line == 0 || instruction.location.file < module.files.size(), "a line's file is known");
    for (const ptx::Operand& operand : instruction.operands) checkOperand(module, function, operand, false);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto module = ptx::parse(std::string(reinterpret_cast<const char*>(data), size), "fuzz.ptx");
  if (!module.ok()) {
    WM_ASSERT(hasErrors(module.diagnostics()), "a failure says why");
    for (const Diagnostic& diagnostic : module.diagnostics())
      WM_ASSERT(diagnostic.position.line != 0 && !formatDiagnostic(diagnostic).empty(), "a message has a place");
    return 0;
  }
  for (const ptx::Function& function : module->functions) {
    checkFunction(*module, function);
    for (const ptx::Prototype& prototype : function.prototypes)
      for (const std::uint32_t target : prototype.targets) WM_ASSERT(target < module->functions.size(), "a target is a function");
  }
  for (const ptx::Variable& variable : module->variables)
    for (const ptx::Variable::Relocation& r : variable.relocations)
      WM_ASSERT((r.variable < module->variables.size() || r.function < module->functions.size()) && r.offset < variable.sizeBytes,
                "an address in an initial value is that of something, and has its place");
  for (const ptx::Variable& variable : module->variables)
    WM_ASSERT(variable.initial.empty() || variable.initial.size() == variable.sizeBytes, "initial bytes fill the variable");
  return 0;
}
