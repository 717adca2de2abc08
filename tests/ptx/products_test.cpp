// Which pairs of mul and add become one fma. The expectations are what ptxas 13.0 makes of the same lines (FMUL, FADD or FFMA).
#include "ptx_tools.h"

#include <algorithm>

using namespace warpmill;
using namespace warpmill::ptx;
using namespace warpmill::ptx::test;

namespace {

bool joined(const Module& module, const std::string& addition) { return instructionOf(module, addition).product != none; }
// The product that an addition takes in, by its text.
std::string takes(const Module& module, const std::string& addition) {
  const Instruction& in = instructionOf(module, addition);
  return in.product == none ? "" : std::string(module.textOf(module.entry("k")->instructions[in.product]));
}

const std::string twoProducts = "mul.f32 %f1, %f3, %f4; mul.f32 %f2, %f5, %f6; ";
const std::string store = "st.global.f32 [%rd1], ";

}  // namespace

TEST_CASE("A product that only an addition reads is taken into it") {
  const Module m = parsedKernel("mul.f32 %f1, %f3, %f4; add.f32 %f7, %f1, %f5; " + store + "%f7; ret;");
  REQUIRE(takes(m, "add.f32") == "mul.f32 %f1, %f3, %f4");
  REQUIRE(instructionOf(m, "add.f32").productOperand == 1);
  REQUIRE(instructionOf(m, "mul.f32").takenIn);
}

TEST_CASE("A product that something else reads stays a product of its own") {
  const Module m = parsedKernel("mul.f32 %f1, %f3, %f4; add.f32 %f7, %f1, %f5; " + store + "%f7; " + store + "%f1; ret;");
  REQUIRE_FALSE(joined(m, "add.f32"));
  REQUIRE_FALSE(instructionOf(m, "mul.f32").takenIn);
  REQUIRE_FALSE(joined(parsedKernel("mul.f32 %f1, %f3, %f4; add.f32 %f7, %f1, %f5; fma.rn.f32 %f8, %f3, %f4, %f1; ret;"), "add.f32"));
}

TEST_CASE("Several additions take in the same product") {
  const Module m = parsedKernel("mul.f32 %f1, %f3, %f4; add.f32 %f7, %f1, %f5; sub.f32 %f8, %f6, %f1; ret;");
  REQUIRE(joined(m, "add.f32"));
  REQUIRE(joined(m, "sub.f32"));
  REQUIRE(instructionOf(m, "sub.f32").productOperand == 2);
}

TEST_CASE("Rounding modifiers, saturation of the product and unequal flushing keep both roundings") {
  for (const char* code : {"mul.rn.f32 %f1, %f3, %f4; add.f32 %f7, %f1, %f5;", "mul.f32 %f1, %f3, %f4; add.rn.f32 %f7, %f1, %f5;",
                           "mul.ftz.f32 %f1, %f3, %f4; add.f32 %f7, %f1, %f5;", "mul.f32 %f1, %f3, %f4; add.ftz.f32 %f7, %f1, %f5;",
                           "mul.sat.f32 %f1, %f3, %f4; add.f32 %f7, %f1, %f5;", "mul.f32 %f1, %f3, %f4; add.f32 %f7, %f1, %f1;",
                           "mul.f32 %f1, %f3, %f4; abs.f32 %f2, %f1; add.f32 %f7, %f2, %f5;"}) {
    INFO(code);
    REQUIRE_FALSE(joined(parsedKernel(std::string(code) + " ret;"), "add."));
  }
  REQUIRE(joined(parsedKernel("mul.ftz.f32 %f1, %f3, %f4; add.ftz.sat.f32 %f7, %f1, %f5; ret;"), "add."));
}

