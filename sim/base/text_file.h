// Whole files in and out: reading with a limit and clear errors; writing so that a reader sees the old file or the new one, never half.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill {

inline constexpr std::uint64_t largestTextFile = 256ull << 20;

Result<std::string> readTextFile(const std::string& path, std::uint64_t limitBytes = largestTextFile);
Result<std::vector<std::uint8_t>> readBinaryFile(const std::string& path, std::uint64_t limitBytes);

// Writes a temporary file beside `path` and renames it; what is no regular file (a pipe, /dev/stdout) is written to directly.
// Gives the error, or nothing when all went well.
std::optional<Diagnostic> writeFile(const std::string& path, std::string_view text);
std::optional<Diagnostic> writeFile(const std::string& path, std::span<const std::uint8_t> bytes);

// Whether writeFile has a chance there: for saying so before hours of work, not after.
std::optional<Diagnostic> checkWritable(const std::string& path);

// Fills in `sourceLine` where a diagnostic has a file and a line but not the text of it; what cannot be read stays empty.
void addSourceLines(Diagnostics& diagnostics);

}  // namespace warpmill
