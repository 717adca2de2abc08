// Where the program speaks: results to standard output, diagnostics and progress to standard error.
#pragma once

#include "base/diagnostic.h"

#include <string>
#include <string_view>

namespace warpmill::cli {

void print(std::string_view text);                      // to standard output
void note(std::string_view text);                       // "warpmill: TEXT" to standard error
void report(Diagnostics diagnostics);                   // to standard error, with the lines they are about
int notInThisVersion(std::string_view what);            // says so; gives exitMissing

// A line of progress that the next one overwrites; nothing where standard error is no terminal.
void progress(std::string_view text);
void endProgress();

// Flushes standard output; false when what was printed did not arrive (a full disk; a closed pipe is the reader's wish and no error).
bool flushOutput();

// "1 launch", "3 launches".
std::string counted(std::size_t n, std::string_view noun, std::string_view plural = {});

}  // namespace warpmill::cli
