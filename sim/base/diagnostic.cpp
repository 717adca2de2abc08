#include "base/diagnostic.h"

#include <algorithm>

namespace warpmill {

Diagnostic diagnosticOf(const Said& said) {
  Diagnostic d;
  d.message = inWords(said, Language::English);
  d.hint = inWords(said, Language::English, {}, true);
  d.messageRu = inWords(said, Language::Russian);
  d.hintRu = inWords(said, Language::Russian, {}, true);
  return d;
}

bool hasErrors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

std::string formatDiagnostic(const Diagnostic& d) {
  static constexpr const char* names[] = {"note", "warning", "error"};
  std::string out;
  if (!d.file.empty()) out += d.file + ":";
  if (d.position.line != 0) {
    out += std::to_string(d.position.line) + ":";
    if (d.position.column != 0) out += std::to_string(d.position.column) + ":";
  }
  if (!out.empty()) out += " ";
  out += std::string(names[static_cast<int>(d.severity)]) + ": " + d.message + "\n";
  if (!d.sourceLine.empty()) {
    // A very long line (a JSON array, say) is cut to a window round the caret.
    constexpr std::size_t window = 100;
    const std::size_t column = d.position.column == 0 ? 0 : d.position.column - 1;
    const std::size_t begin = d.sourceLine.size() <= window || column < window / 2 ? 0 : std::min(column, d.sourceLine.size()) - window / 2;
    std::string shown = d.sourceLine.substr(begin, window);
    std::string pad;
    for (std::size_t i = 0; i + begin < column && i < shown.size(); ++i) pad += shown[i] == '\t' ? '\t' : ' ';
    out += "    " + shown + "\n";
    if (d.position.column != 0) {
      const std::size_t room = shown.size() > pad.size() ? shown.size() - pad.size() : 1;
      out += "    " + pad + "^" + std::string(std::min<std::size_t>(std::max<std::uint32_t>(d.length, 1) - 1, room - 1), '~') + "\n";
    }
  }
  if (!d.hint.empty()) out += "    hint: " + d.hint + "\n";
  return out;
}

std::string formatDiagnostics(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) out += formatDiagnostic(d);
  return out;
}

std::string lineOf(const std::string& text, std::uint32_t line) {
  std::size_t begin = 0;
  for (std::uint32_t l = 1; l < line; ++l) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return {};
    ++begin;
  }
  std::string found = text.substr(begin, text.find('\n', begin) - begin);
  if (!found.empty() && found.back() == '\r') found.pop_back();
  return found;
}

}  // namespace warpmill
