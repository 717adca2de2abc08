#include "profile/fault_text.h"

#include "base/texts.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpmill::profile {
namespace {

using machine::Fault;

constexpr std::size_t mostInFull = 8;
constexpr std::size_t npos = std::string_view::npos;

bool isName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isBlank(char c) { return c == ' ' || c == '\t'; }

std::size_t closing(std::string_view s, std::size_t at) {  // of the bracket at `at`
  int depth = 0;
  for (std::size_t k = at; k < s.size(); ++k) {
    if (s[k] == '(' || s[k] == '[') ++depth;
    if ((s[k] == ')' || s[k] == ']') && --depth == 0) return k;
  }
  return npos;
}

std::size_t opening(std::string_view s, std::size_t at) {
  int depth = 0;
  for (std::size_t k = at + 1; k-- > 0;) {
    if (s[k] == ')' || s[k] == ']') ++depth;
    if ((s[k] == '(' || s[k] == '[') && --depth == 0) return k;
  }
  return npos;
}

// Behind the operand that begins at `at`: "a.b[i]->c(d)", with stars in front.
std::size_t operandEnd(std::string_view s, std::size_t at) {
  while (at < s.size() && (s[at] == '*' || s[at] == '&')) ++at;
  while (at < s.size()) {
    if (isName(s[at]) || s[at] == '.') ++at;
    else if (s.substr(at, 2) == "->" || s.substr(at, 2) == "::") at += 2;
    else if (s[at] == '[' || s[at] == '(') {
      const std::size_t close = closing(s, at);
      if (close == npos) return s.size();
      at = close + 1;
    } else break;
  }
  return at;
}

// Where the operand begins that ends before `end`.
std::size_t operandBegin(std::string_view s, std::size_t end) {
  while (end > 0 && isBlank(s[end - 1])) --end;
  while (end > 0) {
    const char c = s[end - 1];
    if (isName(c) || c == '.') --end;
    else if (end > 1 && (s.substr(end - 2, 2) == "->" || s.substr(end - 2, 2) == "::")) end -= 2;
    else if (c == ']' || c == ')') {
      const std::size_t open = opening(s, end - 1);
      if (open == npos) return end;
      end = open;
    } else break;
  }
  while (end > 0 && s[end - 1] == '*') --end;
  return end;
}

Span trimmed(std::string_view s, std::size_t begin, std::size_t end) {
  while (begin < end && isBlank(s[begin])) ++begin;
  while (end > begin && (isBlank(s[end - 1]) || s[end - 1] == ';')) --end;
  return {begin, end};
}

// The sign of an assignment at `at`, its length: "=", "+=", ">>=". 0: there is none.
std::size_t assignmentAt(std::string_view s, std::size_t at) {
  std::size_t k = at;
  while (k < s.size() && k < at + 2 && std::string_view("+-*/%&|^<>").find(s[k]) != npos) ++k;
  if (k >= s.size() || s[k] != '=' || (k + 1 < s.size() && s[k + 1] == '=')) return 0;
  if (k == at + 1 && (s[at] == '<' || s[at] == '>')) return 0;  // <=
  return k + 1 - at;
}

struct Shown {
  std::string file, text;
  std::uint32_t line = 0;
  Span span;
};

class Writer {
 public:
  explicit Writer(const TextOptions& options) : o_(options) {}

