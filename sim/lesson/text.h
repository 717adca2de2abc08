// A lesson's text in one language: Markdown cut into sections at headings with an anchor, "## First load {#first-load}".
#pragma once

#include "base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill::lesson {

// Short texts by language code ("en", "ru"). English is always there.
using LocalText = std::map<std::string, std::string, std::less<>>;
const std::string& localized(const LocalText& text, std::string_view language);   // English where there is no other

struct Section {
  std::string anchor, title;
  std::string body;              // Markdown, with placeholders; without the heading
  SourcePosition position;       // of the heading
};

struct Text {
  std::string language, file;
  std::string intro;             // what stands before the first anchor, the top heading left out
  std::vector<Section> sections; // in the order of the file

  [[nodiscard]] const Section* section(std::string_view anchor) const;
};

// Errors: an anchor twice, a heading of the second level without an anchor, no section at all.
Result<Text> parseText(const std::string& markdown, std::string language, std::string fileName);

}  // namespace warpmill::lesson
