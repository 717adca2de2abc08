#include "lesson/text.h"

#include <algorithm>
#include <sstream>

namespace warpmill::lesson {

namespace {

// Without blank lines at both ends; the first line keeps its indentation.
std::string withoutBlankLines(const std::string& s) {
  std::size_t begin = s.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  const std::size_t line = s.rfind('\n', begin);
  begin = line == std::string::npos ? 0 : line + 1;
  return s.substr(begin, s.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string trimmed(std::string_view s) {
  const std::size_t begin = s.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return std::string(s.substr(begin, s.find_last_not_of(" \t\r\n") - begin + 1));
}

bool isAnchorCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

Diagnostic complaint(const std::string& file, const std::string& markdown, std::uint32_t line, std::string message, std::string hint) {
  Diagnostic d;
  d.file = file;
  d.position = {line, line ? 1u : 0u};
  d.message = std::move(message);
  d.hint = std::move(hint);
  if (line) {
    d.sourceLine = lineOf(markdown, line);
    d.length = static_cast<std::uint32_t>(std::max<std::size_t>(1, d.sourceLine.size()));
  }
  return d;
}

}  // namespace

const std::string& localized(const LocalText& text, std::string_view language) {
  static const std::string nothing;
  if (const auto it = text.find(language); it != text.end()) return it->second;
  if (const auto it = text.find(std::string_view("en")); it != text.end()) return it->second;
  return nothing;
}

const Section* Text::section(std::string_view anchor) const {
  for (const Section& s : sections)
    if (s.anchor == anchor) return &s;
  return nullptr;
}

Result<Text> parseText(const std::string& markdown, std::string language, std::string fileName) {
  Text text;
  text.language = std::move(language);
  text.file = fileName;
  Diagnostics errors;
  std::istringstream in(markdown);
  std::string body;
  std::uint32_t number = 0;
  bool inCode = false;   // "## " inside a fenced block is no heading
  const auto finish = [&] {
    (text.sections.empty() ? text.intro : text.sections.back().body) = withoutBlankLines(body);
    body.clear();
  };
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("```")) inCode = !inCode;
    if (!inCode && line.starts_with("# ") && text.sections.empty()) continue;
    if (inCode || !line.starts_with("## ")) {
      body += line + "\n";
      continue;
    }
    finish();
    const std::size_t open = line.rfind("{#");
    const std::size_t close = line.rfind('}');
    if (open == std::string::npos || close == std::string::npos || close < open + 3) {
      errors.push_back(complaint(fileName, markdown, number, "a heading without an anchor", "write it as: ## Title {#step-id}"));
      continue;
    }
    Section section;
    section.anchor = line.substr(open + 2, close - open - 2);
    section.title = trimmed(std::string_view(line).substr(3, open - 3));
    section.position = {number, static_cast<std::uint32_t>(open + 3)};
    if (!std::all_of(section.anchor.begin(), section.anchor.end(), isAnchorCharacter))
      errors.push_back(complaint(fileName, markdown, number, "an anchor of other than small letters, digits and '-'", ""));
    if (text.section(section.anchor))
      errors.push_back(complaint(fileName, markdown, number, "the anchor '" + section.anchor + "' stands twice", "each step has one section"));
    text.sections.push_back(std::move(section));
  }
  finish();
  if (text.sections.empty() && errors.empty())
    errors.push_back(complaint(fileName, markdown, 0, "the text has no section", "start each step's text with: ## Title {#step-id}"));
  if (!errors.empty()) return errors;
  return text;
}

}  // namespace warpmill::lesson
