#include "arrows/arrows.h"

#include "catch.h"

#include <fstream>
#include <sstream>

using namespace warpmill::arrows;

namespace {

const std::filesystem::path sourceDir = WARPMILL_SOURCE_DIR;

std::string readFile(const std::filesystem::path& path) {
  std::ifstream in(path);
  REQUIRE(in);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Table ourTable() { return readTable(readFile(sourceDir / "tests/arrows/arrows.txt")); }

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("The table of arrows names only rooms of lines above, so it has no cycle") {
  INFO(join(ourTable().mistakes));
  REQUIRE(ourTable().mistakes.empty());
  REQUIRE(ourTable().rooms.size() >= 15);
}

TEST_CASE("No room includes what its arrows do not allow") {
  const Findings findings = checkIncludes(ourTable(), sourceDir, {"sim", "app", "cuda"});
  INFO(join(findings.offences));
  CHECK(findings.offences.empty());
  // Guards against a check that looked at nothing.
  CHECK(findings.files > 20);
  CHECK(findings.includes > 100);
}

TEST_CASE("Forbidden includes are reported with file and line, allowed ones are not") {
  const Findings findings = checkIncludes(ourTable(), sourceDir / "tests/arrows/fixture", {"sim", "app"});
  REQUIRE(join(findings.offences) ==
          "app/garage/car.cpp:1: this folder is no room of arrows.txt\n"
          "app/presenter/view.h:5: presenter may not include <imgui.h> of library imgui\n"
          "app/presenter/view.h:6: presenter may not include ../scene/draw.h of room scene\n"
          "sim/base/upward.h:6: base may not include device/profile.h of room device\n"
          "sim/timing/clock.h:4: timing may not include <QString> of library qt\n"
          "sim/timing/clock.h:5: timing may not include <QtCore/qglobal.h> of library qt\n"
          "sim/timing/clock.h:6: timing may not include <glm/vec3.hpp> of library glm\n"
          "sim/timing/clock.h:7: timing may not include <cuda_runtime.h> of library cuda\n"
          "sim/timing/clock.h:8: timing may not include <GL/gl.h> of library opengl\n");
}

TEST_CASE("A table with a room that is used before its line is refused") {
  const Table table = readTable("room a sim/a: b\nroom b sim/b: a\nnonsense\n");
  REQUIRE(table.mistakes == std::vector<std::string>{
                                "line 1: a names b, which is no room of a line above",
                                "line 3: expected \"room NAME FOLDER: ROOM...\" or \"library NAME PATTERN...: ROOM...\""});
}

TEST_CASE("What a room may use, it may use with all that that one may use") {
  for (const Room& room : ourTable().rooms) {
    if (room.name == "timing") {
      CHECK(room.mayUse.contains("base"));
      CHECK(room.mayUse.contains("launch"));
      CHECK_FALSE(room.mayUse.contains("session"));
    }
  }
}
