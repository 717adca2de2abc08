// One instruction: guard, opcode with its modifiers, operands.
#include "ptx/parser.h"

#include "ptx/modifiers.h"
#include "ptx/names.h"

#include <algorithm>

namespace warpmill::ptx {
namespace {

// The type that literals among the operands take.
Type literalType(const Instruction& instruction) {
  const bool ofSource = instruction.opcode == Opcode::Cvt || instruction.opcode == Opcode::Set;
  return ofSource && instruction.mods.sourceType != Type::None ? instruction.mods.sourceType : instruction.mods.type;
}

}  // namespace

bool Parser::instruction() {
  const std::size_t branches = branches_.size(), instructions = function_->instructions.size();
  const bool complete = readInstruction();
  if (function_->instructions.size() == instructions) branches_.resize(branches);  // not kept: neither is its label
  return complete;
}

bool Parser::readInstruction() {
  const Token& first = peek();
  Instruction out;
  out.position = first.position;
  out.textBegin = first.begin;
  operandTokens_.clear();
  if (first.is('@') && !guard(out)) return false;
  if (peek().kind != Token::Kind::Word) return wrongToken("an instruction");
  const Token& opcodeToken = peek();
  std::string_view name;
  if (!spelling(out, name)) return false;

  opcode_ = out.opcode;
  vectorWidth_ = out.mods.vectorWidth;
  bool fine = true;
  if (out.opcode == Opcode::Bra) {
    fine = branchOperands(out);
  } else if (out.opcode == Opcode::BrxIdx) {
    fine = tableBranchOperands(out);
  } else if (out.opcode == Opcode::Call) {
    fine = callOperands(out);
  } else if (!peek().is(';')) {
    const Type wanted = literalType(out);
    const Token& last = tokens_[at_ - 1];
    // Without its semicolon an instruction without operands would swallow the next one.
    const bool forgotten = infoOf(out.opcode).pattern == "=" && peek().position.line != last.position.line;
    if (!forgotten) do
        fine = operand(out.operands, wanted);
      while (fine && accept(','));
  }
  if (!fine) return false;
  out.textLength = tokens_[at_ - 1].end() - out.textBegin;
  if (!expectEnd("'" + std::string(name.substr(0, 60)) + "'")) return false;
  if (!check(out, opcodeToken, name)) return true;  // the statement itself is complete
  function_->instructions.push_back(std::move(out));
  instructionLocation_.push_back(location_);
  return true;
}

// @p or @!p
bool Parser::guard(Instruction& out) {
  take();
  out.guardNegated = accept('!');
  const Token& at = peek();
  if (at.kind != Token::Kind::Word) return wrongToken("a predicate register");
  Operand predicate;
  if (!nameOperand(predicate)) return false;
  if (predicate.kind != Operand::Kind::Register || function_->registers[predicate.index].type != Type::Pred)
    return error(at, shown(at) + " is no predicate register", "a guard needs a register declared with .reg .pred");
  out.guard = predicate.index;
  return true;
}

// "ld.global.nc.v4.f32": each spelling is worked out once.
bool Parser::spelling(Instruction& out, std::string_view& name) {
  const Token& first = take();
  std::uint32_t end = first.end();
  while (peek().kind == Token::Kind::Dot) end = take().end();
  name = std::string_view(module_.text).substr(first.begin, end - first.begin);
  const auto known = spellings_.find(name);
  if (known != spellings_.end()) {
    out.opcode = known->second.opcode;
    out.mods = known->second.mods;
    return true;
  }
  if (name.find_first_of(" \t\r\n/") != std::string_view::npos)
    return error(first, "an opcode and its modifiers stand together without spaces", "remove the space");
  const OpcodeMatch match = matchOpcode(name);
  if (match.opcode == Opcode::Unknown) {
    // An unknown opcode may be a newer PTX's. One that is nearly known is more likely a slip.
    const std::string_view word = name.substr(0, match.length);
    Nearest nearest(word);
    offerOpcodes(nearest);
    if (!nearest.best().empty() || word == name)
      return error(first, "unknown instruction '" + std::string(word.substr(0, 60)) + "'", nearest.hint());
    reporter_.warning(first.position, first.length, "unknown instruction '" + std::string(word) + "'",
                      "it is kept, and fails if it is executed");
  }
  ModifierProblem problem;
  out.opcode = match.opcode;
  out.mods = readModifiers(match.opcode, name.substr(match.length), problem);
  if (problem.isNew) {  // as with an opcode that nobody knows: it fails when it is executed
    reporter_.warning({first.position.line, first.position.column + static_cast<std::uint32_t>(match.length + problem.begin)},
                      static_cast<std::uint32_t>(problem.length), std::move(problem.message), "the instruction is kept, and fails if it is executed");
    out.opcode = Opcode::Unknown;
    out.mods = {};
  } else if (!problem.message.empty()) {
    const auto begin = static_cast<std::uint32_t>(match.length + problem.begin);
    const bool noType = problem.begin == 0 && name.size() == match.length;
    reporter_.error({first.position.line, first.position.column + (noType ? 0 : begin)},
                    noType ? first.length : static_cast<std::uint32_t>(problem.length), std::move(problem.message),
                    std::move(problem.hint));
    return false;
  }
  if (name.size() > match.length) out.mods.text = intern(name.substr(match.length));
  spellings_.emplace(name, Spelling{out.opcode, out.mods});
  return true;
}

bool Parser::branchOperands(Instruction& out) {
  const Token& at = peek();
  operandTokens_.push_back(at);
  const auto name = takeName("a label");
  if (!name) return false;
  // The label may come later: its operand is added at the end of the function.
  branches_.push_back({static_cast<std::uint32_t>(function_->instructions.size()), {scopes_.current(), *name, at.position}, false});
  (void)out;
  return true;
}

bool Parser::tableBranchOperands(Instruction& out) {
  if (!operand(out.operands, Type::U32) || !expect(',', "after the index")) return false;
  const Token& at = peek();
  const auto name = takeName("the name of a .branchtargets table");
  if (!name) return false;
  branches_.push_back({static_cast<std::uint32_t>(function_->instructions.size()), {scopes_.current(), *name, at.position}, true});
  return true;
}

bool Parser::argumentList(std::vector<Operand>& list) {
  if (accept(')')) return true;
  do {
    if (!operand(list, Type::None)) return false;
  } while (accept(','));
  return expect(')', "after the arguments");
}

bool Parser::callee(Instruction& out) {
  const Token& at = peek();
  operandTokens_.push_back(at);
  if (at.kind != Token::Kind::Word) return wrongToken("a function to call");
  const std::string_view name = text(at);
  const auto global = globals_.find(name);
  Operand operand;
  if (global != globals_.end() && global->second.isFunction) {
    take();
    operand.kind = Operand::Kind::FunctionRef;
    operand.scope = Operand::In::Module;
    operand.index = global->second.index;
  } else if (scopes_.find(name)) {
    if (!nameOperand(operand)) return false;
    if (operand.kind != Operand::Kind::Register) return error(at, shown(at) + " is no function");
  } else {
    Nearest nearest(name);
    for (const Function& function : module_.functions) nearest.offer(function.name);
    std::string hint = nearest.hint();
    return error(at, "function '" + std::string(name) + "' is not declared",
                 hint.empty() ? "declare it with .extern .func, or define it before" : hint);
  }
  out.operands.push_back(operand);
  return true;
}

// call (ret), f, (a, b) {, prototype}; all but f may be missing.
bool Parser::callOperands(Instruction& out) {
  if (accept('(')) {
    if (!argumentList(out.operands) || !expect(',', "after the returned values")) return false;
  }
  out.destinationCount = static_cast<std::uint8_t>(std::min<std::size_t>(out.operands.size(), 255));
  if (!callee(out)) return false;
  if (!accept(',')) return true;
  if (accept('(')) {
    if (!argumentList(out.operands)) return false;
    if (!accept(',')) return true;
  }
  const auto table = takeName("the name of a prototype");
  if (!table) return false;
  Operand prototype;
  prototype.kind = Operand::Kind::Text;
  prototype.index = intern(*table);
  out.operands.push_back(prototype);
  return true;
}

}  // namespace warpmill::ptx
