// JSON text read with the place of every key and value, so that whatever is wrong with a value can be shown where it stands.
// (nlohmann-json, with which we write JSON, knows places of syntax errors only.) Numbers keep their text: 64-bit integers stay exact.
// Source: RFC 8259. Refused beside what it refuses: a key twice in one object.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill {

class JsonDocument;

// A value of a document; cheap to copy. The document must outlive it.
class JsonValue {
 public:
  enum class Kind : std::uint8_t { Null, Boolean, Number, String, Array, Object };

  [[nodiscard]] Kind kind() const;
  [[nodiscard]] bool isObject() const { return kind() == Kind::Object; }
  [[nodiscard]] bool isArray() const { return kind() == Kind::Array; }
  [[nodiscard]] bool isString() const { return kind() == Kind::String; }
  [[nodiscard]] bool isNumber() const { return kind() == Kind::Number; }
  [[nodiscard]] std::string_view kindName() const;   // "an object", "a number", ... for messages

  [[nodiscard]] bool boolean() const;                // of a Boolean
  [[nodiscard]] std::string string() const;          // of a String: escapes resolved, UTF-8
  [[nodiscard]] std::string_view text() const;       // as written; of a number its digits
  [[nodiscard]] std::optional<double> number() const;          // of a Number that a double can hold (not 1e999)
  [[nodiscard]] std::optional<std::int64_t> signedInteger() const;     // of a Number without fraction in range ("3", "3.0", "3e2")
  [[nodiscard]] std::optional<std::uint64_t> unsignedInteger() const;

  [[nodiscard]] std::size_t size() const;            // elements of an Array, members of an Object
  // Elements or members in order. Walking is linear: first(), then next() until it is empty.
  [[nodiscard]] std::optional<JsonValue> first() const;
  [[nodiscard]] std::optional<JsonValue> next() const;
  [[nodiscard]] std::vector<JsonValue> children() const;
  [[nodiscard]] std::string key() const;             // of a member
  [[nodiscard]] std::optional<JsonValue> member(std::string_view key) const;

  [[nodiscard]] SourcePosition position() const;
  [[nodiscard]] SourcePosition keyPosition() const;  // of a member: where its key stands

  // An error at the value (or at its key): message, hint, the line for the caret.
  [[nodiscard]] Diagnostic error(std::string message, std::string hint = {}) const;
  [[nodiscard]] Diagnostic errorAtKey(std::string message, std::string hint = {}) const;

 private:
  friend class JsonDocument;
  JsonValue(const JsonDocument* document, std::uint32_t node) : document_(document), node_(node) {}
  const JsonDocument* document_;
  std::uint32_t node_;
};

class JsonDocument {
 public:
  // The document keeps the text. Errors say what was expected at which place.
  static Result<std::unique_ptr<JsonDocument>> parse(std::string text, std::string fileName);

  [[nodiscard]] JsonValue root() const { return {this, 0}; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& fileName() const { return fileName_; }
  [[nodiscard]] SourcePosition positionAt(std::size_t offset) const;
  [[nodiscard]] Diagnostic errorAt(std::size_t begin, std::size_t end, std::string message, std::string hint) const;

 private:
  friend class JsonValue;
  friend class JsonParser;
  // Values in the order of the text; the children of one follow it.
  struct Node {
    std::uint32_t begin = 0, end = 0;        // of its text
    std::uint32_t keyBegin = 0, keyEnd = 0;  // of a member's key, quotes included; equal when it is none
    std::uint32_t parent = 0;
    std::uint32_t behind = 0;                // the first node that is no descendant
    std::uint32_t count = 0;                 // of children
    JsonValue::Kind kind = JsonValue::Kind::Null;
  };
  std::string text_, fileName_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> lineBegin_;
};

// The members of `object` that are not in `allowed`, each as an error with "did you mean".
Diagnostics unknownKeys(const JsonValue& object, std::span<const std::string_view> allowed);

}  // namespace warpmill
