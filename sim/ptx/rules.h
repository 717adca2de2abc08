// Rules about an instruction's modifiers: which it must have, and which types it takes.
// Simplified: not all of the ISA's combinations are checked, only those that people and broken tools get wrong.
// Source: PTX ISA 9.0, chapter 9.7; where it leaves room, what ptxas 13.0 accepts.
#pragma once

#include "ptx/module.h"

#include <optional>
#include <string>

namespace warpmill::ptx {

struct RuleProblem {
  std::string message;
  std::string hint;
};

// Too many or too few operands for what the modifiers say: "atom.cas [a], b", "shfl.sync" without its mask.
std::optional<RuleProblem> wrongCount(const Instruction& instruction, std::string_view modifiers);
std::optional<RuleProblem> wrongType(Opcode opcode, const Modifiers& mods);  // "add.b32"
// "mul.s32", "fma.f32", "setp.s32". `namesLanes`: shfl and vote must be .sync.
std::optional<RuleProblem> missingModifier(const Instruction& instruction, bool namesLanes);

}  // namespace warpmill::ptx
