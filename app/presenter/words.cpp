#include "presenter/words.h"

#include <array>

namespace warpmill::presenter {

std::string_view word(Word id, Language language) {
  static constexpr std::array<std::array<std::string_view, 2>, static_cast<std::size_t>(Word::Count)> texts{{
#define WM_WORD(id, en, ru) {en, ru},
#include "presenter/words.def"
#undef WM_WORD
  }};
  return texts[static_cast<std::size_t>(id)][language == Language::Russian ? 1 : 0];
}

std::string_view stateWord(StallGroup group, Language language) {
  return word(static_cast<Word>(static_cast<std::size_t>(Word::StateW) + static_cast<std::size_t>(group)), language);
}

std::string_view stateShortWord(StallGroup group, Language language) {
  return word(static_cast<Word>(static_cast<std::size_t>(Word::ShortW) + static_cast<std::size_t>(group)), language);
}

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) out += "\u2009";
    out += digits[i];
  }
  return out;
}

}  // namespace warpmill::presenter
