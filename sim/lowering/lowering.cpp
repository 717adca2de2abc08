#include "lowering/lowering.h"

#include "lowering/costs.h"
#include "lowering/graph.h"
#include "lowering/liveness.h"
#include "lowering/merge.h"
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

// What a peephole rule asks about a register: how often and by what it is written and read.
struct Uses {
  std::uint32_t definitions = 0;
  std::uint32_t reads = 0;
  std::uint32_t addressReads = 0;    // as the base of a memory operand
  std::uint32_t addReads = 0;        // by an addition of its own width that could take it in
  std::uint32_t definedBy = ptx::none;
};

class Folder {
 public:
  Folder(const Function& f, Lowered& out) : f_(f), out_(out), uses_(f.registers.size()) { collect(); }

  // Marks the instructions that ptxas folds into others.
  void run() {
    for (std::uint32_t pc = 0; pc < f_.instructions.size(); ++pc) {
      const Instruction& i = f_.instructions[pc];
      if (i.guard != ptx::none) continue;
      if (isFolded(pc, i)) fold(pc);
    }
  }

 private:
  void collect() {
    for (std::uint32_t pc = 0; pc < f_.instructions.size(); ++pc) {
      const Instruction& i = f_.instructions[pc];
      for (std::uint32_t r : out_.ops[pc].writes) {
        ++uses_[r].definitions;
        uses_[r].definedBy = pc;
      }
      for (std::uint32_t r : out_.ops[pc].reads) ++uses_[r].reads;
      for (const Operand& o : i.operands)
        if (o.kind == Operand::Kind::Address && o.scope == Operand::In::None && o.index != ptx::none && i.mods.space != ptx::Space::Param)
          ++uses_[o.index].addressReads;
      if (i.opcode == Opcode::Add && sizeBytes(i.mods.type) == 8 && i.operands.size() == 3)
        for (std::size_t k = 1; k < 3; ++k)
          if (i.operands[k].kind == Operand::Kind::Register) ++uses_[i.operands[k].index].addReads;
    }
  }

  [[nodiscard]] bool single(const Operand& o) const { return o.kind == Operand::Kind::Register && uses_[o.index].definitions == 1; }

  [[nodiscard]] bool isFolded(std::uint32_t pc, const Instruction& i) const {
    if (i.operands.empty()) return false;
    const Operand& d = i.operands[0];
    if (i.takenIn) return true;
    switch (i.opcode) {
      case Opcode::Cvta: return true;  // generic and global addresses are the same; others become a constant that folds
      case Opcode::Mov:
        // Copies and constants disappear where the register has no other definition; a second one (a loop variable, the default of a
        // masked load) needs the move.
        return single(d) && i.operands.size() == 2 &&
               (i.operands[1].kind == Operand::Kind::Immediate || i.operands[1].kind == Operand::Kind::Register ||
                i.operands[1].kind == Operand::Kind::Variable);
      case Opcode::Mul:  // mul.wide + add.s64 is one IMAD.WIDE, counted at the addition
        return i.mods.part == ptx::MulPart::Wide && single(d) && uses_[d.index].reads > 0 && uses_[d.index].reads == uses_[d.index].addReads;
      case Opcode::Add:  // [base + constant] of loads and stores
        return sizeBytes(i.mods.type) == 8 && single(d) && i.operands[2].kind == Operand::Kind::Immediate && uses_[d.index].reads > 0 &&
               uses_[d.index].reads == uses_[d.index].addressReads;
      case Opcode::Cvt:  // taking the low half, or a zero-extension: the machine uses the half or RZ
        return single(d) && !isFloat(i.mods.type) && !isFloat(i.mods.sourceType) &&
               (sizeBytes(i.mods.type) <= sizeBytes(i.mods.sourceType) ? sizeBytes(i.mods.type) == 4
                                                                       : !isSigned(i.mods.sourceType) && sizeBytes(i.mods.sourceType) == 4);
      case Opcode::Bra:  // to the very next instruction
        return i.target == pc + 1;
      default: return false;
    }
  }

  void fold(std::uint32_t pc) {
    TimedOp& op = out_.ops[pc];
    op.pipe = Pipe::None;
    op.issues = 0;
    op.latency = 0;
    op.interval = 0;
  }

  const Function& f_;
  Lowered& out_;
  std::vector<Uses> uses_;
};

// An addition whose other operand came from a folded mul.wide is an IMAD.WIDE: one instruction instead of two.
void fuseWideAdds(const Function& f, Lowered& out, const device::Profile& profile) {
  std::vector<std::uint8_t> folded(f.registers.size(), 0);
  for (std::uint32_t pc = 0; pc < f.instructions.size(); ++pc)
    if (f.instructions[pc].opcode == Opcode::Mul && out.ops[pc].issues == 0)
      for (std::uint32_t r : out.ops[pc].writes) folded[r] = 1;
  for (std::uint32_t pc = 0; pc < f.instructions.size(); ++pc) {
    const Instruction& i = f.instructions[pc];
    if (i.opcode != Opcode::Add || sizeBytes(i.mods.type) != 8 || out.ops[pc].issues == 0) continue;
    const bool wide = std::any_of(out.ops[pc].reads.begin(), out.ops[pc].reads.end(), [&](std::uint32_t r) { return folded[r] != 0; });
    if (wide) setCost(out.ops[pc], costOfImad(profile));
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
    setCost(op, costOf(f, i, profile));
    setAsync(module, i, op);
    if (i.opcode == Opcode::Wgmma && op.async == AsyncKind::Products && op.role == AsyncRole::Issue)
      op.reads.insert(op.reads.end(), op.writes.begin(), op.writes.end());  // the accumulators
  }
  Folder(f, out).run();
  fuseWideAdds(f, out, profile);
  const Graph graph(module, f, out.ops);
  mergeSharedAccesses(f, graph, out);

  // LDC R1 (stack pointer) and ULDC of the memory descriptor stand before every kernel for this architecture that touches memory.
  out.prologueIssues = std::any_of(out.ops.begin(), out.ops.end(), [](const TimedOp& op) { return op.isMemory; }) ? 2 : 1;
  out.registersPerThread = estimateRegisters(f, out);
  unrollLoops(module, f, graph, out);
  schedule(f, out);
  out.machineInstructions = out.prologueIssues;
  for (const TimedOp& op : out.ops) out.machineInstructions += op.issues;
  return out;
}

}  // namespace warpmill::lowering
