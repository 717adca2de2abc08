#include "arrows/arrows.h"
#include "catch.h"
#include "house/hygiene.h"

#include <regex>

using namespace warpmill::house;

namespace {

const std::filesystem::path sourceDir = WARPMILL_SOURCE_DIR;

}  // namespace

TEST_CASE("Every link between documents leads to a file that is there") {
  static const std::regex link(R"(\]\(([^)#:\s]+)(#[^)\s]*)?\))");
  std::string dead;
  std::size_t links = 0;
  for (const std::string& file : filesOf(sourceDir)) {
    if (!file.ends_with(".md")) continue;
    const std::string text = readFile(sourceDir / file);
    for (auto it = std::sregex_iterator(text.begin(), text.end(), link); it != std::sregex_iterator(); ++it) {
      ++links;
      const auto target = (sourceDir / file).parent_path() / (*it)[1].str();
      if (!std::filesystem::exists(target)) dead += file + " links to " + (*it)[1].str() + "\n";
    }
  }
  INFO(dead);
  CHECK(dead.empty());
  CHECK(links > 5);  // guards against a check that looked at nothing
}

TEST_CASE("ARCHITECTURE.md tells of the same rooms as the table of arrows") {
  const auto table = warpmill::arrows::readTable(readFile(sourceDir / "tests/arrows/arrows.txt"));
  const std::string page = readFile(sourceDir / "ARCHITECTURE.md");
  for (const auto& room : table.rooms) CHECK(page.find("| " + room.name + " | `" + room.folder + "` |") != std::string::npos);
}
