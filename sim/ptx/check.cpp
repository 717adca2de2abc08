// An instruction's operands against its opcode's pattern (opcode_table.h).
#include "ptx/parser.h"

#include "ptx/names.h"
#include "ptx/rules.h"

namespace warpmill::ptx {
namespace {

std::string plural(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " operand" : " operands");
}

}  // namespace

Type Parser::registerType(const Operand& operand) const {
  return operand.kind == Operand::Kind::Register ? function_->registers[operand.index].type : Type::None;
}

std::uint32_t Parser::valueBytes(const Operand& operand) const {
  if (operand.kind == Operand::Kind::Register) return sizeBytes(registerType(operand));
  if (operand.kind != Operand::Kind::Vector) return 0;
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < operand.count; ++i) {
    const std::uint32_t bytes = valueBytes(function_->vectorElements[operand.index + i]);
    if (bytes == 0) return 0;
    sum += bytes;
  }
  return sum;
}

// Sets destinationCount, too. False: reported.
bool Parser::check(Instruction& instruction, const Token& at, std::string_view name) {
  if (instruction.opcode == Opcode::Call || instruction.opcode == Opcode::Bra || instruction.opcode == Opcode::BrxIdx) return true;
  std::string_view pattern = infoOf(instruction.opcode).pattern;
  const std::vector<Operand>& operands = instruction.operands;
  const std::string_view modifiers =
      instruction.mods.text == none ? std::string_view{} : std::string_view(module_.strings[instruction.mods.text]);
  if (pattern[0] == '!') {
    pattern = operands.empty() || operands[0].kind == Operand::Kind::Address ? "=X*" : "X=X*";
    if (instruction.opcode == Opcode::Wgmma && modifiers.starts_with(".wait_group")) pattern = "=X*";
  } else if ((instruction.opcode == Opcode::Bar || instruction.opcode == Opcode::Barrier) &&
             modifiers.find(".red") != std::string_view::npos) {
    pattern = "X=X*";
  }

  if (const auto problem = wrongType(instruction.opcode, instruction.mods)) return error(at, problem->message, problem->hint);
  std::size_t number = 0, minimum = 0;
  bool destinations = true, openEnd = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '=') {
      destinations = false;
      continue;
    }
    const bool any = i + 1 < pattern.size() && pattern[i + 1] == '*';
    const bool optional = any || (i + 1 < pattern.size() && pattern[i + 1] == '?');
    const char letter = pattern[i];
    i += optional ? 1 : 0;
    openEnd |= any;
    minimum += optional ? 0 : 1;
    if (number < operands.size()) {
      instruction.destinationCount = static_cast<std::uint8_t>(instruction.destinationCount + (destinations ? 1 : 0));
      if (!checkOperand(instruction, number, letter, name)) return false;
    }
    ++number;
  }
  if (operands.size() < minimum || (operands.size() > number && !openEnd)) {
    const std::string wanted = openEnd || minimum < number
                                   ? (operands.size() < minimum ? "at least " + plural(minimum) : "at most " + plural(number))
                                   : plural(minimum);
    const bool tooMany = operands.size() > number && number < operandTokens_.size();
    return error(tooMany ? operandTokens_[number] : at,
                 "'" + std::string(name) + "' takes " + wanted + ", " + std::to_string(operands.size()) + " given",
                 operands.size() < minimum ? "is an operand or a comma missing?" : "");
  }
  if (const auto problem = wrongCount(instruction, modifiers)) return error(at, problem->message, problem->hint);
  if (const auto problem = missingModifier(instruction, namesLanes())) return error(at, problem->message, problem->hint);
  return checkSpace(instruction) && checkVectorWidth(instruction, name);
}

// [variable] must lie in the space that ld, st, atom ... name.
bool Parser::checkSpace(const Instruction& instruction) {
  const bool one = infoOf(instruction.opcode).pattern.find('A') != std::string_view::npos && instruction.mods.toSpace == Space::None;
  if (!one || instruction.mods.space == Space::None) return true;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (operand.kind != Operand::Kind::Address || operand.scope == Operand::In::None) continue;
    const Variable& variable = variableOf(operand);
    const Space space = variable.space == Space::Reg ? Space::Param : variable.space;
    if (space == instruction.mods.space) continue;
    return error(
        operandTokens_[i],
        "'" + variable.name + "' lies in ." + std::string(spaceName(space)) + ", not in ." + std::string(spaceName(instruction.mods.space)),
        "use " + std::string(opcodeName(instruction.opcode)) + "." + std::string(spaceName(space)));
  }
  return true;
}

const Variable& Parser::variableOf(const Operand& operand) const {
  switch (operand.scope) {
    case Operand::In::Module:
      return module_.variables[operand.index];
    case Operand::In::Function:
      return function_->variables[operand.index];
    case Operand::In::Return:
      return function_->returns[operand.index];
    default:
      return function_->params[operand.index];
  }
}

