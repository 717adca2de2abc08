// Kernels and functions: parameters, directives, bodies with their scopes and labels.
#include "ptx/parser.h"

#include "ptx/names.h"

#include <algorithm>
#include <array>

namespace warpmill::ptx {
namespace {

constexpr std::array<std::string_view, 14> functionDirectiveNames{
    ".maxntid",        ".reqntid",         ".minnctapersm",      ".maxnctapersm", ".maxnreg",      ".pragma",     ".noreturn",
    ".maxclusterrank", ".explicitcluster", ".reqnctapercluster", ".abi_preserve", ".abi_preserve_control", ".blocksareclusters", ".loc"};

std::uint64_t alignUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

bool Parser::functionDefinition(bool isEntry) {
  Function fresh;
  fresh.isEntry = isEntry;
  scopes_ = Scopes();
  location_ = userFile_ = none;
  instructionLocation_.clear();
  branches_.clear();
  reported_.clear();
  function_ = &fresh;
  bool hasBody = false;
  if (!functionHead(fresh, hasBody)) {
    skipFunction();
    return true;
  }
  const std::string_view name = std::string_view(module_.text).substr(nameToken_.begin, nameToken_.length);
  std::uint32_t index = static_cast<std::uint32_t>(module_.functions.size());
  const auto known = globals_.find(name);
  if (known == globals_.end()) {
    globals_.emplace(name, GlobalName{true, index});
    module_.functions.emplace_back();
  } else if (!known->second.isFunction || (hasBody && !module_.functions[known->second.index].isDeclaration)) {
    error(nameToken_, "'" + fresh.name + "' is declared twice", "rename one of them");
    module_.functions.emplace_back();
  } else {
    if (!hasBody) return true;  // declared once more
    index = known->second.index;
  }
  functionIndex_ = index;
  module_.functions[index] = std::move(fresh);
  function_ = &module_.functions[index];
  return !hasBody || body();
}

bool Parser::functionHead(Function& fresh, bool& hasBody) {
  if (acceptDot(".attribute") && !attributeList()) return false;
  if (!fresh.isEntry && accept('(') && !parameterList(fresh.returns, Symbol::Kind::Return)) return false;
  nameToken_ = peek();
  const auto name = takeName(fresh.isEntry ? "the name of the kernel" : "the name of the function");
  if (!name) return false;
  fresh.name = *name;
  fresh.position = nameToken_.position;
  for (bool known = true; known && peek().kind == Token::Kind::Dot;)
    if (!functionDirective(text(peek()), known)) return false;
  if (accept('(') && !parameterList(fresh.params, Symbol::Kind::Parameter)) return false;
  for (std::vector<Variable>* list : {&fresh.params, &fresh.returns})
    for (Variable& variable : *list) {
      variable.offset = alignUp(fresh.paramBytes, std::max(variable.alignment, 1u));
      fresh.paramBytes = variable.offset + variable.sizeBytes;
    }
  if (!functionDirectives(hasBody)) return false;
  fresh.isDeclaration = !hasBody;
  return true;
}

// After an error in the head: its body would only give more errors.
void Parser::skipFunction() {
  while (peek().kind != Token::Kind::End && !peek().is('{') && !isDot(".entry") && !isDot(".func") && !isDot(".visible")) take();
  if (!accept('{')) return;
  for (int depth = 1; depth > 0 && peek().kind != Token::Kind::End;) {
    const Token& token = take();
    depth += token.is('{') ? 1 : token.is('}') ? -1 : 0;
  }
}

bool Parser::parameterList(std::vector<Variable>& list, Symbol::Kind kind) {
  if (accept(')')) return true;
  do {
    if (!parameter(list, kind)) return false;
  } while (accept(','));
  if (isDot(".param") || isDot(".reg")) return errorAfterLast("missing ',' between parameters", "separate parameters with ','");
  return expect(')', "after the parameters");
}

bool Parser::parameter(std::vector<Variable>& list, Symbol::Kind kind) {
  if (!isDot(".param") && !isDot(".reg")) return wrongToken("'.param'");
  Shape shape;
  if (!variableShape(shape)) return false;
  const Token& at = peek();
  Variable variable;
  if (!declarator(shape, variable)) return false;
  if (variable.sizeBytes > (std::uint64_t{1} << 20)) return error(at, "'" + variable.name + "' is too large for a parameter");
  if (shape.space == Space::Reg) {
    if (!addRegister(at, text(at), shape.type, 1)) return false;
  } else if (text(at) != "_" && !scopes_.addName(text(at), {kind, static_cast<std::uint32_t>(list.size()), 1})) {
    return error(at, "parameter '" + variable.name + "' is declared twice", "rename one of them");
  }
  list.push_back(std::move(variable));
  return true;
}

bool Parser::threadCounts(std::array<std::uint32_t, 3>& counts) {
  counts = {1, 1, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    const Token& at = peek();
    const auto count = takeInteger("a number of threads");
    if (!count) return false;
    if (*count == 0 || *count > 0x7FFFFFFF) return error(at, "a block cannot have " + std::string(text(at)) + " threads along a dimension");
    counts[i] = static_cast<std::uint32_t>(*count);
    if (!accept(',')) return true;
  }
  return error(peek(), "a block has at most three dimensions");
}

// (.unified(1, 2)) after .attribute: what it asks of a linker is nothing to a simulator.
bool Parser::attributeList() {
  if (!expect('(', "after .attribute")) return false;
  for (int depth = 1; depth > 0;) {
    if (peek().kind == Token::Kind::End || peek().is('{') || peek().is(';')) return wrongToken("')' after the attributes");
    const Token& token = take();
    depth += token.is('(') ? 1 : token.is(')') ? -1 : 0;
  }
  return true;
}

// Up to '{' (a body follows) or ';' (a declaration).
bool Parser::functionDirectives(bool& hasBody) {
  while (true) {
    if (peek().is('{')) return hasBody = true;
    if (accept(';')) return true;
    if (peek().kind != Token::Kind::Dot) return wrongToken("'{' or ';' after the head of '" + function_->name + "'");
    const Token& at = peek();
    bool known = false;
    if (!functionDirective(text(at), known)) return false;
    if (known) continue;
    Nearest nearest(text(at));
    for (std::string_view name : functionDirectiveNames) nearest.offer(name);
    return error(at, "unknown directive " + shown(at) + " in the head of '" + function_->name + "'", nearest.hint());
  }
}

bool Parser::functionNumber(std::uint32_t& value) {
  const auto read = takeInteger("a number");
  if (read) value = static_cast<std::uint32_t>(std::min<std::uint64_t>(*read, 0x7FFFFFFF));
  return read.has_value();
}

// One directive of a head, if it is one: `known`.
bool Parser::functionDirective(std::string_view word, bool& known) {
  std::uint32_t ignored = 0;
  known = true;
  if (word == ".loc") return locDirective();
  if (word == ".pragma") {
    skipStatement();
    return true;
  }
  const std::size_t before = at_;
  take();
  if (word == ".maxntid") return threadCounts(function_->maxThreads);
  if (word == ".reqntid") return threadCounts(function_->requiredThreads);
  if (word == ".minnctapersm") return functionNumber(function_->minBlocksPerSm);
  if (word == ".maxnreg") return functionNumber(function_->maxRegisters);
  if (word == ".maxclusterrank") return functionNumber(function_->maxClusterBlocks);
  if (word == ".maxnctapersm" || word == ".abi_preserve" || word == ".abi_preserve_control") return functionNumber(ignored);
  if (word == ".reqnctapercluster") {
    function_->isClustered = true;
    return peek().kind != Token::Kind::Number || threadCounts(function_->requiredCluster);
  }
  if (word == ".explicitcluster") return function_->isClustered = true;
  if (word == ".blocksareclusters") return function_->blocksAreClusters = true;
  if (word == ".noreturn") return function_->isNoReturn = true;
  at_ = before;
  known = false;
  return true;
}

bool Parser::body() {
  const Token& open = take();
  while (!reporter_.full()) {
    if (peek().kind == Token::Kind::End) {
      error(peek(), "the file ends inside '" + function_->name + "'",
            "its '{' at line " + std::to_string(open.position.line) + " is not closed; is the file complete?");
      return true;
    }
    if (accept('{')) {
      scopes_.open();
    } else if (accept('}')) {
      if (!scopes_.close()) break;
    } else if (!bodyStatement()) {
      skipStatement();
    }
  }
  finishFunction();
  return true;
}

bool Parser::bodyStatement() {
  if (accept(';')) return true;
  const Token& token = peek();
  if (token.kind == Token::Kind::Word && peek(1).is(':')) return label();
  if (token.kind == Token::Kind::Word || token.is('@')) return instruction();
  if (token.kind == Token::Kind::Dot) return bodyDirective();
  return error(token, "expected an instruction, found " + shown(token));
}

bool Parser::bodyDirective() {
  const std::string_view word = text(peek());
  if (word == ".reg") return registers();
  if (word == ".local" || word == ".shared" || word == ".param" || word == ".const" || word == ".global") return bodyVariable();
  if (word == ".loc") return locDirective();
  if (word == ".file") return fileDirective();
  if (word == ".section") return sectionDirective();
  if (word == ".pragma") {
    skipStatement();
    return true;
  }
  Nearest nearest(word);
  for (std::string_view known : {".reg", ".local", ".shared", ".param", ".loc", ".pragma"}) nearest.offer(known);
  const bool isFunction = word == ".entry" || word == ".func" || word == ".visible";
  return error(peek(), "unknown directive " + shown(peek()) + " inside '" + function_->name + "'",
               isFunction ? "the '}' of the function before is missing" : nearest.hint());
}

bool Parser::label() {
  const Token& at = take();
  take();
  const std::string_view name = text(at);
  if (isDot(".branchtargets") || isDot(".callprototype") || isDot(".calltargets")) return labelledDirective(at);
  if (!scopes_.addLabel(name, static_cast<std::uint32_t>(function_->instructions.size())))
    error(at, "label '" + std::string(name) + "' is defined twice", "rename one of them");
  return true;
}

// name: .branchtargets, .callprototype or .calltargets
bool Parser::labelledDirective(const Token& at) {
  const std::string_view word = text(take());
  if (word == ".callprototype") return callPrototype(at);
  if (word == ".calltargets") return callTargets(at);
  std::vector<LabelUse> targets;
  do {
    const Token& target = peek();
    const auto label = takeName("a label");
    if (!label) return false;
    targets.push_back({scopes_.current(), *label, target.position});
  } while (accept(','));
  if (!scopes_.addTable(text(at), std::move(targets))) return error(at, "table " + shown(at) + " is defined twice");
  return expectEnd("the targets");
}

// (.param .b32 _) _ (.param .b64 _, .param .b32 _): the names mean nothing.
bool Parser::prototypeList(std::vector<Variable>& list) {
  if (accept(')')) return true;
  do {
    if (!isDot(".param") && !isDot(".reg")) return wrongToken("'.param'");
    Shape shape;
    Variable variable;
    if (!variableShape(shape) || !declarator(shape, variable)) return false;
    list.push_back(std::move(variable));
  } while (accept(','));
  return expect(')', "after the parameters");
}

bool Parser::callPrototype(const Token& at) {
  Prototype prototype;
  prototype.name = text(at);
  if (accept('(') && !prototypeList(prototype.returns)) return false;
  if (!takeName("'_'")) return false;
  if (accept('(') && !prototypeList(prototype.params)) return false;
  while (peek().kind == Token::Kind::Dot) {
    std::uint32_t ignored = 0;
    if (acceptDot(".noreturn")) {
      prototype.isNoReturn = true;
    } else if (isDot(".abi_preserve") || isDot(".abi_preserve_control")) {
      take();
      if (!functionNumber(ignored)) return false;
    } else {
      return wrongToken("';' after the prototype");
    }
  }
  function_->prototypes.push_back(std::move(prototype));
  return expectEnd("the prototype");
}

bool Parser::callTargets(const Token& at) {
  Prototype prototype;
  prototype.name = text(at);
  do {
    const Token& target = peek();
    const auto name = takeName("a function name");
    if (!name) return false;
    const auto found = globals_.find(*name);
    if (found == globals_.end() || !found->second.isFunction)
      return error(target, "unknown function '" + std::string(*name) + "'", "it must be declared before");
    prototype.targets.push_back(found->second.index);
  } while (accept(','));
  function_->prototypes.push_back(std::move(prototype));
  return expectEnd("the targets");
}

void Parser::finishFunction() {
  resolveLabels();
  addImplicitReturn();
  lines_.push_back({functionIndex_, userFile_, std::move(instructionLocation_)});
  instructionLocation_.clear();
}

std::uint32_t Parser::labelPlace(const LabelUse& use) {
  const std::uint32_t place = scopes_.findLabel(use.name, use.scope);
  if (place != none) return place;
  Nearest nearest(use.name);
  scopes_.eachLabel([&](std::string_view label) { nearest.offer(label); });
  reporter_.error(use.position, static_cast<std::uint32_t>(use.name.size()),
                  "label '" + std::string(use.name) + "' is not defined in '" + function_->name + "'", nearest.hint());
  return none;
}

void Parser::resolveLabels() {
  for (const BranchUse& branch : branches_) {
    Instruction& instruction = function_->instructions[branch.instruction];
    Operand target;
    target.kind = Operand::Kind::Label;
    if (!branch.isTable) {
      instruction.target = target.index = labelPlace(branch.label);
      instruction.operands.push_back(target);
      continue;
    }
    const std::vector<LabelUse>* table = scopes_.findTable(branch.label.name, branch.label.scope);
    if (!table) {
      reporter_.error(branch.label.position, static_cast<std::uint32_t>(branch.label.name.size()),
                      "there is no .branchtargets table '" + std::string(branch.label.name) + "'");
      continue;
    }
    for (const LabelUse& use : *table) {
      target.index = labelPlace(use);
      instruction.operands.push_back(target);
    }
  }
}

// So that every path ends in an instruction, and every label is one.
void Parser::addImplicitReturn() {
  const auto count = static_cast<std::uint32_t>(function_->instructions.size());
  bool needed = count == 0;
  if (!needed) {
    const Instruction& last = function_->instructions.back();
    const bool ends = last.opcode == Opcode::Ret || last.opcode == Opcode::Exit || last.opcode == Opcode::Bra ||
                      last.opcode == Opcode::BrxIdx || last.opcode == Opcode::Trap;
    needed = !ends || last.guard != none;
  }
  for (const BranchUse& branch : branches_)
    for (const Operand& operand : function_->instructions[branch.instruction].operands)
      needed |= operand.kind == Operand::Kind::Label && operand.index == count;
  if (!needed) return;
  Instruction ret;
  ret.opcode = Opcode::Ret;
  ret.position = tokens_[at_ == 0 ? 0 : at_ - 1].position;
  ret.textBegin = tokens_[at_ == 0 ? 0 : at_ - 1].begin;
  function_->instructions.push_back(std::move(ret));
}

}  // namespace warpmill::ptx
