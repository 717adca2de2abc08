// What is told of a NaN or an infinity.
#include "base/texts.h"
#include "exec/faults.h"
#include "faults/report.h"

#include <fmt/format.h>

#include <cmath>

namespace warpmill::faults {

using machine::Fault;
using machine::FaultKind;
using ptx::Opcode;

namespace {

std::string number(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v < 0 ? "-infinity" : "infinity";
  return fmt::format("{:.6g}", v);
}
std::string factor(double v) { return v < 0 ? "(" + number(v) + ")" : number(v); }

// What was computed, with the values in place of the registers.
Said expression(const ptx::Instruction& in, const std::vector<double>& v) {
  const auto n = [&](std::size_t k) { return k < v.size() ? factor(v[k]) : "?"; };
  const auto said = [](std::string text) { return Said(Text::NumberExpression, {{"text", std::move(text)}}); };
  if (in.product != ptx::none && in.opcode == Opcode::Sub)
    return said(in.productOperand == 2 ? fmt::format("{} - {} * {}", n(0), n(1), n(2)) : fmt::format("{} * {} - {}", n(1), n(2), n(0)));
  if (in.product != ptx::none) return said(fmt::format("{} * {} + {}", n(1), n(2), n(0)));
  switch (in.opcode) {
    case Opcode::Add: return said(fmt::format("{} + {}", n(0), n(1)));
    case Opcode::Sub: return said(fmt::format("{} - {}", n(0), n(1)));
    case Opcode::Mul: return said(fmt::format("{} * {}", n(0), n(1)));
    case Opcode::Div: return said(fmt::format("{} / {}", n(0), n(1)));
    case Opcode::Fma: case Opcode::Mad: return said(fmt::format("{} * {} + {}", n(0), n(1), n(2)));
    case Opcode::Rcp: return said(fmt::format("1 / {}", n(0)));
    case Opcode::Rsqrt: return said(fmt::format("1 / sqrt({})", n(0)));
    case Opcode::Cvt: return {Text::NumberRounded, {{"value", n(0)}, {"type", ptx::typeName(in.mods.type)}}};
    default: break;
  }
  if (v.empty()) return {Text::NumberOfMatrices, {{"name", ptx::opcodeName(in.opcode)}}};
  std::string list;
  for (std::size_t k = 0; k < v.size(); ++k) list += (k == 0 ? "" : ", ") + number(v[k]);
  return said(fmt::format("{}({})", in.opcode == Opcode::Lg2 ? "log2" : in.opcode == Opcode::Ex2 ? "exp2" : ptx::opcodeName(in.opcode), list));
}

}  // namespace

void Reports::notANumber(const exec::Exec& x, const exec::Op& op, unsigned lane, const NumberOrigin& origin, const Place* target) {
  if (counted(FaultKind::Nan, origin.pc, 1)) return;
  Fault f = origin.at;
  f.kind = FaultKind::Nan;
  const std::string result = number(origin.result);
  const Said end = target != nullptr ? Said(Text::EndStored, {{"place", nameOf(x, *target, f)}})
                                     : Said(op.instruction->opcode == Opcode::Cvt ? Text::EndInteger : Text::EndMatrix);
  machine::OtherParty o = partyOf(op.pc);
  const Fault user = exec::faultAt(*code_, *x.block, *x.warp, op.pc, lane);
  o.block = user.block;
  o.thread = user.thread;
  o.warp = user.warp;
  o.lane = user.lane;
  o.says = {Text::NoteNumberEnds, {{"end", end}}};
  if (origin.isLoad) {
    f.access = "load";
    const Said from = origin.place.bytes != 0 ? nameOf(x, origin.place, f) : Said(Text::FromMemory);
    f.says = {Text::NumberTaken, {{"result", result}, {"from", from}, {"end", end}}};
  } else {
    f.says = {std::isnan(origin.result) ? Text::NumberMadeNan : Text::NumberMadeInfinite,
              {{"expression", expression(code_->function().instructions[origin.pc], origin.operands)}, {"result", result}, {"end", end}}};
  }
  f.other = std::move(o);
  add(x, std::move(f));
}

}  // namespace warpmill::faults
