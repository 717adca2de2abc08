#include "support/machine_fixture.h"
#include "timing/projection.h"
#include "timing/sharing.h"

#include <set>

using namespace warpmill;
using namespace warpmill::testing;

namespace {

device::Profile sixteenSms() {
  device::Profile p = testProfile();
  p.smCount = 16;
  p.l2Bytes = 4 << 20;
  p.l2Slices = 16;
  p.dramChannels = 16;
  return p;
}

double away(double a, double b) { return std::abs(a - b) / b; }

// Each thread of block b goes round a loop b % 8 + 1 times.
std::string unevenLoop() {
  return kernel(R"(
mov.u32 %r1, %ctaid.x;
and.b32 %r2, %r1, 7;
mov.f32 %f1, 0f3F800000;
loop:
fma.rn.f32 %f1, %f1, %f1, %f1;
fma.rn.f32 %f1, %f1, %f1, %f1;
fma.rn.f32 %f1, %f1, %f1, %f1;
fma.rn.f32 %f1, %f1, %f1, %f1;
sub.s32 %r2, %r2, 1;
setp.ge.s32 %p1, %r2, 0;
@%p1 bra loop;
ld.param.u64 %rd1, [p0];
cvta.to.global.u64 %rd2, %rd1;
st.global.f32 [%rd2], %f1;)");
}

// Every block reads the whole of p0 and its own part of p1.
std::string readsTable() {
  return kernel(R"(
ld.param.u64 %rd1, [p0];
cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 16;
add.s64 %rd4, %rd2, %rd3;
mov.u32 %r2, 0;
mov.f32 %f1, 0f00000000;
loop:
ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%rd4];
add.f32 %f1, %f1, %f2;
add.s64 %rd4, %rd4, 2048;
add.s32 %r2, %r2, 1;
setp.lt.s32 %p1, %r2, 128;
@%p1 bra loop;
ld.param.u64 %rd5, [p1];
ld.param.u64 %rd7, [p2];
cvta.to.global.u64 %rd5, %rd5;
cvta.to.global.u64 %rd7, %rd7;
mov.u32 %r3, %ctaid.x;
mad.lo.s32 %r4, %r3, 128, %r1;
mul.wide.s32 %rd6, %r4, 4;
add.s64 %rd5, %rd5, %rd6;
add.s64 %rd7, %rd7, %rd6;
ld.global.f32 %f6, [%rd5];
add.f32 %f1, %f1, %f6;
st.global.f32 [%rd7], %f1;)", 3);
}

// Waits until the block before it has written.
std::string chain() {
  return kernel(R"(
ld.param.u64 %rd1, [p0];
cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r1, %ctaid.x;
setp.eq.s32 %p1, %r1, 0;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd4, %rd2, %rd3;
@%p1 bra go;
wait:
ld.volatile.global.u32 %r2, [%rd4+-4];
setp.eq.s32 %p2, %r2, 0;
@%p2 bra wait;
go:
mov.u32 %r3, 1;
st.volatile.global.u32 [%rd4], %r3;)");
}

struct Both {
  timing::MachineState whole;
  timing::Projection projected;
};

Both bothWays(const std::shared_ptr<const timing::Machine>& m, std::uint64_t instructions) {
  const timing::GridEstimate grid = timing::estimateGrid(m->launch());
  auto projected = timing::project(m, grid, {instructions});
  REQUIRE(projected);
  return {runAll(*m).state, std::move(*projected)};
}

}  // namespace

TEST_CASE("A sample of blocks has as many different ones as it says, all over the grid") {
  for (const std::uint64_t total : {1u, 7u, 100u, 4096u})
    for (const std::uint64_t chosen : {1u, 3u, 64u})
      for (const std::uint64_t run : {1u, 4u}) {
        if (chosen > total) continue;
        const timing::BlockSample sample(total, chosen, run);
        std::set<std::uint64_t> seen;
        for (std::uint64_t i = 0; i < sample.count(); ++i) seen.insert(sample.at(i));
        REQUIRE(seen.size() == chosen);
        REQUIRE(*seen.rbegin() < total);
        if (chosen == 64 && total == 4096) {
          REQUIRE(*seen.begin() < total / 8);
          REQUIRE(*seen.rbegin() > total / 8 * 7);
        }
      }
}

