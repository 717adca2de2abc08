// Messages to the user with a place and a hint; the only way by which bad input is reported.
#pragma once

#include "base/sentence.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmill {

enum class Severity : std::uint8_t { Note, Warning, Error };

// Where in a text file something stands. Lines and columns count from 1 (columns in bytes); 0 means "not known".
struct SourcePosition {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const SourcePosition&) const = default;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string file;         // as the user named it; empty where there is none (a command line, say)
  SourcePosition position;
  std::uint32_t length = 1; // characters to underline
  std::string message;      // one sentence, no full stop
  std::string hint;         // what to do about it; may be empty
  std::string sourceLine;   // the text of that line, for the caret; may be empty
  std::string messageRu, hintRu; // message and hint in Russian; empty where it is known in English only
};

using Diagnostics = std::vector<Diagnostic>;

// An error with a text of fault_texts.def in both languages; the place is left to the caller.
Diagnostic diagnosticOf(const Said& said);

bool hasErrors(const Diagnostics& diagnostics);

// "file:line:col: error: message", then the line with a caret and the hint, as compilers print it. Ends in a newline.
std::string formatDiagnostic(const Diagnostic& diagnostic);
std::string formatDiagnostics(const Diagnostics& diagnostics);

// Line `line` (from 1) of `text` without its newline; empty when there is no such line.
std::string lineOf(const std::string& text, std::uint32_t line);

}  // namespace warpmill
