// The arithmetic of sampling: see texture.h.
#include "exec/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace warpmill::exec {

using launch::DType;
using Address = launch::Texture::Address;

namespace {

std::int64_t floorMod(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

std::int64_t resolve(std::int64_t i, std::int64_t extent, Address mode) {
  switch (mode) {
    case Address::Clamp: return std::clamp<std::int64_t>(i, 0, extent - 1);
    case Address::Border: return i >= 0 && i < extent ? i : -1;
    case Address::Wrap: return floorMod(i, extent);
    default: break;
  }
  const std::int64_t place = floorMod(i, 2 * extent);
  return place < extent ? place : 2 * extent - 1 - place;
}

// Of a product of weights: to the nearest 256th, halves up or down.
int halfUp(int v) { return (v + 128) >> 8; }
int halfDown(int v) { return (v + 127) >> 8; }

// The nearest float, halves away from zero; denormals become zero.
std::uint32_t toFloat(double v) {
  if (v != v) return 0x7FFFFFFFu;
  auto nearest = static_cast<float>(v);
  const double error = v - static_cast<double>(nearest);
  if (error != 0 && std::isfinite(nearest)) {
    const float other = std::nextafter(nearest, error > 0 ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity());
    if (std::isfinite(other) && std::fabs(v - static_cast<double>(other)) == std::fabs(error) && std::fabs(other) > std::fabs(nearest)) nearest = other;
  }
  if (std::fabs(nearest) < std::numeric_limits<float>::min()) nearest = std::copysign(0.0f, nearest);
  return std::bit_cast<std::uint32_t>(nearest);
}

// The nearest f16 as an f32, halves away from zero.
std::uint32_t toHalf(double v) {
  if (v != v) return 0x7FFFE000u;
  if (v == 0 || std::isinf(v)) return std::bit_cast<std::uint32_t>(static_cast<float>(v));
  const int exponent = std::max(std::ilogb(v), -14);
  const double rounded = std::ldexp(std::floor(std::ldexp(std::fabs(v), 10 - exponent) + 0.5), exponent - 10);
  const double kept = rounded > 65504.0 ? std::numeric_limits<double>::infinity() : rounded;
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::copysign(kept, v)));
}

std::int64_t signedOf(DType type, std::uint32_t raw) {
  return type == DType::I8 ? static_cast<std::int8_t>(raw) : type == DType::I16 ? static_cast<std::int16_t>(raw) : static_cast<std::int32_t>(raw);
}

int fullScale(DType type) {
  return type == DType::U8 ? 255 : type == DType::I8 ? 127 : type == DType::U16 ? 65535 : 32767;
}

std::uint32_t asFloat(double v) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(v));
}

}  // namespace

AxisRead readAxis(float coordinate, std::uint32_t extent, Address mode, bool isNormalized, bool isLinear, std::int64_t offset) {
  const bool repeats = isNormalized && (mode == Address::Wrap || mode == Address::Mirror);
  if (!isNormalized && (mode == Address::Wrap || mode == Address::Mirror)) mode = Address::Clamp;
  double x = coordinate == coordinate ? static_cast<double>(coordinate) : 0;
  // Floats of 2^25 and more are even numbers: whole periods. What does not repeat is far outside anyway.
  constexpr double far = 33554432.0;
  if (repeats && std::fabs(x) >= far) x = 0;
  x = std::clamp(x, -1024 * far, 1024 * far);
  if (isNormalized) x = std::floor(x * 2097152.0) / 2097152.0 * extent;
  AxisRead read;
  std::int64_t first = 0;
  if (isLinear) {
    const auto steps = static_cast<std::int64_t>(std::floor((x - 0.5) * 256 + 0.5));
    first = steps >> 8;
    read.weight = static_cast<int>(steps & 255);
  } else {
    first = static_cast<std::int64_t>(std::floor(x));
  }
  first += offset;
  if (mode == Address::Clamp && (first < 0 || first >= std::int64_t{extent} - 1)) read.weight = 0;
  read.first = resolve(first, extent, mode);
  read.second = resolve(first + 1, extent, mode);
  return read;
}

std::array<int, 8> weightsOf(const std::array<int, 3>& axes, std::uint32_t dimensions) {
  const auto [x, y, z] = axes;
  if (dimensions == 1) return {256 - x, x};
  if (dimensions == 2) {
    const int both = halfUp(x * y);
    return {256 - x - y + both, x - both, y - both, both};
  }
  std::array<int, 8> weights{};
  for (unsigned far = 0; far < 2; ++far) {
    const int slice = far == 1 ? z : 256 - z;
    const int right = halfUp(slice * x), left = slice - right;
    const int leftBelow = halfDown(left * y), rightBelow = halfUp(right * y);
    weights[4 * far] = left - leftBelow;
    weights[4 * far + 1] = right - rightBelow;
    weights[4 * far + 2] = leftBelow;
    weights[4 * far + 3] = rightBelow;
  }
  return weights;
}

