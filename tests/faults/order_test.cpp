// Threads that wait for others that do not come, and lanes that exchange with lanes that take no part: for each mistake a kernel that has it
// and its near miss that has not.
#include "faults/checked.h"

using namespace warpmill;
using namespace warpmill::faults;
using namespace warpmill::faults::test;
using machine::FaultKind;

namespace {

struct Pair {
  std::string name;
  FaultKind kind;
  Shape shape = {};
};

const std::vector<Pair> barriers = {
    {"b_branch", FaultKind::DivergentBarrier}, {"b_arms", FaultKind::DivergentBarrier},   {"b_lanes", FaultKind::DivergentBarrier},
    {"b_count", FaultKind::DivergentBarrier},  {"b_odd", FaultKind::DivergentBarrier},    {"b_counts", FaultKind::DivergentBarrier},
    {"b_exit", FaultKind::DivergentBarrier},   {"b_exit_lanes", FaultKind::DivergentBarrier}, {"b_rounds", FaultKind::DivergentBarrier},
    {"b_arrive", FaultKind::DivergentBarrier}, {"b_warp", FaultKind::DivergentBarrier},   {"b_warp_caller", FaultKind::DivergentBarrier}};
const std::vector<Pair> collectives = {{"w_caller", FaultKind::InvalidShuffle}, {"w_branch", FaultKind::InvalidShuffle}, {"w_rounds", FaultKind::InvalidShuffle},
                                       {"w_vote", FaultKind::InvalidShuffle},   {"w_match", FaultKind::InvalidShuffle},  {"w_redux", FaultKind::InvalidShuffle},
                                       {"w_active", FaultKind::InvalidShuffle}, {"w_waits", FaultKind::InvalidShuffle},
                                       {"w_source", FaultKind::InvalidShuffle}, {"w_ended", FaultKind::InvalidShuffle},  {"w_reduce", FaultKind::InvalidShuffle}};
const std::vector<Pair> hangs = {{"h_loop", FaultKind::Hang},           {"h_unsigned", FaultKind::Hang},          {"h_flag", FaultKind::Hang, {4, 32}},
                                 {"h_counted", FaultKind::Hang},        {"h_warp_lock", FaultKind::Hang, {1, 32}}, {"h_order", FaultKind::Hang, {2, 32}},
                                 {"h_barrier", FaultKind::Hang},        {"h_mbarrier", FaultKind::Hang}};

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

void caught(const Pair& pair) {
  const std::string source = dataFile("order.cu"), kernel = pair.name + "_bad";
  const exec::FunctionalRun run = runChecked(dataFile("order.ptx"), kernel, pair.shape, false);
  INFO(kernel << "\n" << exec::test::describe(run));
  REQUIRE_FALSE(run.faults.empty());
  for (const machine::Fault& f : run.faults) {
    INFO(f.message);
    CHECK(machine::faultName(f.kind) == machine::faultName(pair.kind));
    CHECK_FALSE(f.remedy.empty());
    CHECK_FALSE(f.messageRu.empty());
    CHECK_FALSE(has(f.message, "{"));
    INFO(line(source, f.location.line));
    CHECK(has(line(source, f.location.line), "HERE"));
  }
}

void silent(const Pair& pair) {
  const std::string kernel = pair.name + "_ok";
  const exec::FunctionalRun run = runChecked(dataFile("order.ptx"), kernel, pair.shape, false);
  INFO(kernel << "\n" << exec::test::describe(run));
  CHECK(run.faults.empty());
}

exec::FunctionalRun runOrder(const std::string& kernel, Shape shape) { return runChecked(dataFile("order.ptx"), kernel, shape, false); }

}  // namespace

TEST_CASE("Barriers that not all threads reach are caught") {
  for (const Pair& p : barriers) caught(p);
}
TEST_CASE("Barriers that open on hardware run silent") {
  for (const Pair& p : barriers) silent(p);
}
TEST_CASE("Calls of a warp whose mask names the wrong lanes are caught") {
  for (const Pair& p : collectives) caught(p);
}
TEST_CASE("Calls of a warp among the lanes that come run silent") {
  for (const Pair& p : collectives) silent(p);
}
TEST_CASE("Kernels that never end are caught without a limit on time") {
  for (const Pair& p : hangs) caught(p);
}
TEST_CASE("Kernels that wait for long but end run silent") {
  for (const Pair& p : hangs) silent(p);
}

TEST_CASE("A barrier of the whole grid hangs when not all blocks fit on the device at once") {
  const exec::FunctionalRun fits = runOrder("h_grid_bad", {4, 32, 4});
  INFO(exec::test::describe(fits));
  CHECK(fits.faults.empty());
  const exec::FunctionalRun run = runOrder("h_grid_bad", {8, 32, 4});
  INFO(exec::test::describe(run));
  REQUIRE(run.faults.size() == 1);
  CHECK(run.faults[0].kind == FaultKind::Hang);
  CHECK(has(run.faults[0].message, "all 4 blocks that the device holds at a time"));
  CHECK(has(run.faults[0].message, "4 blocks have not started"));
  CHECK(run.warpInstructions < 200'000);
}

TEST_CASE("Who is missing at a barrier is named, and where it is") {
  const exec::FunctionalRun run = runOrder("b_arms_bad", {1, 64});
  REQUIRE(run.faults.size() == 1);
  const machine::Fault& f = run.faults[0];
  INFO(f.message);
  CHECK(has(f.message, "32 threads wait at barrier 1, which 64 threads must reach; threads 32-63 wait at barrier 2 (order.cu:"));
  REQUIRE(f.parties.size() == 1);
  CHECK(f.parties[0].warp == 1);
  CHECK(f.parties[0].note == "threads 32-63 wait at barrier 2");
}

TEST_CASE("Threads that have ended are told apart from threads that wait elsewhere") {
  const exec::FunctionalRun run = runOrder("b_exit_bad", {1, 64});
  REQUIRE(run.faults.size() == 1);
  INFO(run.faults[0].message);
  CHECK(has(run.faults[0].message, "32 threads have come to barrier 0, which is given 64 threads; threads 32-63 have ended"));
}

TEST_CASE("A mask's lanes that cannot come are named, and where they are") {
  const exec::FunctionalRun run = runOrder("w_branch_bad", {1, 32});
  REQUIRE(run.faults.size() == 1);
  INFO(run.faults[0].message);
  CHECK(has(run.faults[0].message, "shfl.sync of warp 0 of block (0,0,0) names lanes 16-31, which do not come: threads 16-31 wait behind the branch"));
}

TEST_CASE("Of two locks taken in opposite order both who wait are named") {
  const exec::FunctionalRun run = runOrder("h_order_bad", {2, 32});
  REQUIRE(run.faults.size() == 1);
  const machine::Fault& f = run.faults[0];
  INFO(f.message);
  CHECK(has(f.message, "of 'sync'"));
  REQUIRE(f.parties.size() == 1);
  CHECK(f.parties[0].block != f.block);
  CHECK(has(f.parties[0].note, "an atomic on offset"));
}
