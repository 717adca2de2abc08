#include "ptx_tools.h"

using namespace warpmill;
using namespace warpmill::ptx;
using namespace warpmill::ptx::test;

namespace {

struct Bad {
  const char* text;
  std::uint32_t line, column;
  const char* message;  // part of it
  const char* hint;     // part of it; "" where there is none
};

void expectError(const std::string& text, const Bad& bad) {
  INFO(bad.text);
  const auto module = parse(text, "bad.ptx");
  INFO(formatDiagnostics(module.diagnostics()));
  REQUIRE_FALSE(module.ok());
  const Diagnostic& first = module.diagnostics().front();
  CHECK(first.severity == Severity::Error);
  CHECK(first.file == "bad.ptx");
  CHECK(first.position == SourcePosition{bad.line, bad.column});
  CHECK(first.message.find(bad.message) != std::string::npos);
  if (*bad.hint == '\0') CHECK(first.hint.empty());
  CHECK(first.hint.find(bad.hint) != std::string::npos);
}

const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";

}  // namespace

TEST_CASE("A bad instruction is named with its place and a hint") {
  // Bodies of a kernel: their first line is line 12.
  const Bad cases[] = {
      // Spelling.
      {"add.f31 %f1, %f2, %f3;", 12, 4, "unknown type '.f31' of 'add'", "did you mean .f32?"},
      {"ld.globl.f32 %f1, [%rd1];", 12, 3, "unknown modifier '.globl' of 'ld'", "did you mean .global?"},
      {"shfl.sync.bfy.b32 %r1, %r2, 1, 31, -1;", 12, 10, "'.bfy'", "did you mean .bfly?"},
      {"atom.global.ad.u32 %r1, [%rd1], 1;", 12, 12, "'.ad'", "did you mean .add?"},
      {"ad.f32 %f1, %f2, %f3;", 12, 1, "unknown instruction 'ad'", "did you mean add?"},
      {"rett;", 12, 1, "unknown instruction 'rett'", "did you mean ret?"},
      {"add %r1, %r2, %r3;", 12, 1, "'add' has no type", "as in 'add.f32'"},
      // Names.
      {"add.f32 %f1, %f2, %f33;", 12, 19, "register '%f33' is not declared", "only %f0 to %f15 are declared"},
      {"mov.u32 %r1, %tid;", 12, 14, "register '%tid' is not declared", "did you mean %tid.x?"},
      {"add.lo.s32 %r1, %r2, %r3;", 12, 4, "'add' does not take '.lo'", "it takes .rn, .rz"},
      {"shl.sat.b32 %r1, %r2, %r3;", 12, 4, "'shl' does not take '.sat'", "leave it out"},
      {"ld.wt.global.u32 %r1, [%rd1];", 12, 3, "'ld' does not take '.wt'", "it takes .const"},
      {"add.s8 %r1, %r2, %r3;", 12, 1, "'add' does not take the type .s8", "add.u32, add.s32 or add.f32"},
      {"mul24.lo.u64 %rd1, %rd2, %rd3;", 12, 1, "'mul24' does not take the type .u64", "mul24.u32"},
      {"and.b16 %rs1, %rs2, _;", 12, 21, "is read, but '_' stands for a result that nobody wants", "register"},
      {"setp.eq.s32 !%p1, %r1, %r2;", 12, 13, "cannot be negated", "remove"},
      {"add.u64 %rd1, %rd2, {%r1, %r2};", 12, 21, "cannot be a vector", "one register"},
      {"add.f32 %f1, p, %f2;", 12, 14, "is the address of 'p'", "load its value"},
      {"fma.rn.f16x2 %r1, %f2, %r3, %r4;", 12, 19, "holds two halves", ".b32"},
      {"shl.b32 %r1, %r2, %f1;", 12, 19, "was declared .f32", "cvt"},
      {"atom.global.cas.b32 %r1, [%rd1], %r2;", 12, 1, "takes 4 operands here, 3 given", "compare"},
      {"shfl.sync.idx.b32 %r1, %r2, %r3, 31;", 12, 1, "takes 5 operands here, 4 given", "mask"},
      {"vote.sync.any.pred %p1, %p2;", 12, 1, "takes 3 operands here, 2 given", "mask"},
      {"ld.global.u32 %r1, [%rd1], %rd2;", 12, 1, "takes 2 operands here, 3 given", "cache policy"},
      {"st.global.v2.b64 [%rd1], {%r1, %r2};", 12, 26, "has 32 bits, the type .b64 needs 64", ""},
      {"ld.relaxed.global.u32 %r1, [%rd1];", 12, 1, "'ld' needs a scope", ".gpu"},
      {"ld.gpu.global.u32 %r1, [%rd1];", 12, 1, "needs a memory order before its scope", ".acquire"},
      {"bmsk.b32 %r1, %r2, %r3;", 12, 1, "needs to know what too large a width does", ".clamp"},
      {"match.sync.b32 %r1, %r2, -1;", 12, 1, "'match' needs a mode", ".any"},
      {"cvta.to.u64 %rd1, %rd2;", 12, 1, "'cvta' needs a state space", ".global"},
      {"cp.async.shared.global [%r1], [%rd1], 16;", 12, 1, "needs a cache level", ".ca"},
      {"mov.u32 %r1, %z;", 12, 14, "register '%z' is not declared", ".reg .b32 %z;"},
      {"ld.param.u64 %rd1, [pp];", 12, 21, "'pp' is not declared", "did you mean p?"},
      {"bra LOOPX; LOOP: ret;", 12, 5, "label 'LOOPX' is not defined in 'k'", "did you mean LOOP?"},
      {"bra X; { X: ret; }", 12, 5, "label 'X' is not defined", ""},
      {"L: ret; L: ret;", 12, 9, "label 'L' is defined twice", "rename"},
      {"call foo, (%r1);", 12, 6, "function 'foo' is not declared", ".extern .func"},
      {"brx.idx %r1, nothing;", 12, 14, "no .branchtargets table 'nothing'", ""},
      {".reg .b32 %r<4>;", 12, 11, "declared twice", "rename"},
      {".reg .b33 %q;", 12, 6, "unknown type '.b33'", "did you mean .b32?"},
      {".reg .b32 %q<4000000000>;", 12, 14, "4000000000 registers are too many", "262144"},
      // Punctuation.
      {"add.f32 %f1, %f2 %f3;", 12, 18, "expected ';' after 'add.f32', found '%f3'", "comma missing"},
      {"add.f32 %f1, %f2, %f3\nret;", 12, 22, "missing ';' after 'add.f32'", "end the statement with ';'"},
      {"ret\n", 12, 4, "missing ';' after 'ret'", "end the statement with ';'"},
      {"add.s32 %r1, %r2, ;", 12, 19, "an operand is missing before ';'", ""},
      {"mov.u32 %r1, (((1;", 12, 18, "expected ')'", ""},
      {"ld.global.f32 %f1, [%rd1;", 12, 25, "expected ']' after the address", ""},
      {"mov.u32 %r1, \"x\";", 12, 15, "expected an operand", ""},
      // Operands.
      {"add.f32 %f1, %f2;", 12, 1, "'add.f32' takes 3 operands, 2 given", "missing?"},
      {"add.f32 %f1, %f2, %f3, %f4;", 12, 24, "'add.f32' takes 3 operands, 4 given", ""},
      {"add.f32 %f1, %f2, %rd3;", 12, 19, "operand 3 of 'add.f32' has 64 bits where 32 are needed", "declared .b64"},
      {"add.s32 %r1, %r2, %f3;", 12, 19, "must fit .s32, '%f3' was declared .f32", "mov.b32"},
      {"mul.wide.s32 %r1, %r2, 4;", 12, 14, "has 32 bits where 64 are needed", "twice as wide"},
      {"setp.lt.s32 %r1, %r2, %r3;", 12, 13, "must be a predicate", "setp"},
      {"selp.b32 %r1, %r2, %r3, %r4;", 12, 25, "operand 4 of 'selp.b32' must be a predicate", "setp"},
      {"st.global.b32 [%rd1], %p1;", 12, 23, "cannot be a predicate", "selp"},
      {"@%r1 ret;", 12, 2, "'%r1' is no predicate register", ".reg .pred"},
      {"ld.global.f32 %f1, %rd1;", 12, 20, "must be an address", "[%rd1]"},
      {"add.s32 %r1, [%rd1], %r2;", 12, 14, "cannot be an address", "ld"},
      {"ld.global.f32 %f1, [%f2];", 12, 21, "'%f2' is .f32", ""},
      {"mov.u32 5, %r1;", 12, 9, "operand 1 of 'mov.u32' is written, so it must be a register", ""},
      {"mov.u32 %tid.x, 5;", 12, 9, "is written", ""},
      {"add.s32 %r1, %tid.x, 4;", 12, 14, "special register '%tid' can only be read by mov and cvt", "copy it"},
      {"mov.f32 %f1, 0f3F80;", 12, 14, "'0f3F80' is no number", "8 hexadecimal digits"},
      {"mov.u32 %r1, 99999999999999999999;", 12, 14, "is no number", "64 bits"},
      {"add.f32 %f1, %f2, 1;", 12, 19, "must be a floating-point number", "1.0"},
      {"add.s32 %r1, %r2, 1.5;", 12, 19, "must be an integer", ".f32"},
      {"ld.global.v4.f32 {%f1,%f2,%f3}, [%rd1];", 12, 18, "moves 4 values, 3 given", "width"},
      {"ld.global.v2.f32 %f1, [%rd1];", 12, 18, "moves 2 values, 1 given", "braces"},
      {"ld.global.u32 %r1, [n];", 12, 20, "'n' lies in .param, not in .global", "use ld.param"},
      {"shfl.sync.idx.b32 %r1|%r2, %r3, 0, 31, -1;", 12, 23, "second destination must be a predicate", ".reg .pred"},
      {"mov.u32 %r1, !%r2;", 12, 15, "'!' needs a predicate", ""},
      {"mov.u32 %r1, 1 / 0;", 12, 16, "division by zero", ""},
      // Modifiers.
      {"fma.f32 %f1, %f2, %f3, %f4;", 12, 1, "'fma' needs a rounding", "fma.rn"},
      {"mul.s32 %r1, %r2, %r3;", 12, 1, "'mul' needs to know which part", ".lo"},
      {"setp.s32 %p1, %r1, %r2;", 12, 1, "'setp' needs a comparison", ".lt"},
      {"setp.lt.s32 %p1, %r1, %r2, %p2;", 12, 1, "needs an operator", ".and"},
      {"div.f32 %f1, %f2, %f3;", 12, 1, "'div' needs a rounding or precision", "div.rn"},
      {"cvt.f32.s32 %f1, %r1;", 12, 1, "'cvt' needs a rounding", ".rn"},
      {"cvt.s32.f32 %r1, %f1;", 12, 1, "'cvt' needs a rounding", ".rzi"},
      {"ex2.f32 %f1, %f2;", 12, 1, "'ex2' needs '.approx'", "ex2.approx"},
      {"vote.ballot.b32 %r1, %p1;", 12, 1, "'vote' needs '.sync'", "mask"},
      {"atom.global.u32 %r1, [%rd1], 1;", 12, 1, "'atom' needs an operation", ".cas"},
      {"add.b32 %r1, %r2, %r3;", 12, 1, "'add' does not take the type .b32", "add.u32, add.s32 or add.f32"},
      {"setp.lo.s32 %p1, %r1, %r2;", 12, 1, "no such comparison of values of type .s32", ".lt"},
      {"setp.lt.b32 %p1, %r1, %r2;", 12, 1, "no order of values of type .b32", "sign"},
      {"setp.equ.u32 %p1, %r1, %r2;", 12, 1, "no such comparison", "NaN"},
      {"atom.global.cas.u32 %r1, [%rd1], %r2, %r3;", 12, 1, "does not take the type .u32 for this operation", ".b32"},
      {"red.global.add.b32 [%rd1], %r2;", 12, 1, "does not take the type .b32", ".f32"},
      {"xor.u32 %r1, %r2, %r3;", 12, 1, "'xor' does not take the type .u32", "xor.b32"},
  };
  for (const Bad& bad : cases) expectError(kernelText(bad.text), bad);
}

