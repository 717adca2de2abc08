// What is said of a fault, in English and Russian: a text of fault_texts.def and the values for its gaps. Whoever finds a fault names the
// text; the words are made when the record is kept.
// A gap is {name}, {name:x} (hexadecimal) or {name:|one|many}: the form of a word that goes with the number; Russian has three of them,
// as in {bytes:|байт|байта|байт}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace warpmill {

enum class Language : std::uint8_t { English, Russian };

enum class Text : std::uint16_t;  // see texts.h; here without its names, so that a new text does not touch all that knows of faults

struct Said;

// (What holds a Said is defined behind it: some compilers look into the vector at once.)
// A value for a gap: a number, a word that is the same in every language (a name), or a phrase.
struct Gap {
  enum class Kind : std::uint8_t { Unsigned, Signed, Word, Phrase };
  std::string_view name;   // a literal
  Kind kind = Kind::Word;
  std::uint64_t number = 0;
  std::string word;
  std::vector<Said> phrase;  // one

  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0> Gap(std::string_view n, T v);
  Gap(std::string_view n, std::string v);
  Gap(std::string_view n, std::string_view v);
  Gap(std::string_view n, const char* v);
  Gap(std::string_view n, Said v);
};

struct Said {
  Text text{};             // Text::None
  std::vector<Gap> gaps;
  Said() = default;
  Said(Text t) : text(t) {}  // a text without gaps of its own
  Said(Text t, std::vector<Gap> g) : text(t), gaps(std::move(g)) {}
};

template <class T, std::enable_if_t<std::is_integral_v<T>, int>>
Gap::Gap(std::string_view n, T v) : name(n), kind(std::is_signed_v<T> ? Kind::Signed : Kind::Unsigned), number(static_cast<std::uint64_t>(v)) {}
inline Gap::Gap(std::string_view n, std::string v) : name(n), word(std::move(v)) {}
inline Gap::Gap(std::string_view n, std::string_view v) : name(n), word(v) {}
inline Gap::Gap(std::string_view n, const char* v) : name(n), word(v) {}
inline Gap::Gap(std::string_view n, Said v) : name(n), kind(Kind::Phrase) { phrase.push_back(std::move(v)); }

// The pattern of a text; `remedy`: its second sentence (empty for phrases).
[[nodiscard]] std::string_view pattern(Text text, Language language, bool remedy = false);
[[nodiscard]] std::string_view textName(Text text);  // "OutOfBounds"
[[nodiscard]] bool isPhrase(Text text);              // a part of other texts

// Gaps are looked for in `said`, then in `more`. One that is in neither stays as it is written.
[[nodiscard]] std::string inWords(const Said& said, Language language, const std::vector<Gap>& more = {}, bool remedy = false);

// The gaps that a pattern names, each once, sorted: for tests.
[[nodiscard]] std::vector<std::string> gapsOf(std::string_view pattern);

}  // namespace warpmill
