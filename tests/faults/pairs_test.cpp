// For each mistake a kernel that has it and its near miss that has not: the one is caught at its line, with the other party where there is
// one, and the other one runs silent.
#include "faults/checked.h"

using namespace warpmill;
using namespace warpmill::faults;
using namespace warpmill::faults::test;
using machine::FaultKind;

namespace {

struct Pair {
  std::string name;
  Shape shape = {};
  std::string missFrom = "";  // whose near miss it shares; empty: its own
};

const std::vector<Pair> sharedRaces = {{"s_barrier", {1, 256}}, {"s_tiles", {1, 64}},   {"s_reduce", {1, 128}},  {"s_lanes", {1, 32}},   {"s_half", {1, 32}},
                                       {"s_one_place", {1, 64}}, {"s_atomic", {1, 64}}, {"s_bytes", {1, 64}},    {"s_halves", {1, 64}},  {"s_hand", {1, 64}},
                                       {"s_named", {1, 64}},    {"s_copies", {1, 64}},  {"s_buffers", {1, 64}},  {"s_scan", {1, 64}},    {"s_voted", {1, 64}},
                                       {"s_wide", {1, 32}},     {"s_volatile", {1, 64}}, {"s_flag", {1, 64}}, {"s_total", {1, 64}}, {"s_partials", {1, 64}}, {"s_turned", {1, 64}}, {"s_ways", {1, 64}}};
const std::vector<Pair> globalRaces = {{"g_neighbour", {4, 64}}, {"g_sum", {4, 64}},     {"g_block", {4, 64}},   {"g_last", {4, 64}},       {"g_last_scope", {4, 64}, "g_last"},
                                       {"g_last_barrier", {4, 64}, "g_last"}, {"g_grid", {4, 64}}, {"g_lock", {4, 64}}, {"g_lookback", {4, 64}}, {"g_scope", {4, 64}},
                                       {"g_message", {4, 64}},   {"g_same_value", {4, 64}}, {"g_stencil", {4, 64}}, {"g_read", {4, 64}},    {"g_overlap", {4, 64}},
                                       {"g_bytes", {4, 64}},     {"g_exchange", {4, 64}}, {"g_reset", {4, 64}}, {"g_wide", {2, 64}}};
const std::vector<Pair> undefinedValues = {{"u_shared"}, {"u_bins"},   {"u_local"}, {"u_branch"}, {"u_index"},   {"u_buffer"}, {"u_chosen"}, {"u_shuffled", {1, 32}}, {"u_bytes", {1, 32}},
                                           {"u_masked"}, {"u_operand"}, {"u_padding", {1, 32}}, {"u_bits"}, {"u_packed"}, {"u_copied"}, {"u_partials"}, {"u_longs"}};

const std::vector<Pair> wideUndefined = {{"u_heap"},       {"u_printed"}, {"u_accumulator", {1, 32}}, {"u_operand_row", {1, 32}}, {"u_matrix", {1, 32}},
                                         {"u_taken"}, {"u_brought"}, {"u_called"}, {"u_frame"}};
const std::vector<Pair> overflows = {{"o_row"},    {"o_product"}, {"o_sum"},    {"o_below"}, {"o_guard"}, {"o_shift"},  {"o_short"},   {"o_loop"},  {"o_shared"},
                                     {"o_chosen"}, {"o_handed", {1, 32}}, {"o_atomic"}, {"o_async"}, {"o_volume"}, {"o_pointer"}, {"o_random"}};

const std::vector<Pair> numbers = {{"n_zero"}, {"n_root"}, {"n_exp"}, {"n_maximum"}, {"n_shared"}, {"n_sum"}, {"n_half"}, {"n_halves"}, {"n_index"}, {"n_double"}, {"n_input"},
                                   {"n_product", {1, 32}}};

struct AccessPair { Pair pair; FaultKind kind = FaultKind::OutOfBounds; };
const std::vector<AccessPair> accesses = {{{"m_neighbour"}}, {{"m_halo"}}, {{"m_dynamic"}}, {{"m_rows"}}, {{"m_either"}}, {{"m_shared"}}, {{"m_past"}}, {{"m_before"}}, {{"m_far"}}, {{"m_straddle"}},
                                          {{"m_null"}, FaultKind::NullAccess}, {{"m_aligned"}, FaultKind::Misaligned}, {{"m_local"}}, {{"m_const"}, FaultKind::WriteToConstant},
                                          {{"m_freed"}}, {{"m_twice"}}, {{"m_middle"}}, {{"m_foreign"}}, {{"m_heap"}}};

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

void caught(const std::string& file, const Pair& pair, FaultKind kind, bool rawIsUndefined) {
  const std::string source = dataFile(file + ".cu"), kernel = pair.name + "_bad";
  const exec::FunctionalRun run = runChecked(dataFile(file + ".ptx"), kernel, pair.shape, rawIsUndefined);
  INFO(kernel << "\n" << exec::test::describe(run));
  REQUIRE_FALSE(run.faults.empty());
  for (const machine::Fault& f : run.faults) {
    INFO(f.message);
    CHECK(machine::faultName(f.kind) == machine::faultName(kind));
    CHECK_FALSE(f.remedy.empty());
    CHECK_FALSE(f.messageRu.empty());
    CHECK_FALSE(f.remedyRu.empty());
    CHECK_FALSE((has(f.message + f.messageRu, "{") || has(f.remedy + f.remedyRu, "{")));  // a gap without a value
    CHECK(f.issue != 0);
    CHECK(f.ptxLine != 0);
    INFO(line(source, f.location.line));
    CHECK(has(line(source, f.location.line), "HERE"));
    if (kind == FaultKind::Uninitialized) continue;
    REQUIRE(f.other);
    INFO(line(source, f.other->location.line));
    CHECK(has(line(source, f.other->location.line), "HERE"));  // THERE has it too
    CHECK((f.block != f.other->block || f.thread != f.other->thread));
    CHECK_FALSE(f.other->access.empty());
  }
}

// The first fault is the wrap, and those that follow are its consequences: accesses that went outside.
void caughtOverflow(const std::string& file, const Pair& pair) {
  const std::string source = dataFile(file + ".cu"), kernel = pair.name + "_bad";
  const exec::FunctionalRun run = runChecked(dataFile(file + ".ptx"), kernel, pair.shape, false);
  INFO(kernel << "\n" << exec::test::describe(run));
  REQUIRE_FALSE(run.faults.empty());
  CHECK(run.faults[0].kind == FaultKind::IndexOverflow);
  for (const machine::Fault& f : run.faults) {
    INFO(f.message);
    INFO(line(source, f.location.line));
    CHECK(has(line(source, f.location.line), "HERE"));  // THERE has it too
    if (f.kind != FaultKind::IndexOverflow) {
      CHECK(f.kind == FaultKind::OutOfBounds);
      continue;
    }
    CHECK_FALSE(has(line(source, f.location.line), "THERE"));
    REQUIRE(f.other);
    INFO(line(source, f.other->location.line));
    CHECK(has(line(source, f.other->location.line), "HERE"));
    CHECK(f.other->thread == f.thread);
    CHECK_FALSE(f.other->access.empty());
    CHECK_FALSE(f.remedy.empty());
  }
}

constexpr Checks alsoNumbers{true, true, true, true};

void caughtNumber(const std::string& file, const Pair& pair) {
  const std::string source = dataFile(file + ".cu"), kernel = pair.name + "_bad";
  const exec::FunctionalRun run = runChecked(dataFile(file + ".ptx"), kernel, pair.shape, false, alsoNumbers);
  INFO(kernel << "\n" << exec::test::describe(run));
  REQUIRE_FALSE(run.faults.empty());
  for (const machine::Fault& f : run.faults) {
    CHECK(machine::faultName(f.kind) == "nan");
    INFO(line(source, f.location.line));
    CHECK(has(line(source, f.location.line), " HERE"));
    REQUIRE(f.other);
    INFO(line(source, f.other->location.line));
    CHECK(has(line(source, f.other->location.line), "HERE"));  // THERE has it too
    CHECK_FALSE(f.remedy.empty());
  }
}

void caughtAccess(const std::string& file, const AccessPair& access) {
  const std::string source = dataFile(file + ".cu"), kernel = access.pair.name + "_bad";
  const exec::FunctionalRun run = runChecked(dataFile(file + ".ptx"), kernel, access.pair.shape, false);
  INFO(kernel << "\n" << exec::test::describe(run));
  REQUIRE_FALSE(run.faults.empty());
  for (const machine::Fault& f : run.faults) {
    INFO(f.message);
    CHECK(machine::faultName(f.kind) == machine::faultName(access.kind));
    CHECK_FALSE(f.remedy.empty());
    INFO(line(source, f.location.line));
    CHECK(has(line(source, f.location.line), "HERE"));
  }
}

void silent(const std::string& file, const Pair& pair, bool rawIsUndefined, Checks checks = {}) {
  const std::string kernel = (pair.missFrom.empty() ? pair.name : pair.missFrom) + "_ok";
  const exec::FunctionalRun run = runChecked(dataFile(file + ".ptx"), kernel, pair.shape, rawIsUndefined, checks);
  INFO(kernel << "\n" << exec::test::describe(run));
  CHECK(run.faults.empty());
}

}  // namespace

