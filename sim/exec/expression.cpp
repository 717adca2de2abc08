#include "exec/expression.h"

#include "ptx/cfg.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <set>

namespace warpmill::exec {
namespace {

using machine::About;
using machine::ExpressionStep;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::SpecialRegister;

constexpr std::size_t mostSteps = 10;

std::string_view signOf(ptx::Compare c) {
  switch (c) {
    case ptx::Compare::Eq: case ptx::Compare::Equ: return "==";
    case ptx::Compare::Ne: case ptx::Compare::Neu: return "!=";
    case ptx::Compare::Lt: case ptx::Compare::Lo: case ptx::Compare::Ltu: return "<";
    case ptx::Compare::Le: case ptx::Compare::Ls: case ptx::Compare::Leu: return "<=";
    case ptx::Compare::Gt: case ptx::Compare::Hi: case ptx::Compare::Gtu: return ">";
    case ptx::Compare::Ge: case ptx::Compare::Hs: case ptx::Compare::Geu: return ">=";
    default: return "";
  }
}

class Expression {
 public:
  Expression(const Code& code, const machine::Block& block, const machine::Warp& warp, unsigned lane)
      : code_(code), function_(code.function()), block_(block), warp_(warp), lane_(lane) {}

  std::vector<ExpressionStep> of(std::uint32_t pc, About about) {
    if (about == About::Nothing) return {};
    if (about == About::Decision) {
      pc = decidingBranch(function_, pc);
      about = About::Guard;
    }
    if (pc >= function_.instructions.size()) return {};
    const Instruction& in = function_.instructions[pc];
    if (about == About::Guard) {
      if (in.guard == ptx::none) return {};
      wanted_.push_back({in.guard, pc});
    } else if (about == About::Address) {
      addAddress(in, pc);
    } else {
      for (std::size_t k = about == About::Value ? 0 : in.destinationCount; k < in.operands.size(); ++k)
        if (about != About::Value || in.operands[k].kind != Operand::Kind::Address) want(in.operands[k], pc);
    }
    while (!wanted_.empty() && steps_.size() < mostSteps) {
      const Wanted w = wanted_.front();
      wanted_.pop_front();
      addRegister(w);
    }
    return std::move(steps_);
  }

 private:
  struct Wanted { std::uint32_t number, pc; };  // a register as it is before the instruction

  template <class Visit> void eachRegister(const Operand& o, Visit visit) const {
    if ((o.kind == Operand::Kind::Register || (o.kind == Operand::Kind::Address && o.scope == Operand::In::None)) && o.index < function_.registers.size()) visit(o.index);
    if (o.kind == Operand::Kind::Vector)
      for (std::uint32_t k = 0; k < o.count; ++k) eachRegister(function_.vectorElements[o.index + k], visit);
  }

  void want(const Operand& o, std::uint32_t pc) {
    eachRegister(o, [&](std::uint32_t r) { wanted_.push_back({r, pc}); });
  }

  void addAddress(const Instruction& in, std::uint32_t pc) {
    for (const Operand& o : in.operands) {
      if (o.kind != Operand::Kind::Address) continue;
      ExpressionStep step;
      step.name = nameOf(o);
      place(step, pc);
      if (o.scope == Operand::In::None && o.index < function_.registers.size() && o.offset != 0) {
        const ptx::Register& r = function_.registers[o.index];
        step.value = shown(r, bitsOf(r) + static_cast<std::uint64_t>(o.offset));
        steps_.push_back(std::move(step));
      } else if (o.scope != Operand::In::None) {
        steps_.push_back(std::move(step));
      }
      want(o, pc);
    }
  }

  void place(ExpressionStep& step, std::uint32_t pc) const {
    step.ptxLine = function_.instructions[pc].position.line;
    step.line = function_.instructions[pc].location.line;
  }

  void addRegister(Wanted w) {
    const ptx::Register& r = function_.registers[w.number];
    if (r.name.empty() || !seen_.insert(w.number).second) return;
    ExpressionStep step;
    step.name = r.name;
    step.value = shown(r, bitsOf(r));
    const std::uint32_t at = definedAt(w);
    if (at != ptx::none) {
      const Instruction& in = function_.instructions[at];
      step.definition = definitionOf(in);
      place(step, at);
      for (std::size_t k = in.destinationCount; k < in.operands.size(); ++k) want(in.operands[k], at);
    }
    steps_.push_back(std::move(step));
  }

  [[nodiscard]] bool writes(const Instruction& in, std::uint32_t number) const {
    bool found = false;
    for (std::size_t k = 0; k < in.destinationCount && k < in.operands.size(); ++k) {
      eachRegister(in.operands[k], [&](std::uint32_t r) { found |= r == number; });
      found |= in.operands[k].hasPredicate && in.operands[k].predicate == number;
    }
    return found;
  }

