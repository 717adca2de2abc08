// The asking half of base/json.h.
#include "base/json.h"

#include "base/suggest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace warpmill {
namespace {

std::uint32_t hexDigits(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

void appendUtf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

// The text between a string's quotes, escapes resolved; the parser has checked them.
std::string unescape(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out += raw[i];
      continue;
    }
    switch (raw[++i]) {
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u': {
        std::uint32_t c = hexDigits(raw.substr(i + 1, 4));
        i += 4;
        if (c >= 0xD800 && c < 0xDC00 && raw.substr(i + 1, 2) == "\\u") {  // first half of a surrogate pair
          const std::uint32_t low = hexDigits(raw.substr(i + 3, 4));
          if (low >= 0xDC00 && low < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            i += 6;
          }
        }
        appendUtf8(out, c >= 0xD800 && c < 0xE000 ? 0xFFFD : c);
        break;
      }
      default:
        out += raw[i];
    }
  }
  return out;
}

// "3", "3.0", "3e2": an exact integer, or nothing.
template <class T>
std::optional<T> integerOf(std::string_view text, std::optional<double> number) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  if (text.find_first_of(".eE") == std::string_view::npos || !number) return std::nullopt;
  constexpr double exact = 9007199254740992.0;  // 2^53: up to here every integer is a double
  if (*number != std::floor(*number) || std::fabs(*number) > exact || (*number < 0 && std::is_unsigned_v<T>)) return std::nullopt;
  return static_cast<T>(*number);
}

}  // namespace

JsonValue::Kind JsonValue::kind() const {
  return document_->nodes_[node_].kind;
}

std::string_view JsonValue::kindName() const {
  static constexpr std::array<std::string_view, 6> names{"null", "true or false", "a number", "a text", "an array", "an object"};
  return names[static_cast<std::size_t>(kind())];
}

std::string_view JsonValue::text() const {
  const auto& node = document_->nodes_[node_];
  return std::string_view(document_->text_).substr(node.begin, node.end - node.begin);
}

bool JsonValue::boolean() const {
  return text() == "true";
}

std::string JsonValue::string() const {
  WM_ASSERT(isString(), "string() of another kind of JSON value");
  const std::string_view raw = text();
  return unescape(raw.substr(1, raw.size() - 2));
}

std::optional<double> JsonValue::number() const {
  if (!isNumber()) return std::nullopt;
  double value = 0;
  const std::string_view raw = text();
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  // Out of range is two things: too small for a double, which is zero, and too large, which is an error.
  if (error == std::errc::result_out_of_range && (raw.find("e-") != raw.npos || raw.find("E-") != raw.npos || raw.find("0.") <= 1))
    return 0.0;
  if (error != std::errc{} || end != raw.data() + raw.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> JsonValue::signedInteger() const {
  return isNumber() ? integerOf<std::int64_t>(text(), number()) : std::nullopt;
}

std::optional<std::uint64_t> JsonValue::unsignedInteger() const {
  return isNumber() ? integerOf<std::uint64_t>(text(), number()) : std::nullopt;
}

std::size_t JsonValue::size() const {
  return document_->nodes_[node_].count;
}

std::optional<JsonValue> JsonValue::first() const {
  if (size() == 0) return std::nullopt;
  return JsonValue(document_, node_ + 1);
}

std::optional<JsonValue> JsonValue::next() const {
  if (node_ == 0) return std::nullopt;
  const auto& node = document_->nodes_[node_];
  if (node.behind >= document_->nodes_[node.parent].behind) return std::nullopt;
  return JsonValue(document_, node.behind);
}

std::vector<JsonValue> JsonValue::children() const {
  std::vector<JsonValue> all;
  all.reserve(size());
  for (auto child = first(); child; child = child->next()) all.push_back(*child);
  return all;
}

std::string JsonValue::key() const {
  const auto& node = document_->nodes_[node_];
  if (node.keyEnd == node.keyBegin) return {};
  return unescape(std::string_view(document_->text_).substr(node.keyBegin + 1, node.keyEnd - node.keyBegin - 2));
}

std::optional<JsonValue> JsonValue::member(std::string_view wanted) const {
  if (!isObject()) return std::nullopt;
  for (auto child = first(); child; child = child->next())
    if (child->key() == wanted) return child;
  return std::nullopt;
}

SourcePosition JsonValue::position() const {
  return document_->positionAt(document_->nodes_[node_].begin);
}
SourcePosition JsonValue::keyPosition() const {
  return document_->positionAt(document_->nodes_[node_].keyBegin);
}

Diagnostic JsonValue::error(std::string message, std::string hint) const {
  const auto& node = document_->nodes_[node_];
  const bool bracketed = node.kind == Kind::Array || node.kind == Kind::Object;  // underline only the bracket
  return document_->errorAt(node.begin, bracketed ? node.begin + 1 : node.end, std::move(message), std::move(hint));
}

Diagnostic JsonValue::errorAtKey(std::string message, std::string hint) const {
  const auto& node = document_->nodes_[node_];
  return document_->errorAt(node.keyBegin, node.keyEnd, std::move(message), std::move(hint));
}

SourcePosition JsonDocument::positionAt(std::size_t offset) const {
  const auto after = std::upper_bound(lineBegin_.begin(), lineBegin_.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - lineBegin_.begin());
  return {line, static_cast<std::uint32_t>(offset - lineBegin_[line - 1] + 1)};
}

Diagnostic JsonDocument::errorAt(std::size_t begin, std::size_t end, std::string message, std::string hint) const {
  Diagnostic d;
  d.file = fileName_;
  d.position = positionAt(begin);
  d.length = static_cast<std::uint32_t>(std::max<std::size_t>(end > begin ? end - begin : 1, 1));
  d.message = std::move(message);
  d.hint = std::move(hint);
  const std::size_t lineBegin = lineBegin_[d.position.line - 1];
  d.sourceLine = text_.substr(lineBegin, text_.find('\n', lineBegin) - lineBegin);
  if (!d.sourceLine.empty() && d.sourceLine.back() == '\r') d.sourceLine.pop_back();
  return d;
}

Diagnostics unknownKeys(const JsonValue& object, std::span<const std::string_view> allowed) {
  Diagnostics errors;
  for (auto child = object.first(); child; child = child->next()) {
    const std::string key = child->key();
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
      errors.push_back(child->errorAtKey("unknown key '" + key + "'", didYouMean(key, allowed)));
  }
  return errors;
}

}  // namespace warpmill