TEST_CASE("Races in shared memory are caught, and name both lines and threads") {
  for (const Pair& p : sharedRaces) caught("races", p, FaultKind::SharedRace, false);
}
TEST_CASE("Kernels that order their accesses to shared memory run silent") {
  for (const Pair& p : sharedRaces) silent("races", p, false);
}
TEST_CASE("Races in global memory are caught, and name both lines and threads") {
  for (const Pair& p : globalRaces) caught("races", p, FaultKind::GlobalRace, false);
}
TEST_CASE("Kernels that order their accesses to global memory run silent") {
  for (const Pair& p : globalRaces) silent("races", p, false);
}
TEST_CASE("Values that nobody has written are told of where they matter") {
  for (const Pair& p : undefinedValues) caught("init", p, FaultKind::Uninitialized, true);
  for (const Pair& p : wideUndefined) caught("init_wide", p, FaultKind::Uninitialized, true);
}
TEST_CASE("Values that nobody has written pass where they do not matter") {
  for (const Pair& p : undefinedValues) silent("init", p, true);
  for (const Pair& p : wideUndefined) silent("init_wide", p, true);
}
TEST_CASE("Sums and products that wrap on their way to an address are told of where they wrap") {
  for (const Pair& p : overflows) caughtOverflow("overflow", p);
}
TEST_CASE("Sums and products that fit, that are taken back or wrap on purpose run silent") {
  for (const Pair& p : overflows) silent("overflow", p, false);
}
TEST_CASE("NaN and infinity are told of where they begin, with where they come out") {
  for (const Pair& p : numbers) caughtNumber("numbers", p);
}
TEST_CASE("Numbers that stay numbers, and infinities that are meant, run silent") {
  for (const Pair& p : numbers) silent("numbers", p, false, alsoNumbers);
}
TEST_CASE("Accesses that leave what they were meant for are caught, also from one shared array into another") {
  for (const AccessPair& p : accesses) caughtAccess("memory", p);
}
TEST_CASE("Accesses that stay just inside run silent") {
  for (const AccessPair& p : accesses) silent("memory", p.pair, false);
}

