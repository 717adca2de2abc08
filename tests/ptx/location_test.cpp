#include "ptx_tools.h"

using namespace warpmill;
using namespace warpmill::ptx;
using namespace warpmill::ptx::test;

namespace {

const std::string files = ".file 1 \"k.cu\"\n.file 2 \"header.h\"\n.file 7 \"dir/other.h\"\n";

Module located(const std::string& body) {
  return parsed(kernelText(body) + files);
}

}  // namespace

TEST_CASE("Instructions take the line of the last .loc; line 0 is no line") {
  const Module module = located(".loc 1 3 5\nmov.u32 %r1, 1;\nmov.u32 %r2, 1;\n.loc 1 0 5\nmov.u32 %r3, 1;\n.loc 1 4 1\nret;");
  REQUIRE(instructionOf(module, "mov.u32 %r2").location == SourceLocation{0, 3, 5});
  REQUIRE(instructionOf(module, "mov.u32 %r3").location == SourceLocation{});
  REQUIRE(instructionOf(module, "ret").location == SourceLocation{0, 4, 1});
  REQUIRE(module.files == std::vector<std::string>{"k.cu", "header.h", "dir/other.h"});
}

TEST_CASE("Code inlined from a header belongs to the line that called it, through any number of headers") {
  const Module module = located(R"(.loc 1 2 0
    .loc 1 9 3
    mov.u32 %r1, 1;
    .loc 2 50 1, function_name L_info, inlined_at 1 9 3
    mov.u32 %r2, 1;
    .loc 7 80 1, function_name L_info+8, inlined_at 2 50 1
    mov.u32 %r3, 1;
    ret;)");
  REQUIRE(instructionOf(module, "mov.u32 %r2").location == SourceLocation{0, 9, 3});
  REQUIRE(instructionOf(module, "mov.u32 %r3").location == SourceLocation{0, 9, 3});
}

TEST_CASE("Code inlined from the kernel's own file keeps its own line") {
  const Module module =
      located(".loc 1 20 0\n.loc 1 22 3\nmov.u32 %r1, 1;\n.loc 1 5 7, function_name L_info, inlined_at 1 22 3\nmov.u32 %r2, 1;\nret;");
  REQUIRE(instructionOf(module, "mov.u32 %r2").location == SourceLocation{0, 5, 7});
}

TEST_CASE("Callers that LLVM names in a comment are followed") {
  const Module module = located(R"(.loc 1 19 0 // k.cu:19:0
    .loc 2 170 8 // header.h:170:8 @[ other.h:40:2 @[ k.cu:23:16 ] ]
    mov.u32 %r1, 1;
    .loc 2 170 8 // header.h:170:8
    mov.u32 %r2, 1;
    ret;)");
  REQUIRE(instructionOf(module, "mov.u32 %r1").location == SourceLocation{0, 23, 16});
  REQUIRE(instructionOf(module, "mov.u32 %r2").location == SourceLocation{1, 170, 8});
}

TEST_CASE("A chain that leads back to itself ends") {
  const Module module = located(
      ".loc 1 2 0\n.loc 2 5 1, function_name f, inlined_at 2 5 1\nmov.u32 %r1, 1;\n.loc 2 5 1, function_name f, inlined_at 2 5 1\nmov.u32 "
      "%r2, 1;\nret;");
  REQUIRE(instructionOf(module, "mov.u32 %r2").location.line == 5);
}

TEST_CASE("Every instruction knows its place in the PTX") {
  const Module module = located("  mov.u32 %r1, 1;\n  @%p1  add.s32 %r1,\n   %r2, 3 ;\nret;");
  const Instruction& sum = instructionOf(module, "@%p1");
  REQUIRE(sum.position == SourcePosition{13, 3});
  REQUIRE(module.textOf(sum) == "@%p1  add.s32 %r1,\n   %r2, 3");
}
