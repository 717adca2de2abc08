#include "lesson/json_fields.h"

#include "base/suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace warpmill::lesson {

Fields::Fields(JsonValue object, Diagnostics& errors, std::span<const std::string_view> allowed) : object_(object), errors_(errors) {
  if (!object.isObject()) {
    errors_.push_back(object.error(fmt::format("{} where an object is needed", object.kindName())));
    return;
  }
  for (Diagnostic& d : unknownKeys(object, allowed)) errors_.push_back(std::move(d));
}

std::optional<JsonValue> Fields::need(std::string_view key) {
  if (!object_.isObject()) return std::nullopt;
  auto member = object_.member(key);
  if (!member) errors_.push_back(object_.error(fmt::format("the key \"{}\" is missing", key), "add it to this object"));
  return member;
}

std::string Fields::string(std::string_view key) {
  const auto value = need(key);
  if (!value) return {};
  if (!value->isString() || value->string().empty()) {
    errors_.push_back(value->error(fmt::format("\"{}\" must be a text that is not empty", key)));
    return {};
  }
  return value->string();
}

std::optional<std::string> Fields::optionalString(std::string_view key) {
  if (!optional(key)) return std::nullopt;
  return string(key);
}

std::uint64_t Fields::integer(std::string_view key, std::uint64_t least, std::uint64_t most) {
  const auto value = need(key);
  if (!value) return least;
  const auto number = value->isNumber() ? value->unsignedInteger() : std::nullopt;
  if (!number || *number < least || *number > most) {
    errors_.push_back(value->error(fmt::format("\"{}\" must be a whole number from {} to {}", key, least, most)));
    return least;
  }
  return *number;
}

std::optional<std::uint64_t> Fields::optionalInteger(std::string_view key, std::uint64_t least, std::uint64_t most) {
  if (!optional(key)) return std::nullopt;
  return integer(key, least, most);
}

double Fields::number(std::string_view key) {
  const auto value = need(key);
  if (!value) return 0;
  const auto number = value->isNumber() ? value->number() : std::nullopt;
  if (!number) errors_.push_back(value->error(fmt::format("\"{}\" must be a number", key)));
  return number.value_or(0);
}

bool Fields::boolean(std::string_view key, bool otherwise) {
  const auto value = optional(key);
  if (!value) return otherwise;
  if (value->kind() == JsonValue::Kind::Boolean) return value->boolean();
  errors_.push_back(value->error(fmt::format("\"{}\" must be true or false", key)));
  return otherwise;
}

std::vector<JsonValue> Fields::array(std::string_view key) {
  const auto value = need(key);
  if (!value) return {};
  if (!value->isArray() || value->size() == 0) {
    errors_.push_back(value->error(fmt::format("\"{}\" must be an array that is not empty", key)));
    return {};
  }
  return value->children();
}

std::optional<JsonValue> Fields::object(std::string_view key) {
  auto value = need(key);
  if (value && !value->isObject()) {
    errors_.push_back(value->error(fmt::format("\"{}\" must be an object", key)));
    return std::nullopt;
  }
  return value;
}

LocalText Fields::localText(std::string_view key, const std::vector<std::string>& languages) {
  const auto value = need(key);
  return value ? readLocalText(*value, languages, errors_) : LocalText{};
}

std::size_t Fields::word(std::string_view key, std::span<const std::string_view> words) {
  const auto value = need(key);
  if (!value) return 0;
  const std::string word = value->isString() ? value->string() : std::string();
  const auto it = std::find(words.begin(), words.end(), word);
  if (it != words.end()) return static_cast<std::size_t>(it - words.begin());
  errors_.push_back(value->error(fmt::format("\"{}\" is no {} that lessons know", word, key), didYouMean(word, words)));
  return 0;
}

LocalText readLocalText(const JsonValue& value, const std::vector<std::string>& languages, Diagnostics& errors) {
  LocalText text;
  if (!value.isObject()) {
    errors.push_back(value.error("a text by language is needed here", R"(write it as {"en": "...", "ru": "..."})"));
    return text;
  }
  for (const JsonValue& member : value.children()) {
    if (std::find(languages.begin(), languages.end(), member.key()) == languages.end())
      errors.push_back(member.errorAtKey(fmt::format("the lesson has no language \"{}\"", member.key()), "\"languages\" lists them"));
    else if (!member.isString() || member.string().empty())
      errors.push_back(member.error("a text that is not empty is needed here"));
    else
      text[member.key()] = member.string();
  }
  for (const std::string& language : languages)
    if (!value.member(language)) errors.push_back(value.error(fmt::format("the text in \"{}\" is missing", language), "every language needs it"));
  return text;
}

}  // namespace warpmill::lesson
