// PTX text to tokens. Every token knows its place, so that each later message has a line and a column.
#pragma once

#include "ptx/reporter.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpmill::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    End,
    Word,        // identifier: letters, digits, _ $ %
    Dot,         // .f32, .L2::128B : the text includes the dot
    Number,      // as written
    String,      // without its quotes
    Punctuation  // one or two characters, see `symbol`
  };
  Kind kind = Kind::End;
  char symbol = 0;  // of Punctuation; two-character operators: 'L' <<, 'R' >>, 'l' <=, 'g' >=, 'e' ==, 'n' !=, 'a' &&, 'o' ||
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
  SourcePosition position;

  [[nodiscard]] bool is(char c) const { return kind == Kind::Punctuation && symbol == c; }
  [[nodiscard]] std::uint32_t end() const { return begin + length; }
};

// All tokens of `text`, an End last. Characters that are no PTX are reported and left out.
std::vector<Token> lex(std::string_view text, Reporter& reporter);

}  // namespace warpmill::ptx
