// What `warpmill run` leaves behind: JSON, tables, buffers in files.
#pragma once

#include "cli/simulate.h"

namespace warpmill::cli {

std::string jsonOf(const std::vector<Outcome>& outcomes, bool asSuite);
// One launch in full, or a suite as a table with a row a launch.
std::string textOf(const std::vector<Outcome>& outcomes, bool asSuite, Language language);

struct Dump {
  std::string argument, path;   // argument, or buffer of a sequence: its number or its name
};
Result<Dump> parseDump(const std::string& text);
// Which argument of the launch that is; must be a buffer.
Result<std::uint32_t> dumpedArgument(const Dump& dump, const launch::Launch& launch);
std::optional<Diagnostic> writeDump(const Dump& dump, const launch::Launch& launch, const Outcome& outcome);

}  // namespace warpmill::cli
