// Lesson texts (Markdown) on a terminal: paragraphs set to a width, lists with hanging indents, code as it stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpmill::cli {

inline constexpr std::size_t proseWidth = 96;

// Characters as they show (UTF-8 code points; no East Asian widths).
std::size_t shownLength(std::string_view text);

// Text to exactly `width` characters, cut or filled with blanks; to the right for numbers.
std::string padded(std::string_view text, std::size_t width, bool right = false);

// Sets Markdown to `width`; each line starts with `indent`. stars of emphasis are taken away, code keeps its lines.
std::string setProse(std::string_view markdown, std::size_t width = proseWidth, std::string_view indent = "");

// A table: the first row is the head; the first column is text, the others stand to the right.
std::string setTable(const std::vector<std::vector<std::string>>& rows, std::string_view indent = "");

}  // namespace warpmill::cli
