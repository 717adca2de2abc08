// The special function unit's own properties, and its bits for millions of arguments in a row, by their hash (semantics/sweep-h200.txt;
// WARPMILL_SWEEP names a longer list).
#include "exec/launcher.h"
#include "exec/special_function.h"

#include "catch.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace warpmill::exec::portable;
using namespace warpmill::exec::test;

namespace {

std::uint64_t finished(std::uint64_t x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}
std::uint32_t mixed(std::uint32_t i, std::uint32_t seed) {
  std::uint32_t x = i + seed * 0x9E3779B9u;
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

// Runs the function for `count` arguments from `first` on, or for pairs of operands; the sum of a hash of each argument and result.
std::uint64_t hashOf(const std::string& function, std::uint32_t block) {
  const bool isDivision = function.rfind("div", 0) == 0, isHalf = function.find("f16") != std::string::npos;
  const std::uint32_t count = isHalf ? 1u << 16 : 1u << 20, first = block << 20;
  std::vector<std::uint32_t> a(count), b(isDivision ? count : 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    a[i] = first + i;
    if (!isDivision) continue;
    const bool moderate = (block & 1) != 0;
    const auto operand = [&](std::uint32_t seed) { return moderate ? (mixed(first + i, seed) & 0x8fffffffu) | 0x38000000u : mixed(first + i, seed); };
    a[i] = operand(11);
    b[i] = operand(12);
  }
  const std::string bits = isHalf ? "16" : "32";
  Launcher l(".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n"
             ".reg .b64 %a, %b, %d, %step; .reg .b32 %t, %n; .reg .b" + bits + " %x, %y, %z;\n"
             "ld.param.u64 %a, [p0]; ld.param.u64 %b, [p1]; ld.param.u64 %d, [p2]; mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %t, %n, 256, %t;\n"
             "mul.wide.u32 %step, %t, 4; add.u64 %a, %a, %step; add.u64 %d, %d, %step; ld.global.b" + bits + " %x, [%a];\n" +
             (isDivision ? "add.u64 %b, %b, %step; ld.global.b32 %y, [%b]; " + function + " %z, %x, %y;" : function + " %z, %x;") +
             "\nst.global.b" + bits + " [%d], %z;\nret;\n}\n");
  l.buffer(a);
  l.buffer(b);
  const auto out = l.buffer(std::vector<std::uint32_t>(count));
  const auto run = l.run({count / 256, 1, 1}, {256, 1, 1}, 0, {1'000'000'000, 64, false});
  REQUIRE(run.faults.empty());
  const auto result = l.read<std::uint32_t>(out);
  std::uint64_t hash = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    hash += isDivision ? finished(std::uint64_t{a[i]} << 32 | b[i]) * result[i] : finished(std::uint64_t{a[i]} << 32 | result[i]);
  return hash;
}

}  // namespace

TEST_CASE("approximate functions give an H200's bits for millions of arguments in a row") {
  const char* longer = std::getenv("WARPMILL_SWEEP");
  std::ifstream list(longer != nullptr ? longer : std::string(WARPMILL_SOURCE_DIR) + "/tests/exec/semantics/sweep-h200.txt");
  std::size_t compared = 0;
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string function;
    std::uint64_t block = 0, hash = 0;
    words >> function >> std::hex >> block >> hash;
    INFO(line);
    CHECK(hashOf(function, static_cast<std::uint32_t>(block)) == hash);
    ++compared;
  }
  CHECK(compared >= 59);
}

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
