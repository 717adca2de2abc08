#include "exec/print_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace warpmill::exec {
namespace {

constexpr int widest = 4096;  // of a field: a kernel may ask for any

struct Conversion {
  bool left = false, plus = false, space = false, alternate = false, zero = false;
  std::optional<int> precision;
  int width = 0;
  bool widthGiven = false;  // "*": it is the value before
  std::string size;         // "hh", "h", "l", "ll"
  char letter = 0;
};

// Sign or prefix, digits, padding.
std::string padded(const Conversion& c, const std::string& prefix, std::string digits, bool zerosAllowed) {
  const std::size_t length = prefix.size() + digits.size(), width = static_cast<std::size_t>(c.width);
  const std::size_t fill = width > length ? width - length : 0;
  if (c.left) return prefix + digits + std::string(fill, ' ');
  if (c.zero && zerosAllowed) return prefix + std::string(fill, '0') + digits;
  return std::string(fill, ' ') + prefix + digits;
}

std::string signOf(const Conversion& c, bool negative) { return negative ? "-" : c.plus ? "+" : c.space ? " " : ""; }

std::string withPrecision(const Conversion& c, std::string digits) {
  if (!c.precision) return digits;
  if (*c.precision == 0 && digits == "0") return "";
  if (digits.size() < static_cast<std::size_t>(*c.precision)) digits.insert(0, static_cast<std::size_t>(*c.precision) - digits.size(), '0');
  return digits;
}

bool isLong(const Conversion& c) { return c.size == "l" || c.size == "ll"; }

std::string signedInteger(const Conversion& c, std::uint64_t bits) {
  const std::int64_t value = isLong(c) ? static_cast<std::int64_t>(bits) : c.size == "hh" ? static_cast<std::int8_t>(bits)
                             : c.size == "h" ? static_cast<std::int16_t>(bits) : static_cast<std::int32_t>(bits);
  const std::uint64_t magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  return padded(c, signOf(c, value < 0), withPrecision(c, std::to_string(magnitude)), !c.precision);
}

std::string unsignedInteger(const Conversion& c, std::uint64_t bits) {
  const std::uint64_t value = isLong(c) ? bits : c.size == "hh" ? static_cast<std::uint8_t>(bits) : c.size == "h" ? static_cast<std::uint16_t>(bits)
                                                                                                 : static_cast<std::uint32_t>(bits);
  std::string digits, prefix;
  switch (c.letter) {
    case 'x': digits = fmt::format("{:x}", value); prefix = c.alternate && value != 0 ? "0x" : ""; break;
    case 'X': digits = fmt::format("{:X}", value); prefix = c.alternate && value != 0 ? "0X" : ""; break;
    case 'o': digits = fmt::format("{:o}", value); break;
    default: digits = std::to_string(value); break;
  }
  digits = withPrecision(c, std::move(digits));
  if (c.letter == 'o' && c.alternate && !digits.starts_with('0')) digits.insert(0, 1, '0');
  return padded(c, prefix, std::move(digits), !c.precision);
}

std::string floating(const Conversion& c, std::uint64_t bits) {
  const double value = std::bit_cast<double>(bits);
  const bool negative = bits >> 63 != 0, upper = c.letter >= 'A' && c.letter <= 'Z';
  const double magnitude = std::bit_cast<double>(bits & ~(std::uint64_t{1} << 63));
  if (value != value || magnitude == std::bit_cast<double>(std::uint64_t{0x7FF0000000000000})) {
    const char* word = value != value ? (upper ? "NAN" : "nan") : upper ? "INF" : "inf";
    return padded(c, signOf(c, negative), word, false);
  }
  const bool isHex = c.letter == 'a' || c.letter == 'A';
  std::string spec = c.alternate ? "{:#" : "{:";
  if (c.precision || !isHex) spec += "." + std::to_string(c.precision.value_or(6));
  spec += c.letter;
  std::string digits = fmt::format(fmt::runtime(spec + "}"), magnitude), prefix = signOf(c, negative);
  if (isHex && (digits.starts_with("0x") || digits.starts_with("0X"))) {
    prefix += digits.substr(0, 2);
    digits.erase(0, 2);
  }
  return padded(c, prefix, std::move(digits), true);
}

std::string text(const Conversion& c, std::string word) {
  if (c.precision && word.size() > static_cast<std::size_t>(*c.precision)) word.resize(static_cast<std::size_t>(*c.precision));
  return padded(c, "", std::move(word), false);
}

class Printer {
 public:
  Printer(std::string_view format, const PrintArguments& arguments, std::uint32_t& count) : format_(format), arguments_(arguments), count_(count) {}

  std::string run() {
    std::string out;
    for (at_ = 0; at_ < format_.size();) {
      if (format_[at_] != '%') {
        out += format_[at_++];
        continue;
      }
      const std::size_t start = at_++;
      Conversion c;
      readFlags(c);
      if (c.letter == '\0' || std::string_view("%diuxXofFeEgGaAcsp").find(c.letter) == std::string_view::npos || c.size.size() > 2) {
        out += '%';  // the rest is plain text
        at_ = start + 1;
        continue;
      }
      ++at_;
      if (c.widthGiven && c.letter != '%') {
        c.width = std::clamp(static_cast<int>(static_cast<std::int32_t>(take(4))), -widest, widest);
        if (c.width < 0) c.left = true, c.width = -c.width;
      }
      convert(c, out);
    }
    return out;
  }

 private:
  [[nodiscard]] char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }

  std::uint64_t take(unsigned bytes) {
    ++count_;
    return arguments_.next(bytes);
  }

  int number() {
    int n = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at_) n = std::min(widest, n * 10 + (peek() - '0'));
    return n;
  }

  void readFlags(Conversion& c) {
    for (;; ++at_) {
      switch (peek()) {
        case '-': c.left = true; continue;
        case '+': c.plus = true; continue;
        case ' ': c.space = true; continue;
        case '#': c.alternate = true; continue;
        case '0': c.zero = true; continue;
        default: break;
      }
      break;
    }
    c.widthGiven = peek() == '*';
    if (c.widthGiven) ++at_;
    else c.width = number();
    if (peek() == '.') {
      ++at_;
      c.precision = number();
    }
    while (peek() == 'h' || peek() == 'l') c.size += format_[at_++];
    c.letter = peek();
  }

  void convert(const Conversion& c, std::string& out) {
    switch (c.letter) {
      case '%': out += '%'; return;
      case 'd': case 'i': out += signedInteger(c, take(isLong(c) ? 8 : 4)); return;
      case 'u': case 'x': case 'X': case 'o': out += unsignedInteger(c, take(isLong(c) ? 8 : 4)); return;
      case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A': out += floating(c, take(8)); return;
      case 'c': out += padded(c, "", std::string(1, static_cast<char>(take(4))), false); return;
      case 's': {
        const std::uint64_t address = take(8);
        out += text(c, address == 0 ? "(null)" : arguments_.text(address));
        return;
      }
      case 'p': {
        const std::uint64_t address = take(8);
        out += address == 0 ? padded(c, "", "(nil)", false) : padded(c, signOf(c, false) + "0x", fmt::format("{:x}", address), true);
        return;
      }
      default: return;
    }
  }

  std::string_view format_;
  const PrintArguments& arguments_;
  std::uint32_t& count_;
  std::size_t at_ = 0;
};

}  // namespace

std::string formatPrint(std::string_view format, const PrintArguments& arguments, std::uint32_t& count) {
  count = 0;
  return Printer(format, arguments, count).run();
}

}  // namespace warpmill::exec
