// Additions that take in a product: what a GPU computes for mul and add without a rounding modifier.
#include "exec/launcher.h"

#include <cmath>

using namespace warpmill;
using namespace warpmill::exec;
using warpmill::exec::test::Launcher;

namespace {

// One thread; f1..f3 (or d1..d3) are `in`, the results of `code` are stored by it at [%out].
template <class T> std::vector<T> computed(const std::string& registers, const std::string& code, const std::vector<T>& in, std::size_t results) {
  Launcher l(Launcher::body(registers, code));
  const auto out = l.buffer(std::vector<T>(results));
  l.buffer(in);
  const FunctionalRun run = l.run({1, 1, 1}, {1, 1, 1});
  INFO(test::describe(run));
  REQUIRE(run.faults.empty());
  return l.read<T>(out);
}

}  // namespace

TEST_CASE("a product and its sum are rounded once, with the signs of add, sub and neg") {
  const float a = 1 + 0x1p-12f, b = 1 + 0x1p-12f, c = 1 + 0x1p-11f;  // a * b is c + 2^-24, which does not fit into a float
  const std::string load = "ld.global.f32 %f1, [%in]; ld.global.f32 %f2, [%in+4]; ld.global.f32 %f3, [%in+8]; mul.f32 %f4, %f1, %f2; neg.f32 %f9, %f4;\n";
  const auto r = computed<float>(".reg .f32 %f<10>;",
                                 load + "sub.f32 %f5, %f4, %f3; sub.f32 %f6, %f3, %f4; add.f32 %f7, %f3, %f9; add.sat.f32 %f8, %f4, %f3;"
                                        "st.global.f32 [%out], %f5; st.global.f32 [%out+4], %f6; st.global.f32 [%out+8], %f7; st.global.f32 [%out+12], %f8;",
                                 {a, b, c}, 4);
  CHECK(r == std::vector<float>{0x1p-24f, -0x1p-24f, -0x1p-24f, 1.0f});
}

TEST_CASE("a product with .rn is rounded before the sum") {
  const float a = 1 + 0x1p-12f, c = 1 + 0x1p-11f;
  const auto r = computed<float>(".reg .f32 %f<10>;",
                                 "ld.global.f32 %f1, [%in]; ld.global.f32 %f3, [%in+4]; mul.rn.f32 %f4, %f1, %f1; sub.f32 %f5, %f4, %f3; st.global.f32 [%out], %f5;", {a, c}, 1);
  CHECK(r[0] == 0.0f);
}

TEST_CASE("products of doubles and halves are taken in, too") {
  const double a = 1 + 0x1p-30, c = 1 + 0x1p-29;
  const auto d = computed<double>(".reg .f64 %d<9>;",
                                  "ld.global.f64 %d1, [%in]; ld.global.f64 %d2, [%in+8]; mul.f64 %d3, %d1, %d1; sub.f64 %d4, %d2, %d3; st.global.f64 [%out], %d4;", {a, c}, 1);
  CHECK(d[0] == -0x1p-60);
  const std::uint16_t h = 0x3C01, twice = 0x3C02;  // 1 + 2^-10; its square is 1 + 2^-9 + 2^-20
  const auto s = computed<std::uint16_t>(".reg .b16 %h<9>; .reg .b32 %r<9>;",
                                         "ld.global.b16 %h1, [%in]; ld.global.b16 %h2, [%in+2]; mul.f16 %h3, %h1, %h1; sub.f16 %h4, %h3, %h2; st.global.b16 [%out], %h4;"
                                         "mov.b32 %r1, {%h1, %h1}; mov.b32 %r2, {%h2, %h2}; mul.f16x2 %r3, %r1, %r1; sub.f16x2 %r4, %r3, %r2; st.global.b32 [%out+4], %r4;",
                                         {h, twice}, 4);
  CHECK(s == std::vector<std::uint16_t>{0x0010, 0, 0x0010, 0x0010});
}
