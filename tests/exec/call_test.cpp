// Functions called by kernels: parameters, results, structs by value, nesting, divergence, recursion, pointers to functions, the stack.
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

namespace {

// f calls itself n deep; k calls it with one value a lane.
const char* const factorial = R"(
.func (.param .b64 r) f(.param .b32 n)
{
  .reg .b32 %r<3>; .reg .b64 %rd<4>; .reg .pred %p<3>;
  ld.param.b32 %r1, [n]; setp.eq.s32 %p1, %r1, 0; mov.u64 %rd1, 1; and.b32 %r2, %r1, 1; setp.eq.s32 %p2, %r2, 1;
  @%p1 bra DONE;
  { .param .b32 m; .param .b64 q; sub.s32 %r2, %r1, 1; st.param.b32 [m], %r2; call (q), f, (m); ld.param.b64 %rd1, [q]; }
  cvt.u64.u32 %rd2, %r1; mul.lo.u64 %rd1, %rd1, %rd2;
  @%p2 add.u64 %rd1, %rd1, 1;
DONE:
  st.param.b64 [r], %rd1;
  ret;
}
.visible .entry k(.param .u64 p0, .param .u64 p1)
{
  .reg .b64 %rd<6>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd4, [p1]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 8; add.s64 %rd1, %rd1, %rd2; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd4, %rd4, %rd2; ld.global.u32 %r2, [%rd4];
  { .param .b32 m; .param .b64 q; st.param.b32 [m], %r2; call (q), f, (m); ld.param.b64 %rd3, [q]; }
  st.global.u64 [%rd1], %rd3;
  ret;
}
)";

std::uint64_t expectedFactorial(std::uint32_t n) { return n == 0 ? 1 : expectedFactorial(n - 1) * n + n % 2; }

}  // namespace

TEST_CASE("a function that calls itself keeps registers and predicates for each activation, each lane as deep as it wants") {
  Launcher l(std::string(header) + factorial);
  const auto out = l.buffer(std::vector<std::uint64_t>(32));
  std::vector<std::uint32_t> n(32);
  for (std::uint32_t i = 0; i < 32; ++i) n[i] = i * 7 % 13;
  l.buffer(n);
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  INFO(test::describe(run));
  REQUIRE(run.faults.empty());
  const auto v = l.read<std::uint64_t>(out);
  for (std::size_t i = 0; i < 32; ++i) CHECK(v[i] == expectedFactorial(n[i]));
  // Lanes go down together and meet again on the way up: 12 activations of 12 instructions, not 32 times as many.
  CHECK(run.warpInstructions < 12 * 15 + 30);
}

TEST_CASE("recursion without end is a fault that says how deep it got, and the other lanes go on") {
  Launcher l(std::string(header) + factorial);
  const auto out = l.buffer(std::vector<std::uint64_t>(32));
  std::vector<std::uint32_t> n(32, 5);
  n[3] = 0xFFFFFFFF;
  l.buffer(n);
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  REQUIRE(run.faults.size() == 1);
  CHECK(run.faults[0].kind == machine::FaultKind::OutOfBounds);
  CHECK(run.faults[0].lane == 3);
  CHECK(run.faults[0].count == 1);
  CHECK(run.faults[0].message.find("the stack is full: ") == 0);
  CHECK(run.faults[0].message.find("'f' needs more than the 16384 bytes") != std::string::npos);
  const auto v = l.read<std::uint64_t>(out);
  CHECK(v[3] == 0);
  CHECK(v[4] == expectedFactorial(5));
}

