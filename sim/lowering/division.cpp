#include "lowering/division.h"

#include "lowering/costs.h"
#include "lowering/fold.h"

#include <algorithm>

namespace warpmill::lowering {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

namespace {

// Machine instructions: of the reciprocal, and of a quotient or remainder once that is there.
struct Parts { std::uint16_t reciprocal = 0, rest = 0; };

Parts partsOf(const Instruction& i, bool constantDividend) {
  const bool remainder = i.opcode == Opcode::Rem;
  if (i.mods.type == Type::F32) return !i.mods.full || remainder ? Parts{} : constantDividend ? Parts{3, 2} : Parts{5, 3};
  if (isFloat(i.mods.type) || sizeBytes(i.mods.type) != 4) return {};
  if (isSigned(i.mods.type)) return remainder ? Parts{9, 11} : Parts{9, 14};
  return remainder ? Parts{9, 8} : Parts{9, 9};
}

}  // namespace

void shareReciprocals(const ptx::Function& f, const device::Profile& profile, const Graph& g, Lowered& lowered) {
  struct Known { std::uint32_t divisor, block; Type type; };
  std::vector<Known> known;
  for (std::uint32_t pc = 0; pc < lowered.ops.size(); ++pc) {
    const Instruction& i = f.instructions[pc];
    if ((i.opcode != Opcode::Div && i.opcode != Opcode::Rem) || i.operands.size() != 3 || i.operands[2].kind != Operand::Kind::Register) continue;
    const std::uint32_t dividend = g.definition(i.operands[1]);
    const bool constant = i.operands[1].kind == Operand::Kind::Immediate ||
                          (dividend != ptx::none && f.instructions[dividend].opcode == Opcode::Mov && f.instructions[dividend].operands[1].kind == Operand::Kind::Immediate);
    const Parts parts = partsOf(i, constant);
    if (parts.rest == 0) continue;
    const std::uint32_t divisor = i.operands[2].index;
    const std::uint32_t at = i.guard == ptx::none ? g.hoisted(pc, {divisor}) : pc, block = g.flow().blockOf[at];
    const bool shared = g.of(divisor).definitions.size() == 1 && std::any_of(known.begin(), known.end(), [&](const Known& k) {
      return k.divisor == divisor && k.type == i.mods.type && g.flow().dominates(k.block, block);
    });
    TimedOp& op = lowered.ops[pc];
    const bool isReal = isFloat(i.mods.type);
    // Of a division of integers one half goes to the pipe for logic.
    const auto interval = [&](unsigned issues) { return static_cast<std::uint16_t>(std::max(1.0, issues * (isReal ? profile.fp32Interval : profile.imadInterval / 2))); };
    if (!shared && at == pc) {
      op.issues = static_cast<std::uint16_t>(parts.reciprocal + parts.rest);
      if (!isReal) op.interval = interval(op.issues);
      known.push_back({divisor, block, i.mods.type});
      continue;
    }
    op.issues = parts.rest;
    op.pipe = Pipe::Fma;
    op.latency = static_cast<std::uint16_t>(parts.rest * (isReal ? profile.aluLatency : profile.imadLatency));
    op.interval = interval(parts.rest);
    if (shared) continue;
    addIssues(lowered.ops[at], parts.reciprocal, profile);
    known.push_back({divisor, block, i.mods.type});
  }
}

}  // namespace warpmill::lowering
