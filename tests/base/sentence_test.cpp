// What is said of faults: both languages say the same, and gaps are filled.
#include "base/diagnostic.h"
#include "base/texts.h"
#include "base/sentence.h"

#include "catch.h"

#include <algorithm>

using namespace warpmill;

namespace {

std::vector<Text> allTexts() {
  std::vector<Text> texts;
  for (std::uint16_t t = 1; t < static_cast<std::uint16_t>(Text::Count); ++t) texts.push_back(static_cast<Text>(t));
  return texts;
}

// Gaps of both sentences together: a language may name a value in the other one of the two.
std::vector<std::string> gaps(Text text, Language language) {
  return gapsOf(std::string(pattern(text, language)) + std::string(pattern(text, language, true)));
}

bool hasCyrillic(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xFE) == 0xD0; });
}

// Only gaps and signs between them: the same in every language.
bool isBare(std::string_view text) {
  bool inside = false;
  for (const char c : text) {
    if (c == '{' || c == '}') inside = c == '{';
    else if (!inside && std::isalpha(static_cast<unsigned char>(c)) != 0) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("Every text of a fault is there in both languages, with the same gaps") {
  REQUIRE(allTexts().size() > 60);
  for (const Text text : allTexts()) {
    INFO(textName(text));
    CHECK_FALSE(pattern(text, Language::English).empty());
    CHECK_FALSE(pattern(text, Language::Russian).empty());
    CHECK(gaps(text, Language::English) == gaps(text, Language::Russian));
    CHECK_FALSE(hasCyrillic(pattern(text, Language::English)));
    CHECK((isBare(pattern(text, Language::English)) || hasCyrillic(pattern(text, Language::Russian))));
    if (isPhrase(text)) continue;
    for (const Language language : {Language::English, Language::Russian}) {
      CHECK_FALSE(pattern(text, language, true).empty());
      CHECK_FALSE(pattern(text, language).ends_with('.'));
      CHECK_FALSE(pattern(text, language, true).ends_with('.'));
    }
    CHECK(hasCyrillic(pattern(text, Language::Russian, true)));
  }
}

TEST_CASE("Forms of words in a text are as many as the language has") {
  for (const Text text : allTexts())
    for (const Language language : {Language::English, Language::Russian})
      for (const bool remedy : {false, true}) {
        std::string_view rest = pattern(text, language, remedy);
        while (rest.find(":|") != std::string_view::npos) {
          rest.remove_prefix(rest.find(":|") + 1);
          INFO(textName(text) << ": " << rest);
          const std::string_view forms = rest.substr(0, rest.find('}'));
          CHECK(std::count(forms.begin(), forms.end(), '|') == (language == Language::Russian ? 3 : 2));
        }
      }
}

TEST_CASE("Gaps take numbers, hexadecimal numbers, words and phrases") {
  const Said place{Text::AtBuffer, {{"at", -4}, {"buffer", Said(Text::BufferNamed, {{"number", 2}, {"name", "c"}, {"size", 4096}})}}};
  CHECK(inWords(place, Language::English) == "at offset -4 of argument 2 ('c', 4096 bytes)");
  CHECK(inWords(place, Language::Russian) == "по смещению -4 аргумента 2 («c», 4096 байт)");
  CHECK(inWords(Text::AtNoBuffer, Language::English, {{"address", std::uint64_t{0xABC}}}) == "at address 0xabc, which is in no buffer");
}

TEST_CASE("A word takes the form that goes with its number") {
  const auto bytes = [](std::uint32_t n, Language l) { return inWords(Text::AccessLoad, l, {{"bytes", n}}); };
  CHECK(bytes(1, Language::English) == "load of 1 byte");
  CHECK(bytes(16, Language::English) == "load of 16 bytes");
  CHECK(bytes(1, Language::Russian) == "чтение 1 байта");
  CHECK(bytes(2, Language::Russian) == "чтение 2 байт");
  const auto threads = [](std::uint32_t n) { return inWords({Text::BarrierStuck, {{"arrived", n}}}, Language::Russian); };
  for (const auto& [n, word] : std::vector<std::pair<std::uint32_t, std::string>>{
           {1, "ждёт 1 поток,"}, {2, "ждут 2 потока,"}, {5, "ждут 5 потоков,"}, {11, "ждут 11 потоков,"}, {12, "ждут 12 потоков,"}, {21, "ждёт 21 поток,"}, {32, "ждут 32 потока,"}, {112, "ждут 112 потоков,"}}) {
    INFO(threads(n));
    CHECK(threads(n).find(word) != std::string::npos);
  }
}

TEST_CASE("A gap without a value stays to be seen, and values are not looked into") {
  CHECK(inWords(Text::LineSource, Language::English) == "{file}:{line}");
  CHECK(inWords({Text::LineSource, {{"file", "{line}"}, {"line", 3}}}, Language::English) == "{line}:3");
}

TEST_CASE("A diagnostic can be made of a text, with both sentences in both languages") {
  const Diagnostic d = diagnosticOf({Text::StackFullByAlloca, {{"size", 64}, {"block", "(0,0,0)"}, {"thread", "(1,0,0)"}}});
  CHECK(d.message.find("64 bytes") != std::string::npos);
  CHECK(d.hint.find("stack_bytes") != std::string::npos);
  CHECK(d.messageRu.find("64 байт") != std::string::npos);
  CHECK(d.hintRu.find("stack_bytes") != std::string::npos);
}
