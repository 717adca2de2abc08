#include "support/machine_fixture.h"

using namespace warpmill;
using namespace warpmill::testing;

namespace {

lowering::Lowered lowered(const std::string& body, const std::string& parameters = "", const device::Profile& profile = testProfile()) {
  const std::string text = ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(" + parameters +
                           ")\n{\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .f32 %f<64>;\n.reg .b64 %rd<8>;\n.reg .f64 %fd<16>;\n" + body + "\nret;\n}\n";
  auto module = ptx::parse(text, "test.ptx");
  INFO(formatDiagnostics(module.diagnostics()));
  REQUIRE(module.ok());
  return lowering::lower(*module, module->functions[0], profile);
}

const lowering::TimedOp& op(const lowering::Lowered& l, std::size_t n) { return l.ops.at(n); }

const std::string twoParameters = ".param .f32 a, .param .f32 b";
const std::string threeParameters = ".param .f32 z, .param .f32 a, .param .f32 b";
const std::string loads = "ld.param.f32 %f1, [a];\nld.param.f32 %f2, [b];\n";

}  // namespace

TEST_CASE("Three different registers crowd the ports of the register file, two do not") {
  REQUIRE(op(lowered("fma.rn.f32 %f4, %f1, %f2, %f3;"), 0).crowdsPorts);
  REQUIRE_FALSE(op(lowered("fma.rn.f32 %f4, %f1, %f1, %f3;"), 0).crowdsPorts);
  REQUIRE_FALSE(op(lowered("fma.rn.f32 %f4, %f1, 0f40000000, %f3;"), 0).crowdsPorts);
  REQUIRE_FALSE(op(lowered("mov.f32 %f2, 0f40000000;\nfma.rn.f32 %f4, %f1, %f2, %f3;"), 1).crowdsPorts);
  REQUIRE_FALSE(op(lowered("add.f32 %f4, %f1, %f2;"), 0).crowdsPorts);
}

TEST_CASE("Where a bank gives two registers a cycle nothing is crowded") {
  device::Profile p = testProfile();
  p.portConflict = 0;
  REQUIRE_FALSE(op(lowered("fma.rn.f32 %f4, %f1, %f2, %f3;", "", p), 0).crowdsPorts);
}

TEST_CASE("One of two parameters stays in constant memory, but not when they are loaded as one 64-bit word") {
  REQUIRE(op(lowered(loads + "fma.rn.f32 %f4, %f3, %f1, %f2;", twoParameters), 2).crowdsPorts);            // at 0 and 4
  REQUIRE_FALSE(op(lowered(loads + "fma.rn.f32 %f4, %f3, %f1, %f2;", threeParameters), 2).crowdsPorts);    // at 4 and 8
}

TEST_CASE("The reuse cache helps where the instruction before had the same operand in the same place") {
  // Four chains: a warp need not wait for itself.
  std::string chains, exchanged;
  for (int c = 0; c < 4; ++c) {
    const std::string x = "%f" + std::to_string(10 + c);
    chains += "fma.rn.f32 " + x + ", " + x + ", %f1, %f2;\n";
    exchanged += "fma.rn.f32 " + x + ", " + x + (c % 2 == 0 ? ", %f1, %f2;\n" : ", %f2, %f1;\n");
  }
  const auto l = lowered(chains);
  REQUIRE_FALSE(op(l, 0).reusesOperand);
  for (std::size_t i = 1; i < 4; ++i) REQUIRE(op(l, i).reusesOperand);
  for (std::size_t i = 0; i < 4; ++i) REQUIRE_FALSE(op(lowered(exchanged), i).reusesOperand);
}

TEST_CASE("With fewer chains than the latency has cycles another warp comes in between") {
  std::string two;
  for (int i = 0; i < 4; ++i) two += "fma.rn.f32 %f10, %f10, %f1, %f2;\nfma.rn.f32 %f11, %f11, %f1, %f2;\n";
  const auto l = lowered(two);
  for (std::size_t i = 0; i < 8; ++i) REQUIRE(op(l, i).reusesOperand == (i % 2 == 1));
}

TEST_CASE("The depth of a matrix instruction in bytes says which of two intervals it has") {
  device::Profile p = testProfile();
  p.tensorInterval = 8, p.tensorShortInterval = 5, p.tensorLatency = 24, p.tensorShortLatency = 17, p.fp64Interval = 2;
  const auto of = [&](const std::string& shapeAndTypes, const std::string& operands) {
    const auto l = lowered("mma.sync.aligned." + shapeAndTypes + " " + operands + ";", "", p);
    return std::pair(op(l, 0).interval, op(l, 0).latency);
  };
  const std::string d = "{%f1,%f2,%f3,%f4}, ", c = ", {%f1,%f2,%f3,%f4}";
  const std::string longOnes = "{%r1,%r2,%r3,%r4}, {%r5,%r6}", shortOnes = "{%r1,%r2}, {%r5}";
  const auto whole = std::pair<std::uint16_t, std::uint16_t>(8, 24), half = std::pair<std::uint16_t, std::uint16_t>(5, 17);
  REQUIRE(of("m16n8k16.row.col.f32.f16.f16.f32", d + longOnes + c) == whole);
  REQUIRE(of("m16n8k8.row.col.f32.f16.f16.f32", d + shortOnes + c) == half);
  REQUIRE(of("m16n8k8.row.col.f32.tf32.tf32.f32", d + longOnes + c) == whole);
  REQUIRE(of("m16n8k4.row.col.f32.tf32.tf32.f32", d + shortOnes + c) == half);
  REQUIRE(of("m16n8k32.row.col.s32.s8.s8.s32", "{%r11,%r12,%r13,%r14}, " + longOnes + ", {%r11,%r12,%r13,%r14}") == whole);
  REQUIRE(of("m16n8k16.row.col.s32.s8.s8.s32", "{%r11,%r12,%r13,%r14}, " + shortOnes + ", {%r11,%r12,%r13,%r14}") == half);
  REQUIRE(of("m8n8k4.row.col.f64.f64.f64.f64", "{%fd1,%fd2}, {%fd3}, {%fd4}, {%fd1,%fd2}").first == 16);
}
