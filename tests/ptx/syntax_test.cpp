#include "ptx_tools.h"

#include <algorithm>
#include <bit>

using namespace warpmill;
using namespace warpmill::ptx;
using namespace warpmill::ptx::test;

namespace {

const Variable& variable(const Module& module, const std::string& name) {
  const auto found = std::find_if(module.variables.begin(), module.variables.end(), [&](const Variable& v) { return v.name == name; });
  REQUIRE(found != module.variables.end());
  return *found;
}

std::uint32_t wordAt(const Variable& v, std::size_t offset) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word |= static_cast<std::uint32_t>(v.initial.at(offset + i)) << (8 * i);
  return word;
}

const Function& function(const Module& module, const std::string& name) {
  const auto found = std::find_if(module.functions.begin(), module.functions.end(), [&](const Function& f) { return f.name == name; });
  REQUIRE(found != module.functions.end());
  return *found;
}

}  // namespace

TEST_CASE("Initial values take integers of all bases, expressions, floats and addresses") {
  const Module module = parsedData("syntax.ptx");
  const Variable& numbers = variable(module, "numbers");
  REQUIRE(numbers.sizeBytes == 40);
  const std::uint32_t expected[] = {1, 0xFFFFFFFE, 16, 8, 5, 7, 19, 0xFFFFFFFF, 1, 0};
  for (std::size_t i = 0; i < 10; ++i) REQUIRE(wordAt(numbers, 4 * i) == expected[i]);
  const Variable& floats = variable(module, "floats");
  REQUIRE(wordAt(floats, 4) == 0xBF800000);
  REQUIRE(wordAt(floats, 8) == std::bit_cast<std::uint32_t>(2.5f));
  REQUIRE(variable(module, "grid").initial == std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6});
  const Variable& places = variable(module, "places");
  REQUIRE(places.relocations.size() == 3);
  REQUIRE(places.relocations[1].offset == 8);
  REQUIRE(places.relocations[1].addend == 8);
  REQUIRE(module.variables[places.relocations[2].variable].name == "floats");
  REQUIRE(places.relocations[2].addend == 4);
  REQUIRE(variable(module, "table").sizeBytes == 4);
  REQUIRE(variable(module, "fourFloats").alignment == 16);
  REQUIRE(variable(module, "elsewhere").isExtern);
}

TEST_CASE("Parameters follow the ABI's alignment; .ptr's alignment is that of what it points to") {
  const Module module = parsedData("syntax.ptx");
  const Function* forms = module.entry("forms");
  REQUIRE(forms != nullptr);
  REQUIRE(forms->params[0].alignment == 8);
  REQUIRE(forms->params[1].offset == 8);
  REQUIRE(forms->params[2].offset == 16);
  REQUIRE(forms->params[2].sizeBytes == 24);
  REQUIRE(forms->params[3].offset == 40);
  REQUIRE(forms->paramBytes == 44);
  REQUIRE(forms->maxThreads == std::array<std::uint32_t, 3>{64, 2, 1});
  REQUIRE(forms->minBlocksPerSm == 3);
  REQUIRE(forms->maxRegisters == 40);
  REQUIRE(module.entry("required")->requiredThreads == std::array<std::uint32_t, 3>{128, 1, 1});
  // The returned value stands behind the parameters.
  const Function& pair = function(module, "pair");
  REQUIRE(pair.params[1].offset == 8);
  REQUIRE(pair.returns[0].offset == 24);
  REQUIRE(pair.paramBytes == 40);
}

TEST_CASE("Registers of one plane, two planes, masks and vectors get their slots") {
  const Module module = parsedData("syntax.ptx");
  const Function& forms = *module.entry("forms");
  const auto slot = [&](const std::string& name) {
    for (const Register& r : forms.registers)
      if (r.name == name) return r.slot;
    return none;
  };
  REQUIRE(slot("%p3") == 3);
  REQUIRE(slot("yes") == 8);
  REQUIRE(slot("%rs4") == 4);
  REQUIRE(slot("%r0") == 5);
  REQUIRE(slot("%f0") == 25);
  REQUIRE(slot("%rd0") == 35);
  REQUIRE(slot("%rd1") == 37);
  REQUIRE(slot("vec.x") == 61);
  REQUIRE(slot("vec.w") == 64);
  REQUIRE(forms.predicateCount == 9);
  REQUIRE(forms.planeCount == 68);  // and those of the inner scopes: temp_param_reg and a second %r<2>
}

