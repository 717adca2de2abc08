// Threads of a warp part at branches, meet again, wait at barriers and for each other.
#include "exec/launcher.h"

using namespace warpmill;
using namespace warpmill::exec;
using warpmill::exec::test::Launcher;
using warpmill::exec::test::runLanes;

namespace {

const std::string registers = ".reg .b32 %r<20>; .reg .b64 %rd<10>; .reg .pred %p<8>; .reg .b32 %v;";
std::string storing(const std::string& code) { return code + "\nst.global.u32 [%out], %v;"; }

std::vector<std::uint64_t> input(std::uint64_t (*f)(std::uint64_t)) {
  std::vector<std::uint64_t> v(32);
  for (std::uint64_t i = 0; i < 32; ++i) v[i] = f(i);
  return v;
}

}  // namespace

TEST_CASE("both sides of an if run for their own lanes and meet again behind it") {
  const auto out = runLanes(registers, storing(R"(
    setp.lt.u32 %p1, %t, 10;
    @%p1 bra THEN;
    activemask.b32 %v;
    bra.uni JOIN;
  THEN:
    activemask.b32 %v;
  JOIN:
    activemask.b32 %r1;
    setp.ne.u32 %p2, %r1, -1;
    selp.b32 %v, 0, %v, %p2;)"));
  for (unsigned i = 0; i < 32; ++i) CHECK(out[i] == (i < 10 ? 0x3FFu : 0xFFFFFC00u));
}

TEST_CASE("nested branches meet inside out") {
  const auto out = runLanes(registers, storing(R"(
    mov.u32 %v, 0;
    and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0;
    and.b32 %r2, %t, 2; setp.eq.u32 %p2, %r2, 0;
    @%p1 bra EVEN;
    @%p2 bra ODD0;
    or.b32 %v, %v, 1;
    bra.uni ODDJOIN;
  ODD0:
    or.b32 %v, %v, 2;
  ODDJOIN:
    activemask.b32 %r3; and.b32 %r3, %r3, 0xF0; or.b32 %v, %v, %r3;
    bra.uni JOIN;
  EVEN:
    or.b32 %v, %v, 4;
  JOIN:
    activemask.b32 %r3; and.b32 %r3, %r3, 0xF00; or.b32 %v, %v, %r3;)"));
  for (unsigned i = 0; i < 32; ++i) CHECK(out[i] == ((i % 2 == 0 ? 4u : (i & 2) == 0 ? 0xA2u : 0xA1u) | 0xF00u));
}

TEST_CASE("lanes leave a loop one after the other and wait behind it") {
  const auto out = runLanes(registers, storing(R"(
    mov.u32 %v, 0; mov.u32 %r1, 0;
  LOOP:
    add.u32 %v, %v, 3;
    add.u32 %r1, %r1, 1;
    setp.le.u32 %p1, %r1, %t;
    @%p1 bra LOOP;
    activemask.b32 %r2; and.b32 %r2, %r2, 0x80000000; or.b32 %v, %v, %r2;)"));
  for (unsigned i = 0; i < 32; ++i) CHECK(out[i] == (3 * (i + 1) | 0x80000000u));
}

TEST_CASE("loops with a break inside a branch count each lane's own rounds") {
  const auto out = runLanes(registers, storing(R"(
    mov.u32 %v, 0; mov.u32 %r1, 0;
  LOOP:
    setp.ge.u32 %p1, %r1, %t;
    @%p1 bra DONE;
    and.b32 %r2, %r1, 1; setp.eq.u32 %p2, %r2, 0;
    @%p2 bra EVEN;
    add.u32 %v, %v, 100;
    setp.gt.u32 %p3, %v, 1000;
    @%p3 bra DONE;
    bra.uni NEXT;
  EVEN:
    add.u32 %v, %v, 1;
  NEXT:
    add.u32 %r1, %r1, 1;
    bra.uni LOOP;
  DONE:
    activemask.b32 %r3; setp.ne.u32 %p4, %r3, -1; @%p4 mov.u32 %v, 0;)"));
  for (unsigned i = 0; i < 32; ++i) {
    std::uint32_t v = 0;
    for (unsigned k = 0; k < i; ++k) {
      if (k % 2 == 0) v += 1;
      else if ((v += 100) > 1000) break;
    }
    CHECK(out[i] == v);
  }
}

TEST_CASE("lanes that exit inside a branch are not waited for") {
  const auto out = runLanes(registers, storing(R"(
    mov.u32 %v, 7;
    setp.lt.u32 %p1, %t, 20;
    @%p1 bra WORK;
    st.global.u32 [%out], %v;
    exit;
  WORK:
    setp.lt.u32 %p2, %t, 4;
    @%p2 exit;
    activemask.b32 %v;)"));
  for (unsigned i = 0; i < 32; ++i) CHECK(out[i] == (i >= 20 ? 7u : i < 4 ? 0u : 0x000FFFF0u));
}

TEST_CASE("a spin lock among the threads of one warp makes progress") {
  Launcher l(Launcher::body(registers, R"(
    ld.param.u64 %rd1, [p1];
  TRY:
    atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra TRY;
    ld.volatile.global.u32 %r2, [%rd1+4];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd1+4], %r2;
    membar.gl;
    atom.global.exch.b32 %r3, [%rd1], 0;
    st.global.u32 [%out], %r2;)"));
  const auto out = l.buffer(std::vector<std::uint64_t>(64));
  const auto lock = l.buffer(std::vector<std::uint64_t>(64));
  const FunctionalRun run = l.run({1, 1, 1}, {64, 1, 1}, 0, {200'000, 64, false});
  INFO(test::describe(run));
  REQUIRE(run.faults.empty());
  CHECK(l.read<std::uint32_t>(lock)[0] == 0);
  CHECK(l.read<std::uint32_t>(lock)[1] == 64);
  std::vector<bool> seen(65);
  for (std::uint64_t v : l.read<std::uint64_t>(out)) seen.at(v) = true;
  for (unsigned i = 1; i <= 64; ++i) CHECK(seen[i]);  // every thread had its own turn
}

TEST_CASE("a lock whose loop ends in a forward branch makes progress too") {
  Launcher l(Launcher::body(registers, R"(
    ld.param.u64 %rd1, [p1];
  TRY:
    atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra GOT;
    bra.uni TRY;
  GOT:
    ld.volatile.global.u32 %r2, [%rd1+4];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd1+4], %r2;
    atom.global.exch.b32 %r3, [%rd1], 0;)"));
  l.buffer(std::vector<std::uint64_t>(32));
  const auto lock = l.buffer(std::vector<std::uint64_t>(32));
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1}, 0, {100'000, 64, false});
  INFO(test::describe(run));
  REQUIRE(run.faults.empty());
  CHECK(l.read<std::uint32_t>(lock)[1] == 32);
}

TEST_CASE("lanes that wait for a flag see another lane of their warp set it") {
  Launcher l(Launcher::body(registers, R"(
    ld.param.u64 %rd1, [p1];
    setp.eq.u32 %p1, %t, 5;
    @%p1 bra PRODUCE;
  WAIT:
    ld.volatile.global.u32 %r1, [%rd1];
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra WAIT;
    st.global.u32 [%out], %r1;
    bra.uni END;
  PRODUCE:
    mov.u32 %r2, 42;
    st.volatile.global.u32 [%rd1], %r2;
  END:)"));
  const auto out = l.buffer(std::vector<std::uint64_t>(32));
  l.buffer(std::vector<std::uint64_t>(32));
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1}, 0, {100'000, 64, false});
  INFO(test::describe(run));
  REQUIRE(run.faults.empty());
  const auto v = l.read<std::uint64_t>(out);
  for (unsigned i = 0; i < 32; ++i) CHECK(v[i] == (i == 5 ? 0u : 42u));
}

TEST_CASE("a block that waits for a later block's flag gets it") {
  Launcher l(Launcher::body(registers, R"(
    ld.param.u64 %rd1, [p1];
    mov.u32 %r1, %ctaid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra SET;
  WAIT:
    ld.acquire.gpu.global.u32 %r2, [%rd1];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra WAIT;
    st.global.u32 [%out], %r2;
    bra.uni END;
  SET:
    mov.u32 %r3, 9;
    st.release.gpu.global.u32 [%rd1], %r3;
  END:)"));
  const auto out = l.buffer(std::vector<std::uint64_t>(32));
  l.buffer(std::vector<std::uint64_t>(32));
  const FunctionalRun run = l.run({2, 1, 1}, {32, 1, 1}, 0, {10'000'000, 64, false});
  INFO(test::describe(run));
  REQUIRE(run.faults.empty());
  CHECK(l.read<std::uint64_t>(out)[31] == 9);
}

TEST_CASE("warps of a block exchange values over a barrier in a loop") {
  const auto out = runLanes(registers + ".shared .b32 s[128];", storing(R"(
    mov.u32 %v, %t; mov.u32 %r1, 0;
  LOOP:
    shl.b32 %r2, %t, 2; mov.u32 %r3, s; add.u32 %r2, %r2, %r3;
    st.shared.u32 [%r2], %v;
    bar.sync 0;
    add.u32 %r4, %t, 1; and.b32 %r4, %r4, 127; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r3;
    ld.shared.u32 %v, [%r4];
    bar.sync 0;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 5;
    @%p1 bra LOOP;)"), {}, 128);
  for (unsigned i = 0; i < 128; ++i) CHECK(out[i] == (i + 5) % 128);
}

TEST_CASE("a barrier counts threads, on whichever side of a branch they call it") {
  const auto out = runLanes(registers, storing(R"(
    setp.lt.u32 %p1, %t, 12;
    @%p1 bra A;
    barrier.sync 0;
    mov.u32 %v, 2;
    bra.uni JOIN;
  A:
    barrier.sync 0;
    mov.u32 %v, 1;
  JOIN:)"), {}, 64);
  for (unsigned i = 0; i < 64; ++i) CHECK(out[i] == (i < 12 ? 1u : 2u));
}

TEST_CASE("threads that exit no longer count at a barrier") {
  const auto out = runLanes(registers, storing(R"(
    setp.ge.u32 %p1, %t, 40;
    @%p1 exit;
    bar.sync 0;
    mov.u32 %v, 3;)"), {}, 96);
  for (unsigned i = 0; i < 96; ++i) CHECK(out[i] == (i < 40 ? 3u : 0u));
}

TEST_CASE("a barrier that some threads of the block never reach is a divergent_barrier") {
  Launcher l(Launcher::body(registers, R"(
    setp.lt.u32 %p1, %t, 16;
    @!%p1 bra SKIP;
    bar.sync 0;
  SKIP:
    bar.sync 1;
    st.global.u32 [%out], %t;)"));
  l.buffer(std::vector<std::uint64_t>(64));
  l.buffer(std::vector<std::uint64_t>(64));
  const FunctionalRun run = l.run({1, 1, 1}, {64, 1, 1});
  REQUIRE(run.faults.size() == 1);
  CHECK(run.faults[0].kind == machine::FaultKind::DivergentBarrier);
  CHECK(run.faults[0].message == "block (0,0,0) cannot go on: 16 threads wait at barrier 0, which 64 threads must reach; threads 16-63 wait at barrier 1 (PTX line 15)");
}

TEST_CASE("lanes that jump to the end of the kernel are not waited for at barriers and in shuffles") {
  const auto out = runLanes(registers, R"(
    setp.ge.u32 %p1, %t, 40;
    @%p1 bra END;
    bar.sync 0;
    shfl.sync.bfly.b32 %v, %t, 1, 31, -1;
    st.global.u32 [%out], %v;
  END:)", {}, 96);
  for (unsigned i = 0; i < 96; ++i) CHECK(out[i] == (i < 40 ? (i ^ 1u) : 0u));
}

TEST_CASE("lanes that skip a barrier reach the next one, as on an H200, and that is told of") {
  Launcher l(Launcher::body(registers, R"(
    setp.ge.u32 %p1, %t, 16;
    @%p1 bra SKIP;
    bar.sync 0;
    st.global.u32 [%out], 1;
  SKIP:
    bar.sync 0;
    ld.global.u32 %v, [%out];
    add.u32 %v, %v, 1;
    st.global.u32 [%out], %v;)"));
  const auto out = l.buffer(std::vector<std::uint64_t>(32));
  l.buffer(std::vector<std::uint64_t>(32));
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  REQUIRE(run.faults.size() == 1);
  CHECK(run.faults[0].kind == machine::FaultKind::DivergentBarrier);
  CHECK(run.faults[0].message.find("lanes 0-15 of warp 0 of block (0,0,0) wait at barrier 0 without the rest of their warp; threads 16-31 wait at barrier 0") == 0);
  const auto values = l.read<std::uint64_t>(out);
  for (unsigned i = 0; i < 32; ++i) CHECK(values[i] == (i < 16 ? 2u : 1u));
}

TEST_CASE("bar.red combines the predicates of all threads") {
  const auto out = runLanes(registers, storing(R"(
    setp.lt.u32 %p1, %t, 37;
    bar.red.popc.u32 %v, 0, %p1;
    bar.red.and.pred %p2, 0, %p1;
    bar.red.or.pred %p3, 0, !%p1;
    selp.b32 %r1, 1000, 0, %p2; selp.b32 %r2, 10000, 0, %p3;
    add.u32 %v, %v, %r1; add.u32 %v, %v, %r2;)"), {}, 64);
  for (unsigned i = 0; i < 64; ++i) CHECK(out[i] == 10037);
}

TEST_CASE("bar.arrive lets producers go on while consumers wait for the count") {
  const auto out = runLanes(registers + ".shared .b32 s[32];", storing(R"(
    mov.u32 %v, 1;
    shl.b32 %r2, %t, 2; and.b32 %r2, %r2, 127; mov.u32 %r3, s; add.u32 %r2, %r2, %r3;
    setp.lt.u32 %p1, %t, 32;
    @%p1 bra CONSUME;
    add.u32 %r1, %t, 100;
    st.shared.u32 [%r2], %r1;
    bar.arrive 1, 64;
    bra.uni END;
  CONSUME:
    bar.sync 1, 64;
    ld.shared.u32 %v, [%r2];
  END:)"), {}, 64);
  for (unsigned i = 0; i < 64; ++i) CHECK(out[i] == (i < 32 ? i + 132 : 1u));
}

TEST_CASE("a shuffle under a branch exchanges among the lanes of its mask") {
  const auto out = runLanes(registers, storing(R"(
    mov.u32 %v, %t;
    setp.ge.u32 %p1, %t, 16;
    @%p1 bra END;
    shfl.sync.bfly.b32 %v, %t, 1, 31, 0xFFFF;
  END:)"));
  for (unsigned i = 0; i < 32; ++i) CHECK(out[i] == (i < 16 ? (i ^ 1u) : i));
}

TEST_CASE("warp barriers on both sides of a branch let each other pass") {
  const auto out = runLanes(registers, storing(R"(
    setp.ge.u32 %p1, %t, 16;
    @%p1 bra B;
    bar.warp.sync -1;
    mov.u32 %v, 1;
    bra.uni END;
  B:
    bar.warp.sync -1;
    mov.u32 %v, 2;
  END:)"));
  for (unsigned i = 0; i < 32; ++i) CHECK(out[i] == (i < 16 ? 1u : 2u));
}

TEST_CASE("Warp barriers at different places order what their lanes did before") {
  const auto out = runLanes(registers, storing(R"(
    .shared .b32 s[32];
    mov.u32 %r1, s;
    shl.b32 %r2, %t, 2;
    add.u32 %r1, %r1, %r2;
    setp.ge.u32 %p1, %t, 16;
    @%p1 bra B;
    st.shared.u32 [%r1], %t;
    bar.warp.sync -1;
    ld.shared.u32 %v, [%r1+64];
    bra.uni END;
  B:
    add.u32 %r3, %t, 100;
    st.shared.u32 [%r1], %r3;
    bar.warp.sync -1;
    ld.shared.u32 %v, [%r1+-64];
  END:)"));
  for (unsigned i = 0; i < 32; ++i) CHECK(out[i] == (i < 16 ? i + 116 : i - 16));
}

TEST_CASE("Lanes with masks of their own vote and add among themselves") {
  const auto out = runLanes(registers, storing(R"(
    rem.u32 %r1, %t, 3;
    match.any.sync.b32 %r2, %r1, -1;
    redux.sync.add.u32 %v, %t, %r2;
    vote.sync.ballot.b32 %r3, 1, %r2;
    popc.b32 %r3, %r3;
    mad.lo.u32 %v, %r3, 1000, %v;)"));
  const std::array<unsigned, 3> sums{165, 176, 155}, counts{11, 11, 10};  // an H200 gives these too
  for (unsigned i = 0; i < 32; ++i) CHECK(out[i] == counts[i % 3] * 1000 + sums[i % 3]);
}

TEST_CASE("a shuffle that names lanes which wait behind the branch goes on without them, as an invalid_shuffle") {
  Launcher l(Launcher::body(registers, storing(R"(
    mov.u32 %v, 0;
    setp.ge.u32 %p1, %t, 8;
    @%p1 bra END;
    shfl.sync.idx.b32 %v, %t, 3, 31, -1;
  END:)")));
  const auto out = l.buffer(std::vector<std::uint64_t>(32));
  l.buffer(std::vector<std::uint64_t>(32));
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  REQUIRE(run.faults.size() == 1);
  CHECK(run.faults[0].kind == machine::FaultKind::InvalidShuffle);
  const auto values = l.read<std::uint64_t>(out);
  for (unsigned i = 0; i < 32; ++i) CHECK(values[i] == (i < 8 ? 3u : 0u));
}

TEST_CASE("a loop without end stops at the limit with the fault hang and its line") {
  Launcher l(Launcher::body(registers, "LOOP:\n add.u32 %v, %v, 1;\n bra.uni LOOP;"));
  l.buffer(std::vector<std::uint64_t>(32));
  l.buffer(std::vector<std::uint64_t>(32));
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1}, 0, {5'000, 64, false});
  REQUIRE(run.faults.size() == 1);
  CHECK(run.faults[0].kind == machine::FaultKind::Hang);
  CHECK(run.warpInstructions == 5'000);
  CHECK(run.faults[0].ptxLine != 0);
}

TEST_CASE("two runs of divergent code give the same state at every step") {
  const std::string text = Launcher::body(registers, storing(R"(
    mov.u32 %v, 0;
  LOOP:
    add.u32 %v, %v, 1;
    and.b32 %r1, %t, 3; setp.eq.u32 %p2, %r1, 2;
    @%p2 bra SKIP;
    add.u32 %v, %v, 1;
  SKIP:
    setp.lt.u32 %p1, %v, %t;
    @%p1 bra LOOP;)"));
  Launcher l(text);
  l.buffer(std::vector<std::uint64_t>(32));
  l.buffer(input([](std::uint64_t i) { return i; }));
  l.run({1, 1, 1}, {32, 1, 1});
  machine::Block one = l.code().makeBlock(0, 0), other = l.code().makeBlock(0, 0);
  machine::Memory memory = l.memory(), otherMemory = l.memory();
  StepOutcome outcome;
  int steps = 0;
  while (runnable(one.warps[0])) {
    step(l.code(), memory, one, one.warps[0], {}, outcome);
    step(l.code(), otherMemory, other, other.warps[0], {}, outcome);
    REQUIRE(one == other);
    ++steps;
  }
  CHECK(one.done());
  CHECK(one.warps[0].groups.empty());  // every group that opened has closed
  CHECK(steps > 100);
}