  std::string all(const std::vector<Fault>& faults) {
    std::vector<std::vector<const Fault*>> groups;
    for (const Fault& f : faults) {
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return sameLine(*g.front(), f); });
      if (same != groups.end()) same->push_back(&f);
      else groups.push_back({&f});
    }
    for (std::size_t g = 0; g < std::min(groups.size(), mostInFull); ++g) one(groups[g]);
    if (groups.size() > mostInFull) {
      out_ += words({Text::LabelMore, {{"lines", groups.size() - mostInFull}}}) + "\n";
      for (std::size_t g = mostInFull; g < groups.size(); ++g)
        out_ += "  " + words({Text::LabelMoreLine, {{"place", place(shown(*groups[g].front()))}, {"kind", machine::faultName(groups[g].front()->kind)}, {"count", times(groups[g])}}}) + "\n";
    }
    return std::move(out_);
  }

  std::string note(machine::OtherParty o) {
    party(o);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string words(const Said& said) const { return inWords(said, o_.language); }

  static bool sameLine(const Fault& a, const Fault& b) {
    if (a.kind != b.kind || a.file != b.file || a.location.line != b.location.line) return false;
    return a.location.line != 0 && !a.file.empty() ? true : a.ptxLine == b.ptxLine && a.ptxLine != 0;
  }
  static std::uint64_t times(const std::vector<const Fault*>& group) {
    std::uint64_t sum = 0;
    for (const Fault* f : group) sum += f->count;
    return sum;
  }

  // The line of the kernel's source where that is at hand, else of the PTX.
  template <class Party> [[nodiscard]] Shown shown(const Party& f, std::string_view address = {}) const {
    Shown s;
    s.file = f.file;
    s.line = f.location.line;
    const bool hasSource = s.line != 0 && !s.file.empty();
    if (hasSource && o_.sourceLine) s.text = o_.sourceLine(s.file, s.line);
    if (hasSource && (!s.text.empty() || f.ptxLine == 0)) {
      s.span = f.ptxLine == 0 ? accessSpan(s.text, f.location.column, "") : accessSpan(s.text, f.location.column, f.access);
      return s;
    }
    if (!hasSource) {
      s.file = o_.ptxFile;
      s.line = f.ptxLine;
    }
    if (s.line != 0 && !hasSource && o_.sourceLine) s.text = o_.sourceLine("", s.line);
    s.span = ptxSpan(s.text, address);
    return s;
  }

  // The address operand of the statement, else all of it.
  static Span ptxSpan(std::string_view text, std::string_view address) {
    if (!address.empty()) {
      const std::size_t at = text.find(address);
      const std::size_t close = at == npos ? npos : text.find(']', at);
      if (close != npos) return {at, close + 1};
    }
    return trimmed(text, 0, std::min(text.find(';'), text.size()));
  }

  [[nodiscard]] static std::string place(const Shown& s) {
    std::string out = s.file;
    if (s.line == 0) return out;
    out += (out.empty() ? "line " : ":") + std::to_string(s.line);
    if (!s.text.empty()) out += fmt::format(":{}", s.span.begin + 1);
    return out;
  }

  void line(const Shown& s) {
    if (s.text.find_first_not_of(" \t") == npos) return;
    std::string text = s.text;
    std::replace(text.begin(), text.end(), '\t', ' ');
    constexpr std::size_t widest = 160;
    const std::size_t begin = s.span.begin > widest / 2 && text.size() > widest ? s.span.begin - widest / 2 : 0;
    text = text.substr(begin, widest);
    const std::size_t from = s.span.begin - begin, length = std::max<std::size_t>(std::min(s.span.end - begin, text.size()), from + 1) - from;
    std::size_t shownFrom = 0;  // characters, not bytes
    for (std::size_t k = 0; k < from && k < text.size(); ++k) shownFrom += (static_cast<unsigned char>(text[k]) & 0xC0) != 0x80 ? 1u : 0u;
    out_ += fmt::format(" {:>5} | {}\n       | {}^{}\n", s.line, text, std::string(shownFrom, ' '), std::string(length - 1, '~'));
  }

  void one(const std::vector<const Fault*>& group) {
    const Fault& f = *group.front();
    std::string address;
    if (f.about == machine::About::Address && !f.expression.empty()) {
      address = f.expression[0].name;
      if (!address.starts_with('[')) address = "[" + address;
      address = address.substr(0, address.find_first_of("+]"));
    }
    const Shown at = shown(f, address);
    const std::string where = place(at);
    out_ += where.empty() ? "" : where + ": ";
    out_ += fmt::format("{}: {} [{}]\n", words(Text::LabelError), messageOf(f, o_.language), machine::faultName(f.kind));
    line(at);
    if (at.file != o_.ptxFile && f.ptxLine != 0) ptxStatement(f.ptxLine);
    if (f.other) party(*f.other);
    for (const machine::OtherParty& o : f.parties) party(o);
    registers(f);
    if (const std::string& remedy = remedyOf(f, o_.language); !remedy.empty()) out_ += fmt::format("  {}: {}\n", words(Text::LabelHint), remedy);
    if (const std::uint64_t n = times(group); n > 1)
      out_ += "  " + words(group.size() > 1 ? Said(Text::LabelTimesBy, {{"count", n}, {"instructions", group.size()}}) : Said(Text::LabelTimes, {{"count", n}})) + "\n";
  }

  void ptxStatement(std::uint32_t number) {
    std::string text = o_.sourceLine ? o_.sourceLine("", number) : "";
    const Span all = trimmed(text, 0, text.size());
    std::replace(text.begin(), text.end(), '\t', ' ');
    if (all.end > all.begin) out_ += "  = " + words({Text::LabelPtx, {{"line", number}, {"text", text.substr(all.begin, all.end - all.begin)}}}) + "\n";
  }

  void party(const machine::OtherParty& o) {
    const std::string& note = noteOf(o, o_.language);
    if (o.ptxLine == 0 && note.empty()) return;
    const Shown at = shown(o);
    const std::string where = place(at);
    out_ += fmt::format("{}{}: {}\n", where.empty() ? "" : where + ": ", words(Text::LabelNote), note);
    line(at);
  }

  void registers(const Fault& f) {
    if (f.expression.empty()) return;
    const auto triple = [](const std::array<std::uint32_t, 3>& t) { return fmt::format("({},{},{})", t[0], t[1], t[2]); };
    out_ += "  = " + words({Text::LabelRegisters, {{"block", triple(f.block)}, {"thread", triple(f.thread)}}}) + ":\n";
    std::size_t name = 0, made = 0;
    for (const machine::ExpressionStep& s : f.expression) {
      name = std::max(name, s.name.size());
      made = std::max(made, std::min<std::size_t>(s.definition.size(), 48));
    }
    for (const machine::ExpressionStep& s : f.expression) {
      std::string row = fmt::format("      {:<{}}  {:<{}}  {}", s.name, name, s.definition.empty() ? "" : "= " + s.definition, made + 2, s.value.empty() ? "" : "= " + s.value);
      row.erase(row.find_last_not_of(' ') + 1);
      out_ += row + "\n";
    }
  }

  const TextOptions& o_;
  std::string out_;
};

}  // namespace