TEST_CASE("Of two products the first is taken in, the one with fewer readers before it") {
  REQUIRE(takes(parsedKernel(twoProducts + "add.f32 %f7, %f1, %f2; ret;"), "add.f32") == "mul.f32 %f1, %f3, %f4");
  REQUIRE(takes(parsedKernel(twoProducts + "sub.f32 %f7, %f2, %f1; ret;"), "sub.f32") == "mul.f32 %f2, %f5, %f6");
  const Module shared = parsedKernel(twoProducts + "add.f32 %f7, %f1, %f2; sub.f32 %f8, %f1, %f3; ret;");
  REQUIRE(takes(shared, "add.f32") == "mul.f32 %f2, %f5, %f6");
  REQUIRE_FALSE(joined(shared, "sub.f32"));
  const Module butterfly = parsedKernel(twoProducts + "add.f32 %f7, %f1, %f2; sub.f32 %f8, %f1, %f2; ret;");
  REQUIRE(takes(butterfly, "add.f32") == "mul.f32 %f1, %f3, %f4");
  REQUIRE(takes(butterfly, "sub.f32") == "mul.f32 %f1, %f3, %f4");
}

TEST_CASE("Copies and negations between product and addition are seen through") {
  REQUIRE(joined(parsedKernel("mul.f32 %f1, %f3, %f4; mov.f32 %f2, %f1; add.f32 %f7, %f2, %f5; ret;"), "add.f32"));
  const Module m = parsedKernel("mul.f32 %f1, %f3, %f4; neg.f32 %f2, %f1; add.f32 %f7, %f2, %f5; ret;");
  REQUIRE(joined(m, "add.f32"));
  REQUIRE(instructionOf(m, "add.f32").productNegated);
}

TEST_CASE("A product is taken in within straight-line code only") {
  REQUIRE(joined(parsedKernel("mul.f32 %f1, %f3, %f4; NEXT: add.f32 %f7, %f1, %f5; ret;"), "add.f32"));
  REQUIRE(joined(parsedKernel("mul.f32 %f1, %f3, %f4; bar.sync 0; @%p1 add.f32 %f7, %f1, %f5; ret;"), "@%p1 add.f32"));
  REQUIRE_FALSE(joined(parsedKernel("mul.f32 %f1, %f3, %f4; @%p1 bra L; add.f32 %f7, %f1, %f5; L: ret;"), "add.f32"));
  REQUIRE_FALSE(joined(parsedKernel("mul.f32 %f1, %f3, %f4; L: add.f32 %f7, %f7, %f1; @%p1 bra L; ret;"), "add.f32"));
  REQUIRE_FALSE(joined(parsedKernel("@%p1 mul.f32 %f1, %f3, %f4; add.f32 %f7, %f1, %f5; ret;"), "add.f32"));
}

TEST_CASE("Instructions that ptxas expands with branches end straight-line code") {
  const auto between = [](const std::string& code) { return joined(parsedKernel("mul.f32 %f1, %f3, %f4; " + code + " add.f32 %f7, %f1, %f5; ret;"), "add.f32"); };
  for (const char* code : {"div.rn.f32 %f8, %f5, %f6;", "rcp.rn.ftz.f32 %f8, %f5;", "sqrt.rn.f32 %f8, %f5;", "div.rn.f64 %fd1, %fd2, %fd3;", "rsqrt.approx.f64 %fd1, %fd2;",
                           "div.s32 %r1, %r2, %r3;", "rem.u64 %rd2, %rd3, %rd4;", "div.u16 %rs1, %rs2, %rs3;", "membar.gl;", "fence.sc.gpu;",
                           "@%p1 st.global.f32 [%rd1], %f3;", "@%p1 ld.global.f32 %f8, [%rd1];"}) {
    INFO(code);
    REQUIRE_FALSE(between(code));
  }
  for (const char* code : {"div.approx.f32 %f8, %f5, %f6;", "div.full.f32 %f8, %f5, %f6;", "sqrt.approx.f32 %f8, %f5;", "div.u32 %r1, %r2, %r3;", "bar.sync 0;",
                           "@%p1 mov.f32 %f8, %f6;", "st.global.f32 [%rd1], %f3;", "mul.lo.s64 %rd2, %rd3, %rd4;"}) {
    INFO(code);
    REQUIRE(between(code));
  }
}

