#include "ptx/cfg.h"
#include "ptx/loops.h"
#include "ptx_tools.h"

using namespace warpmill;
using namespace warpmill::ptx;
using namespace warpmill::ptx::test;

namespace {

// By label: the number of the first instruction behind "NAME:" in the text.
std::uint32_t at(const Module& module, const std::string& label) {
  const std::size_t place = module.text.find(label + ":");
  REQUIRE(place != std::string::npos);
  const Function& k = *module.entry("k");
  for (std::uint32_t i = 0; i < k.instructions.size(); ++i)
    if (k.instructions[i].textBegin > place) return i;
  FAIL("nothing behind the label");
  return none;
}

std::uint32_t meets(const Module& module, const std::string& branch) {
  return instructionOf(module, branch).reconvergence;
}

}  // namespace

TEST_CASE("Both sides of an if-else meet behind it") {
  const Module module = parsedKernel("@%p1 bra ELSE; mov.u32 %r1, 1; bra JOIN; ELSE: mov.u32 %r1, 2; JOIN: ret;");
  REQUIRE(meets(module, "@%p1 bra") == at(module, "JOIN"));
  REQUIRE(instructionOf(module, "bra JOIN").reconvergence == none);
  REQUIRE(module.entry("k")->blockBegin == std::vector<std::uint32_t>{0, 1, 3, 4});
}

TEST_CASE("Lanes that leave a loop wait behind it") {
  const Module module = parsedKernel("LOOP: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r2; @%p1 bra LOOP; mov.u32 %r3, 0; ret;");
  REQUIRE(meets(module, "@%p1 bra LOOP") == 3);
}

TEST_CASE("Nested branches meet one inside the other") {
  const Module module = parsedKernel(R"(
    @%p1 bra OUTER;
    @%p2 bra INNER;
    mov.u32 %r1, 1;
    INNER: mov.u32 %r1, 2;
    OUTER: mov.u32 %r1, 3;
    ret;)");
  REQUIRE(meets(module, "@%p2") == at(module, "INNER"));
  REQUIRE(meets(module, "@%p1") == at(module, "OUTER"));
}

TEST_CASE("A break in a loop moves the meeting place of branches before it behind the loop") {
  const Module module = parsedKernel(R"(
    HEAD: setp.ge.s32 %p1, %r1, %r2;
    @%p1 bra DONE;
    @%p2 bra NEXT;
    @%p3 bra DONE;
    mov.u32 %r3, 1;
    NEXT: add.s32 %r1, %r1, 1;
    bra HEAD;
    DONE: ret;)");
  REQUIRE(meets(module, "@%p1") == at(module, "DONE"));
  REQUIRE(meets(module, "@%p3") == at(module, "DONE"));
  // One side of @%p2 may leave by @%p3, so it has no meeting place inside the loop.
  REQUIRE(meets(module, "@%p2") == at(module, "DONE"));
}

TEST_CASE("Uniform branches need no meeting place") {
  const Module module = parsedKernel("@%p1 bra.uni THERE; mov.u32 %r1, 1; THERE: ret;");
  REQUIRE(meets(module, "@%p1 bra.uni") == none);
}

TEST_CASE("Nobody waits for lanes that leave the kernel early") {
  const Module module = parsedKernel(R"(
    @%p1 bra SKIP;
    @%p2 bra LEAVE;
    mov.u32 %r1, 1;
    SKIP: mov.u32 %r1, 2;
    ret;
    LEAVE: exit;)");
  // Lanes of SKIP and of the middle meet although some of those in between may exit.
  REQUIRE(meets(module, "@%p1") == at(module, "SKIP"));
  REQUIRE(meets(module, "@%p2") == none);
}

TEST_CASE("A guarded return parts nobody") {
  const Module module = parsedKernel("@%p1 bra JOIN; @%p2 ret; mov.u32 %r1, 1; JOIN: ret;");
  REQUIRE(meets(module, "@%p1") == at(module, "JOIN"));
}

TEST_CASE("An indexed branch meets where all its targets do") {
  const Module module = parsedKernel(R"(
    table: .branchtargets A, B, C;
    brx.idx %r1, table;
    A: mov.u32 %r1, 1; bra END;
    B: mov.u32 %r1, 2; bra END;
    C: mov.u32 %r1, 3;
    END: ret;)");
  REQUIRE(meets(module, "brx.idx") == at(module, "END"));
}

