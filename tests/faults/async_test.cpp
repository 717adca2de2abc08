// Races with copies that go on beside their threads, and between the blocks of a cluster: for each mistake a kernel that has it and its near
// miss that has not.
#include "faults/checked.h"

using namespace warpmill;
using namespace warpmill::faults;
using namespace warpmill::faults::test;
using machine::FaultKind;

namespace {

struct Pair {
  std::string name;
  Shape shape = {};
};

const std::vector<Pair> pairs = {{"a_own"}, {"a_own_store"}, {"a_other"}, {"a_reuse"}, {"a_bulk"}, {"c_read", {2, 64}}, {"c_write", {2, 64}}};

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

exec::FunctionalRun runAsync(const std::string& kernel, Shape shape) { return runChecked(dataFile("async_wide.ptx"), kernel, shape, false); }

}  // namespace

TEST_CASE("Races with asynchronous copies and between blocks of a cluster are caught") {
  const std::string source = dataFile("async_wide.cu");
  for (const Pair& p : pairs) {
    const exec::FunctionalRun run = runAsync(p.name + "_bad", p.shape);
    INFO(p.name << "\n" << exec::test::describe(run));
    REQUIRE_FALSE(run.faults.empty());
    for (const machine::Fault& f : run.faults) {
      INFO(f.message);
      CHECK(machine::faultName(f.kind) == machine::faultName(FaultKind::SharedRace));
      CHECK(has(line(source, f.location.line), "HERE"));
      REQUIRE(f.other);
      CHECK(has(line(source, f.other->location.line), "HERE"));  // THERE has it too
    }
  }
}

TEST_CASE("Copies that are waited for, and clusters with barriers, run silent") {
  for (const Pair& p : pairs) {
    const exec::FunctionalRun run = runAsync(p.name + "_ok", p.shape);
    INFO(p.name << "\n" << exec::test::describe(run));
    CHECK(run.faults.empty());
  }
}

TEST_CASE("An mbarrier orders the threads of a warp among themselves, too") {
  const exec::FunctionalRun run = runAsync("a_mbarrier_ok", {1, 64});
  INFO(exec::test::describe(run));
  CHECK(run.faults.empty());
}

TEST_CASE("A thread that reads what its own copy may not have brought is told so") {
  const exec::FunctionalRun run = runAsync("a_own_bad", {1, 64});
  REQUIRE(run.faults.size() == 1);
  CHECK(has(run.faults[0].message, "does not wait for the asynchronous copy that the thread itself issued at async_wide.cu:"));
}