TEST_CASE("A product with a constant is taken in across blocks when only additions read it") {
  REQUIRE(joined(parsedKernel("mul.f32 %f1, %f3, 0f40490FDB; @%p1 bra L; add.f32 %f7, %f1, %f5; L: ret;"), "add.f32"));
  REQUIRE(joined(parsedKernel("mov.f32 %f8, 0f40490FDB; mul.f32 %f1, %f8, %f3; sqrt.rn.f32 %f9, %f5; add.f32 %f7, %f1, %f5; ret;"), "add.f32"));
  REQUIRE_FALSE(joined(parsedKernel("mul.f32 %f1, %f3, 0f40490FDB; add.f32 %f7, %f1, %f5; @%p1 bra L; " + store + "%f1; L: ret;"), "add.f32"));
  REQUIRE_FALSE(joined(parsedKernel("@%p1 bra L; mul.f32 %f1, %f3, 0f40490FDB; L: add.f32 %f7, %f1, %f5; ret;"), "add.f32"));
  REQUIRE_FALSE(joined(parsedKernel("mul.f32 %f1, %f3, 0f40490FDB; @%p1 bra L; mov.f32 %f3, %f4; L: mov.f32 %f3, %f6; add.f32 %f7, %f1, %f5; ret;"), "add.f32"));
}

TEST_CASE("A factor of one makes no product") {
  REQUIRE(takes(parsedKernel("mul.f32 %f1, %f3, 0f3F800000; mul.f32 %f2, %f5, %f6; add.f32 %f7, %f1, %f2; ret;"), "add.f32") == "mul.f32 %f2, %f5, %f6");
  REQUIRE(takes(parsedKernel("mov.f32 %f8, 0fBF800000; mul.f32 %f1, %f8, %f3; mul.f32 %f2, %f5, %f6; add.f32 %f7, %f1, %f2; ret;"), "add.f32") == "mul.f32 %f2, %f5, %f6");
  REQUIRE(joined(parsedKernel("mul.f32 %f1, %f3, 0f40000000; add.f32 %f7, %f1, %f5; ret;"), "add.f32"));
}

TEST_CASE("Registers that are written again do not confuse products") {
  const Module again = parsedKernel("mul.f32 %f1, %f3, %f4; add.f32 %f7, %f1, %f5; mul.f32 %f1, %f5, %f6; add.rn.f32 %f8, %f1, %f5; ret;");
  REQUIRE(joined(again, "add.f32"));
  REQUIRE_FALSE(instructionOf(again, "mul.f32 %f1, %f5").takenIn);
  REQUIRE_FALSE(joined(parsedKernel("mul.f32 %f1, %f3, %f4; mov.f32 %f3, 0f00000000; add.f32 %f7, %f1, %f5; ret;"), "add.f32"));
  REQUIRE(joined(parsedKernel("mul.f32 %f1, %f3, %f4; add.f32 %f1, %f1, %f5; " + store + "%f1; ret;"), "add.f32"));
  REQUIRE_FALSE(joined(parsedKernel("L: add.f32 %f7, %f1, %f5; mul.f32 %f1, %f3, %f4; add.f32 %f8, %f1, %f5; @%p1 bra L; ret;"), "add.f32 %f8"));
}

TEST_CASE("A register that two branches use for products of their own serves both") {
  const Module m = parsedKernel("@%p1 bra ELSE; mul.f32 %f1, %f3, %f4; add.f32 %f7, %f1, %f5; bra JOIN; ELSE: mul.f32 %f1, %f5, %f6; sub.f32 %f8, %f1, %f5; JOIN: ret;");
  REQUIRE(joined(m, "add.f32"));
  REQUIRE(joined(m, "sub.f32"));
  const Module later = parsedKernel("@%p1 bra ELSE; mul.f32 %f1, %f3, %f4; add.f32 %f7, %f1, %f5; bra JOIN; ELSE: mul.f32 %f1, %f5, %f6; JOIN: sub.f32 %f8, %f1, %f5; ret;");
  REQUIRE_FALSE(joined(later, "add.f32"));
  REQUIRE_FALSE(joined(later, "sub.f32"));
}

TEST_CASE("Code for the debugger keeps every rounding") {
  Module m = parsedKernel("mul.f32 %f1, %f3, %f4; add.f32 %f7, %f1, %f5; ret;");
  std::string text = m.text;
  const std::size_t line = text.find(".target ") + 8, end = text.find_first_of("\n,;", line);
  text.insert(end, ", debug");
  const auto debug = parse(text, "k.ptx");
  REQUIRE(debug.ok());
  REQUIRE_FALSE(joined(debug.value(), "add.f32"));
}
