// Placeholders in texts.
#include "lesson/figures.h"

#include <array>
#include <cmath>
#include <charconv>
#include <fmt/format.h>
#include <sstream>

namespace warpmill::lesson {

namespace {

constexpr std::array<std::string_view, 5> sources{"device.", "scale.", "full.", "real.", "real_scale."};

std::vector<std::string> words(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> list;
  for (std::string w; in >> w;) list.push_back(w);
  return list;
}

// "{full.after.time_us ...}" and not a brace of some code.
bool isPlaceholder(std::string_view inside) {
  for (const std::string& word : words(inside))
    for (const std::string_view s : sources)
      if (word.starts_with(s)) return true;
  return false;
}

std::optional<double> operand(const std::string& word, const Figures& figures, std::vector<std::string>& missing) {
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc() && end == word.data() + word.size()) return number;
  const auto value = figures.get(word);
  if (!value) missing.push_back(word);
  return value;
}

std::optional<double> evaluate(std::string_view expression, const Figures& figures, std::vector<std::string>& missing) {
  const std::vector<std::string> list = words(expression);
  std::optional<double> value;
  char operation = 0;
  bool known = true;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i % 2 == 1) {
      operation = list[i].size() == 1 ? list[i][0] : '?';
      continue;
    }
    const auto next = operand(list[i], figures, missing);
    if (!next) known = false;
    if (!known) continue;
    if (i == 0)
      value = next;
    else if (operation == '+')
      *value += *next;
    else if (operation == '-')
      *value -= *next;
    else if (operation == '*')
      *value *= *next;
    else if (operation == '/' && *next != 0)
      *value /= *next;
    else {
      missing.emplace_back(expression);
      known = false;
    }
  }
  return known && list.size() % 2 == 1 ? value : std::nullopt;
}

// Which of the word's forms goes with the number.
std::size_t formFor(double value, std::size_t forms) {
  if (forms < 3) return value == 1 ? 0 : 1;
  if (value != std::floor(value)) return 1;
  const auto n = static_cast<std::uint64_t>(std::abs(value));
  if (n % 10 == 1 && n % 100 != 11) return 0;
  return n % 10 >= 2 && n % 10 <= 4 && (n % 100 < 12 || n % 100 > 14) ? 1 : 2;
}

// `format`: decimals, or forms of the word that follows, or both.
std::string shown(double value, std::vector<std::string> format, std::string_view language) {
  int decimals = -1;
  if (!format.empty()) {
    const std::string& first = format[0];
    if (std::from_chars(first.data(), first.data() + first.size(), decimals).ec == std::errc())
      format.erase(format.begin());
    else
      decimals = -1;
  }
  std::string text = numberText(value, decimals, language);
  if (format.empty()) return text;
  const double counted = decimals == 0 ? std::round(value) : value;   // "460 times", not "459.6 times"
  return text + "\u00a0" + format[std::min(formFor(counted, format.size()), format.size() - 1)];
}

}  // namespace

std::string numberText(double value, int decimals, std::string_view language) {
  if (!std::isfinite(value)) return "?";
  if (decimals < 0) {
    const double size = std::abs(value);
    decimals = 0;
    if (value != std::floor(value) && size > 0)
      for (double limit = 100; size < limit && decimals < 6; limit /= 10) ++decimals;
  }
  const std::string plain = fmt::format("{:.{}f}", std::abs(value), decimals);
  const std::size_t point = std::min(plain.find('.'), plain.size());
  const bool russian = language == "ru";
  std::string text = value < 0 && plain.find_first_not_of("0.") != std::string::npos ? "\u2212" : "";
  for (std::size_t i = 0; i < point; ++i) {
    if (i > 0 && point >= 5 && (point - i) % 3 == 0) text += russian ? "\u00a0" : ",";
    text += plain[i];
  }
  if (point < plain.size()) text += (russian ? "," : ".") + plain.substr(point + 1);
  return text;
}

std::string countedText(double value, const std::vector<std::string>& forms, std::string_view language) { return shown(value, forms, language); }

Filled fillFigures(std::string_view text, const Figures& figures, std::string_view language) {
  Filled filled;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('{', at);
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) break;
    filled.text += text.substr(at, open - at);
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    if (!isPlaceholder(inside)) {
      filled.text += '{';
      at = open + 1;
      continue;
    }
    const std::size_t bar = inside.find('|');
    const auto value = evaluate(inside.substr(0, bar), figures, filled.missing);
    const auto format = bar == std::string_view::npos ? std::vector<std::string>{} : words(inside.substr(bar + 1));
    filled.text += value ? shown(*value, format, language) : std::string("?");
    at = close + 1;
  }
  if (at < text.size()) filled.text += text.substr(at);
  return filled;
}

}  // namespace warpmill::lesson