TEST_CASE("calls through pointers go where each lane's pointer says; bad pointers are faults") {
  const std::string text = std::string(header) + R"(
.func (.param .b32 r) one(.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; add.s32 %r, %r, 100; st.param.b32 [r], %r; ret; }
.func (.param .b32 r) two(.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; mul.lo.s32 %r, %r, %r; st.param.b32 [r], %r; ret; }
.func other(.param .b32 x, .param .b32 y) { ret; }
.global .align 8 .u64 table[4] = {one, two, 0, other};
.visible .entry k(.param .u64 p0, .param .u64 p1)
{
  .reg .b64 %rd<8>; .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd4, [p1]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; add.s64 %rd4, %rd4, %rd2; ld.global.u32 %r2, [%rd4];
  mov.u64 %rd5, table; mul.wide.u32 %rd6, %r2, 8; add.s64 %rd5, %rd5, %rd6;
  setp.ge.u32 %p, %r2, 4; mov.u64 %rd7, 77; @!%p ld.global.u64 %rd7, [%rd5];
  mov.u32 %r3, -1;
  { .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (r), %rd7, (x), proto; ld.param.b32 %r3, [r]; }
  st.global.u32 [%rd1], %r3;
  ret;
})";
  const auto run = [&](std::vector<std::uint32_t> which, FunctionalRun& result) {
    Launcher l(text);
    const auto out = l.buffer(std::vector<std::uint32_t>(32));
    l.buffer(which);
    result = l.run({1, 1, 1}, {32, 1, 1});
    return l.read<std::uint32_t>(out);
  };
  std::vector<std::uint32_t> which(32);
  for (std::uint32_t i = 0; i < 32; ++i) which[i] = i / 5 % 2;
  FunctionalRun result;
  auto v = run(which, result);
  INFO(test::describe(result));
  CHECK(result.faults.empty());
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(v[i] == (which[i] == 0 ? i + 100 : i * i));
  which[7] = 2;
  which[8] = 4;
  which[9] = 3;
  v = run(which, result);
  REQUIRE(result.faults.size() == 2);  // of one kind and place the first is kept
  CHECK(result.faults[0].kind == machine::FaultKind::NullAccess);
  CHECK(result.faults[0].lane == 7);
  CHECK(result.faults[1].kind == machine::FaultKind::OutOfBounds);
  CHECK(result.faults[1].message.find("the pointer 0x4d") != std::string::npos);
  CHECK(result.faults[1].count == 2);
  CHECK(v[6] == 36);
  CHECK(v[10] == 110);
  CHECK(v[7] + v[8] + v[9] == 0);
}

TEST_CASE("arguments and returned values may be registers and numbers") {
  Launcher l(std::string(header) + R"(
.func (.reg .u32 rv) fused(.reg .u32 a, .reg .u32 b)
{
  .reg .pred %p;
  setp.gt.u32 %p, a, 20; mov.u32 rv, 7; @%p ret;
  add.u32 rv, a, b; ret;
}
.func (.reg .u32 rv) down(.reg .u32 a)
{
  .reg .pred %p; .reg .u32 t;
  setp.eq.u32 %p, a, 0; mov.u32 rv, 0; @%p ret;
  sub.u32 t, a, 1; call (t), down, (t); add.u32 rv, t, a; ret;
}
.visible .entry k(.param .u64 p0)
{
  .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .pred %p;
  ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd1, %rd1, %rd2; mov.u32 %r2, 1; mov.u32 %r3, 2;
  setp.lt.u32 %p, %r1, 25;
  @%p call (%r2), fused, (%r1, 5);
  @%p call (%r3), down, (%r1);
  st.global.v2.u32 [%rd1], {%r2, %r3};
  ret;
})");
  const auto out = l.buffer(std::vector<std::uint32_t>(64));
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  INFO(test::describe(run));
  REQUIRE(run.faults.empty());
  const auto v = l.read<std::uint32_t>(out);
  for (std::uint32_t i = 0; i < 32; ++i) {
    CHECK(v[2 * i] == (i >= 25 ? 1 : i > 20 ? 7 : i + 5));
    CHECK(v[2 * i + 1] == (i >= 25 ? 2 : i * (i + 1) / 2));
  }
}

