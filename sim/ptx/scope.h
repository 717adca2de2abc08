// Names inside a function: registers, variables and labels of nested { } blocks, inner ones hiding outer ones.
#pragma once

#include "ptx/module.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpmill::ptx {

struct Symbol {
  enum class Kind : std::uint8_t { Register, VectorRegister, Variable, Parameter, Return };
  Kind kind = Kind::Register;
  std::uint32_t index = 0;  // into registers, variables, params or returns
  std::uint8_t width = 1;   // of VectorRegister: registers index .. index + width - 1
};

// A use of a label or table before its place is known.
struct LabelUse {
  std::uint32_t scope = 0;
  std::string_view name;
  SourcePosition position;
};

// Views point into the text of the module, which outlives the parser.
class Scopes {
 public:
  Scopes() { open(); }

  void open();
  bool close();  // false: the outermost stays
  [[nodiscard]] std::uint32_t current() const { return current_; }
  [[nodiscard]] std::size_t depth() const { return depth_; }

  // False: the name is taken in this scope.
  bool addName(std::string_view name, Symbol symbol);
  bool addRange(std::string_view prefix, std::uint32_t count, std::uint32_t firstRegister, std::uint8_t width = 1);
  bool addLabel(std::string_view name, std::uint32_t instruction);
  bool addTable(std::string_view name, std::vector<LabelUse> targets);

  [[nodiscard]] std::optional<Symbol> find(std::string_view name) const;
  // For "%r9" where only %r<6> is declared: "%r0 to %r5 are declared".
  [[nodiscard]] std::string rangeHint(std::string_view name) const;
  [[nodiscard]] std::uint32_t findLabel(std::string_view name, std::uint32_t scope) const;  // none: not there
  [[nodiscard]] const std::vector<LabelUse>* findTable(std::string_view name, std::uint32_t scope) const;
  template <class F>
  void eachLabel(F&& f) const {
    for (const Scope& scope : scopes_)
      for (std::string_view name : scope.labelOrder) f(name);
  }

 private:
  struct Range {
    std::string_view prefix;
    std::uint32_t count;
    std::uint32_t first;
    std::uint8_t width;
  };
  struct Scope {
    std::uint32_t parent = none;
    std::vector<Range> ranges;
    std::unordered_map<std::string_view, Symbol> names;
    std::unordered_map<std::string_view, std::uint32_t> labels;
    std::vector<std::string_view> labelOrder;
    std::unordered_map<std::string_view, std::vector<LabelUse>> tables;
  };
  [[nodiscard]] static std::optional<Symbol> findIn(const Scope& scope, std::string_view name, std::string_view prefix,
                                                    std::uint64_t number);

  std::vector<Scope> scopes_;
  std::uint32_t current_ = none;
  std::size_t depth_ = 0;
};

}  // namespace warpmill::ptx
