// Faults set in text as compilers set their errors: place, sentence, the line with the expression underlined, the other parties with their
// lines, what to do, the registers, and how often. Faults of one kind and line are told of once.
#pragma once

#include "machine/fault.h"

#include <functional>

namespace warpmill::profile {

// The text of a line of the kernel's source, or of the PTX when `file` is empty; empty: not at hand.
using SourceLine = std::function<std::string(const std::string& file, std::uint32_t line)>;

struct TextOptions {
  SourceLine sourceLine;
  Language language = Language::English;
  std::string ptxFile;  // its name, for lines that have no other source
};

std::string faultsToText(const std::vector<machine::Fault>& faults, const TextOptions& options);

// Something worth knowing that is no fault, with its line.
std::string noteToText(const std::string& message, const std::string& file, std::uint32_t line, std::uint32_t ptxLine, const TextOptions& options);

// Characters of a source line, from `begin` on, counted in bytes.
struct Span { std::size_t begin = 0, end = 0; };
// The expression of a memory access whose line information says `column` (from 1; 0: not known). Compilers name the expression itself, the
// assignment's sign, or only where the statement begins.
Span accessSpan(std::string_view line, std::uint32_t column, std::string_view access);

}  // namespace warpmill::profile