TEST_CASE("a table of branches sends each lane to its label, and they meet again") {
  Launcher l(Launcher::body(".reg .b32 %r<4>; .reg .pred %p;", R"(
  ld.global.u32 %r1, [%in]; mov.u32 %r2, 0;
  table: .branchtargets A, B, C, B;
  brx.idx %r1, table;
A: mov.u32 %r2, 10; bra END;
B: mov.u32 %r2, 20; bra END;
C: add.u32 %r2, %t, 1000;
END:
  activemask.b32 %r3;
  st.global.v2.u32 [%out], {%r2, %r3};)"));
  const auto out = l.buffer(std::vector<std::uint64_t>(32));
  std::vector<std::uint64_t> in(32);
  for (std::uint64_t i = 0; i < 32; ++i) in[i] = i % 4;
  in[30] = 4;
  l.buffer(in);
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  REQUIRE(run.faults.size() == 1);
  CHECK(run.faults[0].message.find("entry 4 of a table that has 4") != std::string::npos);
  const auto v = l.read<std::uint64_t>(out);
  for (std::uint64_t i = 0; i < 32; ++i) {
    const std::uint64_t wanted = i == 30 ? 0 : i % 4 == 0 ? 10 : i % 4 == 2 ? 1000 + i : 20;
    CHECK((v[i] & 0xFFFFFFFF) == wanted);
    CHECK((v[i] >> 32) == (i == 30 ? 0 : 0xBFFFFFFFu));
  }
}

TEST_CASE("alloca takes stack for one activation, and stackrestore gives it back") {
  Launcher l(".version 8.0\n.target sm_80\n.address_size 64\n" R"(
.func (.param .b32 r) f(.param .b32 n)
{
  .reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .pred %p;
  ld.param.b32 %r1, [n]; mov.u32 %r4, 0; setp.eq.s32 %p, %r1, 0; @%p bra DONE;
  stacksave.u64 %rd5;
  mul.wide.u32 %rd1, %r1, 4; alloca.u64 %rd2, %rd1, 16;
  st.local.u32 [%rd2], %r1;
  { .param .b32 m; .param .b32 q; sub.s32 %r2, %r1, 1; st.param.b32 [m], %r2; call (q), f, (m); ld.param.b32 %r3, [q]; }
  ld.local.u32 %r4, [%rd2]; mad.lo.s32 %r4, %r3, 3, %r4;
  stackrestore.u64 %rd5;
DONE:
  st.param.b32 [r], %r4;
  ret;
}
.visible .entry k(.param .u64 p0)
{
  .reg .b64 %rd<6>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
  { .param .b32 m; .param .b32 q; st.param.b32 [m], %r1; call (q), f, (m); ld.param.b32 %r2, [q]; }
  st.global.u32 [%rd1], %r2;
  alloca.u64 %rd3, 1048576;
  ret;
})");
  const auto out = l.buffer(std::vector<std::uint32_t>(32));
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  REQUIRE(run.faults.size() == 1);
  CHECK(run.faults[0].message.find("alloca wants more than what is left") != std::string::npos);
  const auto v = l.read<std::uint32_t>(out);
  std::uint32_t wanted = 0;
  for (std::uint32_t i = 0; i < 32; ++i) {
    wanted = wanted * 3 + i;
    CHECK(v[i] == wanted);
  }
}

TEST_CASE("an external function is unsupported when it is called, and named") {
  Launcher l(std::string(header) + R"(
.extern .func (.param .b32 r) elsewhere(.param .b32 x);
.visible .entry k(.param .u32 n)
{
  .reg .b32 %r<3>; .reg .pred %p;
  ld.param.u32 %r1, [n]; setp.eq.u32 %p, %r1, 0; @%p bra END;
  { .param .b32 x; .param .b32 r; st.param.b32 [x], 1; call (r), elsewhere, (x); }
END:
  ret;
})");
  SECTION("not called") {
    l.scalar(0u);
    CHECK(l.run({1, 1, 1}, {32, 1, 1}).faults.empty());
  }
  SECTION("called") {
    l.scalar(1u);
    const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
    REQUIRE(run.faults.size() == 1);
    CHECK(run.faults[0].kind == machine::FaultKind::Unsupported);
    CHECK(run.faults[0].message.find("'elsewhere' (called on PTX line 10) has no body") != std::string::npos);
  }
}

TEST_CASE("trap and exit inside functions end lanes at any depth; the others return") {
  Launcher l(std::string(header) + R"(
.func f(.param .b32 n)
{
  .reg .b32 %r<3>; .reg .pred %p<4>;
  ld.param.b32 %r1, [n]; setp.eq.s32 %p1, %r1, 0; @%p1 ret; setp.eq.s32 %p2, %r1, 100; @%p2 exit; setp.eq.s32 %p3, %r1, 200; @%p3 trap;
  { .param .b32 m; sub.s32 %r2, %r1, 1; st.param.b32 [m], %r2; call f, (m); }
  ret;
}
.visible .entry k(.param .u64 p0)
{
  .reg .b64 %rd<6>; .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
  setp.eq.u32 %p, %r1, 4; @%p mov.u32 %r1, 103; setp.eq.u32 %p, %r1, 5; @%p mov.u32 %r1, 201;
  { .param .b32 m; st.param.b32 [m], %r1; call f, (m); }
  st.global.u32 [%rd1], 1;
  ret;
})");
  const auto out = l.buffer(std::vector<std::uint32_t>(32));
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  REQUIRE(run.faults.size() == 1);
  CHECK(run.faults[0].kind == machine::FaultKind::Trap);
  CHECK(run.faults[0].lane == 5);
  const auto v = l.read<std::uint32_t>(out);
  for (std::size_t i = 0; i < 32; ++i) CHECK(v[i] == (i == 4 || i == 5 ? 0 : 1));
}

TEST_CASE("lanes of one warp that poll a lock in a called function let each other go on") {
  // Each lane takes the lock by a function, adds to a plain counter, and gives it back.
  const auto text = [](const std::string& callee) {
    return std::string(header) + R"(
.func (.param .b32 r) take(.param .b64 lock)
{
  .reg .b64 %rd; .reg .b32 %r<2>;
  ld.param.b64 %rd, [lock]; atom.global.cas.b32 %r1, [%rd], 0, 1; st.param.b32 [r], %r1; ret;
}
.visible .entry k(.param .u64 p0)
{
  .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u64 %rd1, [p0]; mov.u64 %rd2, take;
AGAIN:
  { .param .b64 a; .param .b32 r; st.param.b64 [a], %rd1; proto: .callprototype (.param .b32 _) _ (.param .b64 _); call (r), )" + callee + R"(; ld.param.b32 %r1, [r]; }
  setp.ne.u32 %p, %r1, 0;
  @%p bra AGAIN;
  ld.volatile.global.u32 %r2, [%rd1+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%rd1+4], %r2;
  membar.gl; atom.global.exch.b32 %r3, [%rd1], 0;
  ret;
})";
  };
  for (const std::string callee : {"take, (a)", "%rd2, (a), proto"}) {
    INFO(callee);
    Launcher l(text(callee));
    const auto out = l.buffer(std::vector<std::uint32_t>(2));
    const FunctionalRun run = l.run({1, 1, 1}, {64, 1, 1});
    INFO(test::describe(run));
    CHECK(run.faults.empty());
    CHECK(l.read<std::uint32_t>(out)[1] == 64);
  }
}

