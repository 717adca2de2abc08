// "--arg" of the command line: "buffer:f32:1024:random:1", "i32:1024".
#include "base/suggest.h"
#include "launch/argument_values.h"

#include <algorithm>
#include <charconv>

namespace warpmill::launch {
namespace {

std::vector<std::string_view> typeNames(bool withBuffer) {
  std::vector<std::string_view> names;
  if (withBuffer) names.push_back("buffer");
  for (int t = 0; t <= static_cast<int>(DType::F64); ++t) names.push_back(dtypeName(static_cast<DType>(t)));
  return names;
}

Diagnostic wrong(const std::string& text, std::string message, std::string hint) {
  Diagnostic d;
  d.message = "--arg " + text + ": " + std::move(message);
  d.hint = std::move(hint);
  return d;
}

std::string_view takePart(std::string_view& rest) {
  const std::string_view part = rest.substr(0, rest.find(':'));
  rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  return part;
}

Result<Argument> parseScalar(const std::string& text, DType type, std::string_view rest) {
  Argument scalar;
  scalar.type = type;
  if (rest.empty()) return wrong(text, "the value is missing", "the form is " + std::string(dtypeName(type)) + ":VALUE");
  const bool word = rest == "nan" || rest == "inf" || rest == "-inf";
  const auto document = JsonDocument::parse(word ? '"' + std::string(rest) + '"' : std::string(rest), "");
  if (!document) return wrong(text, "'" + std::string(rest) + "' is no number", "the form is " + std::string(dtypeName(type)) + ":VALUE");
  if (const auto error = readScalar((*document)->root(), scalar)) return wrong(text, error->message, error->hint);
  return scalar;
}

Result<Argument> parseBuffer(const std::string& text, std::string_view rest) {
  Argument buffer;
  buffer.isBuffer = true;
  const std::string form = "the form is buffer:DTYPE:COUNT:INIT, as in buffer:f32:1024:random:1";
  const std::string_view typeName = takePart(rest);
  const auto type = dtypeFromName(typeName);
  if (!type) return wrong(text, "unknown dtype '" + std::string(typeName) + "'", didYouMean(typeName, typeNames(false)));
  buffer.type = *type;
  const std::string_view count = takePart(rest);
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), buffer.count);
  if (error != std::errc{} || end != count.data() + count.size() || count.empty())
    return wrong(text, "the count '" + std::string(count) + "' is no whole number", form);
  if (buffer.count == 0) return wrong(text, "a buffer has at least one element", form);
  if (buffer.count > largestBuffer / dtypeBytes(buffer.type))
    return wrong(text, "the buffer is too large", "at most " + std::to_string(largestBuffer >> 30) + " GiB");
  if (const auto problem = parseInit(rest.empty() ? "zeros" : rest, "", buffer)) return wrong(text, problem->message, problem->hint);
  return buffer;
}

}  // namespace

Result<Argument> parseArgument(const std::string& text) {
  std::string_view rest = text;
  const std::string_view kind = takePart(rest);
  if (kind == "buffer") return parseBuffer(text, rest);
  if (const auto type = dtypeFromName(kind)) return parseScalar(text, *type, rest);
  return wrong(text, "unknown type '" + std::string(kind) + "'", didYouMean(kind, typeNames(true)));
}

}  // namespace warpmill::launch
