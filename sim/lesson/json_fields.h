// Typed fields of a JSON object for the lesson reader: what is missing or of another type becomes an error at its place.
#pragma once

#include "base/json.h"
#include "lesson/text.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill::lesson {

class Fields {
 public:
  Fields(JsonValue object, Diagnostics& errors, std::span<const std::string_view> allowed);
  Fields(JsonValue object, Diagnostics& errors, std::initializer_list<std::string_view> allowed)
      : Fields(object, errors, std::span(allowed.begin(), allowed.size())) {}

  std::string string(std::string_view key);
  std::optional<std::string> optionalString(std::string_view key);
  std::uint64_t integer(std::string_view key, std::uint64_t least, std::uint64_t most);
  std::optional<std::uint64_t> optionalInteger(std::string_view key, std::uint64_t least, std::uint64_t most);
  double number(std::string_view key);
  bool boolean(std::string_view key, bool otherwise);
  std::vector<JsonValue> array(std::string_view key);
  std::optional<JsonValue> object(std::string_view key);           // an error when it is missing
  std::optional<JsonValue> optional(std::string_view key) const { return object_.isObject() ? object_.member(key) : std::nullopt; }
  LocalText localText(std::string_view key, const std::vector<std::string>& languages);   // each of `languages`, none empty
  // Index of the word in `words`; an error with "did you mean" otherwise.
  std::size_t word(std::string_view key, std::span<const std::string_view> words);

  [[nodiscard]] const JsonValue& value() const { return object_; }

 private:
  std::optional<JsonValue> need(std::string_view key);
  JsonValue object_;
  Diagnostics& errors_;
};

// A text by language from an object {"en": ..., "ru": ...}.
LocalText readLocalText(const JsonValue& value, const std::vector<std::string>& languages, Diagnostics& errors);

}  // namespace warpmill::lesson