TEST_CASE("Operands keep what was written: vectors, addresses, double destinations, sinks") {
  const Module module = parsedData("syntax.ptx");
  const Function& forms = *module.entry("forms");
  const Instruction& unpack = instructionOf(module, "mov.b64 {%r1, %r2}");
  REQUIRE(unpack.destinationCount == 1);
  REQUIRE(unpack.operands.size() == 2);
  REQUIRE(unpack.operands[0].kind == Operand::Kind::Vector);
  REQUIRE(unpack.operands[0].count == 2);
  const Instruction& load = instructionOf(module, "ld.global.v4.f32 {");
  REQUIRE(load.operands[1].offset == -16);
  REQUIRE(forms.vectorElements[load.operands[0].index + 3].kind == Operand::Kind::Sink);
  const Instruction& whole = instructionOf(module, "ld.global.v4.f32 vec");
  REQUIRE(whole.operands[0].kind == Operand::Kind::Vector);
  REQUIRE(forms.registers[forms.vectorElements[whole.operands[0].index + 2].index].name == "vec.z");
  const Instruction& component = instructionOf(module, "add.f32 %f6");
  REQUIRE(forms.registers[component.operands[2].index].name == "vec.w");
  const Instruction& two = instructionOf(module, "setp.lt.s32 %p1|%p2");
  REQUIRE(two.operands[0].hasPredicate);
  REQUIRE(forms.registers[two.operands[0].predicate].name == "%p2");
  const Instruction& combined = instructionOf(module, "setp.ge.and.u32");
  REQUIRE(combined.mods.boolOp == BoolOp::And);
  REQUIRE(combined.mods.compare == Compare::Ge);
  REQUIRE(combined.operands[3].negated);
  const Instruction& shuffle = instructionOf(module, "shfl.sync.bfly");
  REQUIRE(shuffle.mods.shfl == ShflMode::Bfly);
  REQUIRE(shuffle.operands[0].hasPredicate);
  REQUIRE(shuffle.operands[4].bits == 0xFFFFFFFF);
  const Instruction& nowhere = instructionOf(module, "atom.global.add.u32 _");
  REQUIRE(nowhere.operands[0].kind == Operand::Kind::Sink);
  REQUIRE(nowhere.destinationCount == 1);
  const Instruction& guarded = instructionOf(module, "@!%p2");
  REQUIRE(guarded.guardNegated);
  REQUIRE(guarded.mods.vectorWidth == 2);
  const Instruction& absolute = instructionOf(module, "ld.local.b32 %r8, [16]");
  REQUIRE(absolute.operands[1].index == none);
  REQUIRE(absolute.operands[1].offset == 16);
  const Instruction& place = instructionOf(module, "mov.u64 %rd5");
  REQUIRE(place.operands[1].kind == Operand::Kind::Variable);
  REQUIRE(place.operands[1].scope == Operand::In::Module);
  REQUIRE(place.operands[1].offset == 4);
  REQUIRE(instructionOf(module, "mov.u64 %rd6").operands[1].kind == Operand::Kind::FunctionRef);
  REQUIRE(instructionOf(module, "mov.u32 %r4").operands[1].bits == 32);
}

TEST_CASE("Literals take the type of the instruction") {
  const Module module = parsedData("syntax.ptx");
  const Operand& single = instructionOf(module, "mov.f32 %f2, 1.0").operands[1];
  REQUIRE(single.isFloat32);
  REQUIRE(single.bits == 0x3F800000);
  const Operand& twice = instructionOf(module, "mov.f64 %fd1, 1.0").operands[1];
  REQUIRE(twice.isFloat64);
  REQUIRE(twice.bits == 0x3FF0000000000000);
  REQUIRE(instructionOf(module, "mov.b32 %r5").operands[1].bits == 0x40000000);
  const Module other = parsedKernel("add.s64 %rd1, %rd2, -8; add.f32 %f1, %f2, -0f3F800000; mov.b64 %rd3, 18446744073709551615; ret;");
  REQUIRE(instructionOf(other, "add.s64").operands[2].bits == 0xFFFFFFFFFFFFFFF8);
  REQUIRE(instructionOf(other, "add.f32").operands[2].bits == 0xBF800000);
  REQUIRE(instructionOf(other, "mov.b64").operands[1].bits == 0xFFFFFFFFFFFFFFFF);
}

