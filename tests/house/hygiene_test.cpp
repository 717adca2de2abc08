#include "house/hygiene.h"

#include "catch.h"

using namespace warpmill::house;

namespace {

const std::filesystem::path sourceDir = WARPMILL_SOURCE_DIR;

}  // namespace

TEST_CASE("Every file is tidy and tells of no particular machine") {
  const std::vector<std::string> files = filesOf(sourceDir);
  CHECK(files.size() > 50);  // guards against a check that looked at nothing
  std::string all;
  for (const std::string& file : files)
    for (const std::string& complaint : complaints(file, readFile(sourceDir / file))) all += complaint + "\n";
  INFO(all);
  CHECK(all.empty());
}

TEST_CASE("Each kind of untidiness is found, with its line") {
  const std::string path = std::string("/hom") + "e/me/x";
  CHECK(complaints("sim/a.h", "// ok\nint a;\n").empty());
  CHECK(complaints("sim/a.h", "#pragma once\n") == std::vector<std::string>{"sim/a.h:1: a header opens with a comment on what it models"});
  CHECK(complaints("app/a.cpp", "int a;\n\tint b;\nint c; \n") ==
        std::vector<std::string>{"app/a.cpp:2: a tab", "app/a.cpp:3: a blank at the end"});
  CHECK(complaints("app/a.cpp", "int a;") == std::vector<std::string>{"app/a.cpp:1: no newline at the end"});
  CHECK(complaints("README.md", "see " + path + "\n") == std::vector<std::string>{"README.md:1: a path of one machine"});
  CHECK(complaints("README.md", "a\r\n") == std::vector<std::string>{"README.md:1: a carriage return at the end"});
}

TEST_CASE("A source file over the limit must say why near its top") {
  std::string text = "// A table.\n";
  for (int line = 0; line < 600; ++line) text += "int a;\n";
  CHECK(complaints("app/a.cpp", text) ==
        std::vector<std::string>{"app/a.cpp:601: over 600 lines; split it, or say why near the top (Long: ...)"});
  CHECK(complaints("app/a.cpp", "// Long: one table of all opcodes.\n" + text).empty());
}
