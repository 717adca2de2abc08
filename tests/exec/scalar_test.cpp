// What the recorded forms (semantics_test.cpp) cannot show: hints without an effect, registers that depend on the machine, addresses of
// parameters.
#include "exec/launcher.h"

using namespace warpmill;
using namespace warpmill::exec::test;

TEST_CASE("hints to the caches change no value") {
  const std::string code =
      "st.global.b64 [%out], 77;\n"
      "and.b64 %in, %in, -128; applypriority.global.L2::evict_normal [%in], 128; discard.global.L2 [%in], 128; brkpt;\n"
      "fence.proxy.tensormap::generic.acquire.gpu [%in], 128; prefetch.global.L2 [%in]; setmaxnreg.dec.sync.aligned.u32 40;\n"
      "ld.global.b64 %step, [%out]; add.u64 %step, %step, 1; st.global.b64 [%out], %step;";
  for (const std::uint64_t v : runLanes("", code)) CHECK(v == 78);
}

TEST_CASE("asynchronous copies are there after their wait, with zeros for what they do not read") {
  const std::string registers = ".shared .align 16 .b8 s[1024]; .reg .b32 %s, %n; .reg .b64 %v; .reg .pred %p;";
  const std::string own = "mov.u32 %n, s; shl.b32 %s, %t, 4; add.u32 %s, %s, %n; st.shared.b64 [%s], -1;";
  const std::vector<std::uint64_t> in(32, 0x1122334455667788ull);
  const auto copied = [&](const std::string& copy, const std::string& wait) { return runLanes(registers, own + copy + wait + "ld.shared.b64 %v, [%s]; st.global.b64 [%out], %v;", in).at(9); };
  const std::string all = "cp.async.wait_all;", group = "cp.async.commit_group; cp.async.wait_group 0;";
  CHECK(copied("cp.async.ca.shared.global [%s], [%in], 8;", all) == 0x1122334455667788ull);
  CHECK(copied("cp.async.ca.shared.global [%s], [%in], 4;", group) == 0xFFFFFFFF55667788ull);
  CHECK(copied("cp.async.ca.shared.global [%s], [%in], 8, 3;", group) == 0x667788ull);
  CHECK(copied("setp.eq.u32 %p, 1, 1; cp.async.ca.shared.global [%s], [%in], 8, %p;", group) == 0);
  CHECK(copied("setp.eq.u32 %p, 1, 1; cp.async.ca.shared.global [%s], [%in], 8, !%p;", all) == 0x1122334455667788ull);
}

TEST_CASE("special registers tell of the simulated machine") {
  const auto read = [](const std::string& name, const std::string& type) {
    return runLanes(".reg ." + type + " %v;", "mov." + type + " %v, " + name + "; st.global." + type + " [%out], %v;", {}, 64);
  };
  CHECK(read("%warpid", "u32").at(0) == 0);
  CHECK(read("%warpid", "u32").at(63) == 1);
  CHECK(read("%nsmid", "u32").at(0) == 1);
  CHECK(read("%smid", "u32").at(5) == 0);
  CHECK(read("%gridid", "u64").at(0) == 0);
  CHECK(read("%pm3", "u32").at(1) == 0);
  CHECK(read("%pm3_64", "u64").at(1) == 0);
  CHECK(read("%envreg7", "u32").at(1) == 0);
  // The clock goes on, and its halves fit together.
  const auto clocks = runLanes(".reg .b64 %c, %e; .reg .b32 %lo, %hi; .reg .pred %p;",
                               "mov.u64 %c, %clock64; mov.u64 %e, %clock64; setp.ge.u64 %p, %e, %c; selp.b64 %c, 1, 0, %p;\n"
                               "mov.u32 %lo, %clock_hi; mov.u64 %e, %globaltimer; mov.u32 %hi, %globaltimer_hi; shr.u64 %e, %e, 32;\n"
                               "cvt.u32.u64 %lo, %e; setp.eq.u32 %p, %lo, %hi; selp.b64 %e, 2, 0, %p; add.u64 %c, %c, %e; st.global.b64 [%out], %c;");
  for (const std::uint64_t v : clocks) CHECK(v == 3);
}

