#include "cli/sweep_spec.h"

#include "base/error_with.h"
#include "base/suggest.h"
#include "base/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

namespace warpmill::cli {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::map<std::string, std::int64_t>;

constexpr int deepestJson = 64;
constexpr double mostBytes = 1e9;   // of all points' launches, as long as they are kept

Diagnostic in(const std::string& file, Diagnostic d) {
  d.file = file;
  return d;
}

// Recursive descent over one expression; the first error ends it.
class Expression {
 public:
  Expression(std::string_view text, const Names& names) : text_(text), names_(names) {}

  Result<std::int64_t> value() {
    const std::int64_t v = either();
    skip();
    if (error_.empty() && at_ != text_.size()) fail("something is left over");
    if (error_.empty()) return v;
    return errorWith(fmt::format("in '{}', column {}: {}", text_, at_ + 1, error_), hint_);
  }

 private:
  static constexpr int deepest = 64;
  static constexpr const char* tooLarge = "the value does not fit 64 bits";

  void skip() { while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_; }
  bool take(std::string_view symbol) {
    skip();
    if (text_.substr(at_, symbol.size()) != symbol) return false;
    at_ += symbol.size();
    return true;
  }
  std::int64_t fail(const std::string& why, const std::string& hint = {}) {
    if (error_.empty()) error_ = why, hint_ = hint;
    return 0;
  }
  std::int64_t either() {
    std::int64_t v = both();
    while (error_.empty() && take("||")) v = static_cast<std::int64_t>(both() != 0) | static_cast<std::int64_t>(v != 0);
    return v;
  }
  std::int64_t both() {
    std::int64_t v = comparison();
    while (error_.empty() && take("&&")) v = static_cast<std::int64_t>(comparison() != 0) & static_cast<std::int64_t>(v != 0);
    return v;
  }
  std::int64_t comparison() {
    const std::int64_t a = sum();
    if (take("<=")) return a <= sum();
    if (take(">=")) return a >= sum();
    if (take("==")) return a == sum();
    if (take("!=")) return a != sum();
    if (take("<")) return a < sum();
    if (take(">")) return a > sum();
    return a;
  }
  std::int64_t added(std::int64_t a, std::int64_t b) { return __builtin_add_overflow(a, b, &a) ? fail(tooLarge) : a; }
  std::int64_t subtracted(std::int64_t a, std::int64_t b) { return __builtin_sub_overflow(a, b, &a) ? fail(tooLarge) : a; }
  std::int64_t multiplied(std::int64_t a, std::int64_t b) { return __builtin_mul_overflow(a, b, &a) ? fail(tooLarge) : a; }
  std::int64_t sum() {
    std::int64_t v = product();
    while (error_.empty()) {
      if (take("+")) v = added(v, product());
      else if (take("-")) v = subtracted(v, product());
      else break;
    }
    return v;
  }
  std::int64_t product() {
    std::int64_t v = factor();
    while (error_.empty()) {
      if (take("*")) {
        v = multiplied(v, factor());
        continue;
      }
      const bool divides = take("/");
      if (!divides && !take("%")) break;
      const std::int64_t by = factor();
      if (!error_.empty()) break;
      if (by == 0 || (by == -1 && v == std::numeric_limits<std::int64_t>::min())) return fail("a division by zero");
      v = divides ? v / by : v % by;
    }
    return v;
  }
  std::int64_t factor() {
    if (++depth_ > deepest) return fail("nested too deeply");
    const std::int64_t v = plainFactor();
    --depth_;
    return v;
  }
  std::int64_t plainFactor() {
    if (take("-")) return subtracted(0, factor());
    if (take("(")) {
      const std::int64_t v = either();
      return take(")") ? v : fail("')' is missing");
    }
    skip();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      std::int64_t v = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), v);
      if (error != std::errc{}) return fail("the number does not fit 64 bits");
      at_ = static_cast<std::size_t>(end - text_.data());
      return v;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (name.empty()) return fail("a number or a name is wanted");
    if ((name == "min" || name == "max") && take("(")) {
      const std::int64_t a = either();
      if (!take(",")) return fail("',' is missing");
      const std::int64_t b = either();
      if (!take(")")) return fail("')' is missing");
      return name == "min" ? std::min(a, b) : std::max(a, b);
    }
    if (const auto found = names_.find(name); found != names_.end()) return found->second;
    at_ = begin;
    std::vector<std::string> known;
    for (const auto& [n, v] : names_) known.push_back(n);
    return fail("there is no axis '" + name + "' with numbers", didYouMean(name, known));
  }

  std::string_view text_;
  const Names& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string error_, hint_;
};