Span accessSpan(std::string_view line, std::uint32_t column, std::string_view access) {
  const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
  if (column == 0 || column > line.size()) return trimmed(line, first, line.size());
  std::size_t at = column - 1;
  const bool loads = access == "load";
  if (const std::size_t sign = assignmentAt(line, at); sign != 0) {
    if (loads && sign == 1) return trimmed(line, at + sign, std::min(line.find(';', at), line.size()));
    std::size_t end = at;
    while (end > 0 && isBlank(line[end - 1])) --end;
    return {std::min(operandBegin(line, at), end), std::max(end, std::size_t{1})};
  }
  if (line[at] == '[') at = operandBegin(line, at);
  std::size_t end = operandEnd(line, at);
  if (end == at) return {at, at + 1};
  std::size_t next = end;
  while (next < line.size() && isBlank(line[next])) ++next;
  // A load in an assignment of which only the beginning is known is on its right side.
  const std::size_t sign = loads && next < line.size() ? assignmentAt(line, next) : 0;
  const bool isPlain = std::all_of(line.begin() + static_cast<std::ptrdiff_t>(at), line.begin() + static_cast<std::ptrdiff_t>(end), isName);
  if (sign == 1 || (sign != 0 && isPlain)) return trimmed(line, next + sign, std::min(line.find(';', next), line.size()));
  return {at, end};
}

std::string faultsToText(const std::vector<Fault>& faults, const TextOptions& options) { return Writer(options).all(faults); }

std::string noteToText(const std::string& message, const std::string& file, std::uint32_t line, std::uint32_t ptxLine, const TextOptions& options) {
  machine::OtherParty o;
  o.note = message;
  o.file = file;
  o.location.line = line;
  o.ptxLine = ptxLine;
  return Writer(options).note(o);
}

}  // namespace warpmill::profile
