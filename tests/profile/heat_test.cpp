#include "profile/heat.h"
#include "support/machine_fixture.h"
#include "timing/projection.h"

#include <nlohmann/json.hpp>

using namespace warpmill;
using namespace warpmill::testing;
using profile::Heat;
using profile::HeatCounts;
using timing::Stall;

namespace {

// Each thread loads from shared memory with an eight-fold conflict, under a branch that half of the lanes take.
std::string conflicts() {
  return kernel(R"(
ld.param.u64 %rd1, [p0];
cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r1, %tid.x;
and.b32 %r7, %r1, 1;
setp.eq.u32 %p1, %r7, 0;
shl.b32 %r2, %r1, 5;
mov.u32 %r3, store;
add.s32 %r4, %r3, %r2;
@%p1 bra done;
ld.shared.u32 %r5, [%r4];
done:
mul.wide.u32 %rd3, %r1, 128;
add.s64 %rd4, %rd2, %rd3;
st.global.u32 [%rd4], %r5;)");
}

HeatCounts totalOf(const timing::Machine& m, const timing::Trace& trace) {
  Heat heat(m);
  heat.take(trace);
  return heat.total();
}

}  // namespace

TEST_CASE("What all instructions issued, moved and waited for is together what the launch did") {
  const auto m = vectorAddMachine(20000, 256);
  const Run run = runAll(*m);
  const timing::Counters& c = run.state.counters;
  const HeatCounts t = totalOf(*m, run.trace);
  CHECK(t.ptxInstructions == c.ptxInstructions);
  CHECK(t.instructions == c.machineInstructions);
  CHECK(t.sectors == c.globalLoadSectors + c.globalStoreSectors);
  CHECK(t.requests == c.globalLoadRequests + c.globalStoreRequests);
  CHECK(t.idealSectors == t.sectors);   // neighbours read neighbours
  for (std::size_t i = 0; i < timing::stallCount; ++i) {
    INFO(timing::stallName(static_cast<Stall>(i)));
    CHECK(t.warpCycles[i] == c.stalledWarpCycles[i]);
  }
}

TEST_CASE("A run that is shown in parts ends in the same state and gives the same heat") {
  const auto m = vectorAddMachine(100000, 128);
  const Run whole = runAll(*m);
  timing::MachineState state = m->initialState();
  Heat heat(*m);
  int parts = 0;
  const timing::TraceTaker taker = [&](const timing::Trace& trace) { heat.take(trace), ++parts; };
  CHECK(m->runToEnd(state, taker, 0) == timing::Advance::Finished);
  CHECK(parts > 1);
  CHECK(state == whole.state);
  CHECK(heat.total() == totalOf(*m, whole.trace));
}

TEST_CASE("Conflicts and spread stores show at the lines that make them") {
  const auto m = machineOf(conflicts(), 1, 32, {bufferOf(2048), intOf(0)});
  const Run run = runAll(*m);
  Heat heat(*m);
  heat.take(run.trace);
  const profile::HeatReport r = profile::heatReport(heat, *m->launch().module, *m->launch().function);
  CHECK(r.lines.empty());   // PTX without a line table
  const auto lineWith = [&](const std::string& text) {
    std::string_view rest = m->launch().module->text;
    std::uint32_t line = 1;
    for (const std::size_t at = rest.find(text); const char ch : rest.substr(0, at)) line += ch == '\n' ? 1 : 0;
    for (const profile::HeatLine& l : r.ptxLines)
      if (l.line == line) return l;
    FAIL("no line with " << text);
    return profile::HeatLine{};
  };
  const HeatCounts load = lineWith("ld.shared").counts, store = lineWith("st.global").counts;
  CHECK(load.sharedRequests == 1);
  CHECK(load.sharedWavefronts == 8);      // 16 lanes, 64 bytes apart: two banks with eight words each
  CHECK(load.threadInstructions == 16);
  CHECK(store.sectors == 32);
  CHECK(store.idealSectors == 4);
  double share = 0;
  for (const profile::HeatLine& l : r.ptxLines) share += l.share;
  CHECK(share == Approx(1));

  const nlohmann::json json = toJson(r);
  CHECK(json["lines"].empty());
  std::uint64_t cycles = 0;
  for (const auto& line : json["ptx_lines"]) cycles += line["warp_cycles"].get<std::uint64_t>();
  CHECK(cycles == r.total.cycles());
  const std::string text = toText(r, [&](const std::string&, std::uint32_t line) { return "text of " + std::to_string(line); }, 3);
  CHECK(text.find("32/4") != std::string::npos);
  CHECK(text.find("text of " + std::to_string(lineWith("st.global").line)) != std::string::npos);
  CHECK(text.find("more lines in the JSON") != std::string::npos);
}

TEST_CASE("Lines of the source take in all of their instructions") {
  std::string ptx = vectorAdd();
  ptx.insert(ptx.find("ld.global.f32 %f1"), ".loc 1 7 3\n");
  ptx.insert(ptx.find("st.global.f32"), ".loc 1 9 3\n");
  ptx += ".file 1 \"add.cu\"\n";
  const auto m = machineOf(ptx, 4, 64, {bufferOf(256), bufferOf(256), bufferOf(256), intOf(256)});
  const Run run = runAll(*m);
  Heat heat(*m);
  heat.take(run.trace);
  const profile::HeatReport r = profile::heatReport(heat, *m->launch().module, *m->launch().function);
  REQUIRE(r.lines.size() == 2);
  CHECK(r.lines[0].file == "add.cu");
  CHECK(r.lines[0].line == 7);
  CHECK(r.lines[0].ptxLines.size() == 5);   // two loads, the sum, and the address of the store
  CHECK(r.lines[0].counts.requests == 16);
  CHECK(r.lines[1].counts.requests == 8);
}

TEST_CASE("A projected launch's heat is that of its part, scaled to the grid") {
  device::Profile p = testProfile();
  p.smCount = 16, p.l2Slices = 16, p.dramChannels = 16;
  const auto m = vectorAddMachine(1 << 18, 256, p);
  Heat heat(*m);
  timing::ProjectionLimits limits;
  limits.work = 20'000;
  const auto projection = timing::project(m, timing::estimateGrid(m->launch()), limits, [&](const timing::Trace& trace) { heat.take(trace); });
  REQUIRE(projection);
  REQUIRE(projection->factor > 2);
  heat.scale(projection->factor);
  const auto near = [](std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) == Approx(static_cast<double>(b)).epsilon(0.01); };
  CHECK(near(heat.total().instructions, projection->state.counters.machineInstructions));
  CHECK(near(heat.total().sectors, projection->state.counters.globalLoadSectors + projection->state.counters.globalStoreSectors));
}