TEST_CASE("Modifiers go to their fields, and as written to the text") {
  const Module module = parsedData("syntax.ptx");
  const Instruction& load = instructionOf(module, "ld.global.nc");
  REQUIRE(load.mods.space == Space::Global);
  REQUIRE(load.mods.nonCoherent);
  REQUIRE(load.mods.vectorWidth == 2);
  REQUIRE(load.mods.type == Type::B32);
  REQUIRE(module.strings[load.mods.text] == ".global.nc.L1::no_allocate.L2::128B.v2.b32");
  const Instruction& copy = instructionOf(module, "cp.async.cg");
  REQUIRE(copy.opcode == Opcode::CpAsync);
  REQUIRE(copy.mods.space == Space::Shared);
  REQUIRE(copy.mods.toSpace == Space::Global);
  REQUIRE(copy.mods.cache == CacheOp::Cg);
  REQUIRE(instructionOf(module, "cp.async.wait_group").opcode == Opcode::CpAsyncWaitGroup);
  const Instruction& convert = instructionOf(module, "cvt.rzi.ftz");
  REQUIRE(convert.mods.rounding == Rounding::Rzi);
  REQUIRE(convert.mods.type == Type::S32);
  REQUIRE(convert.mods.sourceType == Type::F32);
  REQUIRE(convert.mods.ftz);
  const Instruction& matrix = instructionOf(module, "mma.sync");
  REQUIRE(matrix.mods.type == Type::F32);
  REQUIRE(matrix.mods.thirdType == Type::F16);
  REQUIRE(matrix.mods.fourthType == Type::F32);
  REQUIRE(instructionOf(module, "atom.global.cas").mods.atom == AtomOp::Cas);
  REQUIRE(instructionOf(module, "fence.acq_rel").mods.scope == Scope::Gpu);
  REQUIRE(instructionOf(module, "vote.sync.all").mods.vote == VoteMode::All);
  const Instruction& funnel = instructionOf(module, "shf.l.wrap");
  REQUIRE(funnel.mods.left);
  REQUIRE(funnel.mods.wrap);
  REQUIRE(instructionOf(module, "mad.wide").mods.part == MulPart::Wide);
  REQUIRE(instructionOf(module, "add.cc").mods.carryOut);
}

TEST_CASE("Which operands are written is exact for each opcode") {
  const Module module = parsedData("syntax.ptx");
  for (const char* without :
       {"st.local", "st.param", "@%p1 st", "red.global", "bar.sync 0", "bar.warp", "mbarrier.init", "cp.async.ca", "membar", "ret", "trap"})
    REQUIRE(instructionOf(module, without).destinationCount == 0);
  for (const char* with :
       {"barrier.cta.red", "mbarrier.arrive", "ldmatrix", "mma.sync", "vote.sync", "atom.global.cas", "match.any", "setp.lt"})
    REQUIRE(instructionOf(module, with).destinationCount == 1);
}

TEST_CASE("A call lists its results, the callee and the arguments") {
  const Module module = parsedData("syntax.ptx");
  const Instruction& call = instructionOf(module, "call.uni");
  REQUIRE(call.destinationCount == 1);
  REQUIRE(call.operands.size() == 4);
  REQUIRE(call.operands[0].scope == Operand::In::Function);
  REQUIRE(call.operands[1].kind == Operand::Kind::FunctionRef);
  REQUIRE(module.functions[call.operands[1].index].name == "pair");
  REQUIRE(call.mods.uniform);
  REQUIRE(instructionOf(module, "call stop").operands.size() == 1);
  const Instruction& indirect = instructionOf(module, "call (%r2), %rd6");
  REQUIRE(indirect.operands[1].kind == Operand::Kind::Register);
  REQUIRE(indirect.operands[3].kind == Operand::Kind::Text);
  // What it passes lives in the caller's frame, behind the 20 bytes of `stack`.
  const Function& forms = *module.entry("forms");
  REQUIRE(forms.variables[call.operands[2].index].name == "param0");
  REQUIRE(forms.variables[call.operands[2].index].offset == 20);
  REQUIRE(forms.localBytes == 56);
}

TEST_CASE("Inner scopes have registers and labels of their own") {
  const Module module = parsedData("syntax.ptx");
  const Function& forms = *module.entry("forms");
  const Instruction& inner = instructionOf(module, "mov.b32 %r1, 0");
  REQUIRE(inner.operands[0].index == forms.registers.size() - 1);
  const Instruction& jump = instructionOf(module, "bra INNER");
  REQUIRE(&forms.instructions[jump.target] == &inner);
}

