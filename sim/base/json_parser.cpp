// The reading half of base/json.h: text to nodes. Not recursive, so that a file of a million brackets is an error and no crash.
#include "base/json.h"

#include <algorithm>
#include <cctype>

namespace warpmill {

class JsonParser {
 public:
  explicit JsonParser(JsonDocument& document) : doc_(document), text_(document.text_) {}

  std::optional<Diagnostic> run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte-order mark that some editors leave
    skipSpace();
    if (at_ == text_.size()) return fail(at_, "this file is empty", "JSON is wanted here");
    bool valueWanted = true;
    while (true) {
      if (valueWanted) {
        if (auto error = beginValue()) return error;
        if (opened_) {  // an object or array with something in it: its first key or value comes next
          opened_ = false;
          continue;
        }
      }
      if (open_.empty()) break;
      bool closed = false;
      if (auto error = afterValue(closed)) return error;
      valueWanted = !closed;
    }
    skipSpace();
    if (at_ != text_.size()) return fail(at_, "nothing may follow the value", "is a bracket closed too early?");
    return std::nullopt;
  }

 private:
  using Node = JsonDocument::Node;
  using Kind = JsonValue::Kind;
  static constexpr std::size_t deepest = 128;

  Diagnostic fail(std::size_t offset, std::string message, std::string hint) const {
    return doc_.errorAt(offset, std::min(offset + 1, text_.size()), std::move(message), std::move(hint));
  }
  [[nodiscard]] bool is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  [[nodiscard]] std::string found() const {
    if (at_ >= text_.size()) return "the end of the file";
    const unsigned char c = static_cast<unsigned char>(text_[at_]);
    if (c < 0x20 || c >= 0x7F) return "this character";
    return "'" + std::string(1, text_[at_]) + "'";
  }
  [[nodiscard]] std::string commentHint() const {
    if (is('/') || is('#')) return "JSON has no comments";
    if (is('\'')) return "JSON wants double quotes";
    return {};
  }

  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
  }

  Node& add(Kind kind) {
    Node node;
    node.kind = kind;
    node.begin = static_cast<std::uint32_t>(at_);
    node.keyBegin = keyBegin_;
    node.keyEnd = keyEnd_;
    node.parent = open_.empty() ? 0 : open_.back();
    if (!open_.empty()) ++doc_.nodes_[open_.back()].count;
    doc_.nodes_.push_back(node);
    keyBegin_ = keyEnd_ = 0;
    return doc_.nodes_.back();
  }
  void close(Node& node) {
    node.end = static_cast<std::uint32_t>(at_);
    node.behind = static_cast<std::uint32_t>(doc_.nodes_.size());
  }

  std::optional<Diagnostic> beginValue() {
    skipSpace();
    if (at_ == text_.size()) return fail(at_, "a value is missing before the end of the file", "is a bracket not closed?");
    switch (text_[at_]) {
      case '{':
        return beginObject();
      case '[':
        return beginArray();
      case '"': {
        Node& node = add(Kind::String);
        if (auto error = scanString()) return error;
        close(node);
        return std::nullopt;
      }
      case 't':
        return word("true", Kind::Boolean);
      case 'f':
        return word("false", Kind::Boolean);
      case 'n':
        return word("null", Kind::Null);
      default:
        return scanNumber();
    }
  }

  std::optional<Diagnostic> beginObject() {
    if (open_.size() >= deepest) return fail(at_, "nested too deeply", "at most 128 levels");
    add(Kind::Object);
    open_.push_back(static_cast<std::uint32_t>(doc_.nodes_.size() - 1));
    keys_.emplace_back();
    ++at_;
    skipSpace();
    if (is('}')) return closeTop();
    opened_ = true;
    return readKey();
  }

  std::optional<Diagnostic> beginArray() {
    if (open_.size() >= deepest) return fail(at_, "nested too deeply", "at most 128 levels");
    add(Kind::Array);
    open_.push_back(static_cast<std::uint32_t>(doc_.nodes_.size() - 1));
    keys_.emplace_back();
    ++at_;
    skipSpace();
    if (is(']')) return closeTop();
    opened_ = true;
    return std::nullopt;
  }

  std::optional<Diagnostic> closeTop() {
    ++at_;
    const std::uint32_t node = open_.back();
    open_.pop_back();
    std::vector<Key>& keys = keys_.back();
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 1; i < keys.size(); ++i)
      if (keys[i].text == keys[i - 1].text)
        return doc_.errorAt(keys[i].begin, keys[i].begin + keys[i].text.size(),
                            "the key " + std::string(keys[i].text) + " stands here twice",
                            "its first place is line " + std::to_string(doc_.positionAt(keys[i - 1].begin).line));
    keys_.pop_back();
    close(doc_.nodes_[node]);
    return std::nullopt;
  }

  std::optional<Diagnostic> readKey() {
    skipSpace();
    if (!is('"')) {
      std::string hint = commentHint();
      if (hint.empty() && is('}')) hint = "take out the comma before it";
      if (hint.empty()) hint = "keys stand in double quotes";
      return fail(at_, "a key is wanted here, not " + found(), hint);
    }
    keyBegin_ = static_cast<std::uint32_t>(at_);
    const std::uint32_t begin = keyBegin_;
    if (auto error = scanString()) return error;
    keyEnd_ = static_cast<std::uint32_t>(at_);
    keys_.back().push_back({std::string_view(text_).substr(begin, keyEnd_ - begin), begin});
    skipSpace();
    if (!is(':')) return fail(at_, "':' is wanted after the key, not " + found(), commentHint());
    ++at_;
    return std::nullopt;
  }

  // Behind a value inside an array or object: a comma (and the next key), or the closing bracket.
  std::optional<Diagnostic> afterValue(bool& closed) {
    skipSpace();
    const bool object = doc_.nodes_[open_.back()].kind == Kind::Object;
    const char bracket = object ? '}' : ']';
    if (is(bracket)) {
      closed = true;
      return closeTop();
    }
    if (!is(',')) {
      const SourcePosition opened = doc_.positionAt(doc_.nodes_[open_.back()].begin);
      std::string hint = commentHint();
      if (hint.empty())
        hint = std::string("the ") + (object ? "object" : "array") + " that line " + std::to_string(opened.line) +
               " opens goes on or ends here";
      return fail(at_, std::string("',' or '") + bracket + "' is wanted here, not " + found(), hint);
    }
    ++at_;
    skipSpace();
    if (object) return readKey();
    if (is(']')) return fail(at_, "a value is wanted here, not ']'", "take out the comma before it");
    return std::nullopt;
  }

  std::optional<Diagnostic> word(std::string_view text, Kind kind) {
    if (text_.compare(at_, text.size(), text) != 0) return unknownWord();
    Node& node = add(kind);
    at_ += text.size();
    close(node);
    return std::nullopt;
  }

  std::optional<Diagnostic> unknownWord() {
    std::size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_')) ++end;
    std::string hint = commentHint();
    if (end == at_) return fail(at_, "a value is wanted here, not " + found(), hint);
    const std::string name = text_.substr(at_, std::min<std::size_t>(end - at_, 40));
    if (hint.empty()) hint = "texts stand in double quotes; the only bare words are true, false and null";
    return doc_.errorAt(at_, end, "a value is wanted here, not '" + name + "'", hint);
  }

  std::optional<Diagnostic> scanNumber() {
    const std::size_t begin = at_;
    std::size_t at = at_;
    const auto digits = [&] {
      const std::size_t from = at;
      while (at < text_.size() && text_[at] >= '0' && text_[at] <= '9') ++at;
      return at - from;
    };
    if (at < text_.size() && text_[at] == '-') ++at;
    const std::size_t whole = at;
    const std::size_t wholeDigits = digits();
    if (wholeDigits == 0) return unknownWord();
    if (wholeDigits > 1 && text_[whole] == '0') return fail(begin, "a number may not begin with a zero", "JSON knows no octal numbers");
    if (at < text_.size() && text_[at] == '.') {
      ++at;
      if (digits() == 0) return fail(at, "a digit is wanted after the point", {});
    }
    if (at < text_.size() && (text_[at] == 'e' || text_[at] == 'E')) {
      ++at;
      if (at < text_.size() && (text_[at] == '+' || text_[at] == '-')) ++at;
      if (digits() == 0) return fail(at, "a digit is wanted in the exponent", {});
    }
    if (at < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[at])) != 0 || text_[at] == '_'))
      return fail(at, "a number may not go on like this", "JSON numbers are decimal and have no suffix");
    Node& node = add(Kind::Number);
    at_ = at;
    close(node);
    return std::nullopt;
  }

  // From the opening quote to behind the closing one.
  std::optional<Diagnostic> scanString() {
    const std::size_t begin = at_++;
    while (at_ < text_.size()) {
      const unsigned char c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        return std::nullopt;
      }
      if (c == '\n') return doc_.errorAt(begin, at_, "this text has no closing quote", {});
      if (c < 0x20) return fail(at_, "a control character may not stand in a text", "write it as an escape, such as \\t");
      if (c != '\\') {
        ++at_;
        continue;
      }
      const char escape = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
      if (escape == 'u') {
        for (std::size_t i = at_ + 2; i < at_ + 6; ++i)
          if (i >= text_.size() || std::isxdigit(static_cast<unsigned char>(text_[i])) == 0)
            return fail(at_, "\\u wants four hexadecimal digits", {});
        at_ += 6;
      } else if (escape != '\0' && std::string_view("\"\\/bfnrt").find(escape) != std::string_view::npos) {
        at_ += 2;
      } else {
        return fail(at_, "unknown escape", "a backslash itself is written \\\\");
      }
    }
    return doc_.errorAt(begin, begin + 1, "this text has no closing quote", {});
  }

  struct Key {
    std::string_view text;  // as written, quotes included
    std::uint32_t begin;
    bool operator<(const Key& o) const { return text != o.text ? text < o.text : begin < o.begin; }
  };
  JsonDocument& doc_;
  const std::string& text_;
  std::size_t at_ = 0;
  std::uint32_t keyBegin_ = 0, keyEnd_ = 0;  // of the key read last, for the value that comes
  bool opened_ = false;
  std::vector<std::uint32_t> open_;     // objects and arrays around the present place
  std::vector<std::vector<Key>> keys_;  // of each of them
};

Result<std::unique_ptr<JsonDocument>> JsonDocument::parse(std::string text, std::string fileName) {
  auto document = std::make_unique<JsonDocument>();
  document->text_ = std::move(text);
  document->fileName_ = std::move(fileName);
  document->lineBegin_.push_back(0);
  if (document->text_.size() >= 0xFFFFFFF0u) {
    Diagnostic tooLarge;
    tooLarge.file = document->fileName_;
    tooLarge.message = "this file is too large for JSON";
    return tooLarge;
  }
  for (std::size_t i = 0; i < document->text_.size(); ++i)
    if (document->text_[i] == '\n') document->lineBegin_.push_back(static_cast<std::uint32_t>(i + 1));
  if (auto error = JsonParser(*document).run()) return *error;
  return document;
}

}  // namespace warpmill
