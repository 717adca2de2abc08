// `.loc`: which line of the kernel's source an instruction belongs to.
// Code that was inlined from another file (a header, Triton's standard.py) is given to the line of the function's own file that called
// it; what was inlined from the same file keeps its own line.
#include "ptx/parser.h"

#include <algorithm>

namespace warpmill::ptx {

// .loc file line column {, function_name label {+ offset}, inlined_at file line column}
bool Parser::locDirective() {
  take();
  Location location;
  for (std::uint32_t* field : {&location.file, &location.line, &location.column}) {
    const auto value = takeInteger("a number of .loc");
    if (!value) return false;
    *field = static_cast<std::uint32_t>(std::min<std::uint64_t>(*value, 0x7FFFFFFF));
  }
  while (peek().is(',')) {
    take();
    const auto word = takeName("function_name or inlined_at");
    if (!word) return false;
    if (*word == "function_name") {
      if (!takeName("a label")) return false;
      if (accept('+') && !takeInteger("an offset")) return false;
    } else {
      std::array<std::uint32_t, 3> place{};
      for (std::uint32_t& field : place) {
        const auto value = takeInteger("a number of inlined_at");
        if (!value) return false;
        field = static_cast<std::uint32_t>(std::min<std::uint64_t>(*value, 0x7FFFFFFF));
      }
      const auto caller = inlinedPlaces_.find(place);
      if (caller != inlinedPlaces_.end()) {
        location.inlinedAt = caller->second;
      } else {
        location.inlinedAt = static_cast<std::uint32_t>(locations_.size());
        locations_.push_back({place[0], place[1], place[2], none, {}});
      }
    }
  }
  location.callers = callersInComment();
  const bool inlined = location.inlinedAt != none || !location.callers.empty();
  if (!inlined && userFile_ == none && location.line != 0) userFile_ = location.file;
  location_ = static_cast<std::uint32_t>(locations_.size());
  if (location.inlinedAt != none) inlinedPlaces_[{location.file, location.line, location.column}] = location_;
  locations_.push_back(location);
  return true;
}

// LLVM writes callers in a comment only: "// standard.py:293:36 @[ kernels.py:23:16 ]".
std::string_view Parser::callersInComment() const {
  const std::uint32_t end = tokens_[at_ - 1].end();
  std::string_view rest = std::string_view(module_.text).substr(end);
  rest = rest.substr(0, rest.find('\n'));
  const std::size_t callers = rest.find("@[");
  return rest.find("//") < callers && callers != std::string_view::npos ? rest.substr(callers) : std::string_view{};
}

namespace {

// The first "name:line:column" of `callers` whose name is `file`.
bool findCaller(std::string_view callers, std::string_view file, std::uint32_t& line, std::uint32_t& column) {
  for (std::size_t at = callers.find("@[ "); at != std::string_view::npos; at = callers.find("@[ ", at + 1)) {
    std::string_view entry = callers.substr(at + 3);
    entry = entry.substr(0, entry.find(' '));
    const std::size_t second = entry.rfind(':');
    if (second == std::string_view::npos || second == 0) continue;
    const std::size_t first = entry.rfind(':', second - 1);
    if (first == std::string_view::npos) continue;
    const std::string_view name = entry.substr(0, first);
    const Number lineNumber = readNumber(entry.substr(first + 1, second - first - 1)), columnNumber = readNumber(entry.substr(second + 1));
    if (lineNumber.kind != Number::Kind::Integer || columnNumber.kind != Number::Kind::Integer) continue;
    if (file != name && !(file.size() > name.size() && file.ends_with(name) && file[file.size() - name.size() - 1] == '/')) continue;
    line = static_cast<std::uint32_t>(lineNumber.bits);
    column = static_cast<std::uint32_t>(columnNumber.bits);
    return true;
  }
  return false;
}

}  // namespace

SourceLocation Parser::resolved(std::uint32_t index, std::uint32_t userFile) const {
  const Location& written = locations_[index];
  const Location* location = &written;
  constexpr int longestChain = 64;
  for (int i = 0; i < longestChain && location->file != userFile && location->inlinedAt != none; ++i)
    location = &locations_[location->inlinedAt];
  SourceLocation out{location->file, location->line, location->column};
  const auto user = fileNumbers_.find(userFile);
  if (location->file != userFile && !written.callers.empty() && user != fileNumbers_.end() &&
      findCaller(written.callers, module_.files[user->second], out.line, out.column))
    out.file = userFile;
  const auto file = fileNumbers_.find(out.file);
  if (out.line == 0 || file == fileNumbers_.end()) return {};
  out.file = file->second;
  return out;
}

void Parser::resolveLocations() {
  for (const FunctionLines& lines : lines_)
    for (std::size_t i = 0; i < lines.locations.size(); ++i)
      if (lines.locations[i] != none)
        module_.functions[lines.function].instructions[i].location = resolved(lines.locations[i], lines.userFile);
}

}  // namespace warpmill::ptx
