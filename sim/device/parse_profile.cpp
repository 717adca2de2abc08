// assets/devices/NAME.json to a Profile: every number with unit, kind and source; everything that is wrong is said at its place.
#include "base/json.h"
#include "base/suggest.h"
#include "device/profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace warpmill::device {
namespace {

using Values = std::array<double Profile::*, [] {
  std::size_t n = 0;
#define WM_NUMBER(field, path, unit, meaning) ++n;
#include "device/numbers.def"
#undef WM_NUMBER
  return n;
}()>;

constexpr Values fields{
#define WM_NUMBER(field, path, unit, meaning) &Profile::field,
#include "device/numbers.def"
#undef WM_NUMBER
};

constexpr std::array<std::string_view, 4> numberKeys{"value", "unit", "kind", "source"};
constexpr std::array<std::string_view, 3> kinds{"documented", "measured", "estimated"};
constexpr std::size_t mostErrors = 20;

// What a number of this unit may be. Counts are whole; rates and sizes are not zero, or the machine could not move.
struct Range {
  double least, most;
  bool whole;
};
Range rangeOf(const NumberInfo& info) {
  const auto is = [&](std::string_view path) { return info.path == path; };
  if (is("issue.schedulers")) return {1, 4, true};
  if (is("sm.max_warps")) return {1, 64, true};
  if (is("sm.max_blocks")) return {1, 64, true};
  if (is("sm.count")) return {1, 4096, true};
  if (is("sm.max_threads_per_block")) return {32, 1024, true};
  if (is("sm.max_registers_per_thread")) return {16, 255, true};
  if (is("memory.dram_read_efficiency") || is("memory.l2_effective_fraction")) return {0.01, 1, false};
  if (is("memory.l2_slices") || is("memory.dram_channels")) return {1, 4096, true};
  if (is("sm.shared_reserved_per_block")) return {0, 1 << 20, true};
  if (is("memory.l2_size")) return {4096, 4e9, true};
  if (info.unit == "bytes") return {1, 1 << 24, true};
  if (info.unit == "registers") return {1, 1 << 24, true};
  if (info.unit == "threads") return {1, 1 << 16, true};
  if (info.unit == "blocks") return {1, 2147483647, true};
  if (info.unit == "sectors") return {1, 1 << 20, true};
  if (info.unit == "ns" || info.unit == "ratio") return {0, 1e9, false};
  if (info.unit == "cycles") return {0, 60000, false};
  return {1e-6, 1e9, false};
}

std::string shown(double value) {
  std::string text = std::to_string(value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string exampleOf(const NumberInfo& info) {
  return R"({"value": ..., "unit": ")" + std::string(info.unit) + R"(", "kind": "measured", "source": "..."})";
}

class Reader {
 public:
  explicit Reader(const JsonDocument& document) : root_(document.root()) {}

  Result<Profile> read() {
    if (!root_.isObject()) return root_.error("a device profile is an object, not " + std::string(root_.kindName()));
    profile_.provenance.resize(fields.size());
    profile_.name = text("name");
    profile_.title = text("title");
    profile_.computeCapability = text("compute_capability");
    profile_.about = text("about");
    checkKeys(root_, "");
    for (std::size_t i = 0; i < fields.size(); ++i) readNumber(i);
    profile_.storeys = readList("storeys", "SMs", profile_.storeysSource);
    profile_.sharedOptionsKiB = readList("shared_options", "KiB", profile_.sharedOptionsSource);
    if (errors_.empty()) checkSums();
    if (errors_.size() > mostErrors) errors_.resize(mostErrors);
    if (!errors_.empty()) return errors_;
    return profile_;
  }

 private:
  void fail(Diagnostic error) { errors_.push_back(std::move(error)); }

  std::string text(std::string_view key) {
    const auto value = root_.member(key);
    if (!value) {
      fail(root_.error("the key '" + std::string(key) + "' is missing"));
      return {};
    }
    if (!value->isString() || value->string().empty()) {
      fail(value->error("'" + std::string(key) + "' is a text, not " + std::string(value->kindName())));
      return {};
    }
    return value->string();
  }

  // Keys of an object against the paths that begin with `prefix`; goes down into groups.
  void checkKeys(const JsonValue& object, const std::string& prefix) {
    std::vector<std::string_view> allowed, groups;
    if (prefix.empty()) allowed = {"name", "title", "compute_capability", "about", "storeys", "shared_options"};
    for (const NumberInfo& info : numbers()) {
      if (!info.path.starts_with(prefix)) continue;
      const std::string_view rest = info.path.substr(prefix.size());
      const std::string_view head = rest.substr(0, rest.find('.'));
      if (std::find(allowed.begin(), allowed.end(), head) == allowed.end()) allowed.push_back(head);
      if (head.size() < rest.size() && std::find(groups.begin(), groups.end(), head) == groups.end()) groups.push_back(head);
    }
    for (Diagnostic& error : unknownKeys(object, allowed)) fail(std::move(error));
    for (const std::string_view group : groups) {
      const auto value = object.member(group);
      if (!value) continue;  // its numbers are reported as missing
      if (value->isObject())
        checkKeys(*value, prefix + std::string(group) + ".");
      else
        fail(value->error("'" + prefix + std::string(group) + "' is an object of numbers, not " + std::string(value->kindName())));
    }
  }

  // The object in which the last part of a path should stand, or as far down as there is one; `last` gets that part.
  std::optional<JsonValue> holderOf(std::string_view path, std::string_view& last, JsonValue& deepest) const {
    JsonValue at = root_;
    while (true) {
      deepest = at;
      const std::size_t dot = path.find('.');
      if (dot == std::string_view::npos) {
        last = path;
        return at;
      }
      const auto next = at.member(path.substr(0, dot));
      if (!next || !next->isObject()) return std::nullopt;
      at = *next;
      path.remove_prefix(dot + 1);
    }
  }

  void readNumber(std::size_t index) {
    const NumberInfo& info = numbers()[index];
    std::string_view last;
    JsonValue deepest = root_;
    const auto holder = holderOf(info.path, last, deepest);
    const auto found = holder ? holder->member(last) : std::nullopt;
    const std::string name = "'" + std::string(info.path) + "'";
    if (!found)
      return fail(deepest.error("the number " + name + " is missing (" + std::string(info.meaning) + ")", "write " + exampleOf(info)));
    if (!found->isObject())
      return fail(found->error(name + " is an object with value, unit, kind and source, not " + std::string(found->kindName()),
                               "write " + exampleOf(info)));
    const auto value = readParts(*found, name, info.unit, profile_.provenance[index]);
    if (!value) return;
    if (!value->isNumber()) return fail(value->error("the value of " + name + " is a number, not " + std::string(value->kindName())));
    const auto number = value->number();
    const Range range = rangeOf(info);
    const std::string unit(info.unit);
    if (!number) return fail(value->error("this number is too large"));
    if (*number < 0) return fail(value->error("the value of " + name + " is negative", "the least is " + shown(range.least) + " " + unit));
    if (*number < range.least)
      return fail(value->error("the value of " + name + " is too small", "the least is " + shown(range.least) + " " + unit));
    if (*number > range.most)
      return fail(value->error("the value of " + name + " is too large", "the most is " + shown(range.most) + " " + unit));
    if (range.whole && *number != std::floor(*number)) return fail(value->error("the value of " + name + " is a whole number"));
    profile_.*fields[index] = *number;
  }

  // Unit, kind and source of a number or list; gives the value to look at, or nothing when something is wrong.
  std::optional<JsonValue> readParts(const JsonValue& object, const std::string& name, std::string_view unit, Provenance& provenance) {
    const std::size_t before = errors_.size();
    for (Diagnostic& error : unknownKeys(object, numberKeys)) fail(std::move(error));
    std::array<std::optional<JsonValue>, 4> parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i] = object.member(numberKeys[i]);
      if (!parts[i])
        fail(object.error(name + " has no '" + std::string(numberKeys[i]) + "'"));
      else if (i > 0 && !parts[i]->isString())
        fail(parts[i]->error("'" + std::string(numberKeys[i]) + "' is a text, not " + std::string(parts[i]->kindName())));
    }
    if (errors_.size() != before) return std::nullopt;
    if (parts[1]->string() != unit)
      fail(parts[1]->error("wrong unit '" + parts[1]->string() + "' of " + name, "it is given in '" + std::string(unit) + "'"));
    provenance.kind = parts[2]->string();
    if (std::find(kinds.begin(), kinds.end(), provenance.kind) == kinds.end())
      fail(parts[2]->error("unknown kind '" + provenance.kind + "' of " + name, didYouMean(provenance.kind, kinds)));
    provenance.source = parts[3]->string();
    if (provenance.source.empty()) fail(parts[3]->error("the source of " + name + " is empty", "say where the number comes from"));
    if (errors_.size() != before) return std::nullopt;
    return parts[0];
  }

  std::vector<std::uint32_t> readList(std::string_view key, std::string_view unit, Provenance& provenance) {
    std::vector<std::uint32_t> list;
    const auto found = root_.member(key);
    const std::string name = "'" + std::string(key) + "'";
    if (!found) {
      fail(root_.error("the list " + name + " is missing",
                       R"(write {"value": [...], "unit": ")" + std::string(unit) + R"(", "kind": ..., "source": ...})"));
      return list;
    }
    if (!found->isObject()) {
      fail(found->error(name + " is an object with value, unit, kind and source, not " + std::string(found->kindName())));
      return list;
    }
    const auto value = readParts(*found, name, unit, provenance);
    if (!value) return list;
    if (!value->isArray() || value->size() == 0 || value->size() > 256) {
      fail(value->error("the value of " + name + " is an array of 1 to 256 numbers"));
      return list;
    }
    for (const JsonValue& element : value->children()) {
      const auto number = element.unsignedInteger();
      if (number && *number <= 65536)
        list.push_back(static_cast<std::uint32_t>(*number));
      else
        fail(element.error("an element of " + name + " is a whole number from 0 to 65536"));
    }
    return list;
  }

  void checkSums() {
    const auto at = [&](std::string_view key) { return *root_.member(key)->member("value"); };
    const std::uint64_t sms = std::accumulate(profile_.storeys.begin(), profile_.storeys.end(), std::uint64_t{0});
    if (sms != static_cast<std::uint64_t>(profile_.smCount))
      fail(at("storeys").error("the storeys add up to " + std::to_string(sms) + " SMs, but 'sm.count' is " + shown(profile_.smCount)));
    const auto& options = profile_.sharedOptionsKiB;
    for (std::size_t i = 1; i < options.size(); ++i)
      if (options[i] <= options[i - 1]) return fail(at("shared_options").error("the shared-memory options rise from one to the next"));
    const double largest = options.back() * 1024.0;
    if (largest > profile_.l1AndSharedBytes)
      fail(at("shared_options")
               .error("the largest option, " + std::to_string(options.back()) + " KiB, is more than L1 and shared memory together",
                      "'sm.l1_and_shared' is " + shown(profile_.l1AndSharedBytes) + " bytes"));
    if (profile_.maxSharedPerBlock + profile_.sharedReservedPerBlock > largest)
      fail(at("shared_options")
               .error(
                   "'sm.max_shared_per_block' and the reserved part do not fit the largest option",
                   shown(profile_.maxSharedPerBlock) + " + " + shown(profile_.sharedReservedPerBlock) + " > " + shown(largest) + " bytes"));
  }

  JsonValue root_;
  Profile profile_;
  Diagnostics errors_;
};

}  // namespace

Result<Profile> parseProfile(const std::string& text, const std::string& fileName) {
  const auto document = JsonDocument::parse(text, fileName);
  if (!document) return document.diagnostics();
  return Reader(**document).read();
}

}  // namespace warpmill::device