TEST_CASE("Elements that a mask of Triton leaves out have no value unless other gives one") {
  const std::string source = dataFile("masked.py");
  for (const std::string name : {"masked_sum", "masked_store", "masked_where"})
    for (const std::string kind : {"_bad", "_ok"}) {
      exec::test::Launcher l(dataFile(name + kind + ".ptx"), name + kind);
      l.buffer(std::vector<float>(256), "out");
      l.buffer(std::vector<float>(256, 1.0f), "x");
      l.scalar(std::uint32_t{200});
      l.scalar(std::uint64_t{0});
      l.scalar(std::uint64_t{0});
      const auto checker = makeChecker({});
      exec::FunctionalLimits limits;
      limits.observer = checker.get();
      const exec::FunctionalRun run = l.run({1, 1, 1}, {128, 1, 1}, 4096, limits);
      INFO(name << kind << "\n" << exec::test::describe(run));
      if (kind == "_ok") CHECK(run.faults.empty());
      else REQUIRE_FALSE(run.faults.empty());
      for (const machine::Fault& f : run.faults) {
        CHECK(f.kind == FaultKind::Uninitialized);
        CHECK(has(line(source, f.location.line), "HERE"));
        REQUIRE(f.other);
        if (name == "masked_sum") continue;  // that comes by way of shared memory, which does not know who stored
        CHECK(has(f.remedy, "other="));
        CHECK(has(line(source, f.other->location.line), "tl.load"));
      }
    }
}
