#include "lowering/balance.h"

#include "lowering/costs.h"

namespace warpmill::lowering {

using ptx::Instruction;
using ptx::Opcode;

namespace {

bool mayMove(const Instruction& i, const TimedOp& op) {
  if (op.pipe != Pipe::Alu || op.issues != 1 || isFloat(i.mods.type) || i.mods.type == ptx::Type::Pred) return false;
  switch (i.opcode) {
    case Opcode::Mov: return i.operands.size() == 2 && i.operands[0].kind == ptx::Operand::Kind::Register;
    case Opcode::Add: case Opcode::Sub: return sizeBytes(i.mods.type) == 4;
    case Opcode::Shl: return sizeBytes(i.mods.type) == 4 && i.operands.size() == 3 && i.operands[2].kind == ptx::Operand::Kind::Immediate;
    default: return false;
  }
}

}  // namespace

void balancePipes(const ptx::Function& f, const device::Profile& profile, const Graph& graph, Lowered& lowered) {
  for (std::uint32_t b = 0; b < f.blockBegin.size(); ++b) {
    double logic = 0, products = 0;
    for (std::uint32_t pc = f.blockBegin[b]; pc < graph.blockEnd(b); ++pc) {
      const TimedOp& op = lowered.ops[pc];
      if (mayMove(f.instructions[pc], op)) continue;
      if (op.pipe == Pipe::Alu) logic += op.interval;
      if (op.pipe == Pipe::Imad || op.pipe == Pipe::Fma) products += op.interval + (op.crowdsPorts && !op.reusesOperand ? 1 : 0);
    }
    for (std::uint32_t pc = f.blockBegin[b]; pc < graph.blockEnd(b); ++pc) {
      TimedOp& op = lowered.ops[pc];
      if (!mayMove(f.instructions[pc], op)) continue;
      if (products < logic) {
        setCost(op, costOfImad(profile));
        products += op.interval;
      } else {
        logic += op.interval;
      }
    }
  }
}

}  // namespace warpmill::lowering
