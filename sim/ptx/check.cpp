// An instruction's operands against its opcode's pattern (opcode_table.h).
#include "ptx/parser.h"

#include "ptx/names.h"

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
  if (letter == 'X') return true;

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
  std::uint32_t bytes = letter == 'U' ? 4 : sizeBytes(wanted);
  if (letter == 'W' && instruction.mods.part == MulPart::Wide) bytes *= 2;
  const std::uint32_t given = valueBytes(operand);
  if (given == 0) return true;
  if (letter == 'V' || letter == 'Y') {
    // Of memory accesses and conversions: the register may be wider than the type, never narrower.
    if (operand.kind == Operand::Kind::Register && given < bytes)
      return error(at, where + " has " + std::to_string(8 * given) + " bits, the type ." + std::string(typeName(wanted)) + " needs " +
                           std::to_string(8 * bytes));
    return true;
  }
  if (given == bytes) return true;
  const std::string hint = declared == Type::None ? ""
                                                  : shown(at) + " was declared ." + std::string(typeName(declared)) +
                                                        "; use another type or convert it with cvt";
  return error(at, where + " has " + std::to_string(8 * given) + " bits where " + std::to_string(8 * bytes) + " are needed", hint);
}

}  // namespace warpmill::ptx
