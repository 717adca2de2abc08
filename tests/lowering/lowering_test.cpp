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
  REQUIRE(wide.ops[3].pipe == lowering::Pipe::Fma);   // a half of the FP32 pipe does it
}

TEST_CASE("Registers a thread: at least 16, up to 32 for loads that go ahead, and more only for more live values") {
  REQUIRE(lowered(vectorAdd()).registersPerThread == 16);
  const auto registers = [](int loads, bool sumAtEnd) {
    std::string body = "ld.param.u64 %rd1, [p0];\nmov.f32 %f0, 0f00000000;\n", sums;
    for (int i = 1; i <= loads; ++i) {
      body += "ld.global.f32 %f" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
      (sumAtEnd ? sums : body) += "fma.rn.f32 %f0, %f0, %f0, %f" + std::to_string(i) + ";\n";
    }
    if (sumAtEnd) body += "bar.sync 0;\n";
    return lowered(kernel(body + sums)).registersPerThread;
  };
  REQUIRE(registers(10, false) > registers(4, false));
  REQUIRE(registers(30, false) == 32);
  REQUIRE(registers(30, true) > 36);
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

namespace {

// Issues in `rounds` rounds of the loop that the kernel ends with.
std::string loopOf(const std::string& body, const std::string& pragma = "") {
  return kernel("ld.param.u64 %rd1, [p0];\nmov.u32 %r3, %tid.x;\nLOOP:\n" + pragma + body + "add.s32 %r1, %r1, -1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra LOOP;\n");
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::uint16_t unrolledBy(const std::string& text) {
  const auto l = lowered(text);
  for (const lowering::TimedOp& op : l.ops)
    if (op.endsRound) return op.every;
  return 1;
}

}  // namespace

TEST_CASE("A short counted loop is unrolled by four; a long one, one that counts by a variable, or one that says no is not") {
  const std::string fma = "fma.rn.f32 %f1, %f1, %f2, %f3;\n";
  REQUIRE(unrolledBy(loopOf(repeated(fma, 18))) == 4);
  REQUIRE(unrolledBy(loopOf(repeated(fma, 19))) == 1);
  REQUIRE(unrolledBy(loopOf(repeated(fma, 18), ".pragma \"nounroll\";\n")) == 1);
  // A load takes long, so ptxas wants several on their way.
  REQUIRE(unrolledBy(loopOf("ld.global.f32 %f4, [%rd1];\nadd.s64 %rd1, %rd1, 4;\n" + repeated(fma, 30))) == 4);
  REQUIRE(unrolledBy(kernel("LOOP:\nadd.s32 %r1, %r1, %r2;\nsetp.lt.s32 %p1, %r1, %r3;\n@%p1 bra LOOP;\n")) == 1);
  // Known to be short: nothing is left of the loop.
  REQUIRE(unrolledBy(kernel("mov.u32 %r1, 0;\nLOOP:\n" + fma + "add.s32 %r1, %r1, 2;\nsetp.lt.s32 %p1, %r1, 21;\n@%p1 bra LOOP;\n")) == 11);
}

TEST_CASE("Of an unrolled loop, counting, branching and moving pointers are needed once in four rounds") {
  const auto l = lowered(loopOf("ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\nadd.s64 %rd1, %rd1, 4;\nadd.s64 %rd2, %rd2, %rd1;\n"));
  const std::uint32_t load = 2;
  REQUIRE(l.ops[load].every == 1);
  REQUIRE(l.ops[load + 1].every == 1);
  REQUIRE(l.ops[load + 2].every == 1);   // the pointer is wanted as a value too
  REQUIRE(l.ops[load + 4].every == 4);
  REQUIRE(l.between[load + 4].issues == 0);
  REQUIRE(l.ops[load + 6].joins);
  REQUIRE(!l.between[load + 6].joins);
  REQUIRE(lowered(loopOf("ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\nadd.s64 %rd1, %rd1, 4;\n")).ops[load + 2].every == 4);
}

TEST_CASE("Neighbouring shared accesses are one where they are known to be aligned, and not across a barrier or a store") {
  const auto loads = [](int scale, const std::string& between) {
    const std::string body = "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, " + std::to_string(scale) + ";\nmov.u32 %r3, store;\nadd.s32 %r4, %r3, %r2;\nld.shared.f32 %f1, [%r4];\n" + between +
                             "ld.shared.f32 %f2, [%r4+4];\nld.shared.f32 %f3, [%r4+12];\n";
    int count = 0;
    for (const lowering::TimedOp& op : lowered(kernel(body, 0)).ops) count += op.isMemory ? 1 : 0;
    return count;
  };
  REQUIRE(loads(4, "") == 1);
  REQUIRE(loads(3, "") == 2);
  REQUIRE(loads(2, "") == 3);
  REQUIRE(loads(4, "bar.sync 0;\n") == 2);
  REQUIRE(loads(4, "st.shared.f32 [%r4+16], %f9;\n") == 3);
}

TEST_CASE("Divisions by one divisor share its reciprocal, which goes in front of a loop") {
  const auto issues = [](const std::string& body) { return issuesOf("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n" + body, 0); };
  const std::uint32_t none = issues(""), one = issues("rem.s32 %r3, %r1, %r2;\n") - none, two = issues("rem.s32 %r3, %r1, %r2;\nrem.s32 %r4, %r3, %r2;\n") - none;
  REQUIRE(one == 20);
  REQUIRE(two == 31);
  const auto l = lowered(kernel("ld.param.u32 %r2, [n];\nLOOP:\nrem.s32 %r3, %r3, %r2;\nadd.s32 %r1, %r1, %r5;\nsetp.lt.s32 %p1, %r1, %r6;\n@%p1 bra LOOP;\n", 0));
  REQUIRE(l.ops[0].issues == 10);
  REQUIRE(l.ops[1].issues == 11);
}

TEST_CASE("A short arm is predicated: no branch, and its instructions count for warps that pass it over too; a long one is not") {
  const auto arm = [](int n) {
    return lowered(kernel("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 7;\n@%p1 bra OVER;\n" + repeated("fma.rn.f32 %f1, %f1, %f2, %f3;\n", n) + "OVER:\nst.shared.f32 [store], %f1;\n", 0));
  };
  REQUIRE(arm(6).ops[2].issues == 0);
  REQUIRE(arm(6).ops[2].armIssues == 6);
  REQUIRE(arm(7).ops[2].issues == 2);   // the branch, and BSSY since lanes part
  REQUIRE(arm(7).ops[2].armIssues == 0);
}

TEST_CASE("Halves, copies and first additions that cost nothing") {
  const auto cost = [](const std::string& body) { return issuesOf("mov.u32 %r1, %tid.x;\n" + body) - issuesOf("mov.u32 %r1, %tid.x;\n"); };
  REQUIRE(cost("add.s32 %r2, %r1, %r3;\nadd.s32 %r4, %r2, %r5;\n") == 1);                      // IADD3
  REQUIRE(cost("add.s32 %r2, %r1, %r3;\nadd.s32 %r4, %r2, %r5;\nadd.s32 %r6, %r2, %r4;\n") == 2);  // two want the first
  REQUIRE(cost("xor.b32 %r2, %r1, %r3;\nand.b32 %r4, %r2, %r5;\n") == 1);                      // LOP3
  REQUIRE(cost("and.b32 %r2, %r1, 1;\nor.b32 %r4, %r2, 4;\n") == 2);                           // no room for two constants
  REQUIRE(cost("mul.lo.s32 %r2, %r1, %r3;\nadd.s32 %r4, %r2, %r5;\n") == 1);                   // IMAD
  REQUIRE(cost("shl.b64 %rd2, %rd3, 2;\nadd.s64 %rd4, %rd5, %rd2;\nst.global.u64 [%rd6], %rd4;\n") == 4);  // LEA, LEA.HI.X, STG and the descriptor that goes with it
  REQUIRE(cost("and.b64 %rd2, %rd3, -4294967296;\nsetp.eq.s64 %p1, %rd2, 0;\n") == 1);
}

TEST_CASE("Lanes that add to one place add up first, and one of them goes to memory") {
  const auto l = lowered(kernel("ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nred.global.add.u32 [%rd1], %r1;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nred.global.add.u32 [%rd3], %r1;\nred.global.add.f32 [%rd1], %f1;\n"));
  REQUIRE(l.ops[2].oneLane);
  REQUIRE(l.ops[2].issues == 7);
  REQUIRE(!l.ops[5].oneLane);
  REQUIRE(!l.ops[6].oneLane);
}

TEST_CASE("Additions and copies go to the pipe that has less to do") {
  // Comparisons load the pipe for logic, so additions beside them go where products are made; beside products they stay.
  const auto pipes = [](const std::string& others) {
    const auto l = lowered(kernel(others + "add.s32 %r4, %r1, %r2;\nst.shared.u32 [store], %r4;\n", 0));
    return l.ops[l.ops.size() - 3].pipe;
  };
  REQUIRE(pipes("xor.b32 %r5, %r1, %r2;\nxor.b32 %r6, %r1, %r3;\n") == lowering::Pipe::Fma);
  REQUIRE(pipes("mul.lo.s32 %r5, %r1, %r2;\nmul.lo.s32 %r6, %r1, %r3;\n") == lowering::Pipe::Alu);
}

TEST_CASE("A value that is computed for a choice alone is computed under the predicate, and the choice costs nothing") {
  const std::string before = "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %laneid;\nsetp.lt.s32 %p1, %r1, %r2;\n", after = "st.global.u32 [%rd1], %r5;\n";
  const auto select = [&](const std::string& rest) { return lowered(kernel(before + "xor.b32 %r3, %r1, %r2;\nmul.lo.s32 %r4, %r1, %r2;\nselp.b32 %r5, %r3, %r4, %p1;\n" + after + rest)).ops[6]; };
  REQUIRE(select("").issues == 0);
  REQUIRE(select("st.global.u32 [%rd1], %r3;\nst.global.u32 [%rd1], %r4;\n").issues == 1);  // both are wanted otherwise
}

TEST_CASE("The second constant of a product in a loop is put into a register in front of it") {
  const auto l = lowered(kernel("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\n$again:\nmad.lo.s32 %r1, %r1, 3, 7;\nadd.s32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra $again;\n"));
  REQUIRE(l.ops[2].issues == 1);
  REQUIRE(l.ops[0].issues + l.ops[1].issues == 3);
}

TEST_CASE("The high half of a product takes the pipe for twice as long") {
  const auto interval = [](const std::string& part) { return lowered(kernel("mul." + part + ".u32 %r1, %r2, %r3;\n")).ops[0].interval; };
  REQUIRE(interval("hi") == 2 * interval("lo"));
}

TEST_CASE("Loads of the next rounds of an unrolled loop go past the use of these, up to sixteen registers") {
  const auto loop = [](int loads) {
    std::string body = "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, 0;\nmov.f32 %f0, 0f00000000;\n$again:\n";
    for (int i = 0; i < loads; ++i)
      body += "ld.global.f32 %f" + std::to_string(i + 1) + ", [%rd1+" + std::to_string(8 * i) + "];\n";
    for (int i = 0; i < loads; ++i) body += "add.f32 %f0, %f0, %f" + std::to_string(i + 1) + ";\n";
    body += "add.s64 %rd1, %rd1, 256;\nadd.s32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 64;\n@%p1 bra $again;\nst.global.f32 [%rd1], %f0;\n";
    return lowered(kernel(body));
  };
  const auto first = [](const lowering::Lowered& l) { return l.ops[3].joinsEvery; };
  const auto two = loop(2), eight = loop(8);
  REQUIRE(two.ops[6].sinks);      // the last addition of the round
  REQUIRE(first(two) == 8);
  REQUIRE(first(eight) == 2);
}

TEST_CASE("Stores to shared memory let later loads pass as long as there are registers for both") {
  const auto firstStore = [](int n) {
    std::string body = "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, store;\n";
    const auto each = [&](const std::string& text, int from) {
      for (int i = 0; i < n; ++i) {
        std::string line = text;
        line.replace(line.find('#'), 1, std::to_string(from + i));
        line.replace(line.find('@'), 1, std::to_string(4 * (from + i)));
        body += line + "\n";
      }
    };
    each("ld.global.f32 %f#, [%rd1+@];", 0);
    body += "bar.sync 0;\n";
    const std::size_t first = static_cast<std::size_t>(n) + 3;
    for (int i = 0; i < n; ++i) body += "st.shared.f32 [%r1+" + std::to_string(8 * i) + "], %f" + std::to_string(i) + ";\n";
    each("ld.global.f32 %f#, [%rd1+@];", n);
    for (int i = n; i < 2 * n; ++i) body += "st.shared.f32 [%r1+" + std::to_string(8 * i) + "], %f" + std::to_string(i) + ";\n";
    return lowered(kernel(body)).ops[first];
  };
  REQUIRE(firstStore(4).sinks);
  REQUIRE_FALSE(firstStore(14).sinks);
}

TEST_CASE("A shared load that only a guarded instruction wants goes under its guard") {
  const auto load = [](const std::string& use) {
    return lowered(kernel("ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\nld.shared.f32 %f1, [store];\n" + use)).ops[3].guardOf;
  };
  REQUIRE(load("@%p1 red.global.add.f32 [%rd1], %f1;\n") == 4);
  REQUIRE(load("@%p1 st.global.f32 [%rd1], %f1;\nst.global.f32 [%rd1+4], %f1;\n") == ptx::none);
  REQUIRE(load("@%p1 st.global.f32 [%rd1], %f1;\n@!%p1 st.global.f32 [%rd1+4], %f1;\n") == ptx::none);
}

TEST_CASE("The last store to one place goes along with those before it that loads have passed") {
  const auto l = lowered(kernel("ld.param.u64 %rd1, [p0];\nld.global.f32 %f1, [%rd1+12];\nadd.f32 %f2, %f1, %f1;\nst.global.f32 [%rd1], %f2;\nld.global.f32 %f3, [%rd1+16];\n"
                                "add.f32 %f4, %f3, %f3;\nst.global.f32 [%rd1+4], %f4;\n"));
  REQUIRE(l.ops[3].sinks);
  REQUIRE(l.ops[5].sinks);
  REQUIRE(l.ops[6].sinks);
  const auto alone = lowered(kernel("ld.param.u64 %rd1, [p0];\nld.global.f32 %f3, [%rd1+16];\nadd.f32 %f4, %f3, %f3;\nst.global.f32 [%rd1+4], %f4;\n"));
  REQUIRE_FALSE(alone.ops[3].sinks);
}