  // Where the register got the value that it has before `pc`; none where that cannot be told from the text.
  [[nodiscard]] std::uint32_t definedAt(Wanted w) const {
    const auto& code = function_.instructions;
    std::uint32_t only = ptx::none, count = 0;
    for (std::uint32_t k = 0; k < code.size(); ++k)
      if (writes(code[k], w.number)) only = k, ++count;
    if (count == 1) return only;
    if (count == 0) return ptx::none;
    const auto& begins = function_.blockBegin;
    const auto next = std::upper_bound(begins.begin(), begins.end(), w.pc);
    const std::uint32_t begin = next == begins.begin() ? 0 : *(next - 1);
    for (std::uint32_t k = w.pc; k-- > begin;)
      if (writes(code[k], w.number)) {
        bool ofItself = false;  // i = i + 1: its sources are gone
        for (std::size_t o = code[k].destinationCount; o < code[k].operands.size(); ++o) eachRegister(code[k].operands[o], [&](std::uint32_t r) { ofItself |= r == w.number; });
        return ofItself || code[k].guard != ptx::none ? ptx::none : k;
      }
    return ptx::none;
  }

  [[nodiscard]] std::uint64_t bitsOf(const ptx::Register& r) const {
    if (r.type == ptx::Type::Pred) return warp_.predicates[r.slot] >> lane_ & 1;
    const std::uint32_t* plane = warp_.planes.data() + std::size_t{r.slot} * machine::warpSize;
    if (ptx::sizeBytes(r.type) <= 4) return plane[lane_];
    std::uint64_t value = 0;
    std::memcpy(&value, plane + 2 * std::size_t{lane_}, sizeof value);
    return value;
  }

  [[nodiscard]] std::string shown(const ptx::Register& r, std::uint64_t bits) const {
    switch (r.type) {
      case ptx::Type::Pred: return bits != 0 ? "true" : "false";
      case ptx::Type::F32: return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      case ptx::Type::F64: return fmt::format("{}", std::bit_cast<double>(bits));
      default: break;
    }
    const std::uint32_t bytes = ptx::sizeBytes(r.type);
    if (bytes > 8) return fmt::format("{:#x} ...", bits);
    if (bytes == 8) return bits >> 32 != 0 && ~bits >> 32 != 0 ? fmt::format("{:#x}", bits) : std::to_string(static_cast<std::int64_t>(bits));
    if (bytes == 4) {
      const auto value = static_cast<std::int32_t>(bits);
      return value >= 0 ? std::to_string(value) : fmt::format("{} ({:#x})", value, static_cast<std::uint32_t>(bits));
    }
    return std::to_string(bits & ((1ull << (8 * bytes)) - 1));
  }

  [[nodiscard]] std::string special(SpecialRegister s) const {
    const Dim3 &size = code_.context().block, &grid = code_.context().grid;
    const std::uint32_t t = warp_.indexInBlock * machine::warpSize + lane_;
    switch (s) {
      case SpecialRegister::TidX: return fmt::format("%tid.x ({})", t % size.x);
      case SpecialRegister::TidY: return fmt::format("%tid.y ({})", t / size.x % size.y);
      case SpecialRegister::TidZ: return fmt::format("%tid.z ({})", t / size.x / size.y);
      case SpecialRegister::CtaidX: return fmt::format("%ctaid.x ({})", block_.index[0]);
      case SpecialRegister::CtaidY: return fmt::format("%ctaid.y ({})", block_.index[1]);
      case SpecialRegister::CtaidZ: return fmt::format("%ctaid.z ({})", block_.index[2]);
      case SpecialRegister::NtidX: return fmt::format("%ntid.x ({})", size.x);
      case SpecialRegister::NtidY: return fmt::format("%ntid.y ({})", size.y);
      case SpecialRegister::NtidZ: return fmt::format("%ntid.z ({})", size.z);
      case SpecialRegister::NctaidX: return fmt::format("%nctaid.x ({})", grid.x);
      case SpecialRegister::NctaidY: return fmt::format("%nctaid.y ({})", grid.y);
      case SpecialRegister::NctaidZ: return fmt::format("%nctaid.z ({})", grid.z);
      case SpecialRegister::LaneId: return fmt::format("%laneid ({})", lane_);
      default: return "";
    }
  }

  [[nodiscard]] const std::vector<ptx::Variable>* listOf(Operand::In scope) const {
    switch (scope) {
      case Operand::In::Module: return &code_.module().variables;
      case Operand::In::Function: return &function_.variables;
      case Operand::In::Parameter: return &function_.params;
      case Operand::In::Return: return &function_.returns;
      default: return nullptr;
    }
  }

  // As it reads in an expression; empty: not of a kind that does.
  [[nodiscard]] std::string nameOf(const Operand& o) const {
    const auto withOffset = [&](const std::string& base) { return o.offset == 0 ? base : fmt::format("{}{:+}", base, o.offset); };
    std::string base;
    switch (o.kind) {
      case Operand::Kind::Register: return (o.minus ? "-" : o.negated ? "!" : "") + function_.registers[o.index].name;
      case Operand::Kind::Special: return special(o.special);
      case Operand::Kind::Immediate:
        if (o.isFloat32) return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(o.bits)));
        if (o.isFloat64) return fmt::format("{}", std::bit_cast<double>(o.bits));
        return std::to_string(static_cast<std::int64_t>(o.bits));
      case Operand::Kind::Variable: case Operand::Kind::Address: {
        const auto* variables = listOf(o.scope);
        if (variables != nullptr && o.index < variables->size()) base = (*variables)[o.index].name;
        else if (o.kind == Operand::Kind::Address && o.index < function_.registers.size()) base = function_.registers[o.index].name;
        if (o.kind == Operand::Kind::Address) return base.empty() ? fmt::format("[{:#x}]", o.offset) : "[" + withOffset(base) + "]";
        return base.empty() ? "" : withOffset(base);
      }
      default: return "";
    }
  }

