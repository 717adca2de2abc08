// A fault shows the registers of its expression: where each got its value, and what the thread's value is.
#include "exec/expression.h"
#include "exec/launcher.h"

using namespace warpmill;
using namespace warpmill::exec;
using machine::ExpressionStep;
using machine::FaultKind;
using warpmill::exec::test::Launcher;

namespace {

const std::string registers = ".reg .b32 %r<20>; .reg .b64 %rd<10>; .reg .pred %p<8>; .reg .f32 %f<8>;";

machine::Fault faultOf(const std::string& code) {
  Launcher l(Launcher::body(registers, code));
  l.buffer(std::vector<std::uint64_t>(32));
  l.buffer(std::vector<std::uint64_t>(32));
  const FunctionalRun run = l.run({2, 1, 1}, {32, 1, 1});
  INFO(test::describe(run));
  REQUIRE_FALSE(run.faults.empty());
  return run.faults[0];
}

std::string lines(const machine::Fault& f) {
  std::string out;
  for (const ExpressionStep& s : f.expression) out += s.name + " = " + s.definition + " = " + s.value + "\n";
  return out;
}

}  // namespace

TEST_CASE("An address is taken apart down to thread index, parameters and constants") {
  const machine::Fault f = faultOf("mov.u32 %r1, %tid.x; mad.lo.s32 %r2, %r1, 3, 100; mul.wide.s32 %rd1, %r2, 4; ld.param.u64 %rd2, [p1]; add.s64 %rd3, %rd2, %rd1; ld.global.u32 %r3, [%rd3+8];");
  REQUIRE(f.kind == FaultKind::OutOfBounds);
  INFO(lines(f));
  REQUIRE(f.expression.size() == 6);
  CHECK(f.expression[0].name == "[%rd3+8]");
  CHECK(f.expression[1].name == "%rd3");
  CHECK(f.expression[1].definition == "%rd2 + %rd1");
  CHECK(f.expression[1].value.starts_with("0x"));
  CHECK(f.expression[2].definition == "argument 1");
  CHECK(f.expression[3].definition == "%r2 * 4");
  CHECK(f.expression[3].value == "400");  // of the thread that is named, the first that failed
  CHECK(f.expression[4].definition == "%r1 * 3 + 100");
  CHECK(f.expression[4].value == "100");
  CHECK(f.expression[5].definition == "%tid.x (0)");
  CHECK(f.expression[5].ptxLine == 10);
}

TEST_CASE("A register of a loop is shown with its value only, since what it was made of is gone") {
  const machine::Fault f = faultOf("mov.u64 %rd1, %in; mov.u32 %r1, 0;\nagain: ld.global.u32 %r3, [%rd1]; add.s64 %rd1, %rd1, 64; add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 5; @%p1 bra again;");
  INFO(lines(f));
  REQUIRE(f.expression.size() == 1);
  CHECK(f.expression[0].name == "%rd1");
  CHECK(f.expression[0].definition.empty());
}

TEST_CASE("Negative indices are shown as such") {
  const machine::Fault f = faultOf("mov.u32 %r1, %tid.x; sub.s32 %r2, %r1, 1000; mul.wide.s32 %rd1, %r2, 4; add.s64 %rd3, %in, %rd1; st.global.u32 [%rd3], %r1;");
  INFO(lines(f));
  CHECK(lines(f).find("%r2 = %r1 - 1000 = -1000 (0xfffffc18)") != std::string::npos);
  CHECK(lines(f).find("%rd1 = %r2 * 4 = -4000") != std::string::npos);
}

TEST_CASE("A trap shows the comparison that led to it") {
  const machine::Fault f = faultOf("setp.ne.u32 %p1, %t, 7; @%p1 bra fine; trap; fine: mov.u32 %r1, 0;");
  REQUIRE(f.kind == FaultKind::Trap);
  INFO(lines(f));
  REQUIRE(f.expression.size() >= 2);
  CHECK(f.expression[0].name == "%p1");
  CHECK(f.expression[0].definition == "%t != 7");
  CHECK(f.expression[0].value == "false");
  CHECK(f.expression[1].value == "7");
}

TEST_CASE("A barrier that not all reach shows what decides who comes") {
  const machine::Fault f = faultOf("setp.ge.u32 %p1, %t, 16; mov.u32 %r1, 0; @%p1 bra over; bar.sync 0; ld.global.u32 %r1, [%in]; over: setp.lt.u32 %p2, %t, 16; @%p2 bra done; bar.sync 1, 64; done:");
  INFO(test::describe({{f}, 0, 0}) << lines(f));
  CHECK(f.kind == FaultKind::DivergentBarrier);
  REQUIRE_FALSE(f.expression.empty());
  CHECK(f.expression[0].definition == "%t >= 16");
}

TEST_CASE("A fault knows which of its warp's instructions it is") {
  CHECK(faultOf("st.global.u32 [0], 1;").issue == faultOf("st.global.u32 [%out], 1; st.global.u32 [0], 1;").issue - 1);
  CHECK(faultOf("trap;").issue == faultOf("mov.u32 %r1, 3; trap;").issue - 1);
}

TEST_CASE("Faults are told in both languages") {
  const machine::Fault f = faultOf("st.global.u32 [%out+1000], 1;");
  CHECK(f.message == "store of 4 bytes at offset 1000 of argument 0 (256 bytes), 744 bytes behind its end by block (0,0,0) thread (0,0,0)");
  CHECK(f.messageRu == "запись 4 байт по смещению 1000 аргумента 0 (256 байт), за концом на 744 байта: блок (0,0,0), поток (0,0,0)");
  CHECK_FALSE(f.remedyRu.empty());
}
