// The texts of words.def by name, in the chosen language.
#pragma once

#include "presenter/selection.h"
#include "presenter/stall_group.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace warpmill::presenter {

enum class Word : std::uint16_t {
#define WM_WORD(id, en, ru) id,
#include "presenter/words.def"
#undef WM_WORD
  Count
};

[[nodiscard]] std::string_view word(Word id, Language language);

template <class... Args>
[[nodiscard]] std::string say(Word id, Language language, const Args&... args) {
  return fmt::format(fmt::runtime(word(id, language)), args...);
}

[[nodiscard]] std::string_view stateWord(StallGroup group, Language language);       // "waiting for the warehouse"
[[nodiscard]] std::string_view stateShortWord(StallGroup group, Language language);  // "warehouse"

// 1234567 as "1 234 567" with thin spaces.
[[nodiscard]] std::string grouped(std::uint64_t number);

}  // namespace warpmill::presenter
