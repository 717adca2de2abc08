// Directives at module level.
#include "ptx/parser.h"

#include "ptx/names.h"

#include <array>

namespace warpmill::ptx {
namespace {

// Numbers of architectures; from 90 on "a" and (from 100 on) "f" may follow.
constexpr std::array<unsigned, 33> knownTargets{10, 11, 12, 13, 20, 21, 30, 32, 35, 37,  50,  52,  53,  60,  61,  62, 70,
                                                72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 107, 110, 120, 121, 130};

bool isKnownTarget(std::string_view name) {
  for (const unsigned number : knownTargets) {
    const std::string target = "sm_" + std::to_string(number);
    if (name == target || (number >= 90 && name == target + "a") || (number >= 100 && name == target + "f")) return true;
  }
  return false;
}

constexpr std::array<std::string_view, 12> moduleDirectives{".visible", ".extern", ".weak",   ".common", ".entry",   ".func",
                                                            ".global",  ".const",  ".shared", ".file",   ".section", ".pragma"};

bool isVariableSpace(std::string_view word) {
  return word == ".global" || word == ".const" || word == ".shared" || word == ".local" || word == ".tex";
}

}  // namespace

void Parser::run() {
  if (header()) {
    while (peek().kind != Token::Kind::End && !reporter_.full()) {
      const std::size_t before = at_;
      if (moduleStatement()) continue;
      skipStatement();
      accept('}');
      if (at_ == before) take();
    }
  }
  if (!reporter_.failed()) resolveLocations();
}

// `.version` must be the first directive: what does not start so is no PTX, and one message is enough.
bool Parser::header() {
  if (isDot(".version")) return true;
  if (reporter_.failed()) return false;
  if (peek().kind == Token::Kind::End) return error(peek(), "the file is empty", "PTX text starts with .version");
  return error(peek(), "the file does not start with .version, so it is no PTX",
               "compile CUDA C++ to PTX first; PTX text starts with '.version 8.0'");
}

bool Parser::moduleStatement() {
  if (accept(';')) return true;
  Linkage linkage;
  while (isDot(".visible") || isDot(".extern") || isDot(".weak") || isDot(".common")) {
    const std::string_view word = text(take());
    linkage.isExtern |= word == ".extern";
    linkage.isWeak |= word == ".weak" || word == ".common";
  }
  if (peek().kind != Token::Kind::Dot) {
    if (peek().kind == Token::Kind::End) return wrongToken("a directive");
    return error(peek(), "expected a directive, found " + shown(peek()),
                 peek().kind == Token::Kind::Word ? "instructions stand inside the { } of a kernel" : "");
  }
  const std::string_view word = text(peek());
  if (word == ".entry" || word == ".func") {
    take();
    return functionDefinition(word == ".entry");
  }
  if (isVariableSpace(word)) return moduleVariable(linkage);
  if (word == ".version") return versionDirective();
  if (word == ".target") return targetDirective();
  if (word == ".address_size") return addressSizeDirective();
  if (word == ".file") return fileDirective();
  if (word == ".section") return sectionDirective();
  if (word == ".loc") return locDirective();
  if (word == ".alias") return aliasDirective();
  if (word == ".pragma") {
    skipStatement();
    return true;
  }
  Nearest nearest(word);
  for (std::string_view known : moduleDirectives) nearest.offer(known);
  return error(peek(), "unknown directive " + shown(peek()), nearest.hint());
}

bool Parser::versionDirective() {
  take();
  const Token& number = peek();
  const std::string_view version = text(number);
  const std::size_t dot = version.find('.');
  if (number.kind != Token::Kind::Number || dot == std::string_view::npos) return wrongToken("a version such as 8.0");
  take();
  module_.version = version;
  const Number major = readNumber(version.substr(0, dot));
  if (major.kind != Number::Kind::Integer || major.bits > 9)
    reporter_.warning(number.position, number.length, "PTX version " + module_.version + " is newer than 9.x, which this parser knows",
                      "what is unknown fails when it is executed");
  return true;
}

bool Parser::targetDirective() {
  take();
  const Token& first = peek();
  const auto name = takeName("a target such as sm_90");
  if (!name) return false;
  module_.target = *name;
  Nearest nearest(*name);
  std::vector<std::string> targets;
  for (const unsigned number : knownTargets) targets.push_back("sm_" + std::to_string(number));
  for (const std::string& target : targets) nearest.offer(target);
  if (!isKnownTarget(*name)) reporter_.warning(first.position, first.length, "unknown target '" + module_.target + "'", nearest.hint());
  while (accept(',')) {
    const auto option = takeName("a target option");
    if (!option) return false;
    module_.independentTextures |= *option == "texmode_independent";
    module_.isForDebugging |= *option == "debug";
  }
  return true;
}

bool Parser::addressSizeDirective() {
  take();
  const Token& at = peek();
  const auto size = takeInteger("32 or 64");
  if (!size) return false;
  if (*size != 64)
    error(at, "address size " + std::string(text(at)) + " is not supported", "compile for 64-bit addresses (.address_size 64)");
  return true;
}

// .file 1 "name" {, timestamp, size}; LLVM may write directory and name as two strings.
bool Parser::fileDirective() {
  take();
  const auto number = takeInteger("a file number");
  if (!number) return false;
  if (peek().kind != Token::Kind::String) return wrongToken("a file name in quotes");
  std::string name(text(take()));
  if (peek().kind == Token::Kind::String) {
    const std::string_view file = text(take());
    name = file.starts_with('/') ? std::string(file) : name + "/" + std::string(file);
  }
  while (accept(',')) take();
  if (fileNumbers_.emplace(*number, static_cast<std::uint32_t>(module_.files.size())).second) module_.files.push_back(std::move(name));
  return true;
}

// Debug sections hold nothing that we need: lines come from .loc.
bool Parser::sectionDirective() {
  const Token& start = peek();
  take();
  while (peek().kind == Token::Kind::Dot || peek().kind == Token::Kind::Word || peek().is(',')) take();
  if (!expect('{', "after the name of the section")) return false;
  for (int depth = 1; depth > 0;) {
    const Token& token = take();
    if (token.kind == Token::Kind::End)
      return error(start, "the section is not closed before the end of the file", "add '}'; is the file complete?");
    depth += token.is('{') ? 1 : token.is('}') ? -1 : 0;
  }
  return true;
}

bool Parser::aliasDirective() {
  take();
  const auto name = takeName("a function name");
  if (!name || !expect(',', "after the alias")) return false;
  const Token& at = peek();
  const auto meant = takeName("a function name");
  if (!meant) return false;
  const auto found = globals_.find(*meant);
  if (found == globals_.end() || !found->second.isFunction) return error(at, "unknown function '" + std::string(*meant) + "'");
  globals_[*name] = found->second;
  return expectEnd(".alias");
}

bool Parser::addGlobalName(const Token& at, std::string_view name, GlobalName what) {
  if (globals_.emplace(name, what).second) return true;
  return error(at, "'" + std::string(name) + "' is declared twice", "rename one of them");
}

bool Parser::moduleVariable(Linkage linkage) {
  Shape shape;
  if (!variableShape(shape)) return false;
  do {
    const Token& at = peek();
    Variable variable;
    variable.isExtern = linkage.isExtern;
    variable.isWeak = linkage.isWeak;
    if (!declarator(shape, variable)) return false;
    const std::string_view name = text(at);
    const auto known = globals_.find(name);
    // A declaration may be followed by the definition.
    if (known != globals_.end() && !known->second.isFunction && (module_.variables[known->second.index].isExtern || variable.isExtern)) {
      if (!variable.isExtern) module_.variables[known->second.index] = std::move(variable);
    } else {
      if (!addGlobalName(at, name, {false, static_cast<std::uint32_t>(module_.variables.size())})) return false;
      module_.variables.push_back(std::move(variable));
    }
  } while (accept(','));
  return expectEnd("the variable");
}

}  // namespace warpmill::ptx