TEST_CASE("An indexed branch lists the instructions of its table") {
  const Module module = parsedData("syntax.ptx");
  const Function& forms = *module.entry("forms");
  const Instruction& jump = instructionOf(module, "brx.idx");
  REQUIRE(jump.operands.size() == 4);
  REQUIRE(jump.operands[1].kind == Operand::Kind::Label);
  REQUIRE(forms.instructions[jump.operands[2].index].opcode == Opcode::Exit);
  REQUIRE(forms.instructions[jump.operands[3].index].opcode == Opcode::Ret);
}

TEST_CASE("A function that runs past its end gets a return") {
  const Module module = parsedData("syntax.ptx");
  REQUIRE(module.entry("none")->instructions.size() == 1);
  REQUIRE(module.entry("none")->instructions[0].opcode == Opcode::Ret);
  const Module other = parsedKernel("setp.eq.s32 %p1, %r1, 0; @%p1 bra END; mov.u32 %r1, 1; END:");
  const Function& k = *other.entry("k");
  REQUIRE(k.instructions.size() == 4);
  REQUIRE(k.instructions[1].target == 3);
  REQUIRE(k.instructions[3].textLength == 0);
}

TEST_CASE("Instructions of a newer PTX are kept and named in a warning") {
  const auto module = parse(kernelText("st.async.shared::cluster.b32 [%r1], %r2, [%r3]; frobnicate.b32 %r1, %r2; ret;"), "test.ptx");
  REQUIRE(module.ok());
  const Function& k = *module->entry("k");
  REQUIRE(k.instructions.size() == 3);
  REQUIRE(k.instructions[0].opcode == Opcode::StAsync);
  REQUIRE(k.instructions[1].opcode == Opcode::Unknown);
  REQUIRE(module->textOf(k.instructions[1]) == "frobnicate.b32 %r1, %r2");
  REQUIRE(k.instructions[1].destinationCount == 1);
  REQUIRE(module.diagnostics().size() == 1);
  REQUIRE(module.diagnostics()[0].severity == Severity::Warning);
}

TEST_CASE("A modifier like none that is known is kept and named in a warning; one that is nearly known is an error") {
  const auto module = parse(kernelText("add.supersonic.s32 %r1, %r2, %r3; ret;"), "test.ptx");
  REQUIRE(module.ok());
  REQUIRE(module->entry("k")->instructions[0].opcode == Opcode::Unknown);
  REQUIRE(module->textOf(module->entry("k")->instructions[0]) == "add.supersonic.s32 %r1, %r2, %r3");
  REQUIRE(module.diagnostics().size() == 1);
  REQUIRE(module.diagnostics()[0].position.column == 4);
  REQUIRE_FALSE(parse(kernelText("add.satt.s32 %r1, %r2, %r3; ret;"), "test.ptx").ok());
}

TEST_CASE("The longest name is the instruction's: a tensor copy is no bulk copy, an asynchronous store no store") {
  const auto module = parse(kernelText("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], [%r3];"
                                       "cp.async.bulk.commit_group;"
                                       "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2},"
                                       " {%r1,%r2}, {%f1,%f2,%f3,%f4}, %r3, 0x0;"
                                       "tcgen05.fence::before_thread_sync; barrier.cluster.arrive; mov.u32 %r1, %envreg31;"
                                       "mov.u32 %r1, %reserved_smem_offset_cap;"),
                            "test.ptx");
  REQUIRE(module.ok());
  REQUIRE(module.diagnostics().empty());
  const Opcode expected[] = {Opcode::CpAsyncBulkTensor, Opcode::CpAsyncBulkCommitGroup, Opcode::MmaSp, Opcode::Tcgen05Fence,
                             Opcode::BarrierCluster,    Opcode::Mov,                    Opcode::Mov,   Opcode::Ret};
  const Function& k = *module->entry("k");
  REQUIRE(k.instructions.size() == std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) REQUIRE(k.instructions[i].opcode == expected[i]);
  REQUIRE(k.instructions[5].operands[1].special == SpecialRegister::EnvregLast);
}

