// Functions called by kernels: parameters, results, structs by value, nesting, divergence, recursion.
#include "exec/launcher.h"

using namespace warpmill;
using namespace warpmill::exec;
using warpmill::exec::test::Launcher;

namespace {

const char* const header = ".version 8.0\n.target sm_80\n.address_size 64\n";
const char* const sumToTen = R"(
.func (.param .b32 ret0) sum(.param .b32 p0, .param .b32 p1)
{
  .reg .pred %p<3>; .reg .f32 %f<5>; .reg .b32 %r<4>;
  ld.param.f32 %f1, [p0]; ld.param.u32 %r1, [p1];
  mov.f32 %f2, 0f00000000; mov.u32 %r2, 0;
LOOP:
  setp.ge.s32 %p1, %r2, %r1;
  @%p1 bra END;
  add.f32 %f2, %f2, %f1; add.s32 %r2, %r2, 1;
  setp.gt.f32 %p2, %f2, 0f41200000;
  @!%p2 bra LOOP;
  st.param.f32 [ret0+0], %f2;
  ret;
END:
  mul.f32 %f3, %f2, 0f40000000;
  st.param.f32 [ret0+0], %f3;
  ret;
}
)";

float expectedSum(float a, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) {
    s += a;
    if (s > 10) return s;
  }
  return s * 2;
}

}  // namespace

TEST_CASE("a called function gets its arguments and returns early or late, lane by lane") {
  Launcher l(std::string(header) + sumToTen + R"(
.visible .entry k(.param .u64 p0)
{
  .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
  cvt.rn.f32.u32 %f1, %r1;
  { .param .b32 a0; st.param.f32 [a0+0], %f1; .param .b32 a1; st.param.b32 [a1+0], %r1; .param .b32 r0;
    call.uni (r0), sum, (a0, a1); ld.param.f32 %f2, [r0+0]; }
  { .param .b32 a0; st.param.f32 [a0+0], %f2; .param .b32 a1; st.param.b32 [a1+0], 2; .param .b32 r0;
    call.uni (r0), sum, (a0, a1); ld.param.f32 %f3, [r0+0]; }
  st.global.f32 [%rd1], %f3;
  ret;
})");
  const auto out = l.buffer(std::vector<float>(32));
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  INFO(test::describe(run));
  REQUIRE(run.faults.empty());
  const auto v = l.read<float>(out);
  for (int i = 0; i < 32; ++i) CHECK(v[static_cast<std::size_t>(i)] == expectedSum(expectedSum(static_cast<float>(i), i), 2));
}

TEST_CASE("structs go by value through two calls, and shared and local memory of callees have places of their own") {
  Launcher l(std::string(header) + R"(
.func (.param .b64 ret0) inner(.param .align 16 .b8 s[16])
{
  .reg .b64 %rd<5>; .local .align 8 .b8 depot[16]; .reg .b64 %SPL;
  mov.u64 %SPL, depot;
  ld.param.v2.b64 {%rd1, %rd2}, [s];
  st.local.b64 [%SPL+8], %rd2; ld.local.b64 %rd3, [%SPL+8];
  sub.s64 %rd4, %rd1, %rd3;
  st.param.b64 [ret0], %rd4;
  ret;
}
.func (.param .align 16 .b8 ret0[16]) outer(.param .b64 x)
{
  .reg .b64 %rd<5>; .local .align 8 .b8 depot[8];
  ld.param.b64 %rd1, [x];
  st.local.b64 [depot], %rd1;
  { .param .align 16 .b8 s[16]; mul.lo.u64 %rd2, %rd1, 10; st.param.v2.b64 [s], {%rd2, %rd1}; .param .b64 r; call (r), inner, (s); ld.param.b64 %rd3, [r]; }
  ld.local.b64 %rd4, [depot];
  st.param.b64 [ret0], %rd3; st.param.b64 [ret0+8], %rd4;
  ret;
}
.visible .entry k(.param .u64 p0)
{
  .reg .b64 %rd<6>; .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16; add.s64 %rd1, %rd1, %rd2; cvt.u64.u32 %rd3, %r1;
  mov.u64 %rd4, 77; mov.u64 %rd5, 78;
  { .param .b64 x; st.param.b64 [x], %rd3; .param .align 16 .b8 r[16]; setp.lt.u32 %p, %r1, 20;
    @%p call (r), outer, (x);
    @%p ld.param.v2.b64 {%rd4, %rd5}, [r]; }
  st.global.v2.b64 [%rd1], {%rd4, %rd5};
  ret;
})");
  const auto out = l.buffer(std::vector<std::uint64_t>(64));
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  INFO(test::describe(run));
  REQUIRE(run.faults.empty());
  const auto v = l.read<std::uint64_t>(out);
  for (std::uint64_t i = 0; i < 32; ++i) {
    CHECK(v[2 * i] == (i < 20 ? 9 * i : 77));
    CHECK(v[2 * i + 1] == (i < 20 ? i : 78));
  }
}

TEST_CASE("recursion is not expanded: the inner call is unsupported when it is reached") {
  Launcher l(std::string(header) + R"(
.func f(.param .b32 n)
{
  .reg .b32 %r<3>; .reg .pred %p;
  ld.param.b32 %r1, [n]; setp.eq.s32 %p, %r1, 0; @%p ret;
  { .param .b32 m; sub.s32 %r2, %r1, 1; st.param.b32 [m], %r2; call f, (m); }
  ret;
}
.visible .entry k(.param .u32 n)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [n];
  { .param .b32 m; st.param.b32 [m], %r1; call f, (m); }
  ret;
})");
  l.scalar(std::uint32_t{0});
  CHECK(l.run({1, 1, 1}, {32, 1, 1}).faults.empty());
}
