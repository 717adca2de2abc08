#include "presenter/frame.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace warpmill::presenter {
namespace {

float halfToFloat(std::uint16_t h) {
  const int exponent = h >> 10 & 31, mantissa = h & 1023;
  const float sign = (h & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return mantissa != 0 ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24) : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25));
}

}  // namespace

std::string elementText(const RequestView& request, std::uint32_t lane) {
  if (!request.any || lane >= 32 || (request.lanes >> lane & 1) == 0) return {};
  const std::uint64_t address = request.address[lane];
  if (request.elementBytes == 0 || address < request.bufferBase || (address - request.bufferBase) % request.elementBytes != 0) return fmt::format("0x{:x}", address);
  const std::uint64_t first = (address - request.bufferBase) / request.elementBytes, count = request.bytesPerLane / request.elementBytes;
  return count > 1 ? fmt::format("{}[{}..{}]", request.buffer, first, first + count - 1) : fmt::format("{}[{}]", request.buffer, first);
}

std::string valueText(const RegisterView& reg, std::uint32_t lane) {
  const std::uint64_t bits = reg.bits[lane % 32];
  if (reg.isPredicate) return bits != 0 ? "true" : "false";
  using ptx::Type;
  switch (reg.type) {
    case Type::F32: return fmt::format("{:.6g}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case Type::F64: return fmt::format("{:.9g}", std::bit_cast<double>(bits));
    case Type::F16: return fmt::format("{:.5g}", halfToFloat(static_cast<std::uint16_t>(bits)));
    case Type::BF16: return fmt::format("{:.4g}", std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
    case Type::S8: return fmt::format("{}", static_cast<std::int8_t>(bits));
    case Type::S16: return fmt::format("{}", static_cast<std::int16_t>(bits));
    case Type::S32:
    case Type::B32: return fmt::format("{}", static_cast<std::int32_t>(bits));   // compilers keep signed numbers in .b32
    case Type::S64: return fmt::format("{}", static_cast<std::int64_t>(bits));
    case Type::U8:
    case Type::U16:
    case Type::U32: return fmt::format("{}", bits);
    case Type::B64:
    case Type::U64: return bits >= machine::constWindow ? fmt::format("0x{:x}", bits) : fmt::format("{}", static_cast<std::int64_t>(bits));
    default: return fmt::format("0x{:x}", bits);
  }
}

}  // namespace warpmill::presenter
