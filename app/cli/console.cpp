#include "cli/console.h"

#include "base/text_file.h"
#include "cli/exit_code.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace warpmill::cli {
namespace {

bool outputFailed = false;  // the one global: standard output is one, too

void write(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && errno != EPIPE) outputFailed = true;
}

void note(std::string_view text) {
  write(stderr, "warpmill: " + std::string(text) + "\n");
}

void report(Diagnostics diagnostics) {
  addSourceLines(diagnostics);
  for (const Diagnostic& d : diagnostics) write(stderr, (d.file.empty() ? "warpmill: " : "") + formatDiagnostic(d));
}

int notInThisVersion(std::string_view what) {
  note(std::string(what) + " is not in this version");
  return exitMissing;
}

void progress(std::string_view text) {
  if (::isatty(STDERR_FILENO) == 1) write(stderr, "\r\033[K" + std::string(text));
}

void endProgress() {
  if (::isatty(STDERR_FILENO) == 1) write(stderr, "\r\033[K");
}

bool flushOutput() {
  if (std::fflush(stdout) != 0 && errno != EPIPE) outputFailed = true;
  return !outputFailed;
}

std::string counted(std::size_t n, std::string_view noun, std::string_view plural) {
  return std::to_string(n) + " " + (n == 1 ? std::string(noun) : plural.empty() ? std::string(noun) + "s" : std::string(plural));
}

}  // namespace warpmill::cli
