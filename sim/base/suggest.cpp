#include "base/suggest.h"

#include <algorithm>
#include <cctype>

namespace warpmill {
namespace {

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

constexpr std::size_t longestWord = 64;  // longer ones are no misspelling of anything we know

std::vector<std::string_view> viewsOf(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> beforeLast, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], beforeLast[j - 2] + 1);
    }
    beforeLast = last;
    last.swap(row);
  }
  return last[b.size()];
}

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > longestWord) return {};
  const std::string wanted = lowered(word);
  std::string_view best;
  std::size_t bestDistance = word.size() <= 3 ? 2 : word.size() / 3 + 2;  // the first distance that is too far
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longestWord) continue;
    const std::size_t distance = editDistance(wanted, lowered(candidate));
    if (distance < bestDistance && distance < candidate.size()) {
      bestDistance = distance;
      best = candidate;
    }
  }
  if (best.empty() && word.size() >= 3)  // half a name: "shared" for "shared_bytes"
    for (const std::string_view candidate : candidates)
      if (lowered(candidate).starts_with(wanted)) return candidate;
  return best;
}

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
  const auto views = viewsOf(candidates);
  return std::string(closest(word, std::span<const std::string_view>(views)));
}

std::string didYouMean(std::string_view word, std::span<const std::string_view> candidates) {
  if (const std::string_view near = closest(word, candidates); !near.empty()) return "did you mean '" + std::string(near) + "'?";
  if (candidates.empty()) return {};
  std::string out = "one of: ";
  constexpr std::size_t shown = 12;
  for (std::size_t i = 0; i < candidates.size() && i < shown; ++i) out += (i == 0 ? "" : ", ") + std::string(candidates[i]);
  if (candidates.size() > shown) out += ", ... (" + std::to_string(candidates.size()) + " in all)";
  return out;
}

std::string didYouMean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto views = viewsOf(candidates);
  return didYouMean(word, std::span<const std::string_view>(views));
}

}  // namespace warpmill