TEST_CASE("vector results may go to the registers of later operands") {
  const auto swapped = runLanes(".reg .b32 %a, %b;", "mov.u32 %a, 3; mov.u32 %b, 5; mov.v2.u32 {%a, %b}, {%b, %a}; shl.b32 %a, %a, 4; add.u32 %a, %a, %b; st.global.u32 [%out], %a;");
  CHECK(swapped.at(0) == 0x53);
  const auto added = runLanes(".reg .f32 %a, %b; .reg .b32 %c;",
                              "st.global.v2.f32 [%out], {1.0, 2.0}; mov.f32 %a, 3.0; mov.f32 %b, 5.0; atom.global.v2.f32.add {%b, %a}, [%out], {%a, %b};");
  CHECK(added.at(0) == 0x40E0000040800000ull);  // 4 and 7
}

TEST_CASE("the number that has no magnitude finds no bit, a NaN goes through a fused negation as it is") {
  CHECK(runLanes(".reg .b32 %a;", "fns.b32 %a, 255, 40, -2147483648; st.global.u32 [%out], %a;").at(0) == 0);
  const auto fused = runLanes(".reg .f64 %a, %b, %p;", "ld.global.f64 %a, [%in]; mov.f64 %b, 0d4000000000000000; mul.f64 %p, %a, %b; sub.f64 %p, %p, %a; st.global.f64 [%out], %p;",
                              {0x7FF8000000000000ull, 0xFFF8000012345678ull});
  CHECK(fused.at(0) == 0x7FF8000000000000ull);
  CHECK(fused.at(1) == 0xFFF8000012345678ull);
}

TEST_CASE("a kernel reads its parameters through generic addresses and cannot write them") {
  const std::string head = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n"
                           ".reg .b64 %out, %a, %v; .reg .pred %p; ld.param.u64 %out, [p0];\n"
                           "mov.b64 %a, p1; cvta.param.u64 %a, %a;\n";
  Launcher l(head + "ld.u64 %v, [%a]; isspacep.param %p, %a; @%p add.u64 %v, %v, 1; isspacep.global %p, %a; @%p add.u64 %v, %v, 100;\n"
                    "st.global.b64 [%out], %v;\nret;\n}\n");
  const auto out = l.buffer(std::vector<std::uint64_t>(1));
  l.scalar(std::uint64_t{41});
  CHECK(describe(l.run({1, 1, 1}, {1, 1, 1})).empty());
  CHECK(l.read<std::uint64_t>(out).at(0) == 42);

  Launcher w(head + "st.u64 [%a], 5;\nret;\n}\n");
  w.buffer(std::vector<std::uint64_t>(1));
  w.scalar(std::uint64_t{41});
  const auto run = w.run({1, 1, 1}, {1, 1, 1});
  REQUIRE(run.faults.size() == 1);
  CHECK(run.faults[0].kind == machine::FaultKind::WriteToConstant);
}

TEST_CASE("forms of newer machines are named as unsupported, not taken for older ones") {
  const std::string registers = ".reg .f32 %f<4>; .reg .b64 %q<4>; .reg .b32 %r<4>;";
  for (const std::string code : {"min.f32 %f0, %f1, %f2, %f3;", "add.rn.f32x2 %q0, %q1, %q2;",
                                 "redux.sync.min.f32 %r0, %r1, -1;", "cvt.rs.f16x2.f32 %r0, %f1, %f2, %r3;"}) {
    INFO(code);
    Launcher l(Launcher::body(registers, code));
    l.buffer(std::vector<std::uint64_t>(32));
    l.buffer(std::vector<std::uint64_t>(32));
    const auto run = l.run({1, 1, 1}, {32, 1, 1});
    REQUIRE(run.faults.size() == 1);
    CHECK(run.faults[0].kind == machine::FaultKind::Unsupported);
  }
}
