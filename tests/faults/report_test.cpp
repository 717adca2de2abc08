// What a fault of the checks says.
#include "faults/checked.h"

using namespace warpmill;
using namespace warpmill::faults;
using namespace warpmill::faults::test;

TEST_CASE("A race names place, threads, kinds of access and the other line") {
  const exec::FunctionalRun run = runChecked(dataFile("races.ptx"), "s_hand_bad", {1, 64}, false);
  REQUIRE(run.faults.size() == 1);
  const machine::Fault& f = run.faults[0];
  CHECK(f.access == "load");
  CHECK(f.bytes == 4);
  CHECK(f.offset == 0);
  CHECK(f.count == 32);
  CHECK(f.thread == std::array<std::uint32_t, 3>{32, 0, 0});
  REQUIRE(f.other);
  CHECK(f.other->access == "store");
  CHECK(f.other->thread == std::array<std::uint32_t, 3>{0, 0, 0});
  CHECK(f.message.find("races with the store by thread (0,0,0) at races.cu:") != std::string::npos);
  CHECK(f.remedy.find("__syncthreads()") != std::string::npos);
}

TEST_CASE("A race between blocks names buffer and offset, and a scope of one block is told") {
  const exec::FunctionalRun run = runChecked(dataFile("races.ptx"), "g_scope_bad", {4, 64}, false);
  REQUIRE(run.faults.size() == 1);
  const machine::Fault& f = run.faults[0];
  CHECK(f.buffer == 3);
  CHECK(f.offset == 0);
  CHECK(f.access == "atomic");
  CHECK(f.block != f.other->block);
  CHECK(f.remedy.find("scope of one block") != std::string::npos);
}

TEST_CASE("An undefined value names the load that it came from") {
  const exec::FunctionalRun run = runChecked(dataFile("init.ptx"), "u_branch_bad", {}, true);
  REQUIRE(run.faults.size() == 1);
  const machine::Fault& f = run.faults[0];
  CHECK(f.message.find("decides") != std::string::npos);
  CHECK(f.message.find("shared memory") != std::string::npos);
  REQUIRE(f.other);
  CHECK(f.other->access == "load");
}

TEST_CASE("A product that wrapped is told of with its factors, what it should be, and where the access went instead") {
  const exec::FunctionalRun run = runChecked(dataFile("overflow.ptx"), "o_row_bad", {}, false);
  REQUIRE(run.faults.size() == 1);
  const machine::Fault& f = run.faults[0];
  CHECK(f.message.find("4194304 * 1024 + 64 = 4294967360 does not fit into 32 signed bits and wraps to 64") != std::string::npos);
  CHECK(f.message.find("goes to offset 256 of 'in'") != std::string::npos);
  CHECK(f.thread == std::array<std::uint32_t, 3>{63, 0, 0});
  CHECK(f.buffer == 1);
  CHECK(f.offset == 256);
  CHECK(f.remedy.find("64 bits") != std::string::npos);
  REQUIRE(f.other);
  CHECK(f.other->access == "load");
}

TEST_CASE("An unsigned index below zero is told of as such") {
  const exec::FunctionalRun run = runChecked(dataFile("overflow.ptx"), "o_below_bad", {}, false);
  REQUIRE(run.faults.size() == 2);
  CHECK(run.faults[0].message.find("0 - 1 = -1 does not fit into 32 unsigned bits and wraps to 4294967295") != std::string::npos);
  CHECK(run.faults[0].remedy.find("cannot be negative") != std::string::npos);
  CHECK(run.faults[1].kind == machine::FaultKind::OutOfBounds);
}

TEST_CASE("A NaN is told of with what it was made from") {
  const exec::FunctionalRun run = runChecked(dataFile("numbers.ptx"), "n_zero_bad", {}, false, {true, true, true, true});
  REQUIRE(run.faults.size() == 1);
  CHECK(run.faults[0].message.find("0 / 0 = NaN in thread (4,0,0)") == 0);
  CHECK(run.faults[0].message.find("it is stored to offset 16 of 'out'") != std::string::npos);
  CHECK(runChecked(dataFile("numbers.ptx"), "n_zero_bad", {}, false).faults.empty());  // not looked for unless asked
}

TEST_CASE("Double precision between floats and values taken for zero are noted, not faults") {
  std::vector<Note> notes;
  const std::string source = dataFile("numbers.cu");
  const Checks checks{true, true, true, true};
  for (const std::string kernel : {"n_literal", "n_small"}) {
    INFO(kernel);
    CHECK(runChecked(dataFile("numbers.ptx"), kernel, {}, false, checks, &notes).faults.empty());
    REQUIRE(notes.size() == 1);
    CHECK(line(source, notes[0].line).find("HERE") != std::string::npos);
    CHECK(notes[0].count == (kernel == "n_literal" ? 64 : 64));
  }
  for (const std::string kernel : {"n_literal_float", "n_small_kept"}) {
    INFO(kernel);
    CHECK(runChecked(dataFile("numbers.ptx"), kernel, {}, false, checks, &notes).faults.empty());
    CHECK(notes.empty());
  }
}

TEST_CASE("Without checks nothing is told of, and each check can be left out alone") {
  CHECK(runChecked(dataFile("races.ptx"), "s_barrier_bad", {1, 256}, false, {false, false, false, false, false}).faults.empty());
  // Where races are not looked for, the first warp's reading of what is not there yet is an undefined value.
  CHECK(runChecked(dataFile("races.ptx"), "s_barrier_bad", {1, 256}, false, {false, true, false}).faults.at(0).kind == machine::FaultKind::Uninitialized);
  CHECK_FALSE(runChecked(dataFile("races.ptx"), "s_barrier_bad", {1, 256}, false, {true, false, false}).faults.empty());
  CHECK(runChecked(dataFile("init.ptx"), "u_shared_bad", {}, true, {true, false, false}).faults.empty());
  CHECK(runChecked(dataFile("overflow.ptx"), "o_row_bad", {}, false, {true, true, false}).faults.empty());
  CHECK_FALSE(runChecked(dataFile("overflow.ptx"), "o_row_bad", {}, false, {false, false, true}).faults.empty());
}

TEST_CASE("The first fault ends the run where that is asked") {
  exec::test::Launcher l(dataFile("races.ptx"), "g_sum_bad");
  std::vector<std::uint32_t> zeros(1024);
  for (int k = 0; k < 4; ++k) l.buffer(zeros);
  const auto checker = makeChecker({});
  exec::FunctionalLimits limits;
  limits.observer = checker.get();
  limits.stopAtFirstFault = true;
  CHECK(l.run({4, 1, 1}, {64, 1, 1}, 0, limits).faults.size() == 1);
}
