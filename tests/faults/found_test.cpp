// The kernels that were run on an H200 under compute-sanitizer (docs/faults.md): what Warpmill finds in each of them.
#include "faults/checked.h"

#include <set>

using namespace warpmill;
using namespace warpmill::faults;
using namespace warpmill::faults::test;

namespace {

struct Recorded {
  std::string file, kernel, kind;
  Shape shape;
  bool rawIsUndefined = false;
};

std::vector<Recorded> recorded() {
  std::istringstream in(dataFile("found.txt"));
  std::vector<Recorded> all;
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text[0] == '#') continue;
    std::istringstream words(text);
    Recorded r;
    int undefined = 0;
    words >> r.file >> r.kernel >> r.shape.blocks >> r.shape.threads >> undefined >> r.kind;
    r.rawIsUndefined = undefined != 0;
    REQUIRE(words);
    all.push_back(std::move(r));
  }
  return all;
}

}  // namespace

TEST_CASE("Warpmill finds what the comparison with other tools says that it finds, and nothing in the near misses") {
  std::size_t faulty = 0;
  std::set<std::string> kinds;
  for (const Recorded& r : recorded()) {
    const exec::FunctionalRun run = runChecked(dataFile(r.file + ".ptx"), r.kernel, r.shape, r.rawIsUndefined);
    INFO(r.kernel << "\n" << exec::test::describe(run));
    if (r.kind == "ok") {
      CHECK(run.faults.empty());
      continue;
    }
    ++faulty;
    kinds.insert(r.kind);
    REQUIRE_FALSE(run.faults.empty());
    CHECK(std::string(machine::faultName(run.faults[0].kind)) == r.kind);
  }
  CHECK(faulty >= 60);
  CHECK(kinds.size() >= 7);
}
