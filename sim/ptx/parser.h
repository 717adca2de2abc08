// The parser's own: one pass over the tokens fills a Module. Its duties are spread over
//   parser_module.cpp    directives at module level, .file, .section
//   parser_function.cpp  .entry and .func, bodies, scopes, labels
//   parser_variables.cpp .reg and variables, initialisers
//   parser_location.cpp  .loc
//   operands.cpp         operands and constant expressions
//   instruction.cpp      one instruction, guards, calls
//   check.cpp            operands against the opcode's table (opcode_table.h) and rules (rules.h)
// Functions return false after an error that leaves the rest of the statement unclear; the caller then skips to its end.
#pragma once

#include "ptx/lexer.h"
#include "ptx/module.h"
#include "ptx/number.h"
#include "ptx/opcode_table.h"
#include "ptx/reporter.h"
#include "ptx/scope.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace warpmill::ptx {

class Parser {
 public:
  Parser(Module& module, Reporter& reporter, std::vector<Token> tokens)
      : module_(module), reporter_(reporter), tokens_(std::move(tokens)) {}
  void run();

 private:
  struct GlobalName {
    bool isFunction;
    std::uint32_t index;
  };
  struct Spelling {
    Opcode opcode;
    Modifiers mods;
  };
  // `.loc` as written; resolved to a user's line once all `.file`s are known.
  struct Location {
    std::uint32_t file = 0, line = 0, column = 0;
    std::uint32_t inlinedAt = none;
    std::string_view callers;
  };
  struct FunctionLines {
    std::uint32_t function;
    std::uint32_t userFile;
    std::vector<std::uint32_t> locations;
  };  // by instruction
  struct Value {
    bool isFloat32 = false, isFloat64 = false;
    std::uint64_t bits = 0;
  };  // of a constant expression

  // Tokens.
  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& take();
  std::string_view text(const Token& token) const { return std::string_view(module_.text).substr(token.begin, token.length); }
  bool isDot(std::string_view word, std::size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::Dot && text(peek(ahead)) == word;
  }
  bool accept(char symbol);
  bool acceptDot(std::string_view word);
  bool expect(char symbol, std::string_view where);
  bool expectEnd(std::string_view what);  // ';' of a statement; a forgotten one is reported and taken as read
  bool error(const Token& token, std::string message, std::string hint = {});
  bool errorAfterLast(std::string message, std::string hint);
  bool wrongToken(std::string_view wanted);
  std::string shown(const Token& token) const;
  void skipStatement();
  std::optional<std::uint64_t> takeInteger(std::string_view what);
  std::optional<std::string_view> takeName(std::string_view what);

  // parser_module.cpp
  bool header();
  bool moduleStatement();
  bool versionDirective();
  bool targetDirective();
  bool addressSizeDirective();
  bool fileDirective();
  bool sectionDirective();
  bool aliasDirective();
  struct Linkage {
    bool isExtern = false, isWeak = false;
  };
  bool moduleVariable(Linkage linkage);
  bool addGlobalName(const Token& at, std::string_view name, GlobalName what);

  // parser_function.cpp
  bool functionDefinition(bool isEntry);
  bool functionHead(Function& fresh, bool& hasBody);
  void skipFunction();
  bool parameterList(std::vector<Variable>& list, Symbol::Kind kind);
  bool parameter(std::vector<Variable>& list, Symbol::Kind kind);
  bool prototypeList(std::vector<Variable>& list);
  bool attributeList();
  bool functionDirectives(bool& hasBody);
  bool functionDirective(std::string_view word, bool& known);
  bool functionNumber(std::uint32_t& value);
  bool threadCounts(std::array<std::uint32_t, 3>& counts);
  bool body();
  bool bodyStatement();
  bool bodyDirective();
  bool label();
  bool labelledDirective(const Token& at);
  bool callPrototype(const Token& at);
  bool callTargets(const Token& at);
  void finishFunction();
  void resolveLabels();
  void addImplicitReturn();
  std::uint32_t labelPlace(const LabelUse& use);

