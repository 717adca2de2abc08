#include "base/json.h"

#include "catch.h"

#include <nlohmann/json.hpp>

using namespace warpmill;

namespace {

std::string firstError(const std::string& text) {
  const auto parsed = JsonDocument::parse(text, "f.json");
  if (parsed.ok()) return {};
  const Diagnostic& d = parsed.diagnostics()[0];
  return std::to_string(d.position.line) + ":" + std::to_string(d.position.column) + ": " + d.message +
         (d.hint.empty() ? "" : " (" + d.hint + ")");
}

// The same value by the other library, to compare with.
nlohmann::json rebuilt(const JsonValue& v) {
  switch (v.kind()) {
    case JsonValue::Kind::Null:
      return nullptr;
    case JsonValue::Kind::Boolean:
      return v.boolean();
    case JsonValue::Kind::String:
      return v.string();
    case JsonValue::Kind::Number:
      if (v.text().find_first_of(".eE") == std::string_view::npos) {
        if (const auto i = v.signedInteger()) return *i;
        if (const auto u = v.unsignedInteger()) return *u;
      }
      return *v.number();
    case JsonValue::Kind::Array: {
      auto out = nlohmann::json::array();
      for (const JsonValue& child : v.children()) out.push_back(rebuilt(child));
      return out;
    }
    case JsonValue::Kind::Object: {
      auto out = nlohmann::json::object();
      for (const JsonValue& child : v.children()) out[child.key()] = rebuilt(child);
      return out;
    }
  }
  return {};
}

}  // namespace

TEST_CASE("Every kind of JSON value reads as another reader reads it") {
  for (const std::string text :
       {R"([])", R"({})", R"(  {"a": [1, -2.5e3, 0.0, true, false, null, "x"], "b": {"c": {}, "d": []}}  )",
        R"(["\u00e9\ud83d\ude00\n\t\"\\\/", "é", ""])", R"([9223372036854775807, 18446744073709551615, -9223372036854775808, 1e-5])", "3",
        "\"s\"", "[[[[1],2],3],[4]]", "{\"k\":\n[\r\n1\t,2]}"}) {
    const auto parsed = JsonDocument::parse(text, "f.json");
    REQUIRE(parsed.ok());
    REQUIRE(rebuilt(parsed.value()->root()) == nlohmann::json::parse(text));
  }
}

TEST_CASE("Values and keys know their line and column") {
  const auto parsed = JsonDocument::parse("{\n  \"grid\": [4,\n    0, 1],\n  \"name\": \"x\"\n}\n", "f.json");
  const JsonValue root = parsed.value()->root();
  REQUIRE(root.position() == SourcePosition{1, 1});
  REQUIRE(root.member("grid")->position() == SourcePosition{2, 11});
  REQUIRE(root.member("grid")->keyPosition() == SourcePosition{2, 3});
  REQUIRE(root.member("grid")->children()[1].position() == SourcePosition{3, 5});
  REQUIRE_FALSE(root.member("block"));
  const Diagnostic d = root.member("grid")->children()[1].error("too small", "at least 1");
  REQUIRE(formatDiagnostic(d) == "f.json:3:5: error: too small\n        0, 1],\n        ^\n    hint: at least 1\n");
}

TEST_CASE("Integers are exact over all 64 bits, and fractions are no integers") {
  const auto parsed = JsonDocument::parse(
      "[18446744073709551615, -9223372036854775808, 9007199254740993, 3.0, 2e3, 1.5, 18446744073709551616, -1, 1e999]", "f");
  const auto v = parsed.value()->root().children();
  REQUIRE(v[0].unsignedInteger() == 18446744073709551615ull);
  REQUIRE_FALSE(v[0].signedInteger());
  REQUIRE(v[1].signedInteger() == std::numeric_limits<std::int64_t>::min());
  REQUIRE(v[2].signedInteger() == 9007199254740993);
  REQUIRE(v[3].unsignedInteger() == 3u);
  REQUIRE(v[4].signedInteger() == 2000);
  REQUIRE_FALSE(v[5].signedInteger());
  REQUIRE_FALSE(v[6].unsignedInteger());
  REQUIRE_FALSE(v[7].unsignedInteger());
  REQUIRE_FALSE(v[8].number());
}

TEST_CASE("Broken JSON is an error at its place with a hint") {
  REQUIRE(firstError("") == "1:1: this file is empty (JSON is wanted here)");
  REQUIRE(firstError("{\"a\": 1,}") == "1:9: a key is wanted here, not '}' (take out the comma before it)");
  REQUIRE(firstError("[1, 2,\n]") == "2:1: a value is wanted here, not ']' (take out the comma before it)");
  REQUIRE(firstError("{\"a\": 1\n \"b\": 2}") ==
          "2:2: ',' or '}' is wanted here, not '\"' (the object that line 1 opens goes on or ends here)");
  REQUIRE(firstError("{a: 1}") == "1:2: a key is wanted here, not 'a' (keys stand in double quotes)");
  REQUIRE(firstError("{\"a\" 1}") == "1:6: ':' is wanted after the key, not '1'");
  REQUIRE(firstError("[1 // one\n]") == "1:4: ',' or ']' is wanted here, not '/' (JSON has no comments)");
  REQUIRE(firstError("['x']") == "1:2: a value is wanted here, not ''' (JSON wants double quotes)");
  REQUIRE(firstError("[0x10]") == "1:3: a number may not go on like this (JSON numbers are decimal and have no suffix)");
  REQUIRE(firstError("[True]") ==
          "1:2: a value is wanted here, not 'True' (texts stand in double quotes; the only bare words are true, false and null)");
  REQUIRE(firstError("[\"abc]") == "1:2: this text has no closing quote");
  REQUIRE(firstError("[\"a\\q\"]") == "1:4: unknown escape (a backslash itself is written \\\\)");
  REQUIRE(firstError("[1] 2") == "1:5: nothing may follow the value (is a bracket closed too early?)");
  REQUIRE(firstError("{\"a\":\n1,\n\"b\":2,\"a\":3}") == "3:7: the key \"a\" stands here twice (its first place is line 1)");
  for (const char* text :
       {"[", "{", "[1", "[1,", "{\"a\"", "{\"a\":", "{\"a\":1", "\"", "-", "1.", "1e", "01", "nul", "[\"\\u12\"]", "\x01", "[\"\x01\"]"})
    REQUIRE_FALSE(firstError(text).empty());
}

TEST_CASE("A million opening brackets are an error, not a crash") {
  REQUIRE(firstError(std::string(1000000, '[')).find("nested too deeply") != std::string::npos);
}

TEST_CASE("Unknown keys are reported with the key that was probably meant") {
  const auto parsed = JsonDocument::parse("{\"grid\": 1, \"blokc\": 2}", "f.json");
  constexpr std::array<std::string_view, 2> allowed{"grid", "block"};
  const Diagnostics errors = unknownKeys(parsed.value()->root(), allowed);
  REQUIRE(errors.size() == 1);
  REQUIRE(errors[0].message == "unknown key 'blokc'");
  REQUIRE(errors[0].hint == "did you mean 'block'?");
  REQUIRE(errors[0].position == SourcePosition{1, 13});
}