TEST_CASE("Video instructions say which bytes and halves they take") {
  const auto module = parse(kernelText("vadd.s32.s32.s32 %r1, %r2.b0, %r3.h1; vmad.s32.s32.s32.sat.shr7 %r1, -%r2.b2, %r3.b1, %r4;"
                                       "vadd4.u32.u32.u32.add %r1.b3210, %r2.b7654, %r3.b0123, %r4; vset2.u32.u32.ge.add %r1.h10, %r2, %r3, %r4;"),
                            "test.ptx");
  REQUIRE(module.ok());
  const Function& k = *module->entry("k");
  const auto& add = k.instructions[0].operands;
  REQUIRE(add[0].selector == 0);
  REQUIRE(add[1].selector == 0x1000);
  REQUIRE(add[2].selector == (0x8000 | 0x1000 | 1));
  const Instruction& mad = k.instructions[1];
  REQUIRE(mad.operands[1].minus);
  REQUIRE(mad.operands[1].selector == 0x1002);
  REQUIRE(mad.mods.shiftRight == 7);
  REQUIRE(mad.mods.sat);
  const Instruction& add4 = k.instructions[2];
  REQUIRE(add4.operands[0].selector == (0x4000 | 3 << 9 | 2 << 6 | 1 << 3));
  REQUIRE(add4.operands[1].selector == (0x4000 | 7 << 9 | 6 << 6 | 5 << 3 | 4));
  REQUIRE(add4.mods.atom == AtomOp::Add);
  REQUIRE(k.instructions[3].mods.compare == Compare::Ge);
  REQUIRE_FALSE(parse(kernelText("vadd.s32.s32.s32 %r1, %r2.b9, %r3;"), "test.ptx").ok());
  REQUIRE_FALSE(parse(kernelText("add.s32 %r1, %r2.b0, %r3;"), "test.ptx").ok());
}

TEST_CASE("The masks of an initial value pick the bytes of an address") {
  const auto module = parse(moduleText(".global .u32 foo[4];\n.global .u8 a[4] = {0xFF(foo), 0xFF00(foo+4), 0xFF000000(generic(foo)+8), 7};\n"), "test.ptx");
  REQUIRE(module.ok());
  const Variable& a = module->variables[1];
  REQUIRE(a.relocations.size() == 3);
  REQUIRE(a.relocations[0].shift == 0);
  REQUIRE(a.relocations[1].shift == 8);
  REQUIRE(a.relocations[1].addend == 4);
  REQUIRE(a.relocations[2].shift == 24);
  REQUIRE(a.relocations[2].addend == 8);
  REQUIRE(a.initial == std::vector<std::uint8_t>{0, 0, 0, 7});
  REQUIRE_FALSE(parse(moduleText(".global .u32 foo;\n.global .u8 a[1] = {0xF0(foo)};\n"), "test.ptx").ok());
  REQUIRE_FALSE(parse(moduleText(".global .u32 foo;\n.global .u16 a[1] = {0xFF(foo)};\n"), "test.ptx").ok());
}

TEST_CASE("Textures and samplers keep their initial state, managed and weak variables their mark") {
  const auto module = parse(moduleText(".global .texref t;\n.global .samplerref s = { addr_mode_0 = wrap, filter_mode = linear,"
                                       " force_unnormalized_coords = 1 };\n.tex .u32 old;\n.weak .global .attribute(.managed) .u32 m = 3;\n"),
                            "test.ptx");
  REQUIRE(module.ok());
  REQUIRE(module->variables[0].type == Type::Texref);
  REQUIRE(module->variables[1].type == Type::Samplerref);
  REQUIRE(module->variables[1].fields.size() == 3);
  REQUIRE(module->variables[1].fields[1].name == "filter_mode");
  REQUIRE(module->variables[1].fields[1].value == "linear");
  REQUIRE(module->variables[2].type == Type::Texref);
  REQUIRE(module->variables[3].isManaged);
  REQUIRE(module->variables[3].isWeak);
}

TEST_CASE("A kernel's head says how its blocks form clusters") {
  const auto module = parse(moduleText(".entry a() .reqnctapercluster 2, 1, 1 .maxclusterrank 8 { ret; }\n"
                                       ".entry b() .explicitcluster .blocksareclusters .maxntid 32 { ret; }\n"
                                       ".func .attribute(.unified(1, 2)) (.reg .b32 r) f .noreturn .abi_preserve 8 (.reg .b32 a) { ret; }\n"),
                            "test.ptx");
  REQUIRE(module.ok());
  const Function& a = *module->entry("a");
  REQUIRE(a.isClustered);
  REQUIRE(a.requiredCluster == std::array<std::uint32_t, 3>{2, 1, 1});
  REQUIRE(a.maxClusterBlocks == 8);
  const Function& b = *module->entry("b");
  REQUIRE(b.isClustered);
  REQUIRE(b.blocksAreClusters);
  REQUIRE(b.requiredCluster[0] == 0);
  REQUIRE(module->functions[2].isNoReturn);
}

