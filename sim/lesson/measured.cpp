#include "lesson/measured.h"

#include "base/json.h"
#include "base/text_file.h"

namespace warpmill::lesson {

namespace {

double numberAt(const JsonValue& object, std::string_view key, double otherwise) {
  const auto member = object.member(key);
  return member && member->isNumber() ? member->number().value_or(otherwise) : otherwise;
}

std::string stringAt(const JsonValue& object, std::string_view key) {
  const auto member = object.member(key);
  return member && member->isString() ? member->string() : std::string();
}

MeasuredTime timeAt(const JsonValue& result, std::string_view median, std::string_view details) {
  MeasuredTime time;
  time.median = numberAt(result, median, 0);
  time.q1 = time.q3 = time.median;
  if (const auto d = result.member(details); d && d->isObject()) {
    time.q1 = numberAt(*d, "q1", time.median);
    time.q3 = numberAt(*d, "q3", time.median);
    time.repeats = static_cast<std::uint32_t>(numberAt(*d, "n", 0));
  }
  return time;
}

std::optional<Diagnostic> readResult(const JsonValue& value, MeasuredResult& result) {
  if (!value.isObject()) return value.error("a result is " + std::string(value.kindName()) + ", not an object");
  result.name = stringAt(value, "name");
  if (result.name.empty()) return value.error("a result without a name", "\"name\" is the launch's name in its launch file");
  result.cold = timeAt(value, "cold_us", "cold");
  result.warm = timeAt(value, "warm_us", "warm");
  result.registers = static_cast<std::uint32_t>(numberAt(value, "registers", 0));
  if (const auto hashes = value.member("sha256"); hashes && hashes->isArray())
    for (const JsonValue& h : hashes->children()) result.sha256.push_back(h.isString() ? h.string() : std::string());
  if (const auto counters = value.member("counters"); counters && counters->isObject())
    for (const JsonValue& c : counters->children()) {
      const auto v = c.isNumber() ? c.number() : std::nullopt;
      if (!v) return c.error("the counter \"" + c.key() + "\" is no number", "leave out what the profiler did not give");
      result.counters[c.key()] = *v;
    }
  return std::nullopt;
}

}  // namespace

const MeasuredResult* Measured::result(std::string_view name) const {
  for (const MeasuredResult& r : results)
    if (r.name == name) return &r;
  return nullptr;
}

Result<Measured> parseMeasured(const std::string& text, const std::string& fileName) {
  auto document = JsonDocument::parse(text, fileName);
  if (!document) return document.diagnostics();
  const JsonValue root = (*document)->root();
  if (!root.isObject()) return root.error("a record of measurements is one JSON object");
  Measured measured;
  measured.file = fileName;
  measured.device = stringAt(root, "device");
  measured.driver = stringAt(root, "driver");
  measured.date = stringAt(root, "date");
  measured.origin = stringAt(root, "origin");
  measured.sms = static_cast<std::uint32_t>(numberAt(root, "sms", 0));
  if (const auto hashes = root.member("ptx_sha256"); hashes && hashes->isObject())
    for (const JsonValue& h : hashes->children())
      if (h.isString()) measured.ptxSha256[h.key()] = h.string();
  const auto results = root.member("results");
  if (!results || !results->isArray()) return root.error("the record has no \"results\"", "an array with one object a launch");
  Diagnostics errors;
  for (const JsonValue& value : results->children()) {
    MeasuredResult result;
    if (auto error = readResult(value, result)) errors.push_back(std::move(*error));
    measured.results.push_back(std::move(result));
  }
  if (!errors.empty()) return errors;
  return measured;
}

Result<Measured> readMeasured(const std::string& path) {
  auto text = readTextFile(path);
  if (!text) return text.diagnostics();
  return parseMeasured(*text, path);
}

}  // namespace warpmill::lesson