TEST_CASE("A bad file is named with its place and a hint") {
  const Bad cases[] = {
      {"", 1, 1, "the file is empty", ".version"},
      {"__global__ void k(float* a) {}", 1, 1, "does not start with .version, so it is no PTX", "compile CUDA C++ to PTX first"},
      {"\x7f"
       "ELF\x02\x01",
       1, 1, "unexpected byte 127", "binary file"},
      {".version 8.0\n.target sm_80\n.address_size 32\n.entry k() { ret; }", 3, 15, "address size 32 is not supported", "64"},
      {".version eight\n", 1, 10, "expected a version", ""},
      {".version 8.0 /* never closed", 1, 14, "comment is not closed", "*/"},
      {".version 8.0\n.file 1 \"name\n", 2, 9, "string is not closed", "\""},
  };
  for (const Bad& bad : cases) expectError(bad.text, bad);
}

TEST_CASE("A bad directive is named with its place and a hint") {
  // The first line of these is line 4.
  const Bad cases[] = {
      {".visble .entry k() { ret; }", 4, 1, "unknown directive '.visble'", "did you mean .visible?"},
      {".entry k() .maxntd 3 { ret; }", 4, 12, "unknown directive '.maxntd' in the head of 'k'", "did you mean .maxntid?"},
      {".entry k() .maxntid 0 { ret; }", 4, 21, "a block cannot have 0 threads", ""},
      {".visible .entry k(.param .u64 a .param .u32 b) { ret; }", 4, 32, "missing ',' between parameters", ","},
      {".entry k(.param .u64 a, .param .u32 a) { ret; }", 4, 37, "parameter 'a' is declared twice", "rename"},
      {".entry k() { ret; } .entry k() { ret; }", 4, 28, "'k' is declared twice", "rename"},
      {".entry k() {\n  ret;\n.visible .entry j() { ret; }", 6, 1, "unknown directive '.visible' inside 'k'",
       "'}' of the function before is missing"},
      {".entry k() {\n  ret;\n", 6, 1, "the file ends inside 'k'", "line 4 is not closed"},
      {"add.s32 %r1, %r2, %r3;", 4, 1, "expected a directive, found 'add'", "inside the { }"},
      {".global .f32 x = ;", 4, 18, "expected a number", ""},
      {".global .f32 x[2] = {1.0, 2.0, 3.0};", 4, 19, "has 12 bytes, 'x' only 8", ""},
      {".global .u64 x = y;", 4, 18, "unknown variable or function 'y'", "declared before"},
      {".global .u32 y; .global .u32 x = y;", 4, 34, "an address needs 8 bytes", ".u64"},
      {".shared .b8 x[4] = {1, 2, 3, 4};", 4, 18, "only .global and .const", "store it in the kernel"},
      {".global .align 3 .b8 x;", 4, 16, "alignment 3 is no power of two", ""},
      {".global .b8 x[0xFFFFFFFFFFFFFFFF];", 4, 15, "larger than 1 TiB", "meant"},
      {".const .b8 x[65537];", 4, 12, "constant memory holds 64 KiB", ".global"},
      {".section .debug_str {\n.b8 1\n", 4, 1, "the section is not closed", "}"},
      {".func f() { call g; ret; }", 4, 18, "function 'g' is not declared", "declare it"},
  };
  for (const Bad& bad : cases) expectError(head + bad.text, bad);
}

