// Constant expressions: 64-bit integers with C's operators, or a single floating-point literal.
// Source: PTX ISA 9.0, section 4.5.
#include "ptx/parser.h"

#include <bit>

namespace warpmill::ptx {
namespace {

// Precedence of a binary operator; 0: none. '|' alone ends an operand ("d|p") only after a register, so here it is "or".
int precedenceOf(const Token& token) {
  if (token.kind != Token::Kind::Punctuation) return 0;
  switch (token.symbol) {
    case 'o':
      return 1;
    case 'a':
      return 2;
    case '|':
      return 3;
    case '^':
      return 4;
    case '&':
      return 5;
    case 'e':
    case 'n':
      return 6;
    case '<':
    case '>':
    case 'l':
    case 'g':
      return 7;
    case 'L':
    case 'R':
      return 8;
    case '+':
    case '-':
      return 9;
    case '*':
    case '/':
      return 10;
    default:
      return 0;
  }
}

std::uint64_t apply(char symbol, std::uint64_t a, std::uint64_t b) {
  const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
  switch (symbol) {
    case 'o':
      return (a != 0 || b != 0) ? 1 : 0;
    case 'a':
      return (a != 0 && b != 0) ? 1 : 0;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '&':
      return a & b;
    case 'e':
      return a == b ? 1 : 0;
    case 'n':
      return a != b ? 1 : 0;
    case '<':
      return sa < sb ? 1 : 0;
    case '>':
      return sa > sb ? 1 : 0;
    case 'l':
      return sa <= sb ? 1 : 0;
    case 'g':
      return sa >= sb ? 1 : 0;
    case 'L':
      return b < 64 ? a << b : 0;
    case 'R':
      return b < 64 ? static_cast<std::uint64_t>(sa >> b) : 0;
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return sb == -1 ? 0 - a : static_cast<std::uint64_t>(sa / sb);
    default:
      return 0;
  }
}

}  // namespace

bool Parser::constant(Value& value, int minimumPrecedence, int depth) {
  if (depth > 64) return error(peek(), "the expression is nested more than 64 deep");
  if (!constantUnary(value, depth)) return false;
  while (true) {
    const Token& at = peek();
    if (at.is('?') && minimumPrecedence == 0) {
      take();
      Value yes, no;
      if (!constant(yes, 0, depth + 1) || !expect(':', "of the conditional expression") || !constant(no, 0, depth + 1)) return false;
      value = value.bits != 0 ? yes : no;
      return true;
    }
    const int precedence = precedenceOf(at);
    if (precedence == 0 || precedence <= minimumPrecedence) return true;
    take();
    Value right;
    if (!constant(right, precedence, depth + 1)) return false;
    if (value.isFloat32 || value.isFloat64 || right.isFloat32 || right.isFloat64)
      return error(at, "floating-point literals cannot be combined", "write the result as one literal");
    if (at.symbol == '/' && right.bits == 0) return error(at, "division by zero");
    value.bits = apply(at.symbol, value.bits, right.bits);
  }
}

bool Parser::constantUnary(Value& value, int depth) {
  if (depth > 64) return error(peek(), "the expression is nested more than 64 deep");
  const Token& at = peek();
  if (at.is('-') || at.is('+') || at.is('~') || at.is('!')) {
    take();
    if (!constantUnary(value, depth + 1)) return false;
    const bool isFloat = value.isFloat32 || value.isFloat64;
    if (isFloat && (at.is('~') || at.is('!'))) return error(at, "this operator needs an integer");
    if (at.is('-'))
      value.bits = value.isFloat32 ? value.bits ^ 0x80000000u : value.isFloat64 ? value.bits ^ (std::uint64_t{1} << 63) : 0 - value.bits;
    if (at.is('~')) value.bits = ~value.bits;
    if (at.is('!')) value.bits = value.bits == 0 ? 1 : 0;
    return true;
  }
  if (at.is('(')) {
    take();
    if (peek().kind == Token::Kind::Dot && peek(1).is(')')) {  // (.s64) and (.u64) casts change nothing: all is 64-bit
      take();
      take();
      return constantUnary(value, depth + 1);
    }
    return constant(value, 0, depth + 1) && expect(')', "after the expression");
  }
  if (at.kind == Token::Kind::Word && text(at) == "WARP_SZ") {
    take();
    value = {false, false, 32};
    return true;
  }
  if (at.kind != Token::Kind::Number) return wrongToken("a number");
  const Number number = readNumber(text(at));
  switch (number.kind) {
    case Number::Kind::Bad: {
      const std::string_view word = text(at);
      const bool isBits = word.size() > 1 && (word[1] == 'f' || word[1] == 'F' || word[1] == 'd' || word[1] == 'D');
      return error(at, "'" + std::string(word.substr(0, 60)) + "' is no number",
                   isBits ? "0f takes 8 hexadecimal digits, 0d takes 16" : "integers have at most 64 bits");
    }
    case Number::Kind::Integer:
      value = {false, false, number.bits};
      break;
    case Number::Kind::Float32Bits:
      value = {true, false, number.bits};
      break;
    case Number::Kind::Float64Bits:
    case Number::Kind::Decimal:
      value = {false, true, number.bits};
      break;
  }
  take();
  return true;
}

}  // namespace warpmill::ptx
