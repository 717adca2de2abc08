#include "lesson/measured.h"

#include "base/json.h"
#include "base/text_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace warpmill::lesson {

namespace {

double numberAt(const JsonValue& object, std::string_view key, double otherwise) {
  const auto member = object.member(key);
  return member && member->isNumber() ? member->number().value_or(otherwise) : otherwise;
}

// A count; what is no count, or too large for one, is none.
std::uint32_t countAt(const JsonValue& object, std::string_view key) {
  const double n = numberAt(object, key, 0);
  return n >= 0 && n < 4294967296.0 ? static_cast<std::uint32_t>(n) : 0;
}

std::string stringAt(const JsonValue& object, std::string_view key) {
  const auto member = object.member(key);
  return member && member->isString() ? member->string() : std::string();
}

MeasuredTime timeAt(const JsonValue& result, std::string_view median, std::string_view details) {
  MeasuredTime time;
  time.median = numberAt(result, median, 0);
  time.q1 = time.q3 = time.least = time.median;
  if (const auto d = result.member(details); d && d->isObject()) {
    time.q1 = numberAt(*d, "q1", time.median);
    time.q3 = numberAt(*d, "q3", time.median);
    time.least = numberAt(*d, "min", time.median);
    time.repeats = countAt(*d, "n");
  }
  return time;
}

std::optional<Diagnostic> readResult(const JsonValue& value, MeasuredResult& result) {
  if (!value.isObject()) return value.error("a result is " + std::string(value.kindName()) + ", not an object");
  result.name = stringAt(value, "name");
  if (result.name.empty()) return value.error("a result without a name", "\"name\" is the launch's name in its launch file");
  result.cold = timeAt(value, "cold_us", "cold");
  result.warm = timeAt(value, "warm_us", "warm");
  result.registers = countAt(value, "registers");
  result.sharedBytes = countAt(value, "static_shared");
  result.localBytes = countAt(value, "local");
  result.throttled = stringAt(value, "throttled");
  if (const auto e = value.member("error"); e && e->isObject()) result.error = MeasuredError{stringAt(*e, "kind"), stringAt(*e, "message"), stringAt(*e, "hint")};
  else if (e && e->isString()) result.error = MeasuredError{"driver", e->string(), ""};
  if (const auto hashes = value.member("sha256"); hashes && hashes->isArray())
    for (const JsonValue& h : hashes->children()) result.sha256.push_back(h.isString() ? h.string() : std::string());
  if (const auto head = value.member("head"); head && head->isArray())
    for (const JsonValue& h : head->children()) result.head.push_back(h.isNumber() ? h.number().value_or(0) : 0);
  if (const auto counters = value.member("counters"); counters && counters->isObject())
    for (const JsonValue& c : counters->children()) {
      if (c.isString() && c.string() == "n/a") continue;   // the profiler's word for what it has no counter for
      const auto v = c.isNumber() ? c.number() : std::nullopt;
      if (!v) return c.error("the counter \"" + c.key() + "\" is no number", "leave out what the profiler did not give");
      result.counters[c.key()] = *v;
    }
  return std::nullopt;
}

// A number or, as nvidia-smi writes them, a text that holds one.
double looseNumberAt(const JsonValue& object, std::string_view key) {
  const std::string text = stringAt(object, key);
  return text.empty() ? numberAt(object, key, 0) : std::strtod(text.c_str(), nullptr);
}

std::optional<MeasuredClocks> clocksAt(const JsonValue& root, std::string_view when) {
  const auto clocks = root.member("clocks");
  const auto at = clocks && clocks->isObject() ? clocks->member(when) : std::nullopt;
  if (!at || !at->isObject()) return std::nullopt;
  return MeasuredClocks{looseNumberAt(*at, "sm_mhz"), looseNumberAt(*at, "mem_mhz"), looseNumberAt(*at, "temperature_c"), looseNumberAt(*at, "power_w")};
}

// Three places behind the point: a nanosecond.
double rounded(double v) { return std::round(v * 1000) / 1000; }

nlohmann::ordered_json timeJson(const MeasuredTime& t) {
  return {{"median", rounded(t.median)}, {"q1", rounded(t.q1)}, {"q3", rounded(t.q3)}, {"min", rounded(t.least)}, {"n", t.repeats}};
}

nlohmann::ordered_json toJson(const MeasuredResult& r) {
  nlohmann::ordered_json out{{"name", r.name}};
  if (r.error) {
    out["error"] = {{"kind", r.error->kind}, {"message", r.error->message}, {"hint", r.error->hint}};
    return out;
  }
  out["registers"] = r.registers;
  out["static_shared"] = r.sharedBytes;
  out["local"] = r.localBytes;
  if (r.cold.repeats != 0) out["cold_us"] = rounded(r.cold.median), out["cold"] = timeJson(r.cold);
  if (r.warm.repeats != 0) out["warm_us"] = rounded(r.warm.median), out["warm"] = timeJson(r.warm);
  out["sha256"] = r.sha256;
  if (!r.head.empty()) out["head"] = r.head;   // what is no number (NaN) becomes null
  if (!r.throttled.empty()) out["throttled"] = r.throttled;
  if (!r.counters.empty()) {
    auto& counters = out["counters"] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : r.counters) {
      if (value == std::floor(value) && std::fabs(value) < 9e15) counters[name] = static_cast<std::int64_t>(value);
      else counters[name] = value;
    }
  }
  return out;
}