TEST_CASE("The projected time of a streaming launch is near that of all blocks, and what equal blocks count is exact") {
  const auto m = vectorAddMachine(1u << 18, 128, sixteenSms());
  const Both b = bothWays(m, 40'000);
  REQUIRE(b.projected.simulatedSms < 16);
  REQUIRE(b.projected.simulatedBlocks < m->blockCount() / 2);
  REQUIRE(away(static_cast<double>(b.projected.state.endCycle), static_cast<double>(b.whole.endCycle)) < 0.06);
  const timing::Counters &got = b.projected.state.counters, &want = b.whole.counters;
  REQUIRE(got.machineInstructions == want.machineInstructions);
  REQUIRE(got.globalLoadSectors == want.globalLoadSectors);
  REQUIRE(got.globalStoreSectors == want.globalStoreSectors);
  REQUIRE(away(static_cast<double>(got.dramReadBytes), static_cast<double>(want.dramReadBytes)) < 0.02);
  std::uint64_t resident = 0, projectedResident = 0;
  for (const auto& sm : b.whole.sms) resident += sm.residentWarpCycles;
  for (const auto& sm : b.projected.state.sms) projectedResident += sm.residentWarpCycles;
  REQUIRE(away(static_cast<double>(projectedResident), static_cast<double>(resident)) < 0.1);
}

TEST_CASE("Blocks of uneven length are sampled fairly, and the error bar grows with their spread") {
  const auto m = machineOf(unevenLoop(), 2048, 128, {bufferOf(64), intOf(0)}, sixteenSms());
  const Both b = bothWays(m, 100'000);
  REQUIRE(b.projected.simulatedBlocks < m->blockCount() / 2);
  REQUIRE(away(static_cast<double>(b.projected.state.endCycle), static_cast<double>(b.whole.endCycle)) < 0.1);
  REQUIRE(away(static_cast<double>(b.projected.state.counters.ptxInstructions), static_cast<double>(b.whole.counters.ptxInstructions)) < 0.1);
  const auto even = vectorAddMachine(1u << 18, 128, sixteenSms());
  const auto evenProjection = timing::project(even, timing::estimateGrid(even->launch()), {100'000});
  REQUIRE(evenProjection);
  REQUIRE(b.projected.errorPct > evenProjection->errorPct);
}

TEST_CASE("Data that all blocks read is fetched from DRAM once, also when few of the SMs are simulated") {
  const std::uint32_t blocks = 2048, table = 1u << 16;
  const auto m = machineOf(readsTable(), blocks, 128, {bufferOf(table, launch::Init::Kind::Random, 1), bufferOf(blocks * 128, launch::Init::Kind::Random, 2), bufferOf(blocks * 128), intOf(0)}, sixteenSms());
  const timing::Sharing sharing = timing::lookAtSharing(m->launch(), 64, 8);
  REQUIRE(sharing.buffers.size() == 2);
  REQUIRE(sharing.buffers[0].ofGrid == Approx(4.0 * table));
  REQUIRE(sharing.buffers[0].perBlock == Approx(4.0 * table));
  REQUIRE(sharing.buffers[1].ofGrid == Approx(4.0 * 128 * blocks));
  REQUIRE(sharing.atomicSectors == 0);
  const Both b = bothWays(m, 1'500'000);
  REQUIRE(b.projected.simulatedSms < 8);
  REQUIRE(away(static_cast<double>(b.projected.state.counters.dramReadBytes), static_cast<double>(b.whole.counters.dramReadBytes)) < 0.1);
  REQUIRE(away(static_cast<double>(b.projected.state.endCycle), static_cast<double>(b.whole.endCycle)) < 0.1);
}

TEST_CASE("What blocks far apart read again counts anew for each: by then it may be gone from L2") {
  // Blocks 2,048 apart read the same.
  const std::string body = "ld.param.u64 %rd1, [p0];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %ctaid.x;\nand.b32 %r1, %r1, 2047;\nmov.u32 %r2, %tid.x;\n"
                           "mad.lo.s32 %r3, %r1, 128, %r2;\nmul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd4, %rd2, %rd3;\nld.global.f32 %f1, [%rd4];\nst.global.f32 [%rd4], %f1;\n";
  const auto m = machineOf(kernel(body), 65536, 128, {bufferOf(2048 * 128), intOf(0)}, sixteenSms());
  const timing::Sharing sharing = timing::lookAtSharing(m->launch(), 64, 8);
  REQUIRE(sharing.buffers.size() == 1);
  REQUIRE(sharing.buffers[0].ofGrid > 8.0 * 4 * 2048 * 128);
}

TEST_CASE("Requests and sectors of a projection are those of the whole grid, also where blocks differ") {
  device::Profile p = sixteenSms();
  for (const std::uint32_t n : {40'000u, 65'536u - 77u}) {  // a tail; and a grid whose last blocks have nothing to do
    const auto machine = machineOf(vectorAdd(), 512, 128, {bufferOf(n), bufferOf(n), bufferOf(n), intOf(n)}, p);
    timing::ProjectionLimits limits;
    limits.work = 20'000;
    const auto projected = timing::project(machine, timing::estimateGrid(machine->launch()), limits);
    REQUIRE(projected.has_value());
    REQUIRE(projected->simulatedBlocks < 256);
    timing::MachineState all = machine->initialState();
    machine->runToEnd(all, nullptr);
    REQUIRE(projected->state.counters.globalLoadSectors == all.counters.globalLoadSectors);
    REQUIRE(projected->state.counters.globalStoreSectors == all.counters.globalStoreSectors);
    REQUIRE(projected->state.counters.globalLoadRequests == all.counters.globalLoadRequests);
  }
}

TEST_CASE("What blocks far apart read at random is found in L2 as often as if all SMs were simulated") {
  // Each thread reads a word of p0 at a hashed place, twice as much as fits into L2, many times over.
  const std::string gathers = kernel(R"(
ld.param.u64 %rd1, [p0];
ld.param.u64 %rd2, [p1];
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
mad.lo.s32 %r3, %r1, 128, %r2;
mul.lo.s32 %r4, %r3, -2048144789;
shr.u32 %r5, %r4, 13;
xor.b32 %r4, %r4, %r5;
mul.lo.s32 %r4, %r4, -1028477387;
shr.u32 %r4, %r4, 14;
mul.wide.u32 %rd3, %r4, 4;
add.s64 %rd4, %rd1, %rd3;
ld.global.f32 %f1, [%rd4];
mul.wide.u32 %rd5, %r3, 4;
add.s64 %rd6, %rd2, %rd5;
st.global.f32 [%rd6], %f1;)", 2);
  device::Profile p = sixteenSms();
  p.l2Bytes = 512 << 10;
  const auto machine = machineOf(gathers, 1024, 128, {bufferOf(1 << 18), bufferOf(1 << 17), intOf(0)}, p);
  timing::ProjectionLimits limits;
  limits.work = 30'000;
  const auto projected = timing::project(machine, timing::estimateGrid(machine->launch()), limits);
  REQUIRE(projected.has_value());
  REQUIRE(projected->simulatedSms < 8);
  timing::MachineState all = machine->initialState();
  machine->runToEnd(all, nullptr);
  REQUIRE(away(static_cast<double>(projected->state.counters.dramReadBytes), static_cast<double>(all.counters.dramReadBytes)) < 0.1);
}

TEST_CASE("Atomics on one place take their turns in a projection as they do on the whole device") {
  const std::string body = "ld.param.u64 %rd1, [p0];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, 1;\nred.global.add.u32 [%rd2], %r1;\n";
  const auto m = machineOf(kernel(body), 4096, 128, {bufferOf(64), intOf(0)}, sixteenSms());
  REQUIRE(timing::lookAtSharing(m->launch(), 64, 8).atomicSectors == Approx(1));
  const Both b = bothWays(m, 30'000);
  REQUIRE(b.projected.simulatedSms < 8);
  REQUIRE(away(static_cast<double>(b.projected.state.endCycle), static_cast<double>(b.whole.endCycle)) < 0.1);
}

TEST_CASE("A launch whose blocks wait for one another is not taken apart") {
  const auto m = machineOf(chain(), 64, 32, {bufferOf(64), intOf(0)}, sixteenSms());
  const timing::GridEstimate grid = timing::estimateGrid(m->launch());
  REQUIRE_FALSE(grid.alone);
  REQUIRE_FALSE(timing::project(m, grid, {100}));
}

TEST_CASE("A block longer than the limit is cut, and the rest of its time is projected") {
  std::string body = "mov.u32 %r2, 4000;\nmov.f32 %f1, 0f3F800000;\nloop:\n";
  for (int i = 0; i < 8; ++i) body += "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  body += "sub.s32 %r2, %r2, 1;\nsetp.ge.s32 %p1, %r2, 0;\n@%p1 bra loop;\nld.param.u64 %rd1, [p0];\ncvta.to.global.u64 %rd2, %rd1;\nst.global.f32 [%rd2], %f1;";
  const auto m = machineOf(kernel(body), 1, 64, {bufferOf(64), intOf(0)}, sixteenSms());
  const Both b = bothWays(m, 20'000);
  REQUIRE(b.projected.simulatedBlocks == 0);
  REQUIRE(away(static_cast<double>(b.projected.state.endCycle), static_cast<double>(b.whole.endCycle)) < 0.05);
  REQUIRE(away(static_cast<double>(b.projected.state.counters.machineInstructions), static_cast<double>(b.whole.counters.machineInstructions)) < 0.01);
}

TEST_CASE("The fewer SMs stand for all of them, the wider is the error bar, and it holds") {
  const auto m = vectorAddMachine(262144, 128, sixteenSms());
  const timing::GridEstimate grid = timing::estimateGrid(m->launch());
  const timing::MachineState whole = runAll(*m).state;
  double before = 0;
  for (const std::uint64_t part : {2u, 4u, 16u}) {
    timing::ProjectionLimits limits;
    limits.work = static_cast<std::uint64_t>(grid.work()) / part;
    const auto p = timing::project(m, grid, limits);
    REQUIRE(p);
    INFO("a share of 1/" << part << ", " << p->simulatedSms << " SMs");
    CHECK(p->errorPct > before + 2);
    CHECK(100 * away(static_cast<double>(p->state.endCycle), static_cast<double>(whole.endCycle)) < p->errorPct);
    before = p->errorPct;
  }
}