bool Parser::namesLanes() const {
  const auto number = [](std::string_view text) {
    unsigned value = 0;
    for (const char c : text.substr(0, 4)) {
      if (c < '0' || c > '9') break;
      value = 10 * value + static_cast<unsigned>(c - '0');
    }
    return value;
  };
  const std::string_view version = module_.version, target = module_.target;
  const unsigned major = number(version), minor = number(version.substr(std::min(version.find('.'), version.size() - 1) + 1));
  const bool isOld = major < 6 || (major == 6 && minor < 4) || (target.starts_with("sm_") && number(target.substr(3)) < 70);
  return !isOld;
}

// .v4 needs four registers in braces.
bool Parser::checkVectorWidth(const Instruction& instruction, std::string_view name) {
  if (instruction.opcode != Opcode::Ld && instruction.opcode != Opcode::St && instruction.opcode != Opcode::Ldu &&
      (instruction.opcode != Opcode::Mov || instruction.mods.vectorWidth == 1))
    return true;
  const std::size_t number = instruction.opcode == Opcode::St ? 1 : 0;
  const Operand& value = instruction.operands[number];
  const std::uint32_t given = value.kind == Operand::Kind::Vector ? value.count : 1;
  if (given == instruction.mods.vectorWidth || value.kind == Operand::Kind::Sink) return true;
  const std::string wanted = std::to_string(instruction.mods.vectorWidth);
  return error(
      operandTokens_[number],
      "'" + std::string(name) + "' moves " + wanted + (wanted == "1" ? " value, " : " values, ") + std::to_string(given) + " given",
      given == 1 ? "list them in braces: {a, b, ...}" : "name the width with .v2 or .v4");
}

// Every element of a vector that is loaded or stored must be as wide as the type.
bool Parser::checkElements(const Instruction& instruction, const Operand& vector, const Token& at, std::uint32_t bytes) {
  const bool isPacked = instruction.opcode != Opcode::Ld && instruction.opcode != Opcode::St && instruction.opcode != Opcode::Ldu;
  for (std::uint32_t i = 0; i < vector.count && !isPacked; ++i) {
    const Operand& element = function_->vectorElements[vector.index + i];
    const std::uint32_t given = valueBytes(element);
    if (given == 0 || given >= bytes) continue;
    return error(at, "'" + function_->registers[element.index].name + "' has " + std::to_string(8 * given) + " bits, the type ." +
                         std::string(typeName(instruction.mods.type)) + " needs " + std::to_string(8 * bytes));
  }
  return true;
}

// What kind of thing may stand there at all.
bool Parser::checkKind(const Instruction& instruction, const Operand& operand, const Token& at, char letter, bool isWritten, const std::string& where) {
  const Opcode opcode = instruction.opcode;
  const Type wanted = (letter == 'S' || letter == 'Y') && instruction.mods.sourceType != Type::None ? instruction.mods.sourceType : instruction.mods.type;
  if (isWritten && operand.negated) return error(at, where + " is written, so it cannot be negated", "remove the '!'");
  if (!isWritten && operand.kind == Operand::Kind::Sink)
    return error(at, where + " is read, but '_' stands for a result that nobody wants", "name a register");
  const bool isMemory = opcode == Opcode::Ld || opcode == Opcode::St || opcode == Opcode::Ldu || opcode == Opcode::Atom || opcode == Opcode::Red;
  if (operand.kind == Operand::Kind::Vector && opcode != Opcode::Mov && opcode != Opcode::Cvt && !isMemory)
    return error(at, where + " cannot be a vector", "name one register");
  if (operand.kind == Operand::Kind::Variable && letter != 'P') {
    const bool is32 = letter == 'U' || letter == 'I';
    const bool fits = is32 ? variableOf(operand).space == Space::Shared : !isFloat(wanted) && (sizeBytes(wanted) == 8 || sizeBytes(wanted) == 4);
    if (!fits) return error(at, where + " is the address of '" + variableOf(operand).name + "', which does not fit there", "load its value first with ld");
  }
  const bool isPair = wanted == Type::F16x2 || wanted == Type::BF16x2;
  if (isPair && letter == 'T' && (registerType(operand) == Type::F32 || operand.isFloat32 || operand.isFloat64))
    return error(at, where + " holds two halves in 32 bits, " + shown(at) + " is a float", "use a .b32 register");
  return true;
}

