#include "cli/prose.h"

#include <algorithm>
#include <sstream>

namespace warpmill::cli {

namespace {

bool isCode(const std::string& line) { return line.starts_with("    "); }
bool isItem(const std::string& line) { return line.starts_with("- "); }

std::string withoutStars(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // "**bold**" and "*emphasis*"; a star between blanks is a product.
    const bool product = i > 0 && text[i - 1] == ' ' && i + 1 < text.size() && text[i + 1] == ' ';
    if (text[i] != '*' || product) plain += text[i];
  }
  return plain;
}

// Words at blanks; a no-break space holds a word together, and a dash stays with the word before it.
void setParagraph(const std::string& text, std::size_t width, const std::string& first, const std::string& others, std::string& out) {
  std::string plain = withoutStars(text);
  for (std::size_t at = plain.find(" —"); at != std::string::npos; at = plain.find(" —", at + 1)) plain.replace(at, 1, "\u00a0");
  std::istringstream in(plain);
  std::string line = first;
  bool empty = true;
  for (std::string word; in >> word;) {
    if (!empty && shownLength(line) + 1 + shownLength(word) > width) {
      out += line + "\n";
      line = others;
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  if (!empty) out += line + "\n";
}

}  // namespace

std::size_t shownLength(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t width, bool right) {
  const std::size_t length = shownLength(text);
  if (length >= width) return std::string(text);
  const std::string blanks(width - length, ' ');
  return right ? blanks + std::string(text) : std::string(text) + blanks;
}

std::string setProse(std::string_view markdown, std::size_t width, std::string_view indent) {
  std::istringstream in{std::string(markdown)};
  const std::string margin(indent);
  std::string out, paragraph;
  bool item = false;
  const auto finish = [&] {
    if (!paragraph.empty()) setParagraph(item ? paragraph.substr(2) : paragraph, width, margin + (item ? "- " : ""), margin + (item ? "  " : ""), out);
    paragraph.clear();
    item = false;
  };
  for (std::string line; std::getline(in, line);) {
    const bool blank = line.find_first_not_of(' ') == std::string::npos;
    if (blank || (isCode(line) && paragraph.empty()) || isItem(line)) {
      const bool wasItem = item;
      finish();
      if (blank && !out.empty() && !out.ends_with("\n\n")) out += "\n";
      if (isCode(line) && !blank) out += margin + line + "\n";
      if (isItem(line)) {
        if (!wasItem && !out.empty() && !out.ends_with("\n\n")) out += "\n";
        item = true;
        paragraph = line;
      }
      continue;
    }
    paragraph += (paragraph.empty() ? "" : " ") + line;
  }
  finish();
  return out;
}

std::string setTable(const std::vector<std::vector<std::string>>& rows, std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (widths.size() <= c) widths.push_back(0);
      widths[c] = std::max(widths[c], shownLength(row[c]));
    }
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line(indent);
    for (std::size_t c = 0; c < rows[r].size(); ++c) line += (c == 0 ? "" : "  ") + padded(rows[r][c], widths[c], c != 0);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r != 0) continue;
    std::string rule(indent);
    for (std::size_t c = 0; c < widths.size(); ++c) rule += (c == 0 ? "" : "  ") + std::string(widths[c], '-');
    out += rule + "\n";
  }
  return out;
}

}  // namespace warpmill::cli