// What a point puts into the launch.
struct Filler {
  Names numbers;
  std::map<std::string, std::string> texts;
  std::optional<Diagnostic> error;

  void fill(Json& value) {
    if (value.is_object() || value.is_array()) {
      for (auto& element : value) fill(element);
      return;
    }
    if (!value.is_string()) return;
    const auto text = value.get<std::string>();
    std::string out;
    std::size_t at = 0;
    for (std::size_t hole = text.find("${"); hole != std::string::npos && !error; hole = text.find("${", at)) {
      const std::size_t end = text.find('}', hole);
      if (end == std::string::npos) return void(error = errorWith("'${' without '}' in \"" + text + "\""));
      const std::string inside = text.substr(hole + 2, end - hole - 2);
      out += text.substr(at, hole - at);
      at = end + 1;
      if (const auto word = texts.find(inside); word != texts.end()) {
        out += word->second;
        continue;
      }
      const auto number = evaluate(inside, numbers);
      if (!number) return void(error = number.diagnostics().front());
      if (hole == 0 && at == text.size()) return void(value = *number);
      out += std::to_string(*number);
    }
    value = out + text.substr(at);
  }
};

std::string shownValue(const Json& v) {
  if (v.is_object()) return v.contains("name") && v["name"].is_string() ? v["name"].get<std::string>() : std::string("?");
  return v.is_string() ? v.get<std::string>() : v.dump();
}

struct Spec {
  Json launch;
  std::vector<std::pair<std::string, std::vector<Json>>> axes;
  std::string where;
};

// Lays an object axis value over the launch; without its "name".
void overlay(Json& launch, const Json& value) {
  for (const auto& [key, member] : value.items())
    if (key != "name") launch[key] = member;
}

// The point with these values; nothing where `where` leaves it out.
Result<std::optional<SweepPoint>> pointOf(const Spec& spec, const std::vector<std::size_t>& index) {
  SweepPoint point;
  point.launch = spec.launch;
  Filler filler;
  std::string name;
  for (std::size_t a = 0; a < spec.axes.size(); ++a) {
    const auto& [axis, values] = spec.axes[a];
    const Json& v = values[index[a]];
    const std::string shown = shownValue(v);
    point.values.emplace_back(axis, shown);
    if (v.is_object()) overlay(point.launch, v);
    if (v.is_number_integer()) filler.numbers[axis] = v.get<std::int64_t>();
    filler.texts[axis] = shown;
    if (v.is_number_integer()) filler.texts.erase(axis);
    if (axis == "device") point.device = shown;
    name += (name.empty() ? "" : "/") + axis + "=" + shown;
  }
  if (!spec.where.empty()) {
    const auto wanted = evaluate(spec.where, filler.numbers);
    if (!wanted) return wanted.diagnostics();
    if (*wanted == 0) return std::optional<SweepPoint>();
  }
  filler.fill(point.launch);
  if (filler.error) return *filler.error;
  const std::string base = point.launch.contains("name") && point.launch["name"].is_string() ? point.launch["name"].get<std::string>() + "/" : "";
  point.launch["name"] = base + name;
  return std::optional<SweepPoint>(std::move(point));
}

