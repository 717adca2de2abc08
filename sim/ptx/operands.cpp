// Operands of instructions.
#include "ptx/parser.h"

#include "ptx/names.h"

#include <algorithm>
#include <bit>

namespace warpmill::ptx {

// One operand; `list` gets two or three for [base, {coordinates}].
bool Parser::operand(std::vector<Operand>& list, Type wanted) {
  operandTokens_.push_back(peek());
  if (peek().is('[')) return addressOperand(list);
  Operand out;
  if (peek().is('{')) {
    if (!vectorOperand(out, wanted)) return false;
  } else if (!element(out, wanted)) {
    return false;
  }
  // d|p : the second destination of shfl, setp, match, elect, lop3.
  if (peek().is('|')) {
    take();
    const Token& at = peek();
    Operand second;
    if (!element(second, Type::Pred)) return false;
    if (second.kind == Operand::Kind::Register) {
      if (function_->registers[second.index].type != Type::Pred)
        return error(at, "the second destination must be a predicate, " + shown(at) + " is not one", "declare it with .reg .pred");
      out.hasPredicate = true;
      out.predicate = second.index;
    } else if (second.kind != Operand::Kind::Sink) {
      return error(at, "the second destination must be a predicate register");
    }
  }
  list.push_back(out);
  return true;
}

// Anything that may stand in a vector.
bool Parser::element(Operand& out, Type wanted) {
  const Token& first = peek();
  if (first.is('!') && peek(1).kind == Token::Kind::Word && text(peek(1)) != "WARP_SZ") {
    take();
    const Token& at = peek();
    if (!nameOperand(out)) return false;
    if (out.kind != Operand::Kind::Register || function_->registers[out.index].type != Type::Pred)
      return error(at, "'!' needs a predicate register");
    out.negated = true;
    return true;
  }
  if (first.kind == Token::Kind::Word && text(first) != "WARP_SZ") return nameOperand(out);
  if (first.is('-') && isVideo(opcode_) && peek(1).kind == Token::Kind::Word) {
    take();
    out.minus = true;
    return nameOperand(out);
  }
  if (first.kind == Token::Kind::Number || first.kind == Token::Kind::Word || first.is('-') || first.is('+') || first.is('~') ||
      first.is('!') || first.is('('))
    return immediateOperand(out, wanted);
  if (first.is(';') || first.is(',')) return error(first, "an operand is missing before " + shown(first));
  return wrongToken("an operand");
}

bool Parser::nameOperand(Operand& out) {
  const Token& at = take();
  std::string_view name = text(at);
  // %tid.x is one name; so is a component of a vector register.
  if (peek().kind == Token::Kind::Dot && peek().begin == at.end()) {
    take();
    name = std::string_view(module_.text).substr(at.begin, tokens_[at_ - 1].end() - at.begin);
  }
  if (!namedOperand(at, name, out)) return false;
  if (out.kind == Operand::Kind::Variable && (peek().is('+') || peek().is('-'))) return signedOffset(out.offset);
  return true;
}

namespace {

// "b3210", "h1" after the dot: see Operand::selector. 0: no selector.
std::uint16_t selectorOf(std::string_view word) {
  if (word.size() < 2 || word.size() > 5 || (word[0] != 'b' && word[0] != 'h')) return 0;
  unsigned digits = 0;
  for (const char c : word.substr(1)) {
    if (c < '0' || c > '7') return 0;
    digits = digits << 3 | static_cast<unsigned>(c - '0');
  }
  return static_cast<std::uint16_t>((word[0] == 'h' ? 0x8000u : 0u) | static_cast<unsigned>(word.size() - 1) << 12 | digits);
}

}  // namespace

bool Parser::namedOperand(const Token& at, std::string_view name, Operand& out) {
  if (name == "_") {
    out.kind = Operand::Kind::Sink;
    return true;
  }
  const std::size_t dot = name.find('.');
  if (const auto symbol = scopes_.find(name.substr(0, dot))) {
    out.index = symbol->index;
    switch (symbol->kind) {
      case Symbol::Kind::Register:
        return registerOperand(at, name, dot, out);
      case Symbol::Kind::VectorRegister:
        return vectorRegisterOperand(at, name, dot, *symbol, out);
      case Symbol::Kind::Variable:
        out.scope = Operand::In::Function;
        break;
      case Symbol::Kind::Parameter:
        out.scope = Operand::In::Parameter;
        break;
      case Symbol::Kind::Return:
        out.scope = Operand::In::Return;
        break;
    }
    out.kind = Operand::Kind::Variable;
    return true;
  }
  if (name[0] == '%' && specialOperand(name, out)) return true;
  if (const auto global = globals_.find(name); global != globals_.end()) {
    out.kind = global->second.isFunction ? Operand::Kind::FunctionRef : Operand::Kind::Variable;
    out.scope = Operand::In::Module;
    out.index = global->second.index;
    return true;
  }
  return undeclared(at, name);
}

bool Parser::registerOperand(const Token& at, std::string_view name, std::size_t dot, Operand& out) {
  out.kind = Operand::Kind::Register;
  if (dot == std::string_view::npos) return true;
  if (!isVideo(opcode_)) return error(at, "'" + std::string(name.substr(0, dot)) + "' is no vector register");
  out.selector = selectorOf(name.substr(dot + 1));
  return out.selector != 0 ||
         error(at, "'" + std::string(name.substr(dot)) + "' selects no byte or half of a register", "write .b0 to .b3, or .h0 or .h1");
}

void Parser::componentsOperand(const std::vector<Operand>& components, Operand& out) {
  out.kind = Operand::Kind::Vector;
  out.count = static_cast<std::uint8_t>(components.size());
  out.index = static_cast<std::uint32_t>(function_->vectorElements.size());
  function_->vectorElements.insert(function_->vectorElements.end(), components.begin(), components.end());
}

bool Parser::vectorRegisterOperand(const Token& at, std::string_view name, std::size_t dot, const Symbol& symbol, Operand& out) {
  if (dot == std::string_view::npos) {
    std::vector<Operand> components(symbol.width);
    for (std::uint32_t i = 0; i < symbol.width; ++i) {
      components[i].kind = Operand::Kind::Register;
      components[i].index = symbol.index + i;
    }
    componentsOperand(components, out);
    return true;
  }
  const std::size_t found = name.size() == dot + 2 ? std::string_view("xyzwrgba").find(name[dot + 1]) : std::string_view::npos;
  if (found == std::string_view::npos || found % 4 >= symbol.width)
    return error(at, "'" + std::string(name) + "' is no component of the vector");
  out.kind = Operand::Kind::Register;
  out.index += static_cast<std::uint32_t>(found % 4);
  return true;
}

// %tid.x, %clock; %tid alone, in mov.v4, is the vector {%tid.x, %tid.y, %tid.z, 0}, and %tid.w is 0.
bool Parser::specialOperand(std::string_view name, Operand& out) {
  out.special = specialOf(name);
  out.kind = Operand::Kind::Special;
  if (out.special != SpecialRegister::None) return true;
  const bool isW = name.ends_with(".w");
  if (!isW && (opcode_ != Opcode::Mov || vectorWidth_ == 1)) return false;
  const std::string stem(isW ? name.substr(0, name.size() - 2) : name);
  std::vector<Operand> components(4);
  components[3].kind = Operand::Kind::Immediate;
  for (std::size_t i = 0; i < 3; ++i) {
    components[i].kind = Operand::Kind::Special;
    components[i].special = specialOf(stem + "." + "xyz"[i]);
    if (components[i].special == SpecialRegister::None) return false;
  }
  if (isW)
    out = components[3];
  else
    componentsOperand(components, out);
  return true;
}

// Each name is reported once a function; afterwards it is taken as read, so that other errors still show.
bool Parser::undeclared(const Token& at, std::string_view name) {
  if (!reported_.insert(name).second) return false;
  Nearest nearest(name);
  for (const Register& known : function_->registers) nearest.offer(known.name);
  for (const Variable& known : function_->variables) nearest.offer(known.name);
  for (const Variable& known : function_->params) nearest.offer(known.name);
  for (const Variable& known : module_.variables) nearest.offer(known.name);
  offerSpecials(nearest);
  const bool isRegister = name[0] == '%';
  std::string hint = scopes_.rangeHint(name);
  if (hint.empty()) hint = nearest.hint();
  if (hint.empty()) hint = isRegister ? "declare it: .reg .b32 " + std::string(name) + ";" : "it must be declared before it is used";
  reporter_.error(at.position, static_cast<std::uint32_t>(name.size()),
                  (isRegister ? "register '" : "'") + std::string(name) + "' is not declared", hint);
  return false;
}

// [reg], [reg+imm], [var+imm], [imm], [base, {x, y}], [texture, sampler, {x, y}]
bool Parser::addressOperand(std::vector<Operand>& list) {
  take();
  Operand out;
  out.kind = Operand::Kind::Address;
  if (!addressBase(out)) return false;
  list.push_back(out);
  while (accept(',')) {  // a sampler, coordinates
    Operand more;
    operandTokens_.push_back(peek());
    if (peek().is('{') ? !vectorOperand(more, Type::None) : !element(more, Type::None)) return false;
    list.push_back(more);
  }
  return expect(']', "after the address");
}

bool Parser::addressBase(Operand& out) {
  if (peek().kind == Token::Kind::Word && text(peek()) != "WARP_SZ") {
    const Token& at = peek();
    Operand base;
    if (!nameOperand(base)) return false;
    if (base.kind != Operand::Kind::Register && base.kind != Operand::Kind::Variable) return error(at, shown(at) + " is no address");
    if (base.kind == Operand::Kind::Register) {
      const Type type = function_->registers[base.index].type;
      if (sizeBytes(type) < 4 || isFloat(type) || type == Type::Pred || type == Type::B128)
        return error(at, "an address needs a 32-bit or 64-bit integer register, " + shown(at) + " is ." + std::string(typeName(type)));
    }
    out.scope = base.scope;
    out.index = base.index;
    out.offset = base.offset;
    return signedOffset(out.offset);
  }
  Value value;
  if (!constant(value)) return false;
  out.offset = static_cast<std::int64_t>(value.bits);
  return true;
}

// Any number of "+ 4", "-4", "+-4" after a base.
bool Parser::signedOffset(std::int64_t& offset) {
  while (peek().is('+') || peek().is('-')) {
    const bool minus = take().is('-');
    const Token& at = peek();
    Value value;
    if (!constant(value, 9)) return false;  // binds tighter than + and -
    if (value.isFloat32 || value.isFloat64) return error(at, "an address offset must be an integer");
    const std::uint64_t sum = static_cast<std::uint64_t>(offset) + (minus ? 0 - value.bits : value.bits);
    offset = static_cast<std::int64_t>(sum);
  }
  return true;
}

bool Parser::vectorOperand(Operand& out, Type wanted) {
  const Token& open = take();
  std::vector<Operand> elements;
  if (!peek().is('}')) {
    do {
      Operand one;
      if (!element(one, wanted)) return false;
      if (one.kind == Operand::Kind::Vector) return error(open, "a vector cannot hold a vector");
      if (elements.size() == 255) return error(open, "a vector has at most 255 elements");
      elements.push_back(one);
    } while (accept(','));
  }
  if (!expect('}', "after the vector")) return false;
  out.kind = Operand::Kind::Vector;
  out.count = static_cast<std::uint8_t>(elements.size());
  out.index = static_cast<std::uint32_t>(function_->vectorElements.size());
  function_->vectorElements.insert(function_->vectorElements.end(), elements.begin(), elements.end());
  return true;
}

// A literal takes the instruction's type: a decimal or 0d one becomes an f32 where one is wanted, and the other way round.
bool Parser::immediateOperand(Operand& out, Type wanted) {
  Value value;
  if (!constant(value)) return false;
  out.kind = Operand::Kind::Immediate;
  out.bits = value.bits;
  out.isFloat32 = value.isFloat32;
  out.isFloat64 = value.isFloat64;
  if (wanted == Type::F32 && value.isFloat64) {
    out.bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
    out.isFloat32 = true;
    out.isFloat64 = false;
  } else if (wanted == Type::F64 && value.isFloat32) {
    out.bits = std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))));
    out.isFloat32 = false;
    out.isFloat64 = true;
  }
  return true;
}

}  // namespace warpmill::ptx
