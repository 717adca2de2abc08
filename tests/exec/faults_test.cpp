// What goes wrong is told with place and cause, and the kernel goes on where it can.
#include "exec/launcher.h"

using namespace warpmill;
using namespace warpmill::exec;
using machine::FaultKind;
using warpmill::exec::test::Launcher;

namespace {

const std::string registers = ".reg .b32 %r<20>; .reg .b64 %rd<10>; .reg .pred %p<8>; .reg .b32 %v; .reg .f32 %f<8>;";

FunctionalRun runBody(const std::string& code, const std::string& more = "", std::vector<std::uint64_t>* out = nullptr) {
  Launcher l(Launcher::body(registers + more, code));
  const auto o = l.buffer(std::vector<std::uint64_t>(32));
  l.buffer(std::vector<std::uint64_t>(32));
  FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  if (out != nullptr) *out = l.read<std::uint64_t>(o);
  return run;
}
const machine::Fault& only(const FunctionalRun& run) {
  INFO(test::describe(run));
  REQUIRE(run.faults.size() == 1);
  CHECK_FALSE(run.faults[0].remedy.empty());
  return run.faults[0];
}

}  // namespace

TEST_CASE("a null pointer is told apart from other bad addresses") {
  std::vector<std::uint64_t> out;
  const FunctionalRun run = runBody("mov.u64 %rd1, 16; mov.u32 %v, 5; ld.global.u32 %v, [%rd1]; add.u32 %v, %v, 1; st.global.u32 [%out], %v;", "", &out);
  const auto& f = only(run);
  CHECK(f.kind == FaultKind::NullAccess);
  CHECK(f.message == "load of 4 bytes through a null pointer (address 0x10) by block (0,0,0) thread (0,0,0)");
  CHECK(f.count == 32);
  CHECK(out[9] == 1);  // a failed load gives zero
}

TEST_CASE("a misaligned vector load names its alignment") {
  const FunctionalRun run = runBody("add.u64 %rd1, %in, 4; ld.global.v2.f32 {%f1, %f2}, [%rd1];");
  const auto& f = only(run);
  CHECK(f.kind == FaultKind::Misaligned);
  CHECK(f.message == "load of 8 bytes at offset 4 of argument 1 (256 bytes) by block (0,0,0) thread (0,0,0): the address must be a multiple of 8");
}

TEST_CASE("an access in front of a buffer has a negative offset") {
  const FunctionalRun run = runBody("ld.param.u64 %rd1, [p0]; st.global.u32 [%rd1+-4], %t;");
  const auto& f = only(run);
  CHECK(f.kind == FaultKind::OutOfBounds);
  CHECK(f.offset == -4);
  CHECK(f.buffer == 0);
}

TEST_CASE("an access that straddles the end of a buffer is out of bounds") {
  Launcher l(Launcher::body(registers, "ld.param.u64 %rd1, [p1]; ld.global.v2.u32 {%r1, %r2}, [%rd1];"));
  l.buffer(std::vector<std::uint64_t>(32));
  l.buffer(std::vector<std::uint32_t>(1));
  const FunctionalRun run = l.run({1, 1, 1}, {1, 1, 1});
  const auto& f = only(run);
  CHECK(f.kind == FaultKind::OutOfBounds);
  CHECK(f.offset == 0);
  CHECK(f.bytes == 8);
}

TEST_CASE("shared and local memory have exact bounds") {
  const FunctionalRun run = runBody("shl.b32 %r1, %t, 2; mov.u32 %r2, s; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %t;\n"
                                    "mov.u64 %rd1, loc; cvta.local.u64 %rd1, %rd1; st.u32 [%rd1+8], %t;", ".shared .b32 s[30]; .local .b32 loc[2];");
  REQUIRE(run.faults.size() == 2);
  CHECK(run.faults[0].message == "store of 4 bytes at offset 120 of shared memory (120 bytes), right behind its end by block (0,0,0) thread (30,0,0)");
  CHECK(run.faults[0].count == 2);
  CHECK(run.faults[1].kind == FaultKind::OutOfBounds);
  CHECK(run.faults[1].count == 32);
}

TEST_CASE("writing to constant memory is a fault and leaves it as it was") {
  Launcher l(".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b32 table[2] = {11, 22};\n"
             ".visible .entry k(.param .u64 p0) { .reg .b64 %rd<3>; .reg .b32 %r<3>; ld.param.u64 %rd1, [p0]; mov.u64 %rd2, table; cvta.const.u64 %rd2, %rd2;\n"
             "mov.u32 %r1, 5; st.u32 [%rd2+4], %r1; ld.const.u32 %r2, [table+4]; st.global.u32 [%rd1], %r2; ret; }");
  const auto out = l.buffer(std::vector<std::uint32_t>(1));
  const FunctionalRun run = l.run({1, 1, 1}, {1, 1, 1});
  const auto& f = only(run);
  CHECK(f.kind == FaultKind::WriteToConstant);
  CHECK(f.message == "store of 4 bytes at offset 4 of variable 'table' (8 bytes) by block (0,0,0) thread (0,0,0): constant memory cannot be written by a kernel");
  CHECK(l.read<std::uint32_t>(out)[0] == 22);
}

TEST_CASE("an unknown instruction fails only where it is executed, with its text and line") {
  const FunctionalRun quiet = runBody("setp.gt.u32 %p1, %t, 100;\n@%p1 suld.b.1d.v4.b32.trap {%r1, %r2, %r3, %r4}, [%rd1, {%r1}];");
  CHECK(quiet.faults.empty());
  const FunctionalRun run = runBody("suld.b.1d.v4.b32.trap {%r1, %r2, %r3, %r4}, [%rd1, {%r1}];");
  const auto& f = only(run);
  CHECK(f.kind == FaultKind::Unsupported);
  CHECK(f.message.find("\"suld.b.1d.v4.b32.trap {%r1, %r2, %r3, %r4}, [%rd1, {%r1}]\" (PTX line 10)") != std::string::npos);
}

TEST_CASE("trap ends its thread and is told") {
  std::vector<std::uint64_t> out;
  const FunctionalRun run = runBody("setp.eq.u32 %p1, %t, 3;\n@%p1 trap;\nst.global.u32 [%out], 1;", "", &out);
  CHECK(only(run).kind == FaultKind::Trap);
  CHECK(only(run).thread[0] == 3);
  CHECK(out[2] == 1);
  CHECK(out[3] == 0);
}

TEST_CASE("faults at one instruction are one record with a count, at most as many records as asked for") {
  Launcher l(Launcher::body(registers, "mov.u64 %rd1, 0; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r1, [%rd1+4]; ld.global.u32 %r1, [%rd1+8];"));
  l.buffer(std::vector<std::uint64_t>(64));
  l.buffer(std::vector<std::uint64_t>(64));
  const FunctionalRun run = l.run({3, 1, 1}, {64, 1, 1}, 0, {0, 2, false});
  REQUIRE(run.faults.size() == 2);
  CHECK(run.faults[0].count == 3 * 64);
  const FunctionalRun first = l.run({3, 1, 1}, {64, 1, 1}, 0, {0, 64, true});
  REQUIRE(first.faults.size() == 1);
  CHECK(first.faults[0].count == 32);
}