Result<Json> parsed(const std::string& text) {
  bool tooDeep = false;
  const auto look = [&](int depth, Json::parse_event_t, Json&) { return !(tooDeep = tooDeep || depth > deepestJson); };
  try {
    Json json = Json::parse(text, look);
    if (tooDeep) return errorWith(fmt::format("objects and arrays lie in one another more than {} deep", deepestJson));
    return json;
  } catch (const Json::exception& e) {
    return errorWith(std::string("this is no JSON: ") + e.what());
  }
}

Result<Spec> readSpec(const std::string& text) {
  auto read = parsed(text);
  if (!read) return read.diagnostics();
  const Json json = std::move(*read);
  const std::string shape = R"(as in {"launch": {...}, "axes": {"n": [1024, 4096]}})";
  if (!json.is_object() || !json.contains("launch") || !json.contains("axes")) return errorWith("a sweep is an object with \"launch\" and \"axes\"", shape);
  for (const auto& [key, member] : json.items())
    if (key != "launch" && key != "axes" && key != "where")
      return errorWith("a sweep has no \"" + key + "\"", didYouMean(key, std::array<std::string_view, 3>{"launch", "axes", "where"}));
  Spec spec;
  spec.launch = json["launch"];
  if (!spec.launch.is_object()) return errorWith("\"launch\" is one launch, an object", shape);
  if (!json["axes"].is_object() || json["axes"].empty()) return errorWith("\"axes\" is an object with one array or more", shape);
  double points = 1;
  for (const auto& [axis, values] : json["axes"].items()) {
    if (!values.is_array() || values.empty()) return errorWith("axis \"" + axis + "\" has no values", "an array of numbers, texts or objects");
    for (const Json& v : values)
      if (v.is_number_unsigned() && v.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return errorWith("axis \"" + axis + "\" has the value " + v.dump() + ", which does not fit 64 bits with a sign");
      else if (!v.is_number_integer() && !v.is_string() && !v.is_object()) return errorWith("axis \"" + axis + "\" has the value " + v.dump(), "whole numbers, texts and objects are values");
    spec.axes.emplace_back(axis, std::vector<Json>(values.begin(), values.end()));
    points *= static_cast<double>(values.size());
  }
  if (points > static_cast<double>(mostSweepPoints)) return errorWith(fmt::format("the axes have {:g} combinations, at most {} are taken", points, mostSweepPoints));
  if (points * static_cast<double>(text.size()) > mostBytes) return errorWith(fmt::format("{:g} combinations of a file of {} bytes are more than fits into memory", points, text.size()), "split it into several sweeps");
  if (json.contains("where")) {
    if (!json["where"].is_string()) return errorWith("\"where\" is an expression in a text", "as in \"n >= block\"");
    spec.where = json["where"].get<std::string>();
  }
  return spec;
}

}  // namespace

Result<std::int64_t> evaluate(const std::string& expression, const std::map<std::string, std::int64_t>& names) {
  return Expression(expression, names).value();
}

Result<std::vector<SweepPoint>> parseSweep(const std::string& text, const std::string& file) {
  const auto spec = readSpec(text);
  if (!spec) return in(file, spec.diagnostics().front());
  std::vector<SweepPoint> points;
  std::vector<std::size_t> index(spec->axes.size(), 0);
  for (;;) {
    auto point = pointOf(*spec, index);
    if (!point) return in(file, point.diagnostics().front());
    if (*point) points.push_back(std::move(**point));
    std::size_t axis = index.size();
    while (axis > 0 && ++index[axis - 1] == spec->axes[axis - 1].second.size()) index[--axis] = 0;
    if (axis == 0) break;
  }
  if (points.empty()) return in(file, errorWith("\"where\" leaves no combination"));
  return points;
}

Result<std::vector<SweepPoint>> readSweep(const std::string& path) {
  const auto text = readTextFile(path);
  if (!text) return text.diagnostics();
  return parseSweep(*text, path);
}

}  // namespace warpmill::cli
