#include "catch.h"
#include "launch/launch.h"

#include <bit>
#include <cmath>

using namespace warpmill::launch;

TEST_CASE("Dtypes have the names and sizes of launch files") {
  for (const char* name : {"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "bf16", "f32", "f64"}) {
    const auto type = dtypeFromName(name);
    REQUIRE(type);
    REQUIRE(dtypeName(*type) == name);
  }
  REQUIRE_FALSE(dtypeFromName("f8"));
  REQUIRE(dtypeBytes(DType::BF16) == 2);
  REQUIRE(dtypeBytes(DType::I64) == 8);
}

TEST_CASE("Every half and bfloat16 value survives the way to a double and back") {
  for (const DType type : {DType::F16, DType::BF16}) {
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
      const double value = valueOf(type, bits);
      if (std::isnan(value)) continue;
      if (bitsOf(type, value) != bits) REQUIRE(bitsOf(type, value) == bits);
    }
  }
  REQUIRE(std::isnan(valueOf(DType::F16, bitsOf(DType::F16, std::nan("")))));
}

TEST_CASE("Halves between two neighbours round to the nearer, in the middle to the even one") {
  for (const DType type : {DType::F16, DType::BF16}) {
    const std::uint32_t infinity = type == DType::F16 ? 0x7C00 : 0x7F80;
    for (std::uint32_t bits = 0; bits + 1 < infinity; ++bits) {
      const double low = valueOf(type, bits), high = valueOf(type, bits + 1), middle = (low + high) / 2;
      const std::uint32_t even = (bits & 1) != 0 ? bits + 1 : bits;
      const bool right = bitsOf(type, middle) == even && bitsOf(type, std::nextafter(middle, low)) == bits &&
                         bitsOf(type, std::nextafter(middle, high)) == bits + 1 && bitsOf(type, -middle) == (even | 0x8000u);
      if (!right) REQUIRE(bits == 0xFFFFFFFFu);
    }
  }
  REQUIRE(bitsOf(DType::F16, 65519.999) == 0x7BFF);
  REQUIRE(bitsOf(DType::F16, 65520) == 0x7C00);
  REQUIRE(bitsOf(DType::F16, 1e300) == 0x7C00);
  REQUIRE(bitsOf(DType::F16, 1e-300) == 0);
}

TEST_CASE("Integers are exact over 64 bits and wrap into smaller types") {
  REQUIRE(bitsOfUnsigned(DType::U64, ~0ull) == ~0ull);
  REQUIRE(bitsOfInteger(DType::I64, -9007199254740993) == static_cast<std::uint64_t>(-9007199254740993));
  REQUIRE(bitsOfUnsigned(DType::U8, 258) == 2);
  REQUIRE(bitsOfInteger(DType::I16, -1) == 0xFFFF);
  REQUIRE(valueOf(DType::I16, 0xFFFF) == -1);
  REQUIRE(valueOf(DType::U32, 0xFFFFFFFFu) == 4294967295.0);
}

TEST_CASE("A large integer becomes an f32 by one rounding, not two") {
  // 2^60 + 2^36 + 1 lies just above the middle of two floats; by way of a double it would land on the middle and go down to even.
  const std::uint64_t value = (1ull << 60) + (1ull << 36) + 1;
  REQUIRE(bitsOfUnsigned(DType::F32, value) == std::bit_cast<std::uint32_t>(0x1p60f + 0x1p37f));
}
