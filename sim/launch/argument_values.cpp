#include "launch/argument_values.h"

#include <cmath>
#include <limits>

namespace warpmill::launch {
namespace {

std::string rangeOf(DType type) {
  const std::uint32_t bits = 8 * dtypeBytes(type);
  if (!isSigned(type)) return "0 to " + std::to_string(bits == 64 ? ~0ull : (1ull << bits) - 1);
  const std::uint64_t half = 1ull << (bits - 1);
  return "-" + std::to_string(half) + " to " + std::to_string(half - 1);
}

// An integer of the dtype, as its 64-bit pattern.
std::optional<Diagnostic> readInteger(const JsonValue& value, DType type, std::int64_t& into) {
  const std::string name(dtypeName(type));
  if (!value.isNumber()) return value.error("a value of type " + name + " is a number, not " + std::string(value.kindName()));
  const std::uint32_t bits = 8 * dtypeBytes(type);
  bool fits = false;
  if (isSigned(type)) {
    if (const auto number = value.signedInteger()) {
      const std::int64_t most = bits == 64 ? std::numeric_limits<std::int64_t>::max() : (1ll << (bits - 1)) - 1;
      fits = *number <= most && *number >= -most - 1;
      into = *number;
    }
  } else if (const auto number = value.unsignedInteger()) {
    fits = bits == 64 || *number <= (1ull << bits) - 1;
    into = static_cast<std::int64_t>(*number);
  }
  if (fits) return std::nullopt;
  const auto real = value.number();
  if (real && *real != std::floor(*real))
    return value.error("a value of type " + name + " is a whole number, not " + std::string(value.text()), "for fractions use f32 or f64");
  return value.error(std::string(value.text()) + " does not fit " + name, name + " goes from " + rangeOf(type));
}

std::optional<Diagnostic> readFloat(const JsonValue& value, DType type, double& into) {
  const std::string name(dtypeName(type));
  if (value.isString()) {
    const std::string word = value.string();
    if (word == "nan")
      into = std::numeric_limits<double>::quiet_NaN();
    else if (word == "inf")
      into = std::numeric_limits<double>::infinity();
    else if (word == "-inf")
      into = -std::numeric_limits<double>::infinity();
    else
      return value.error("a value of type " + name + " is a number, not the text '" + word + "'",
                         R"(the texts "nan", "inf" and "-inf" are known)");
    return std::nullopt;
  }
  if (!value.isNumber()) return value.error("a value of type " + name + " is a number, not " + std::string(value.kindName()));
  const auto number = value.number();
  if (!number || std::isinf(valueOf(type, bitsOf(type, *number))))
    return value.error(std::string(value.text()) + " is too large for " + name, R"(infinity is written "inf")");
  into = *number;
  return std::nullopt;
}

}  // namespace

std::optional<Diagnostic> readValues(const JsonValue& array, Argument& buffer) {
  buffer.init.kind = Init::Kind::Values;
  if (array.size() > buffer.count)
    return array.error(
        "there are " + std::to_string(array.size()) + " values for a buffer of " + std::to_string(buffer.count) + " elements",
        "make 'count' larger or give fewer values");
  for (auto element = array.first(); element; element = element->next()) {
    if (isFloat(buffer.type)) {
      buffer.init.values.push_back(0);
      if (auto error = readFloat(*element, buffer.type, buffer.init.values.back())) return error;
    } else {
      buffer.init.integers.push_back(0);
      if (auto error = readInteger(*element, buffer.type, buffer.init.integers.back())) return error;
    }
  }
  return std::nullopt;
}

std::optional<Diagnostic> readScalar(const JsonValue& value, Argument& scalar) {
  if (isFloat(scalar.type)) {
    double number = 0;
    if (auto error = readFloat(value, scalar.type, number)) return error;
    scalar.bits = bitsOf(scalar.type, number);
  } else {
    std::int64_t number = 0;
    if (auto error = readInteger(value, scalar.type, number)) return error;
    scalar.bits = bitsOfUnsigned(scalar.type, static_cast<std::uint64_t>(number));
  }
  return std::nullopt;
}

}  // namespace warpmill::launch
