#include "catch.h"
#include "ptx/module.h"

using namespace warpmill;
using namespace warpmill::ptx;

namespace {

// A vector addition as clang-19 -O1 writes it.
const char* const vectorAdd = R"(.version 8.0
.target sm_80
.address_size 64

.visible .entry add(
  .param .u64 .ptr .global .align 4 add_param_0,
  .param .u64 add_param_1,
  .param .u32 add_param_2
)
.maxntid 256, 1, 1
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<6>;
  .loc 1 3 0
  ld.param.u64 %rd1, [add_param_0];
  ld.param.u32 %r1, [add_param_2];
  .loc 1 4 11
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra $L__BB0_2;
  .loc 1 5 7
  mul.wide.s32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.nc.f32 %f1, [%rd3+-4];
  add.rn.f32 %f2, %f1, 0f3F800000;
  st.global.f32 [%rd3], %f2;
$L__BB0_2:
  .loc 1 6 1
  ret;
}
  .file 1 "add.cu"
)";

}  // namespace

TEST_CASE("A vector addition becomes a kernel with parameters, registers and instructions") {
  const auto module = parse(vectorAdd, "add.ptx");
  INFO(formatDiagnostics(module.diagnostics()));
  REQUIRE(module.ok());
  REQUIRE(module->version == "8.0");
  REQUIRE(module->target == "sm_80");
  const Function* add = module->entry("add");
  REQUIRE(add != nullptr);
  REQUIRE(add->params.size() == 3);
  REQUIRE(add->params[0].isPointer);
  REQUIRE(add->params[2].offset == 16);
  REQUIRE(add->paramBytes == 20);
  REQUIRE(add->maxThreads == std::array<std::uint32_t, 3>{256, 1, 1});
  REQUIRE(add->registers.size() == 18);
  REQUIRE(add->predicateCount == 2);
  REQUIRE(add->planeCount == 6 + 4 + 12);
  REQUIRE(add->instructions.size() == 14);

  const Instruction& mad = add->instructions[5];
  REQUIRE(mad.opcode == Opcode::Mad);
  REQUIRE(mad.mods.part == MulPart::Lo);
  REQUIRE(mad.mods.type == Type::S32);
  REQUIRE(mad.destinationCount == 1);
  REQUIRE(mad.location == SourceLocation{0, 4, 11});
  REQUIRE(module->textOf(mad) == "mad.lo.s32 %r5, %r2, %r3, %r4");

  const Instruction& branch = add->instructions[7];
  REQUIRE(branch.opcode == Opcode::Bra);
  REQUIRE(add->registers[branch.guard].name == "%p1");
  REQUIRE(branch.target == 13);
  REQUIRE(branch.reconvergence == 13);
  REQUIRE(branch.operands.size() == 1);
  REQUIRE_FALSE(branch.spinLoop);
  REQUIRE(branch.position == SourcePosition{25, 3});
  REQUIRE(add->blockBegin == std::vector<std::uint32_t>{0, 8, 13});

  const Instruction& load = add->instructions[10];
  REQUIRE(load.mods.nonCoherent);
  REQUIRE(load.operands[1].kind == Operand::Kind::Address);
  REQUIRE(load.operands[1].offset == -4);
  const Instruction& sum = add->instructions[11];
  REQUIRE(sum.operands[2].isFloat32);
  REQUIRE(sum.operands[2].bits == 0x3F800000);
  REQUIRE(add->instructions[12].destinationCount == 0);
}
