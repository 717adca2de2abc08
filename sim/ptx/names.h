// The spellings of PTX's types, state spaces and special registers, and the search for the word that was probably meant.
// Source: PTX ISA 9.0, chapters 5 and 10.
#pragma once

#include "ptx/module.h"

#include <span>
#include <string>
#include <string_view>

namespace warpmill::ptx {

Type typeOf(std::string_view name);                // "f32"; None: no such type
char kindOf(Type type);                            // 'b', 'u', 's', 'f', 'p'; ' ': none
Space spaceOf(std::string_view name);              // "shared::cta"; None: no such space
SpecialRegister specialOf(std::string_view name);  // "%tid.x"; None: no such register

// Finds the candidate nearest to `word`; offer each in turn. Words too far away are never taken.
class Nearest {
 public:
  explicit Nearest(std::string_view word) : word_(word), limit_(word.size() <= 1 ? 0 : word.size() <= 3 ? 1 : 1 + word.size() / 4) {}
  void offer(std::string_view candidate);
  [[nodiscard]] const std::string& best() const { return best_; }      // empty: none near enough
  [[nodiscard]] std::string hint(std::string_view prefix = "") const;  // "did you mean X?", or nothing

 private:
  std::string_view word_;
  std::size_t limit_;
  std::size_t distance_ = static_cast<std::size_t>(-1);
  std::size_t common_ = 0;
  static constexpr std::size_t maxOffers = 4096;  // a hint must not take longer than the parsing
  std::size_t offers_ = 0;
  std::string best_;
};

void offerTypes(Nearest& nearest);
void offerSpecials(Nearest& nearest);
void offerOpcodes(Nearest& nearest);

}  // namespace warpmill::ptx
