// "Did you mean ...?" for misspelt names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill {

// Changes (insert, delete, replace, swap two neighbours) that turn one word into the other.
std::size_t editDistance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, upper and lower case taken as equal; empty when none is near enough to be meant.
std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);
std::string closest(std::string_view word, const std::vector<std::string>& candidates);

// "did you mean 'x'?"; when nothing is near, "one of: a, b, c" (the first dozen).
std::string didYouMean(std::string_view word, std::span<const std::string_view> candidates);
std::string didYouMean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace warpmill
