// Whole kernels as compilers write them.
#include "exec/handlers.h"
#include "exec/launcher.h"

using namespace warpmill;
using namespace warpmill::exec;
using warpmill::exec::test::Launcher;

namespace {

const char* const vecAdd = R"(
.version 9.0
.target sm_80
.address_size 64
.visible .entry vec_add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<11>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r2, [n];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra $L__BB0_2;
  cvta.to.global.u64 %rd4, %rd1;
  mul.wide.s32 %rd5, %r1, 4;
  add.s64 %rd6, %rd4, %rd5;
  cvta.to.global.u64 %rd7, %rd2;
  add.s64 %rd8, %rd7, %rd5;
  ld.global.f32 %f1, [%rd8];
  ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f2, %f1;
  cvta.to.global.u64 %rd9, %rd3;
  add.s64 %rd10, %rd9, %rd5;
  st.global.f32 [%rd10], %f3;
$L__BB0_2:
  ret;
}
)";

std::vector<float> ramp(std::size_t n, float start, float by) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = start + by * static_cast<float>(i);
  return v;
}

}  // namespace

TEST_CASE("a vector addition with a ragged end adds every element and touches nothing else") {
  const std::size_t n = 1000;
  Launcher l(vecAdd);
  const auto a = ramp(n, 0.25f, 1.5f), b = ramp(n, -3.0f, 0.125f);
  l.buffer(a);
  l.buffer(b);
  const auto out = l.buffer(std::vector<float>(n));
  l.scalar(static_cast<std::uint32_t>(n));
  const FunctionalRun run = l.run({4, 1, 1}, {256, 1, 1});
  INFO(test::describe(run));
  REQUIRE(run.faults.empty());
  const auto c = l.read<float>(out);
  for (std::size_t i = 0; i < n; ++i) REQUIRE(c[i] == a[i] + b[i]);
  CHECK(run.warpInstructions == 32 * 22);  // the last warp has 8 lanes that add and 24 that jump, and still issues each once
}

TEST_CASE("a store past the end names buffer, offset, block and thread, and the kernel goes on") {
  const std::size_t n = 1000;
  Launcher l(vecAdd);
  l.buffer(ramp(1024, 0, 1), "x");
  l.buffer(ramp(1024, 0, 1), "y");
  const auto out = l.buffer(std::vector<float>(n), "z");
  l.scalar(std::uint32_t{1024});
  const FunctionalRun run = l.run({4, 1, 1}, {256, 1, 1});
  REQUIRE(run.faults.size() == 1);
  const machine::Fault& f = run.faults[0];
  CHECK(f.kind == machine::FaultKind::OutOfBounds);
  CHECK(f.message == "store of 4 bytes at offset 4000 of argument 2 ('z', 4000 bytes), right behind its end by block (3,0,0) thread (232,0,0)");
  CHECK(f.count == 24);
  CHECK(f.buffer == 2);
  CHECK(f.offset == 4000);
  CHECK(f.access == "store");
  CHECK(f.lane == 8);
  CHECK(l.read<float>(out)[999] == 1998.0f);
}

TEST_CASE("the handlers for newer processors and the portable ones are chosen as a whole") {
  const HandlerSet &best = handlerSet(), &portable = portableHandlerSet();
  CHECK(std::string(portable.name) == "portable");
  for (std::size_t k = 0; k < best.families.size(); ++k) {
    CHECK(best.families[k] != nullptr);
    CHECK((best.families[k] == portable.families[k]) == (&best == &portable));
  }
}