TEST_CASE("A message shows the line and underlines what it is about") {
  const auto module = parse(kernelText("  mov.u32 %r1, 0;\n\tadd.f31 %f1, %f2, %f3;"), "bad.ptx");
  REQUIRE(module.diagnostics().size() == 1);
  REQUIRE(formatDiagnostic(module.diagnostics()[0]) ==
          "bad.ptx:13:5: error: unknown type '.f31' of 'add'\n"
          "    \tadd.f31 %f1, %f2, %f3;\n"
          "    \t   ^~~~\n"
          "    hint: did you mean .f32?\n");
}

TEST_CASE("Several errors are reported at once, in the order of the text") {
  const auto module = parse(kernelText("bra NOWHERE;\nadd.f31 %f1, %f2, %f3;\nmov.u32 %r1 %r2;\nadd.s32 %r1, %r2, %r40;\nret"), "bad.ptx");
  REQUIRE(module.diagnostics().size() == 5);
  for (std::uint32_t i = 0; i < 5; ++i) REQUIRE(module.diagnostics()[i].position.line == 12 + i);
}

TEST_CASE("An undeclared register is reported once a function, and at most 20 errors in all") {
  std::string same, many;
  for (int i = 0; i < 50; ++i) same += "add.s32 %r1, %r2, %q;\n";
  for (int i = 0; i < 50; ++i) many += "add.s32 %r1, %r2, %q" + std::to_string(i) + ";\n";
  REQUIRE(parse(kernelText(same), "bad.ptx").diagnostics().size() == 1);
  REQUIRE(parse(kernelText(many), "bad.ptx").diagnostics().size() == 20);
}

TEST_CASE("After a bad head of a function the next one is still checked") {
  const auto module = parse(head + ".entry k(.param u64 a) {\n ret\n}\n.entry j() { rett; }", "bad.ptx");
  REQUIRE(module.diagnostics().size() == 2);
  REQUIRE(module.diagnostics()[1].message == "unknown instruction 'rett'");
}

TEST_CASE("An unknown target is only a warning") {
  const auto module = parse(".version 8.0\n.target sm_809\n.address_size 64\n.entry k() { ret; }", "a.ptx");
  REQUIRE(module.ok());
  REQUIRE(module.diagnostics().size() == 1);
  REQUIRE(module.diagnostics()[0].severity == Severity::Warning);
  REQUIRE(module.diagnostics()[0].position == SourcePosition{2, 9});
}

TEST_CASE("A file that cannot be read is an error with its name") {
  const auto module = parseFile("no/such/file.ptx");
  REQUIRE_FALSE(module.ok());
  REQUIRE(module.diagnostics()[0].file == "no/such/file.ptx");
}