TEST_CASE("A kernel that never ends has no meeting place and does no harm") {
  const Module module = parsedKernel("LOOP: @%p1 bra OTHER; mov.u32 %r1, 1; OTHER: bra LOOP;");
  REQUIRE(meets(module, "@%p1") == none);
}

TEST_CASE("Dominators and natural loops of nested loops") {
  const Module module = parsedKernel(R"(
    mov.u32 %r1, 0;
    OUTER: mov.u32 %r2, 0;
    INNER: add.s32 %r2, %r2, 1;
    setp.lt.s32 %p1, %r2, 4;
    @%p1 bra INNER;
    add.s32 %r1, %r1, 1;
    setp.lt.s32 %p2, %r1, 4;
    @%p2 bra OUTER;
    ret;)");
  const ControlFlow flow = controlFlow(*module.entry("k"));
  REQUIRE(flow.successors.size() == 5);
  REQUIRE(flow.dominates(1, 4));
  REQUIRE_FALSE(flow.dominates(4, 3));
  const std::vector<Loop> loops = naturalLoops(flow);
  REQUIRE(loops.size() == 2);
  REQUIRE(loops[0].blocks == std::vector<std::uint32_t>{1, 2, 3});
  REQUIRE(loops[1].blocks == std::vector<std::uint32_t>{2});
}

TEST_CASE("A loop that tries for a lock is a spin loop") {
  const Module module = parsedKernel(R"(
    TRY: atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra TRY;
    st.volatile.global.u32 [%rd1], 0;
    ret;)");
  REQUIRE(instructionOf(module, "@%p1").spinLoop);
}

TEST_CASE("A loop that waits for a flag is a spin loop, whatever way it reads") {
  for (const char* load : {"ld.volatile.global.u32", "ld.acquire.gpu.global.u32", "ld.relaxed.sys.global.u32", "ld.global.cv.u32"}) {
    INFO(load);
    const Module module = parsedKernel(std::string("WAIT: ") + load + R"( %r1, [%rd1];
      setp.eq.s32 %p1, %r1, 0;
      @%p1 bra WAIT;
      ret;)");
    REQUIRE(instructionOf(module, "@%p1").spinLoop);
  }
}

TEST_CASE("A loop whose flag is set under the lock is a spin loop on the way back") {
  const Module module = parsedKernel(R"(
    mov.u32 %r2, 0;
    TRY: atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra NEXT;
    mov.u32 %r2, 1;
    st.volatile.global.u32 [%rd1], 0;
    NEXT: setp.eq.s32 %p2, %r2, 0;
    @%p2 bra TRY;
    ret;)");
  REQUIRE(instructionOf(module, "@%p2").spinLoop);
  REQUIRE_FALSE(instructionOf(module, "@%p1").spinLoop);  // both sides stay in the loop
}

TEST_CASE("Loops that merely count with atomics, or read plain memory, are no spin loops") {
  const Module module = parsedKernel(R"(
    COUNT: atom.global.add.u32 %r1, [%rd1], 1;
    add.s32 %r2, %r2, 32;
    setp.lt.s32 %p1, %r2, %r3;
    @%p1 bra COUNT;
    CHASE: ld.global.u32 %r4, [%rd2];
    setp.ne.s32 %p2, %r4, 0;
    @%p2 bra CHASE;
    ret;)");
  REQUIRE_FALSE(instructionOf(module, "@%p1").spinLoop);
  REQUIRE_FALSE(instructionOf(module, "@%p2").spinLoop);
}

TEST_CASE("Locks are found in what clang writes, also unoptimised") {
  for (const char* name : {"kernels_clang14_O1.ptx", "kernels_clang19_O0.ptx", "kernels_clang19_O2.ptx"}) {
    INFO(name);
    const Module module = parsedData(name);
    const auto spins = [&](const char* kernel) {
      for (const Instruction& i : module.entry(kernel)->instructions)
        if (i.spinLoop) return true;
      return false;
    };
    REQUIRE(spins("lockInLoop"));
    REQUIRE(spins("lockThenWork"));
    REQUIRE_FALSE(spins("histogram"));
    REQUIRE_FALSE(spins("shared"));
  }
}
