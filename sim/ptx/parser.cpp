// Tokens and recovery, and `parse` itself.
#include "ptx/parser.h"

#include "base/text_file.h"
#include "ptx/cfg.h"
#include "ptx/layout.h"
#include "ptx/link_calls.h"
#include "ptx/products.h"

namespace warpmill::ptx {

const Token& Parser::take() {
  const Token& token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::accept(char symbol) {
  if (!peek().is(symbol)) return false;
  take();
  return true;
}

bool Parser::acceptDot(std::string_view word) {
  if (!isDot(word)) return false;
  take();
  return true;
}

bool Parser::error(const Token& token, std::string message, std::string hint) {
  reporter_.error(token.position, token.length, std::move(message), std::move(hint));
  return false;
}

// Just behind the token before: where something is missing.
bool Parser::errorAfterLast(std::string message, std::string hint) {
  if (at_ == 0) return error(peek(), std::move(message), std::move(hint));
  const Token& last = tokens_[at_ - 1];
  reporter_.error({last.position.line, last.position.column + last.length}, 1, std::move(message), std::move(hint));
  return false;
}

std::string Parser::shown(const Token& token) const {
  if (token.kind == Token::Kind::End) return "the end of the file";
  std::string_view found = text(token);
  return "'" + std::string(found.substr(0, 60)) + (found.size() > 60 ? "..." : "") + "'";
}

bool Parser::wrongToken(std::string_view wanted) {
  if (peek().kind == Token::Kind::End)
    return error(peek(), "the file ends where " + std::string(wanted) + " should follow", "is the file complete?");
  return error(peek(), "expected " + std::string(wanted) + ", found " + shown(peek()));
}

bool Parser::expect(char symbol, std::string_view where) {
  if (accept(symbol)) return true;
  return wrongToken(std::string("'") + symbol + "' " + std::string(where));
}

bool Parser::expectEnd(std::string_view what) {
  if (accept(';')) return true;
  const Token& next = peek();
  const bool newLine = at_ > 0 && next.position.line != tokens_[at_ - 1].position.line;
  if (next.kind == Token::Kind::End) return wrongToken("';'");
  if (newLine || next.is('}')) {
    errorAfterLast("missing ';' after " + std::string(what), "end the statement with ';'");
    return true;
  }
  const bool isOperand = next.kind == Token::Kind::Word || next.kind == Token::Kind::Number || next.is('[') || next.is('{');
  return error(next, "expected ';' after " + std::string(what) + ", found " + shown(next),
               isOperand ? "is a comma missing before " + shown(next) + "?" : "");
}

void Parser::skipStatement() {
  while (peek().kind != Token::Kind::End && !peek().is('}')) {
    if (take().is(';')) return;
  }
}

std::optional<std::uint64_t> Parser::takeInteger(std::string_view what) {
  const Token& token = peek();
  if (token.kind == Token::Kind::Number) {
    const Number number = readNumber(text(token));
    if (number.kind == Number::Kind::Integer) {
      take();
      return number.bits;
    }
  }
  wrongToken(what);
  return std::nullopt;
}

std::optional<std::string_view> Parser::takeName(std::string_view what) {
  if (peek().kind == Token::Kind::Word) return text(take());
  wrongToken(what);
  return std::nullopt;
}

std::uint32_t Parser::intern(std::string_view words) {
  const auto [found, isNew] = strings_.emplace(words, static_cast<std::uint32_t>(module_.strings.size()));
  if (isNew) module_.strings.emplace_back(words);
  return found->second;
}

Result<Module> parse(std::string text, std::string fileName, Calls calls) {
  Module module;
  module.fileName = std::move(fileName);
  module.text = std::move(text);
  Reporter reporter(module.text, module.fileName);
  if (module.text.size() > largestTextFile) {
    reporter.error({1, 1}, 1, "the file is larger than 256 MiB", "split it");
    return reporter.take();
  }
  Parser(module, reporter, lex(module.text, reporter)).run();
  if (!reporter.failed()) {
    layOut(module, reporter);
    if (calls == Calls::Linked) linkCalls(module);
    for (Function& function : module.functions) {
      if (function.routines.empty()) analyseControlFlow(function);
      takeInProducts(module, function);
    }
  }
  if (reporter.failed()) return reporter.take();
  return {std::move(module), reporter.take()};
}

Result<Module> parseFile(const std::string& path) {
  Result<std::string> text = readTextFile(path);
  if (!text) return text.diagnostics();
  return parse(std::move(text.value()), path);
}

const Function* Module::entry(std::string_view name) const {
  for (const Function& function : functions)
    if (function.isEntry && function.name == name) return &function;
  return nullptr;
}

std::vector<const Function*> Module::entries() const {
  std::vector<const Function*> found;
  for (const Function& function : functions)
    if (function.isEntry && !function.isDeclaration) found.push_back(&function);
  return found;
}

std::string_view Module::textOf(const Instruction& instruction) const {
  return std::string_view(text).substr(instruction.textBegin, instruction.textLength);
}

}  // namespace warpmill::ptx