bool Parser::checkOperand(const Instruction& instruction, std::size_t number, char letter, std::string_view name) {
  const Operand& operand = instruction.operands[number];
  const Token& at = number < operandTokens_.size() ? operandTokens_[number] : peek();
  const bool destination = number < instruction.destinationCount;
  const std::string where = "operand " + std::to_string(number + 1) + " of '" + std::string(name) + "'";
  if (letter == 'A') {
    if (operand.kind == Operand::Kind::Address) return true;
    return error(at, where + " must be an address", "write it in brackets: [" + std::string(text(at)) + "]");
  }
  if (operand.kind == Operand::Kind::Address && letter != 'X')
    return error(at, where + " cannot be an address", "load it first with ld, or remove the brackets");
  if (destination && operand.kind != Operand::Kind::Register && operand.kind != Operand::Kind::Vector &&
      operand.kind != Operand::Kind::Sink)
    return error(at, where + " is written, so it must be a register");
  if (operand.kind == Operand::Kind::Special && infoOf(instruction.opcode).strict && instruction.opcode != Opcode::Mov &&
      instruction.opcode != Opcode::Cvt)
    return error(at, "special register " + shown(at) + " can only be read by mov and cvt", "copy it to a register first: mov.u32 %r, ...");
  if (letter == 'X') return true;
  if (!checkKind(instruction, operand, at, letter, destination, where)) return false;

  const Type declared = registerType(operand);
  Type wanted = instruction.mods.type;
  if ((letter == 'S' || letter == 'Y') && instruction.mods.sourceType != Type::None) wanted = instruction.mods.sourceType;
  const bool wantsPredicate = letter == 'P' || (letter == 'T' && wanted == Type::Pred);
  if (declared != Type::None && wantsPredicate != (declared == Type::Pred)) {
    return wantsPredicate ? error(at, where + " must be a predicate, " + shown(at) + " is ." + std::string(typeName(declared)),
                                  "compare with setp to get one")
                          : error(at, where + " cannot be a predicate", "turn it into a number with selp");
  }
  if (wantsPredicate) return true;
  const bool is32 = letter == 'U' || letter == 'I';
  std::uint32_t bytes = is32 ? 4 : sizeBytes(wanted);
  if (letter == 'W' && instruction.mods.part == MulPart::Wide) bytes *= 2;
  if (instruction.opcode == Opcode::Mov) bytes *= instruction.mods.vectorWidth;
  const std::uint32_t given = valueBytes(operand);
  if (operand.kind == Operand::Kind::Immediate && isFloat(wanted) && !is32 && !operand.isFloat32 && !operand.isFloat64)
    return error(at, where + " must be a floating-point number, " + shown(at) + " is an integer",
                 "write it with a point, as 1.0, or as bits, as 0f3F800000");
  if (operand.kind == Operand::Kind::Immediate && (letter == 'I' || (letter == 'U' ? kindOf(wanted) != 'b' : kindOf(wanted) == 'u' || kindOf(wanted) == 's')) &&
      (operand.isFloat32 || operand.isFloat64))
    return error(at, where + " must be an integer, " + shown(at) + " is a floating-point number",
                 "use an instruction of type .f32, or an integer");
  if (given == 0) return true;
  // Registers without a kind (.b32) take any type of their size; others must be of the type's kind.
  const char kind = kindOf(declared), wantedKind = letter == 'U' ? 'b' : letter == 'I' ? 'u' : kindOf(wanted);
  const bool mixes = (kind == 'f' && (wantedKind == 'u' || wantedKind == 's')) || ((kind == 'u' || kind == 's') && wantedKind == 'f');
  if (mixes)
    return error(
        at, where + " must fit ." + std::string(typeName(wanted)) + ", " + shown(at) + " was declared ." + std::string(typeName(declared)),
        "convert it with cvt, or move its bits with mov.b" + std::to_string(8 * given));
  if (letter == 'V' && operand.kind == Operand::Kind::Vector && !checkElements(instruction, operand, at, bytes)) return false;
  if (letter == 'V' || letter == 'Y') {
    // Of memory accesses and conversions: a register that is no float may be wider than the type, never narrower.
    if (operand.kind == Operand::Kind::Register && (given < bytes || (isFloat(declared) && given > bytes)))
      return error(at, where + " has " + std::to_string(8 * given) + " bits, the type ." + std::string(typeName(wanted)) + " needs " +
                           std::to_string(8 * bytes));
    return true;
  }
  if (given == bytes) return true;
  if (letter == 'W' && bytes == 2 * given && instruction.mods.part == MulPart::Wide)
    return error(at, where + " has " + std::to_string(8 * given) + " bits where " + std::to_string(8 * bytes) + " are needed",
                 "a .wide product is twice as wide as its factors; use .lo for the lower half");
  const std::string hint = declared == Type::None ? ""
                                                  : shown(at) + " was declared ." + std::string(typeName(declared)) +
                                                        "; use another type or convert it with cvt";
  return error(at, where + " has " + std::to_string(8 * given) + " bits where " + std::to_string(8 * bytes) + " are needed", hint);
}

}  // namespace warpmill::ptx
