#include "ptx/number.h"

#include <bit>
#include <charconv>

namespace warpmill::ptx {
namespace {

Number integer(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty()) return {};
  return {Number::Kind::Integer, value};
}

}  // namespace

Number readNumber(std::string_view text) {
  if (text.size() > 2 && text[0] == '0') {
    const char mark = text[1];
    if ((mark == 'f' || mark == 'F') || (mark == 'd' || mark == 'D')) {
      const bool single = mark == 'f' || mark == 'F';
      Number number = integer(text.substr(2), 16);
      if (text.size() != (single ? 10u : 18u)) return {};
      if (number.kind == Number::Kind::Integer) number.kind = single ? Number::Kind::Float32Bits : Number::Kind::Float64Bits;
      return number;
    }
  }
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (!hex && text.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || (error != std::errc{} && error != std::errc::result_out_of_range)) return {};
    return {Number::Kind::Decimal, std::bit_cast<std::uint64_t>(value)};
  }
  if (text.size() > 1 && (text.back() == 'U' || text.back() == 'u')) text.remove_suffix(1);
  if (hex) return integer(text.substr(2), 16);
  if (text.starts_with("0b") || text.starts_with("0B")) return integer(text.substr(2), 2);
  if (text.size() > 1 && text[0] == '0') return integer(text.substr(1), 8);
  return integer(text, 10);
}

}  // namespace warpmill::ptx
