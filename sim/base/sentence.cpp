#include "base/sentence.h"

#include "base/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpmill {
namespace {

struct Entry {
  std::string_view name;
  bool isPhrase;
  std::array<std::array<std::string_view, 2>, 2> words;  // [remedy][language]
};

constexpr std::array<Entry, static_cast<std::size_t>(Text::Count)> entries{{
    {"None", true, {}},
#define WM_FAULT(id, en, enRemedy, ru, ruRemedy) {#id, false, {{{en, ru}, {enRemedy, ruRemedy}}}},
#define WM_PHRASE(id, en, ru) {#id, true, {{{en, ru}, {"", ""}}}},
#include "base/fault_texts.def"
#undef WM_FAULT
#undef WM_PHRASE
}};

const Entry& entryOf(Text text) { return entries[static_cast<std::size_t>(text)]; }

// Which form of a word goes with the number: English 1 or not; Russian as in "1 байт, 2 байта, 5 байт, 11 байт, 21 байт".
std::size_t formOf(std::uint64_t number, Language language) {
  if (language == Language::English) return number == 1 ? 0 : 1;
  const std::uint64_t tens = number % 100, ones = number % 10;
  if (tens >= 11 && tens <= 14) return 2;
  return ones == 1 ? 0 : ones >= 2 && ones <= 4 ? 1 : 2;
}

std::string_view formIn(std::string_view forms, std::size_t wanted) {  // "|one|many"
  std::string_view form;
  for (std::size_t k = 0; k <= wanted && !forms.empty(); ++k) {
    forms.remove_prefix(1);
    const std::size_t bar = std::min(forms.find('|'), forms.size());
    form = forms.substr(0, bar);
    forms.remove_prefix(bar);
  }
  return form;
}

std::string filled(const Gap& gap, std::string_view spec, Language language, const std::vector<Gap>& more) {
  const auto value = static_cast<std::int64_t>(gap.number);
  const bool negative = gap.kind == Gap::Kind::Signed && value < 0;
  switch (gap.kind) {
    case Gap::Kind::Word: return gap.word;
    case Gap::Kind::Phrase: return inWords(gap.phrase.front(), language, more);
    default: break;
  }
  if (spec.starts_with('|')) return std::string(formIn(spec, formOf(negative ? 0 - gap.number : gap.number, language)));
  if (spec == "x") return fmt::format("{:#x}", gap.number);
  return negative ? std::to_string(value) : std::to_string(gap.number);
}

const Gap* find(const std::vector<Gap>& gaps, std::string_view name) {
  const auto at = std::find_if(gaps.begin(), gaps.end(), [&](const Gap& g) { return g.name == name; });
  return at == gaps.end() ? nullptr : &*at;
}

// Calls with each piece: text between gaps, or a gap's name and spec.
template <class Plain, class OfGap>
void eachPiece(std::string_view pattern, Plain plain, OfGap ofGap) {
  while (!pattern.empty()) {
    const std::size_t open = std::min(pattern.find('{'), pattern.size());
    plain(pattern.substr(0, open));
    pattern.remove_prefix(open);
    if (pattern.empty()) return;
    const std::size_t close = pattern.find('}');
    if (close == std::string_view::npos) return plain(pattern);
    const std::string_view inside = pattern.substr(1, close - 1);
    const std::size_t colon = std::min(inside.find(':'), inside.size());
    ofGap(inside.substr(0, colon), colon == inside.size() ? std::string_view() : inside.substr(colon + 1), pattern.substr(0, close + 1));
    pattern.remove_prefix(close + 1);
  }
}

}  // namespace

std::string_view pattern(Text text, Language language, bool remedy) {
  return entryOf(text).words[remedy ? 1 : 0][language == Language::Russian ? 1 : 0];
}
std::string_view textName(Text text) { return entryOf(text).name; }
bool isPhrase(Text text) { return entryOf(text).isPhrase; }

std::string inWords(const Said& said, Language language, const std::vector<Gap>& more, bool remedy) {
  std::string out;
  eachPiece(
      pattern(said.text, language, remedy), [&](std::string_view plain) { out += plain; },
      [&](std::string_view name, std::string_view spec, std::string_view written) {
        const Gap* gap = find(said.gaps, name);
        if (gap == nullptr) gap = find(more, name);
        if (gap == nullptr) out += written;
        else out += filled(*gap, spec, language, more);
      });
  return out;
}

std::vector<std::string> gapsOf(std::string_view text) {
  std::vector<std::string> names;
  eachPiece(text, [](std::string_view) {}, [&](std::string_view name, std::string_view, std::string_view) { names.emplace_back(name); });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace warpmill