nlohmann::ordered_json toJson(const MeasuredClocks& c) {
  return {{"sm_mhz", c.smMhz}, {"mem_mhz", c.memoryMhz}, {"temperature_c", c.temperatureC}, {"power_w", c.powerW}};
}

// What is not UTF-8 (a file's name may be anything) is replaced rather than refused.
std::string dumped(const nlohmann::ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string resultJson(const MeasuredResult& result) { return dumped(toJson(result)); }

Result<MeasuredResult> parseResult(const std::string& text) {
  auto document = JsonDocument::parse(text, "");
  if (!document) return document.diagnostics();
  MeasuredResult result;
  if (auto error = readResult((*document)->root(), result)) return std::move(*error);
  return result;
}

std::string measuredJson(const Measured& m) {
  nlohmann::ordered_json head{{"device", m.device}, {"sms", m.sms}};
  if (m.l2Bytes != 0) head["l2_bytes"] = m.l2Bytes;
  if (!m.computeCapability.empty()) {
    head["compute_capability"] = m.computeCapability;
    head["shared_per_block"] = m.sharedPerBlock;
    head["clock_mhz"] = m.clockMhz;
    head["memory_mhz"] = m.memoryMhz;
    head["memory_bus_bits"] = m.memoryBusBits;
  }
  head["driver"] = m.driver;
  if (!m.date.empty()) head["date"] = m.date;
  if (m.before) head["clocks"]["before"] = toJson(*m.before);
  if (m.after) head["clocks"]["after"] = toJson(*m.after);
  if (!m.origin.empty()) head["origin"] = m.origin;
  if (!m.times.empty()) head["times"] = m.times;
  if (m.emptyKernelUs != 0) head["empty_kernel_us"] = rounded(m.emptyKernelUs);
  if (!m.ptxSha256.empty()) head["ptx_sha256"] = m.ptxSha256;
  // A result a line: a difference of two records is then readable.
  std::string text = dumped(head, 1);
  text.resize(text.size() - 2);   // the brace that closes, and its line
  text += ",\n \"results\": [";
  for (std::size_t i = 0; i < m.results.size(); ++i) text += (i == 0 ? "\n " : ",\n ") + resultJson(m.results[i]);
  return text + "\n]}\n";
}

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
  measured.times = stringAt(root, "times");
  measured.sms = countAt(root, "sms");
  measured.l2Bytes = std::max(countAt(root, "l2_bytes"), countAt(root, "l2"));
  measured.computeCapability = stringAt(root, "compute_capability");
  measured.sharedPerBlock = countAt(root, "shared_per_block");
  measured.clockMhz = numberAt(root, "clock_mhz", 0);
  measured.memoryMhz = numberAt(root, "memory_mhz", 0);
  measured.memoryBusBits = countAt(root, "memory_bus_bits");
  measured.emptyKernelUs = numberAt(root, "empty_kernel_us", 0);
  measured.before = clocksAt(root, "before");
  measured.after = clocksAt(root, "after");
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