TEST_CASE("a call with a list of targets goes through the pointer, as one with a prototype does") {
  Launcher l(std::string(header) + R"(
.func (.param .b32 r) one(.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; add.s32 %r, %r, 100; st.param.b32 [r], %r; ret; }
.func (.param .b32 r) two(.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; mul.lo.s32 %r, %r, %r; st.param.b32 [r], %r; ret; }
.visible .entry k(.param .u64 p0)
{
  .reg .b64 %rd<8>; .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
  mov.u64 %rd3, one; mov.u64 %rd4, two; setp.lt.u32 %p, %r1, 9; selp.u64 %rd5, %rd3, %rd4, %p;
  targets: .calltargets one, two;
  { .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call (r), %rd5, (x), targets; ld.param.b32 %r3, [r]; }
  st.global.u32 [%rd1], %r3;
  ret;
})");
  const auto out = l.buffer(std::vector<std::uint32_t>(32));
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  INFO(test::describe(run));
  CHECK(run.faults.empty());
  const auto v = l.read<std::uint32_t>(out);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(v[i] == (i < 9 ? i + 100 : i * i));
}

TEST_CASE("functions of the same name in a table and called by name have one body, and shared memory of theirs its place") {
  Launcher l(std::string(header) + R"(
.func (.param .b32 r) f(.param .b32 x)
{
  .shared .align 4 .b32 cell[32]; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.b32 %r1, [x]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd1, %r2, 4; mov.u64 %rd2, cell; add.s64 %rd1, %rd1, %rd2;
  ld.shared.b32 %r3, [%rd1]; add.s32 %r3, %r3, %r1; st.shared.b32 [%rd1], %r3; st.param.b32 [r], %r3; ret;
}
.global .align 8 .u64 table[1] = {f};
.visible .entry k(.param .u64 p0)
{
  .reg .b64 %rd<8>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; ld.global.u64 %rd5, [table];
  { .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call (r), f, (x); ld.param.b32 %r3, [r]; }
  { .param .b32 x; .param .b32 r; st.param.b32 [x], 7; p: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), %rd5, (x), p; ld.param.b32 %r3, [r]; }
  st.global.u32 [%rd1], %r3;
  ret;
})");
  const auto out = l.buffer(std::vector<std::uint32_t>(32));
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  INFO(test::describe(run));
  CHECK(run.faults.empty());
  const auto v = l.read<std::uint32_t>(out);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(v[i] == i + 7);
}
