#include "exec/format.h"

#include "exec/float_bits.h"

#include <fmt/format.h>

namespace warpmill::exec {

namespace {

// The shortest text that reads back as the same value.
std::string shortest(double v) { return fmt::format("{}", v); }
std::string shortest(float v) { return fmt::format("{}", v); }

template <class F> std::string pairOf(std::uint64_t bits, F half) {
  return fmt::format("({}, {})", half(static_cast<std::uint16_t>(bits)), half(static_cast<std::uint16_t>(bits >> 16)));
}

}  // namespace

std::string formatValue(ptx::Type type, std::uint64_t bits, Untyped untyped) {
  using ptx::Type;
  const auto f16 = [](std::uint16_t v) { return shortest(portable::fromF16(v)); };
  const auto bf16 = [](std::uint16_t v) { return shortest(portable::fromBf16(v)); };
  switch (type) {
    case Type::Pred: return (bits & 1) != 0 ? "true" : "false";
    case Type::F32: case Type::TF32: return shortest(portable::asF32(static_cast<std::uint32_t>(bits)));
    case Type::F64: return shortest(portable::asF64(bits));
    case Type::F16: return f16(static_cast<std::uint16_t>(bits));
    case Type::BF16: return bf16(static_cast<std::uint16_t>(bits));
    case Type::F16x2: return pairOf(bits, f16);
    case Type::BF16x2: return pairOf(bits, bf16);
    case Type::U16x2: return pairOf(bits, [](std::uint16_t v) { return v; });
    case Type::S16x2: return pairOf(bits, [](std::uint16_t v) { return static_cast<std::int16_t>(v); });
    default: break;
  }
  const std::uint32_t size = ptx::sizeBytes(type);
  const std::uint64_t value = size >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * size)) - 1);
  const bool isUntyped = type == Type::B8 || type == Type::B16 || type == Type::B32 || type == Type::B64 || type == Type::B128;
  if (isUntyped && untyped == Untyped::Hex) return fmt::format("{:#0{}x}", value, 2 * (size > 8 ? 8 : size) + 2);
  if (isUntyped && untyped == Untyped::Float) return formatValue(size >= 8 ? Type::F64 : size == 4 ? Type::F32 : size == 2 ? Type::F16 : Type::U8, bits);
  if (ptx::isSigned(type) || (isUntyped && untyped == Untyped::Signed)) {
    const unsigned shift = size >= 8 ? 0 : 64 - 8 * size;
    return fmt::format("{}", static_cast<std::int64_t>(value << shift) >> shift);
  }
  return fmt::format("{}", value);
}

std::uint64_t registerBits(const ptx::Function& function, const machine::Warp& warp, std::uint32_t index, unsigned lane) {
  const ptx::Register& r = function.registers[index];
  if (r.type == ptx::Type::Pred) return r.slot < warp.predicates.size() ? warp.predicates[r.slot] >> lane & 1 : 0;
  const std::size_t at = std::size_t{r.slot} * machine::warpSize;
  if (ptx::sizeBytes(r.type) < 8) return at + lane < warp.planes.size() ? warp.planes[at + lane] : 0;
  const std::size_t word = at + 2 * std::size_t{lane};
  return word + 1 < warp.planes.size() ? std::uint64_t{warp.planes[word + 1]} << 32 | warp.planes[word] : 0;
}

std::string formatRegister(const ptx::Function& function, const machine::Warp& warp, std::uint32_t index, unsigned lane, Untyped untyped) {
  return formatValue(function.registers[index].type, registerBits(function, warp, index, lane), untyped);
}

}  // namespace warpmill::exec