TEST_CASE("Prototypes and target lists of indirect calls are kept") {
  const auto module = parse(moduleText(".func (.param .b32 r) f(.param .b32 a, .param .b64 b);\n.entry k() {\n .reg .b64 %rd<3>;\n"
                                       "p: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[24]) .noreturn;\n"
                                       "q: .callprototype ()_ () .abi_preserve 3;\nt: .calltargets f;\n ret;\n}\n"),
                            "test.ptx");
  REQUIRE(module.ok());
  const auto& prototypes = module->entry("k")->prototypes;
  REQUIRE(prototypes.size() == 3);
  REQUIRE(prototypes[0].name == "p");
  REQUIRE(prototypes[0].returns.size() == 1);
  REQUIRE(prototypes[0].params.size() == 2);
  REQUIRE(prototypes[0].params[1].sizeBytes == 24);
  REQUIRE(prototypes[0].isNoReturn);
  REQUIRE(prototypes[1].params.empty());
  REQUIRE(prototypes[2].targets == std::vector<std::uint32_t>{0});
}

TEST_CASE("Vector registers come in ranges, and %tid is a vector of four for mov.v4") {
  const auto module = parse(kernelText(".reg .v4 .b32 v<3>; .reg .v2 .f32 w; mov.v4.u32 v2, %tid; mov.u32 v0.x, v2.z; mov.u32 %r1, %tid.w;"
                                       "ld.global.v2.f32 w, [%rd1]; mov.v4.u32 {%r1, %r2, _, _}, %ntid;"),
                            "test.ptx");
  REQUIRE(module.ok());
  const Function& k = *module->entry("k");
  const Operand& tid = k.instructions[0].operands[1];
  REQUIRE(tid.kind == Operand::Kind::Vector);
  REQUIRE(k.vectorElements[tid.index + 1].special == SpecialRegister::TidY);
  REQUIRE(k.vectorElements[tid.index + 3].kind == Operand::Kind::Immediate);
  REQUIRE(k.registers[k.instructions[1].operands[0].index].name == "v0.x");
  REQUIRE(k.registers[k.instructions[1].operands[1].index].name == "v2.z");
  REQUIRE_FALSE(parse(kernelText("mov.v4.u32 {%r1, %r2}, %tid;"), "test.ptx").ok());
}

TEST_CASE("Before PTX 6.4, and for targets before sm_70, shuffles and votes name no lanes") {
  const std::string body = "vote.all.pred %p1, %p2; vote.ballot.b32 %r1, %p2; shfl.up.b32 %r1, %r2, 1, 0;";
  const auto with = [&](const char* version, const char* target) {
    return ".version " + std::string(version) + "\n.target " + target + "\n.address_size 64\n.entry k() { .reg .b32 %r<9>; .reg .pred %p<3>; " + body + " ret; }\n";
  };
  REQUIRE(parse(with("6.0", "sm_70"), "test.ptx").ok());
  REQUIRE(parse(with("7.8", "sm_61"), "test.ptx").ok());
  REQUIRE_FALSE(parse(with("6.4", "sm_70"), "test.ptx").ok());
}

TEST_CASE("Text that ends in NUL bytes, as NVRTC hands it out, is read") {
  std::string text = kernelText("ret;");
  text.push_back('\0');
  REQUIRE(parse(text, "test.ptx").ok());
}

TEST_CASE("What clang writes at every level is read, and each instruction's line is the kernel's") {
  for (const char* name : {"kernels_clang14_O1.ptx", "kernels_clang19_O0.ptx", "kernels_clang19_O2.ptx"}) {
    INFO(name);
    const Module module = parsedData(name);
    REQUIRE(module.entries().size() == 7);
    REQUIRE(module.files == std::vector<std::string>{"kernels.cu"});
    for (const Function& f : module.functions) {
      REQUIRE((f.isDeclaration || !f.instructions.empty()));
      for (const Instruction& i : f.instructions) {
        REQUIRE(i.opcode != Opcode::Unknown);
        REQUIRE(i.location.line < 90);
      }
    }
  }
}
