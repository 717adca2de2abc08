// What is told of a NaN or an infinity.
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
std::string expression(const ptx::Instruction& in, const std::vector<double>& v) {
  const auto n = [&](std::size_t k) { return k < v.size() ? factor(v[k]) : "?"; };
  if (in.product != ptx::none && in.opcode == Opcode::Sub)
    return in.productOperand == 2 ? fmt::format("{} - {} * {}", n(0), n(1), n(2)) : fmt::format("{} * {} - {}", n(1), n(2), n(0));
  if (in.product != ptx::none) return fmt::format("{} * {} + {}", n(1), n(2), n(0));
  switch (in.opcode) {
    case Opcode::Add: return fmt::format("{} + {}", n(0), n(1));
    case Opcode::Sub: return fmt::format("{} - {}", n(0), n(1));
    case Opcode::Mul: return fmt::format("{} * {}", n(0), n(1));
    case Opcode::Div: return fmt::format("{} / {}", n(0), n(1));
    case Opcode::Fma: case Opcode::Mad: return fmt::format("{} * {} + {}", n(0), n(1), n(2));
    case Opcode::Rcp: return fmt::format("1 / {}", n(0));
    case Opcode::Rsqrt: return fmt::format("1 / sqrt({})", n(0));
    case Opcode::Cvt: return fmt::format("{}, rounded to {},", n(0), ptx::typeName(in.mods.type));
    default: break;
  }
  if (v.empty()) return fmt::format("the {} of finite matrices", ptx::opcodeName(in.opcode));
  std::string list;
  for (std::size_t k = 0; k < v.size(); ++k) list += (k == 0 ? "" : ", ") + number(v[k]);
  return fmt::format("{}({})", in.opcode == Opcode::Lg2 ? "log2" : in.opcode == Opcode::Ex2 ? "exp2" : ptx::opcodeName(in.opcode), list);
}

}  // namespace

void Reports::notANumber(const exec::Exec& x, const exec::Op& op, unsigned lane, const NumberOrigin& origin, const Place* target) {
  if (counted(FaultKind::Nan, origin.pc, 1)) return;
  Fault f = origin.at;
  f.kind = FaultKind::Nan;
  const std::string result = number(origin.result), where = target != nullptr ? nameOf(x, *target, f) : "";
  const std::string end = where.empty() ? op.instruction->opcode == Opcode::Cvt ? "is turned into an integer" : "is stored with a matrix" : "is stored to " + where;
  const std::string who = fmt::format("thread ({},{},{}) of block ({},{},{})", f.thread[0], f.thread[1], f.thread[2], f.block[0], f.block[1], f.block[2]);
  machine::OtherParty o = partyOf(op.pc);
  const Fault user = exec::faultAt(*code_, *x.block, *x.warp, op.pc, lane);
  o.block = user.block;
  o.thread = user.thread;
  o.warp = user.warp;
  o.lane = user.lane;
  o.note = fmt::format("it {}", end);
  if (origin.isLoad) {
    f.access = "load";
    const std::string from = origin.place.bytes != 0 ? nameOf(x, origin.place, f) : "memory";
    f.message = fmt::format("{} takes {} from {}, where no arithmetic of this kernel put it, and it {}", who, result, from, end);
    f.remedy = "Look at what filled this buffer: the value was there before, or the place was never meant to be read";
  } else {
    f.message = fmt::format("{} = {} in {}, and it {}", expression(code_->function().instructions[origin.pc], origin.operands), result, who, end);
    f.remedy = std::isnan(origin.result) ? "Look for 0 / 0, infinity minus infinity, or the root or logarithm of a negative number, and test for it before the operation"
                                         : "Look for a divisor of zero, or for values beyond the format's range: subtract the maximum before exp, or sum in a wider format";
  }
  f.other = std::move(o);
  add(std::move(f));
}

}  // namespace warpmill::faults
