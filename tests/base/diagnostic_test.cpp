#include "base/diagnostic.h"
#include "catch.h"

using namespace warpmill;

TEST_CASE("A diagnostic prints its place, the line with a caret, and the hint") {
  Diagnostic d;
  d.file = "a.ptx";
  d.position = {3, 5};
  d.length = 3;
  d.message = "unknown type '.f31'";
  d.hint = "did you mean .f32?";
  d.sourceLine = "add.f31 %f1, %f2, %f3;";
  REQUIRE(formatDiagnostic(d) ==
          "a.ptx:3:5: error: unknown type '.f31'\n"
          "    add.f31 %f1, %f2, %f3;\n"
          "        ^~~\n"
          "    hint: did you mean .f32?\n");
}

TEST_CASE("lineOf gives a line without its newline, and nothing past the end") {
  REQUIRE(lineOf("one\ntwo\r\nthree", 2) == "two");
  REQUIRE(lineOf("one\ntwo\r\nthree", 3) == "three");
  REQUIRE(lineOf("one\ntwo", 9).empty());
}
