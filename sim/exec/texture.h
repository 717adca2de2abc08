// Textures of a launch, and how one is sampled: coordinates to texels and weights, weights to a value.
// Matches an H200 to the bit (tests/exec/textures has what it gave) in all but the linear filtering of i8 texels, which may differ by 1/32767.
//   Coordinates. Normalized ones are cut to multiples of 2^-21, then multiplied by the extent. For linear filtering 0.5 is taken off, and what is
//   left is rounded to multiples of 1/256 (halves up): its fraction is the weight. NaN is 0; so is infinity where an axis wraps or mirrors.
//   Weights have 8 bits in every dimension and always add up to 256: the product of two is rounded, what is lost goes to the neighbour.
//   Values. f32: the weighted sum, rounded once (halves away from zero), denormals are zero; before, each texel loses what lies below 2^-27 of the
//   largest power of two in its slice (the four texels of one z). f16: the same with 2^-14, rounded to f16. Integers of 16 bits: the sum rounded to
//   an integer (halves up), then divided by 65535 or 32767; u8 texels count 257-fold.
// Simplified: i8 texels, filtered linearly, may differ by 1/32767. There are no mipmaps: .level and .grad read the one level there is. Cube maps,
// multisampled textures and depth comparison are not there. Texels lie row after row, where hardware has its own order that keeps neighbours of two
// dimensions together; a read counts in time as one access to its first texel, at the cost of a load.
// Source: CUDA C++ Programming Guide, appendix "Texture Fetching"; PTX ISA 9.0, chapter 9.7.10; the rest measured.
#pragma once

#include "launch/launch.h"

#include <array>
#include <cstdint>

namespace warpmill::exec {

struct BoundTexture {
  launch::Texture texture;
  launch::DType type = launch::DType::F32;
  std::uint64_t base = 0;  // address of its first texel
};

// A sampler apart from its texture (.samplerref).
struct SamplerState {
  launch::Texture::Filter filter = launch::Texture::Filter::Point;
  std::array<launch::Texture::Address, 3> address{launch::Texture::Address::Clamp, launch::Texture::Address::Clamp, launch::Texture::Address::Clamp};
  bool forceUnnormalized = false;
};

// One axis of a read: the two texels (-1: the border) and the weight of the second in 256ths.
struct AxisRead {
  std::int64_t first = 0, second = 0;
  int weight = 0;
};
AxisRead readAxis(float coordinate, std::uint32_t extent, launch::Texture::Address mode, bool isNormalized, bool isLinear, std::int64_t offset);

// Weights of the 2, 4 or 8 texels: bit k of the index says which one of axis k. They add up to 256.
std::array<int, 8> weightsOf(const std::array<int, 3>& axes, std::uint32_t dimensions);

// Four bytes that a texel's channel is read as; `raw` are its bits. Points.
std::uint32_t pointValue(const BoundTexture& t, std::uint32_t raw);
std::uint32_t borderValue(const BoundTexture& t, std::uint32_t channel);
// The bits, raw, that the border stands for among texels that are filtered.
std::uint32_t borderBits(const BoundTexture& t, std::uint32_t channel);
// A weighted sum over `count` texels' bits. `involved`: which of them lie where every axis has a weight; an infinity or NaN there counts even if its
// weight was rounded to nothing.
std::uint32_t filteredValue(const BoundTexture& t, const std::array<std::uint32_t, 8>& raw, const std::array<int, 8>& weights, unsigned count,
                            std::uint32_t involved);

}  // namespace warpmill::exec