std::uint32_t pointValue(const BoundTexture& t, std::uint32_t raw) {
  switch (t.type) {
    case DType::F16: return asFloat(launch::valueOf(DType::F16, raw));
    case DType::U8: case DType::U16: return t.texture.readsNormalized ? asFloat(static_cast<double>(raw) / fullScale(t.type)) : raw;
    case DType::I8: case DType::I16: {
      const std::int64_t v = signedOf(t.type, raw);
      return t.texture.readsNormalized ? asFloat(std::max(static_cast<double>(v) / fullScale(t.type), -1.0)) : static_cast<std::uint32_t>(v);
    }
    default: return raw;
  }
}

std::uint32_t borderBits(const BoundTexture& t, std::uint32_t channel) {
  const float colour = t.texture.border[channel];
  switch (t.type) {
    case DType::F32: return std::bit_cast<std::uint32_t>(colour);
    case DType::F16: return static_cast<std::uint32_t>(launch::bitsOf(DType::F16, colour));
    case DType::U32: case DType::I32: return 0;
    default: break;
  }
  if (!t.texture.readsNormalized || colour != colour) return 0;
  const double low = launch::isSigned(t.type) ? -1 : 0;
  const auto v = static_cast<std::int64_t>(std::floor(std::clamp(static_cast<double>(colour), low, 1.0) * fullScale(t.type) + 0.5));
  return static_cast<std::uint32_t>(v) & (launch::dtypeBytes(t.type) == 1 ? 0xFFu : 0xFFFFu);
}

std::uint32_t borderValue(const BoundTexture& t, std::uint32_t channel) {
  return channel < t.texture.channels ? pointValue(t, borderBits(t, channel)) : 0;
}

namespace {

// What a texel counts as in a sum.
double texelValue(DType type, std::uint32_t raw) {
  switch (type) {
    case DType::F32: {
      const auto v = static_cast<double>(std::bit_cast<float>(raw));
      return std::fabs(v) < static_cast<double>(std::numeric_limits<float>::min()) ? std::copysign(0.0, v) : v;
    }
    case DType::F16: return launch::valueOf(DType::F16, raw);
    case DType::U8: return 257.0 * raw;
    case DType::U16: return raw;
    case DType::I16: return static_cast<double>(std::max<std::int64_t>(signedOf(type, raw), -32767));
    default: {
      const std::int64_t v = signedOf(type, raw);
      return 258.0 * static_cast<double>(v) + static_cast<double>(v >> 4) / 8;
    }
  }
}

// The sum of a slice's texels, each cut to the bits that lie within `keptBits` of the largest one's leading bit.
double sliceSum(const std::array<double, 8>& texels, const std::array<int, 8>& weights, unsigned begin, unsigned end, int keptBits) {
  double largest = 0;
  for (unsigned k = begin; k < end; ++k)
    if (weights[k] != 0 && std::isfinite(texels[k])) largest = std::max(largest, std::fabs(texels[k]));
  const int unit = largest == 0 ? 0 : std::ilogb(largest) - keptBits;
  double sum = -0.0;  // so that zeros that are all negative stay so
  for (unsigned k = begin; k < end; ++k) {
    if (weights[k] == 0) continue;
    const bool isCut = std::isfinite(texels[k]) && largest != 0;
    sum += weights[k] * (isCut ? std::ldexp(std::trunc(std::ldexp(texels[k], -unit)), unit) : texels[k]);
  }
  return sum;
}

}  // namespace

std::uint32_t filteredValue(const BoundTexture& t, const std::array<std::uint32_t, 8>& raw, const std::array<int, 8>& weights, unsigned count,
                            std::uint32_t involved) {
  std::array<double, 8> texels{};
  double sum = -0.0;
  for (unsigned k = 0; k < count; ++k) {
    texels[k] = texelValue(t.type, raw[k]);
    if ((involved >> k & 1) != 0 && weights[k] == 0 && !std::isfinite(texels[k])) sum += texels[k];
  }
  if (launch::isFloat(t.type)) {
    const bool single = t.type == DType::F32;
    for (unsigned begin = 0; begin < count; begin += 4) sum += sliceSum(texels, weights, begin, std::min(begin + 4, count), single ? 27 : 14);
    return single ? toFloat(sum / 256) : toHalf(sum / 256);
  }
  for (unsigned k = 0; k < count; ++k) sum += weights[k] * texels[k];
  const double full = launch::isSigned(t.type) ? 32767.0 : 65535.0;
  return asFloat(std::clamp(std::floor(sum / 256 + 0.5), -full, full) / full);
}

}  // namespace warpmill::exec
