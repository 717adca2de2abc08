#include "ptx/reporter.h"

#include <algorithm>
#include <tuple>

namespace warpmill::ptx {

void Reporter::add(Severity severity, SourcePosition position, std::uint32_t length, std::string message, std::string hint) {
  Diagnostic d;
  d.severity = severity;
  d.file = fileName_;
  d.position = position;
  d.length = length == 0 ? 1 : length;
  d.message = std::move(message);
  d.hint = std::move(hint);
  d.sourceLine = lineOf(text_, position.line);
  diagnostics_.push_back(std::move(d));
}

void Reporter::error(SourcePosition position, std::uint32_t length, std::string message, std::string hint) {
  if (full()) return;
  // One message a place: what follows from an error would only hide it.
  for (const Diagnostic& d : diagnostics_)
    if (d.severity == Severity::Error && d.position == position) return;
  ++errors_;
  add(Severity::Error, position, length, std::move(message), std::move(hint));
}

void Reporter::warning(SourcePosition position, std::uint32_t length, std::string message, std::string hint) {
  if (diagnostics_.size() < 2 * maxErrors) add(Severity::Warning, position, length, std::move(message), std::move(hint));
}

Diagnostics Reporter::take() {
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.position.line, a.position.column) < std::tie(b.position.line, b.position.column);
  });
  return std::move(diagnostics_);
}

}  // namespace warpmill::ptx