  // "%rd1 + %rd6" of an instruction that has a usual notation, else the statement as it stands.
  [[nodiscard]] std::string definitionOf(const Instruction& in) const {
    std::string out = notation(in);
    if (out.empty()) out = std::string(code_.module().textOf(in));
    std::replace(out.begin(), out.end(), '\n', ' ');
    return out;
  }

  [[nodiscard]] std::string notation(const Instruction& in) const {
    std::vector<std::string> s;
    for (std::size_t k = in.destinationCount; k < in.operands.size(); ++k) {
      s.push_back(nameOf(in.operands[k]));
      if (s.back().empty()) return "";
    }
    if (in.guard != ptx::none || (in.destinationCount != 0 && in.operands[0].hasPredicate)) return "";
    const auto infix = [&](std::string_view sign) { return s.size() == 2 ? fmt::format("{} {} {}", s[0], sign, s[1]) : ""; };
    const std::string type(ptx::typeName(in.mods.type));
    switch (in.opcode) {
      case Opcode::Mov: return s.size() == 1 ? s[0] : "";
      case Opcode::Cvta: return s.size() == 1 ? s[0] : "";
      case Opcode::Cvt: return s.size() == 1 ? fmt::format("({}) {}", type, s[0]) : "";
      case Opcode::Add: return infix("+");
      case Opcode::Sub: return infix("-");
      case Opcode::Div: return infix("/");
      case Opcode::Rem: return infix("%");
      case Opcode::And: return infix("&");
      case Opcode::Or: return infix("|");
      case Opcode::Xor: return infix("^");
      case Opcode::Shl: return infix("<<");
      case Opcode::Shr: return infix(">>");
      case Opcode::Mul:
        if (in.mods.part == ptx::MulPart::Hi) return "";
        return infix("*");
      case Opcode::Mad: case Opcode::Fma:
        if (in.mods.part == ptx::MulPart::Hi || s.size() != 3) return "";
        return fmt::format("{} * {} + {}", s[0], s[1], s[2]);
      case Opcode::Neg: return s.size() == 1 ? "-" + s[0] : "";
      case Opcode::Not: return s.size() == 1 ? "~" + s[0] : "";
      case Opcode::Selp: return s.size() == 3 ? fmt::format("{} ? {} : {}", s[2], s[0], s[1]) : "";
      case Opcode::Setp:
        if (in.mods.boolOp != ptx::BoolOp::None || signOf(in.mods.compare).empty() || s.size() != 2) return "";
        return infix(signOf(in.mods.compare));
      case Opcode::Ld:
        if (in.mods.space == ptx::Space::Param && in.operands.size() > 1 && in.operands[1].scope == Operand::In::Parameter)
          return fmt::format("argument {}", in.operands[1].index) + (in.operands[1].offset == 0 ? "" : fmt::format(" at {}", in.operands[1].offset));
        return "";
      default: return "";
    }
  }

  const Code& code_;
  const ptx::Function& function_;
  const machine::Block& block_;
  const machine::Warp& warp_;
  unsigned lane_;
  std::deque<Wanted> wanted_;
  std::set<std::uint32_t> seen_;
  std::vector<ExpressionStep> steps_;
};

}  // namespace

std::vector<ExpressionStep> expressionOf(const Code& code, const machine::Block& block, const machine::Warp& warp, std::uint32_t pc, unsigned lane, About about) {
  return Expression(code, block, warp, lane).of(pc, about);
}

std::uint32_t decidingBranch(const ptx::Function& function, std::uint32_t pc) {
  if (pc >= function.instructions.size() || function.blockBegin.empty()) return ptx::none;
  const ptx::ControlFlow flow = ptx::controlFlow(function);
  const auto behind = [&](std::uint32_t from, std::uint32_t block) {  // does every way from `from` come by `block`?
    for (std::uint32_t b = from; b != ptx::none; b = flow.postDominator[b])
      if (b == block) return true;
    return false;
  };
  const std::uint32_t here = flow.blockOf[pc];
  for (std::uint32_t b = flow.dominator[here]; b != ptx::none; b = flow.dominator[b]) {
    const std::uint32_t last = (b + 1 < function.blockBegin.size() ? function.blockBegin[b + 1] : static_cast<std::uint32_t>(function.instructions.size())) - 1;
    if (ptx::mayDiverge(function.instructions[last]) && !behind(b, here)) return last;
  }
  return ptx::none;
}

}  // namespace warpmill::exec
