#include "lowering/lowering.h"

#include "lowering/balance.h"
#include "lowering/branches.h"
#include "lowering/costs.h"
#include "lowering/fold.h"
#include "lowering/graph.h"
#include "lowering/liveness.h"
#include "lowering/merge.h"
#include "lowering/ports.h"
#include "lowering/schedule.h"
#include "lowering/unroll.h"

#include <algorithm>
#include <array>

namespace warpmill::lowering {

using ptx::Function;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

std::string_view pipeName(Pipe pipe) {
  static constexpr std::array<std::string_view, pipeCount> names = {"none", "fma",      "alu",      "imad",             "fp64",   "fp16",   "sfu",
                                                                    "tensor", "lsu", "constant", "special_register", "branch", "barrier"};
  return names[static_cast<std::size_t>(pipe)];
}

namespace {

void addUses(const Function& f, const Operand& o, std::vector<std::uint32_t>& out) {
  switch (o.kind) {
    case Operand::Kind::Register: out.push_back(o.index); break;
    case Operand::Kind::Address:
      if (o.scope == Operand::In::None && o.index != ptx::none) out.push_back(o.index);
      break;
    case Operand::Kind::Vector:
      for (std::uint32_t i = 0; i < o.count; ++i) addUses(f, f.vectorElements[o.index + i], out);
      break;
    default: break;
  }
  if (o.hasPredicate && o.predicate != ptx::none) out.push_back(o.predicate);
}

}  // namespace

namespace {

// Beyond six, predicates go to a register and back (P2R, ISETP): the comparisons that make them cost two more.
void spillPredicates(const Function& f, const device::Profile& profile, Lowered& out) {
  constexpr std::uint32_t room = 6;
  const std::uint32_t live = livePredicates(f, out);
  std::uint32_t left = live > room ? live - room : 0;
  for (std::uint32_t pc = 0; pc < out.ops.size() && left > 0; ++pc) {
    if (f.instructions[pc].opcode != Opcode::Setp || out.ops[pc].issues == 0) continue;
    addIssues(out.ops[pc], 2, profile);
    --left;
  }
}

}  // namespace

Lowered lower(const ptx::Module& module, const Function& f, const device::Profile& profile) {
  Lowered out;
  out.ops.resize(f.instructions.size());
  for (std::uint32_t pc = 0; pc < f.instructions.size(); ++pc) {
    const Instruction& i = f.instructions[pc];
    TimedOp& op = out.ops[pc];
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
      const bool written = k < i.destinationCount && i.operands[k].kind != Operand::Kind::Address;
      addUses(f, i.operands[k], written ? op.writes : op.reads);
    }
    if (i.product != ptx::none) {  // waits for the factors instead of the product
      op.reads.clear();
      addUses(f, i.operands[i.productOperand == 1 ? 2 : 1], op.reads);
      for (std::size_t k = 1; k < 3; ++k) addUses(f, f.instructions[i.product].operands[k], op.reads);
    }
    if (i.guard != ptx::none) op.reads.push_back(i.guard);
    setCost(op, costOf(module, i, profile));
    setAsync(module, i, op);
    if (i.opcode == Opcode::Wgmma && op.async == AsyncKind::Products && op.role == AsyncRole::Issue)
      op.reads.insert(op.reads.end(), op.writes.begin(), op.writes.end());  // the accumulators
  }
  const Graph graph(module, f, out.ops);
  foldInstructions(module, f, profile, graph, out);
  mergeSharedAccesses(f, graph, out);
  convertBranches(f, profile, graph, out);
  spillPredicates(f, profile, out);
  findPortConflicts(f, profile, graph, out);
  balancePipes(f, profile, graph, out);

  // LDC R1 (stack pointer) and ULDC of the memory descriptor stand before every kernel for this architecture that touches memory.
  out.prologueIssues = std::any_of(out.ops.begin(), out.ops.end(), [](const TimedOp& op) { return op.isMemory; }) ? 2 : 1;
  unrollLoops(module, f, graph, out);
  out.registersPerThread = estimateRegisters(f, out);
  schedule(f, out);
  out.machineInstructions = out.prologueIssues;
  for (const TimedOp& op : out.ops) out.machineInstructions += op.issues;
  return out;
}

}  // namespace warpmill::lowering
