#include "ptx/lines.h"
#include "ptx_tools.h"

using namespace warpmill;
using namespace warpmill::ptx;
using namespace warpmill::ptx::test;

namespace {

// Instructions 0-7 on PTX lines 13, 15, 16, 18, 19, 21, 23, 25.
const std::string body = R"(.loc 1 3 1
  mov.u32 %r1, 1;
.loc 1 5 1
  mov.u32 %r2, 2;
  @%p1 bra L;
.loc 1 0 1
  mov.u32 %r3, 3;
  mov.u32 %r4, 4;
.loc 1 3 9
  mov.u32 %r5, 5;
.loc 2 5 1
L: mov.u32 %r6, 6;
.loc 1 0 0
  ret;
)";
const Module module = parse(kernelText(body) + ".file 1 \"a.cu\"\n.file 2 \"b.cu\"\n", "test.ptx").value();
const Function& k = *module.entry("k");

}  // namespace

TEST_CASE("A source line knows its instructions, also those that stand apart") {
  REQUIRE(instructionsOfLine(k, 0, 3) == std::vector<std::uint32_t>{0, 5});
  REQUIRE(instructionsOfLine(k, 0, 5) == std::vector<std::uint32_t>{1, 2});
  REQUIRE(instructionsOfLine(k, 1, 5) == std::vector<std::uint32_t>{6});
  REQUIRE(instructionsOfLine(k, 0, 0).empty());
}

TEST_CASE("A breakpoint on a line without code goes to the next that has some") {
  REQUIRE(linesWithCode(k, 0) == std::vector<std::uint32_t>{3, 5});
  REQUIRE(nextLineWithCode(k, 0, 1) == 3);
  REQUIRE(nextLineWithCode(k, 0, 4) == 5);
  REQUIRE(nextLineWithCode(k, 0, 6) == 0);
}

TEST_CASE("An instruction without a line takes its neighbour's in the same block") {
  REQUIRE(locationNear(k, 0) == SourceLocation{0, 3, 1});
  REQUIRE(locationNear(k, 3) == SourceLocation{0, 3, 9});  // the next one that has a line
  REQUIRE(locationNear(k, 7) == SourceLocation{1, 5, 1});  // the one before, since none follows
  const Module bare = parsedKernel("mov.u32 %r1, 1; ret;");
  REQUIRE(locationNear(*bare.entry("k"), 1).line == 0);
}

TEST_CASE("A line of the PTX leads to its instruction or the next below") {
  REQUIRE(instructionAtPtxLine(k, 13) == 0);
  REQUIRE(instructionAtPtxLine(k, 14) == 1);
  REQUIRE(instructionAtPtxLine(k, 1) == 0);
  REQUIRE(instructionAtPtxLine(k, 99) == none);
}
