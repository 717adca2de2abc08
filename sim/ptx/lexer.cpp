#include "ptx/lexer.h"

#include <array>

namespace warpmill::ptx {
namespace {

enum : std::uint8_t { space = 1, wordStart = 2, wordPart = 4, digit = 8 };

constexpr std::array<std::uint8_t, 256> makeClasses() {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned char c : {' ', '\t', '\r', '\n', '\v', '\f'}) classes[c] = space;
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] = wordStart | wordPart;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<std::size_t>(c)] = wordStart | wordPart;
  for (unsigned char c : {'_', '$', '%'}) classes[c] = wordStart | wordPart;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] = wordPart | digit;
  return classes;
}
constexpr auto classes = makeClasses();

class Lexer {
 public:
  Lexer(std::string_view text, Reporter& reporter) : text_(text), reporter_(reporter) {
    // NVRTC hands out a string with its NUL; it is no part of the text.
    while (!text_.empty() && text_.back() == '\0') text_.remove_suffix(1);
    tokens_.reserve(text_.size() / 4 + 8);
  }

  std::vector<Token> run() {
    while (!reporter_.full()) {
      skipSpace();
      if (at_ >= text_.size()) break;
      next();
    }
    Token end;
    end.begin = static_cast<std::uint32_t>(text_.size());
    end.position = placeOf(end.begin);
    tokens_.push_back(end);
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] std::uint8_t classAt(std::size_t i) const {
    return i < text_.size() ? classes[static_cast<unsigned char>(text_[i])] : std::uint8_t{0};
  }
  [[nodiscard]] char charAt(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  [[nodiscard]] SourcePosition placeOf(std::size_t i) const { return {line_, static_cast<std::uint32_t>(i - lineBegin_ + 1)}; }

  void newline(std::size_t i) {
    ++line_;
    lineBegin_ = i + 1;
  }

  void skipLine() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  void skipSpace() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (classAt(at_) & space) {
        if (c == '\n') newline(at_);
        ++at_;
      } else if (c == '/' && charAt(at_ + 1) == '/') {
        skipLine();
      } else if (c == '/' && charAt(at_ + 1) == '*') {
        skipBlockComment();
      } else if ((c == '#' && lineBegin_ == at_) || (c == '@' && charAt(at_ + 1) == '@')) {
        skipLine();  // preprocessor lines; @@DWARF lines of old compilers
      } else {
        return;
      }
    }
  }

  void skipBlockComment() {
    const SourcePosition start = placeOf(at_);
    at_ += 2;
    while (at_ < text_.size() && !(text_[at_] == '*' && charAt(at_ + 1) == '/')) {
      if (text_[at_] == '\n') newline(at_);
      ++at_;
    }
    if (at_ >= text_.size()) {
      reporter_.error(start, 2, "comment is not closed before the end of the file", "add */");
    } else {
      at_ += 2;
    }
  }

  void push(Token::Kind kind, std::size_t begin, std::size_t end, char symbol = 0) {
    Token token;
    token.kind = kind;
    token.symbol = symbol;
    token.begin = static_cast<std::uint32_t>(begin);
    token.length = static_cast<std::uint32_t>(end - begin);
    token.position = placeOf(begin);
    tokens_.push_back(token);
    at_ = end;
  }

  std::size_t wordEnd(std::size_t i) const {
    while (classAt(i) & wordPart) ++i;
    return i;
  }

  void next() {
    const std::size_t begin = at_;
    const char c = text_[begin];
    if (classAt(begin) & wordStart) return push(Token::Kind::Word, begin, wordEnd(begin));
    if (classAt(begin) & digit) return push(Token::Kind::Number, begin, numberEnd(begin));
    if (c == '.' && (classAt(begin + 1) & wordPart)) return push(Token::Kind::Dot, begin, dotEnd(begin + 1));
    if (c == '"') return string();
    punctuation(c);
  }

  // ".L2::128B", ".mbarrier::complete_tx::bytes"
  std::size_t dotEnd(std::size_t i) const {
    i = wordEnd(i);
    while (charAt(i) == ':' && charAt(i + 1) == ':' && (classAt(i + 2) & wordPart)) i = wordEnd(i + 2);
    return i;
  }

  // Integers in all bases, 0f/0d bit patterns, decimals with point and exponent.
  std::size_t numberEnd(std::size_t begin) const {
    std::size_t i = wordEnd(begin);
    const char second = charAt(begin + 1);
    const bool special =
        text_[begin] == '0' && (second == 'x' || second == 'X' || second == 'f' || second == 'F' || second == 'd' || second == 'D');
    if (special) return i;
    if (charAt(i) == '.' && ((classAt(i + 1) & digit) || !(classAt(i + 1) & wordPart))) i = wordEnd(i + 1);
    const char last = text_[i - 1];
    if ((last == 'e' || last == 'E') && (charAt(i) == '+' || charAt(i) == '-') && (classAt(i + 1) & digit)) i = wordEnd(i + 1);
    return i;
  }

  void string() {
    const std::size_t begin = at_ + 1;
    std::size_t i = begin;
    while (i < text_.size() && text_[i] != '"' && text_[i] != '\n') i += text_[i] == '\\' && charAt(i + 1) != '\n' ? 2 : 1;
    if (i >= text_.size() || text_[i] != '"') {
      reporter_.error(placeOf(at_), 1, "string is not closed on its line", "add a \"");
      at_ = i < text_.size() ? i : text_.size();
      return;
    }
    push(Token::Kind::String, begin, i);
    at_ = i + 1;
  }

  void punctuation(char c) {
    const char after = charAt(at_ + 1);
    struct Pair {
      char first, second, symbol;
    };
    static constexpr Pair pairs[] = {{'<', '<', 'L'}, {'>', '>', 'R'}, {'<', '=', 'l'}, {'>', '=', 'g'},
                                     {'=', '=', 'e'}, {'!', '=', 'n'}, {'&', '&', 'a'}, {'|', '|', 'o'}};
    for (const Pair& pair : pairs)
      if (c == pair.first && after == pair.second) return push(Token::Kind::Punctuation, at_, at_ + 2, pair.symbol);
    if (std::string_view(";,:{}[]()<>+-*/%&|^~!?=@.").find(c) != std::string_view::npos)
      return push(Token::Kind::Punctuation, at_, at_ + 1, c);
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 32 || byte == 127) {
      // No text at all: one message, and nothing is parsed.
      reporter_.error(placeOf(at_), 1, "unexpected byte " + std::to_string(byte) + " in PTX",
                      "this is a binary file (a cubin?), not PTX text");
      tokens_.clear();
      at_ = text_.size();
      return;
    }
    // One message for a run of characters that PTX does not use.
    std::size_t end = at_ + 1;
    while (end < text_.size() && static_cast<unsigned char>(text_[end]) > 126) ++end;
    reporter_.error(placeOf(at_), static_cast<std::uint32_t>(end - at_), "unexpected character in PTX");
    at_ = end;
  }

  std::string_view text_;
  Reporter& reporter_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t lineBegin_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace

std::vector<Token> lex(std::string_view text, Reporter& reporter) {
  return Lexer(text, reporter).run();
}

}  // namespace warpmill::ptx