  // parser_variables.cpp
  struct Shape {
    Space space = Space::None;
    Type type = Type::None;
    std::uint32_t alignment = 0;
    std::uint8_t vector = 1;
    bool isPointer = false, isManaged = false;
  };
  bool variableShape(Shape& shape);
  bool declarator(const Shape& shape, Variable& variable);
  bool dimensions(Variable& variable, std::uint32_t elementBytes);
  bool initialiser(const Shape& shape, Variable& variable);
  bool initialValue(const Shape& shape, Variable& variable, std::uint64_t& offset, int depth);
  bool initialAddress(Variable& variable, std::uint64_t offset, std::uint32_t bytes);
  bool initialMask(std::uint8_t& shift, std::uint32_t bytes);
  bool opaqueFields(Variable& variable);
  bool registers();
  bool addRegisterRange(const Token& at, std::string_view prefix, Type type, std::uint8_t vector, std::uint64_t count);
  bool addRegister(const Token& at, std::string_view name, Type type, std::uint8_t vector);
  void newRegisters(const std::string& name, Type type, std::uint8_t vector);
  std::uint32_t newRegister(std::string name, Type type);
  bool bodyVariable();

  // parser_location.cpp
  bool locDirective();
  void resolveLocations();
  std::string_view callersInComment() const;
  SourceLocation resolved(std::uint32_t location, std::uint32_t userFile) const;

  // operands.cpp
  bool operand(std::vector<Operand>& list, Type wanted);
  bool element(Operand& out, Type wanted);
  bool addressOperand(std::vector<Operand>& list);
  bool addressBase(Operand& out);
  bool vectorOperand(Operand& out, Type wanted);
  bool nameOperand(Operand& out);
  bool namedOperand(const Token& at, std::string_view name, Operand& out);
  bool registerOperand(const Token& at, std::string_view name, std::size_t dot, Operand& out);
  bool vectorRegisterOperand(const Token& at, std::string_view name, std::size_t dot, const Symbol& symbol, Operand& out);
  bool specialOperand(std::string_view name, Operand& out);
  void componentsOperand(const std::vector<Operand>& components, Operand& out);
  bool immediateOperand(Operand& out, Type wanted);
  bool signedOffset(std::int64_t& offset);
  bool undeclared(const Token& at, std::string_view name);
  bool constant(Value& value, int minimumPrecedence = 0, int depth = 0);
  bool constantUnary(Value& value, int depth);

  // instruction.cpp
  bool instruction();
  bool readInstruction();
  bool guard(Instruction& out);
  bool spelling(Instruction& out, std::string_view& name);
  bool branchOperands(Instruction& out);
  bool tableBranchOperands(Instruction& out);
  bool callOperands(Instruction& out);
  bool callee(Instruction& out);
  bool argumentList(std::vector<Operand>& list);
  std::uint32_t intern(std::string_view text);

  // check.cpp
  bool check(Instruction& instruction, const Token& at, std::string_view name);
  bool checkOperand(const Instruction& instruction, std::size_t number, char letter, std::string_view name);
  bool checkKind(const Instruction& instruction, const Operand& operand, const Token& at, char letter, bool isWritten, const std::string& where);
  bool checkElements(const Instruction& instruction, const Operand& vector, const Token& at, std::uint32_t bytes);
  bool checkSpace(const Instruction& instruction);
  bool checkVectorWidth(const Instruction& instruction, std::string_view name);
  const Variable& variableOf(const Operand& operand) const;
  std::uint32_t valueBytes(const Operand& operand) const;  // 0: not known (an immediate, say)
  Type registerType(const Operand& operand) const;

  bool namesLanes() const;  // shfl and vote must be .sync: of PTX 6.4 for sm_70 and later

  Module& module_;
  Reporter& reporter_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::unordered_map<std::string_view, GlobalName> globals_;
  std::unordered_map<std::string_view, Spelling> spellings_;
  std::unordered_map<std::string_view, std::uint32_t> strings_;
  std::map<std::uint64_t, std::uint32_t> fileNumbers_;  // of `.file` to index into Module::files
  std::vector<Location> locations_;
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> inlinedPlaces_;  // file, line, column to the last such location that is inlined
  std::vector<FunctionLines> lines_;
  std::uint64_t registerTotal_ = 0;
  std::uint64_t initialTotal_ = 0;

  // Of the function being read.
  Function* function_ = nullptr;
  std::uint32_t functionIndex_ = none;
  Token nameToken_;
  Scopes scopes_;
  std::uint32_t location_ = none;  // that now holds, index into locations_
  std::uint32_t userFile_ = none;  // number of the file that the function itself stands in
  std::vector<std::uint32_t> instructionLocation_;
  struct BranchUse {
    std::uint32_t instruction;
    LabelUse label;
    bool isTable;
  };
  std::vector<BranchUse> branches_;
  Opcode opcode_ = Opcode::Unknown;   // of the instruction being read
  std::uint8_t vectorWidth_ = 1;      // of it, too
  std::vector<Token> operandTokens_;  // first token of each operand of the instruction being read
  std::unordered_set<std::string_view> reported_;
};

}  // namespace warpmill::ptx
