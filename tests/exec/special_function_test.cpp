// The special function unit's own properties; its bits are compared with a GPU's in semantics_test.cpp.
#include "exec/special_function.h"

#include "catch.h"

using namespace warpmill::exec::portable;

TEST_CASE("the cut squarer leaves out exactly the partial products of the low columns") {
  for (std::uint32_t x = 0; x < 65536; x += 37) {
    std::uint64_t expected = 0;
    for (unsigned i = 0; i < 16; ++i)
      for (unsigned j = i; j < 16; ++j) {
        const unsigned column = i == j ? 2 * i : i + j + 1;
        if ((x >> i & 1) != 0 && (x >> j & 1) != 0 && column >= 17) expected += std::uint64_t{1} << (column - 17);
      }
    REQUIRE(cutSquare<16, 17>(x) == expected);
  }
}

TEST_CASE("reciprocal, reciprocal root and power of two are within one and a half units of the true value") {
  const auto ulps = [](float got, double exact) { return std::fabs(static_cast<double>(got) - exact) / std::ldexp(1.0, std::ilogb(exact) - 23); };
  for (int k = 1; k < 20000; ++k) {
    const float x = 0.01f * static_cast<float>(k);
    REQUIRE(ulps(sfuReciprocal(x), 1.0 / static_cast<double>(x)) < 1.5);
    REQUIRE(ulps(sfuRsqrt(x), 1.0 / std::sqrt(static_cast<double>(x))) < 2.0);
    const float e = 0.01f * static_cast<float>(k % 12600) - 63.0f;
    REQUIRE(ulps(sfuExp2(e), std::exp2(static_cast<double>(e))) < 2.6);  // a negative argument is taken a little too low
  }
}

TEST_CASE("special arguments of the special function unit give what PTX says") {
  const float infinity = HUGE_VALF;
  CHECK(sfuReciprocal(infinity) == 0.0f);
  CHECK(sfuReciprocal(-0.0f) == -infinity);
  CHECK(sfuReciprocal(4.0f) == 0.25f);
  CHECK(sfuRsqrt(0.25f) == 2.0f);
  CHECK(bitsOf(sfuRsqrt(-1.0f)) == nan32);
  CHECK(sfuRsqrt(-0.0f) == -infinity);
  CHECK(sfuExp2(-infinity) == 0.0f);
  CHECK(sfuExp2(infinity) == infinity);
  CHECK(sfuExp2(10.0f) == 1024.0f);
  CHECK(sfuExp2(-10.0f) == 0x1p-10f);
  CHECK(sfuExp2(-0.0f) == 1.0f);
  CHECK(sfuSqrt(16.0f) == 4.0f);
  CHECK(sfuSine(0.0f, 0) == 0.0f);
  CHECK(sfuSine(0.0f, 1) == 1.0f);
  CHECK(sfuSine(1.0f, 0) == -sfuSine(-1.0f, 0));
  CHECK(sfuSine(1.0f, 1) == sfuSine(-1.0f, 1));
  CHECK(std::fabs(sfuSine(0.7f, 0) - std::sin(0.7f)) < 1e-6f);
  CHECK(bitsOf(sfuSine(infinity, 0)) == nan32);
  CHECK(bitsOf(sfuSqrt(-0.0f)) == 0x80000000u);
  CHECK(bitsOf(sfuSqrt(-1.0f)) == nan32);
  CHECK(sfuLog2(1.0f) == 0.0f);
  CHECK(sfuLog2(512.0f) == 9.0f);
  CHECK(bitsOf(sfuLog2(0.5f)) == 0xBF7FFFFEu);  // a power of two below one is just missed
  CHECK(sfuLog2(0.0f) == -infinity);
  CHECK(bitsOf(sfuLog2(-1.0f)) == nan32);
}
