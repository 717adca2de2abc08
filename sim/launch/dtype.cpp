#include "launch/launch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace warpmill::launch {
namespace {

struct Info {
  std::string_view name;
  std::uint32_t bytes;
  bool isFloat, isSigned;
};
constexpr std::array<Info, 12> infos{{{"u8", 1, false, false},
                                      {"i8", 1, false, true},
                                      {"u16", 2, false, false},
                                      {"i16", 2, false, true},
                                      {"u32", 4, false, false},
                                      {"i32", 4, false, true},
                                      {"u64", 8, false, false},
                                      {"i64", 8, false, true},
                                      {"f16", 2, true, true},
                                      {"bf16", 2, true, true},
                                      {"f32", 4, true, true},
                                      {"f64", 8, true, true}}};

const Info& info(DType type) { return infos[static_cast<std::size_t>(type)]; }

std::uint64_t masked(DType type, std::uint64_t bits) {
  const std::uint32_t n = 8 * dtypeBytes(type);
  return n == 64 ? bits : bits & ((1ull << n) - 1);
}

// A double as a small float of `exponentBits` and `mantissaBits`, rounded once, to nearest, ties to even.
std::uint64_t smallFloat(double value, int exponentBits, int mantissaBits) {
  const std::uint64_t sign = std::signbit(value) ? 1ull << (exponentBits + mantissaBits) : 0;
  const int bias = (1 << (exponentBits - 1)) - 1;
  const std::uint64_t infinity = ((1ull << exponentBits) - 1) << mantissaBits;
  if (std::isnan(value)) return sign | infinity | 1ull << (mantissaBits - 1);
  if (std::isinf(value)) return sign | infinity;
  if (value == 0) return sign;
  const double magnitude = std::fabs(value);
  const int exponent = std::max(std::ilogb(magnitude), 1 - bias);  // below the least normal number the spacing stays
  // In units of the last place; at most 2^(mantissaBits+1), so exact in a double.
  const double units = std::ldexp(magnitude, mantissaBits - exponent);
  const double down = std::floor(units), rest = units - down;
  auto rounded = static_cast<std::uint64_t>(down);
  if (rest > 0.5 || (rest == 0.5 && (rounded & 1) != 0)) ++rounded;
  // A carry runs from the mantissa into the exponent, up to infinity, by itself.
  const std::uint64_t bits = (static_cast<std::uint64_t>(exponent + bias - 1) << mantissaBits) + rounded;
  return sign | std::min(bits, infinity);
}

double fromSmallFloat(std::uint64_t bits, int exponentBits, int mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1;
  const auto exponent = static_cast<int>(bits >> mantissaBits & ((1u << exponentBits) - 1));
  const auto mantissa = static_cast<double>(bits & ((1ull << mantissaBits) - 1));
  const double sign = (bits >> (exponentBits + mantissaBits) & 1) != 0 ? -1 : 1;
  if (exponent == (1 << exponentBits) - 1) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  return sign * std::ldexp(mantissa + std::ldexp(1.0, mantissaBits), exponent - bias - mantissaBits);
}

}  // namespace

std::string_view dtypeName(DType type) { return info(type).name; }
std::uint32_t dtypeBytes(DType type) { return info(type).bytes; }
bool isFloat(DType type) { return info(type).isFloat; }
bool isSigned(DType type) { return info(type).isSigned; }

std::optional<DType> dtypeFromName(std::string_view name) {
  for (std::size_t i = 0; i < infos.size(); ++i)
    if (infos[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

std::uint64_t bitsOf(DType type, double value) {
  switch (type) {
    case DType::F16: return smallFloat(value, 5, 10);
    case DType::BF16: return smallFloat(value, 8, 7);
    case DType::F32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case DType::F64: return std::bit_cast<std::uint64_t>(value);
    default:
      if (!(std::fabs(value) < 18446744073709551616.0)) return 0;  // no integer has it
      return value < 0 ? masked(type, 0 - static_cast<std::uint64_t>(-value)) : masked(type, static_cast<std::uint64_t>(value));
  }
}

std::uint64_t bitsOfInteger(DType type, std::int64_t value) {
  if (value >= 0) return bitsOfUnsigned(type, static_cast<std::uint64_t>(value));
  return isFloat(type) ? (type == DType::F32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) : bitsOf(type, static_cast<double>(value)))
                       : masked(type, static_cast<std::uint64_t>(value));
}

std::uint64_t bitsOfUnsigned(DType type, std::uint64_t value) {
  if (type == DType::F32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));  // rounded once, not through a double
  return isFloat(type) ? bitsOf(type, static_cast<double>(value)) : masked(type, value);
}

double valueOf(DType type, std::uint64_t bits) {
  switch (type) {
    case DType::F16: return fromSmallFloat(bits, 5, 10);
    case DType::BF16: return fromSmallFloat(bits, 8, 7);
    case DType::F32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case DType::F64: return std::bit_cast<double>(bits);
    case DType::I8: return static_cast<std::int8_t>(bits);
    case DType::I16: return static_cast<std::int16_t>(bits);
    case DType::I32: return static_cast<std::int32_t>(bits);
    case DType::I64: return static_cast<double>(static_cast<std::int64_t>(bits));
    default: return static_cast<double>(masked(type, bits));
  }
}

}  // namespace warpmill::launch
