#include "support/machine_fixture.h"

using namespace warpmill;
using namespace warpmill::testing;

namespace {

lowering::Lowered lowered(const std::string& text) {
  auto module = ptx::parse(text, "test.ptx");
  INFO(formatDiagnostics(module.diagnostics()));
  REQUIRE(module.ok());
  return lowering::lower(*module, module->functions[0], testProfile());
}

std::uint32_t issuesOf(const std::string& body, int pointers = 1) { return lowered(kernel(body, pointers)).machineInstructions; }

}  // namespace

TEST_CASE("Vector addition is 20 machine instructions, as the H200 executes") {
  REQUIRE(lowered(vectorAdd()).machineInstructions == 20);
}

TEST_CASE("An address that is only base plus constant costs nothing") {
  const std::string load = "ld.param.u64 %rd1, [p0];\nadd.s64 %rd2, %rd1, 64;\nld.global.f32 %f1, [%rd2];\n";
  const std::string folded = "ld.param.u64 %rd1, [p0];\nld.global.f32 %f1, [%rd1+64];\n";
  REQUIRE(issuesOf(load) == issuesOf(folded));
  // Used as a value too, it has to be computed: two 32-bit additions.
  REQUIRE(issuesOf(load + "st.global.u64 [%rd1], %rd2;\n") == issuesOf(folded + "st.global.u64 [%rd1], %rd1;\n") + 2);
}

TEST_CASE("A constant in a register with one definition is an immediate; the default of a masked load is a move") {
  const std::string once = "mov.u32 %r1, 7;\nadd.s32 %r2, %r1, %r1;\n";
  const std::string twice = "setp.eq.u32 %p1, %r9, 0;\nmov.u32 %r1, 0;\n@%p1 mov.u32 %r1, 5;\nadd.s32 %r2, %r1, %r1;\n";
  REQUIRE(lowered(kernel(once)).ops[0].issues == 0);
  REQUIRE(lowered(kernel(twice)).ops[1].issues == 1);
}

TEST_CASE("A 64-bit addition is two instructions, with mul.wide before it one IMAD.WIDE") {
  const auto plain = lowered(kernel("ld.param.u64 %rd1, [p0];\nadd.s64 %rd2, %rd1, %rd1;\nst.global.u64 [%rd1], %rd2;\n"));
  REQUIRE(plain.ops[1].issues == 2);
  const auto wide = lowered(kernel("ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd2, %rd1, %rd3;\nst.global.u64 [%rd2], %rd1;\n"));
  REQUIRE(wide.ops[2].issues == 0);
  REQUIRE(wide.ops[3].issues == 1);
  REQUIRE(wide.ops[3].pipe == lowering::Pipe::Imad);
}

TEST_CASE("Registers a thread: at least 16, multiples of 8, and more for more live values") {
  REQUIRE(lowered(vectorAdd()).registersPerThread == 16);
  std::string body = "ld.param.u64 %rd1, [p0];\n";
  for (int i = 0; i < 30; ++i) body += "ld.global.f32 %f" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
  for (int i = 1; i < 30; ++i) body += "add.f32 %f0, %f0, %f" + std::to_string(i) + ";\n";
  const auto many = lowered(kernel(body)).registersPerThread;
  REQUIRE(many >= 32);
  REQUIRE(many % 8 == 0);
}

TEST_CASE("What an instruction waits for and writes") {
  const auto l = lowered(kernel("ld.param.u64 %rd1, [p0];\nsetp.eq.u32 %p1, %r1, %r2;\n@%p1 st.global.f32 [%rd1], %f1;\n@!%p1 ld.global.v2.f32 {%f2, %f3}, [%rd1];\n"));
  REQUIRE(l.ops[1].reads.size() == 2);
  REQUIRE(l.ops[1].writes.size() == 1);
  REQUIRE(l.ops[2].reads.size() == 3);   // address, value, guard
  REQUIRE(l.ops[2].writes.empty());
  REQUIRE(l.ops[3].writes.size() == 2);
  REQUIRE(l.ops[3].reads.size() == 2);
}

TEST_CASE("Reading a texture goes where a load goes") {
  const auto l = lowered(kernel("ld.param.u64 %rd1, [p0];\ntex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];\nadd.f32 %f5, %f1, %f4;\nst.global.f32 [%rd1], %f5;\n"));
  REQUIRE(l.ops[1].isMemory);
  REQUIRE(l.ops[1].pipe == lowering::Pipe::Lsu);
}
