#include "support/machine_fixture.h"

#include "timing/banks.h"

using namespace warpmill;
using namespace warpmill::testing;

namespace {

// One warp loads x[lane * stride + offset]; `again` loads it a second time after the first is back.
std::string strided(int stride, int offset, bool again = false, const char* op = "ld.global.f32") {
  std::string body = "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmul.lo.s32 %r2, %r1, " + std::to_string(stride) + ";\nmul.wide.s32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\n" +
                     op + " %f1, [%rd3+" + std::to_string(offset * 4) + "];\nadd.f32 %f2, %f1, %f1;\n";
  if (again) body += "bar.warp.sync 0xffffffff;\n" + std::string(op) + " %f3, [%rd3+" + std::to_string(offset * 4) + "];\nadd.f32 %f4, %f3, %f2;\n";
  return kernel(body);
}

Run loadWith(int stride, int offset, bool again = false) {
  return runAll(*machineOf(strided(stride, offset, again), 1, 32, {bufferOf(8192), intOf(0)}));
}

std::string sharedStride(int stride) {
  return kernel("mov.u32 %r1, %tid.x;\nmul.lo.s32 %r2, %r1, " + std::to_string(stride * 4) +
                ";\nmov.u32 %r3, store;\nadd.s32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;\nld.shared.f32 %f1, [%r4];\nadd.f32 %f2, %f1, %f1;\n", 0);
}

}  // namespace

TEST_CASE("Neighbouring lanes fill four sectors; a stride fetches more and uses less of each") {
  const auto sectors = [](int stride, int offset) { return loadWith(stride, offset).state.counters.globalLoadSectors; };
  REQUIRE(sectors(1, 0) == 4);
  REQUIRE(sectors(2, 0) == 8);
  REQUIRE(sectors(4, 0) == 16);
  REQUIRE(sectors(8, 0) == 32);
  REQUIRE(sectors(32, 0) == 32);
  REQUIRE(sectors(1, 1) == 5);   // misaligned by one element
  REQUIRE(sectors(0, 3) == 1);   // all lanes want one word
}

TEST_CASE("A request records how many bytes of each pallet are wanted") {
  const Run r = loadWith(2, 0);
  REQUIRE(r.trace.requests.size() == 1);
  const timing::Request& q = r.trace.requests[0];
  REQUIRE(q.sectorCount == 8);
  REQUIRE(q.usedBytes == 128);
  for (std::uint32_t s = 0; s < 8; ++s) REQUIRE(__builtin_popcount(r.trace.sectors[q.firstSector + s].usedBytes) == 16);
}

TEST_CASE("A lone load comes back after the latencies of the profile, and its user issues then and not before") {
  const device::Profile p = testProfile();
  const Run r = loadWith(1, 0);
  const timing::Request& q = r.trace.requests[0];
  REQUIRE(q.level == timing::Level::Dram);
  const double unloaded = p.l2Latency + p.dramExtra, queues = 4 * 32 / p.smReadBytesPerCycle + 4 * 32 / (p.dramBytesPerSecond * 1000 / p.clockMHz / p.dramChannels * p.dramReadEfficiency);
  REQUIRE(static_cast<double>(q.done - q.issued) >= unloaded);
  REQUIRE(static_cast<double>(q.done - q.issued) <= unloaded + p.l2FarExtra + queues + 16);
  const auto user = std::find_if(r.trace.issues.begin(), r.trace.issues.end(), [&](const timing::IssueEvent& e) { return e.at.cycle >= q.issued && e.pc == q.pc + 1; });
  REQUIRE(user->at.cycle == q.done);
}

TEST_CASE("The second load of a line hits L1 and takes its latency") {
  const device::Profile p = testProfile();
  const Run r = loadWith(1, 0, true);
  REQUIRE(r.trace.requests.size() == 2);
  REQUIRE(r.trace.requests[1].level == timing::Level::L1);
  REQUIRE(r.state.counters.globalLoadHits == 4);
  const auto took = static_cast<double>(r.trace.requests[1].done - r.trace.requests[1].issued);
  REQUIRE(took >= p.l1Latency);
  REQUIRE(took <= p.l1Latency + 8);
}

TEST_CASE("A load goes ahead of the use of an earlier one, but not across a barrier nor past a store it may meet") {
  const auto secondWaits = [](const std::string& between) {
    const Run r = runAll(*machineOf(kernel("ld.param.u64 %rd1, [p0];\nld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\n" + between +
                                           "ld.global.f32 %f3, [%rd1+4096];\nadd.f32 %f4, %f3, %f2;\nst.global.f32 [%rd1+8192], %f4;\n"),
                                    1, 32, {bufferOf(8192), intOf(0)}));
    const timing::Request &first = r.trace.requests.front(), *second = &first;
    for (const timing::Request& q : r.trace.requests)
      if (q.pc > second->pc && !q.isStore) second = &q;
    REQUIRE(second != &first);
    return second->issued >= first.done;
  };
  REQUIRE(!secondWaits(""));
  REQUIRE(secondWaits("bar.sync 0;\n"));
  REQUIRE(secondWaits("mov.u64 %rd2, %rd1;\nst.global.f32 [%rd2+12288], %f2;\n"));
  REQUIRE(secondWaits("st.global.f32 [%rd1+4096], %f2;\n"));
  REQUIRE(!secondWaits("st.global.f32 [%rd1+12288], %f2;\n"));  // elsewhere from the same base
  REQUIRE(!secondWaits("st.shared.f32 [store], %f2;\n"));
}

TEST_CASE("Stations of a request are passed in order") {
  const Run r = runAll(*vectorAddMachine(2048, 256));
  for (const timing::Request& q : r.trace.requests) {
    REQUIRE(q.issued <= q.atL1);
    REQUIRE(q.atL1 <= q.atL2);
    REQUIRE(q.atL2 <= q.atDram);
    REQUIRE(q.atDram <= q.leftDram);
    REQUIRE(q.leftDram <= q.done);
  }
}

TEST_CASE("Vector addition reads eight bytes an element from DRAM") {
  const Run r = runAll(*vectorAddMachine(4096, 256));
  REQUIRE(r.state.counters.dramReadBytes == 4096 * 8);
  REQUIRE(r.state.counters.globalLoadSectors == 4096 * 8 / 32);
  REQUIRE(r.state.counters.globalStoreSectors == 4096 * 4 / 32);
}

TEST_CASE("DRAM is read in pairs of sectors: a stride of 64 bytes fetches twice what it uses of each pair") {
  const Run r = loadWith(16, 0);
  REQUIRE(r.state.counters.globalLoadSectors == 32);
  REQUIRE(r.state.counters.dramReadBytes == 32 * 64);
}

TEST_CASE("Lanes that want different words of one bank are served one after another") {
  const auto wavefronts = [](int stride) {
    const Run r = runAll(*machineOf(sharedStride(stride), 1, 32, {intOf(0)}));
    REQUIRE(r.state.counters.sharedLoadConflicts == r.state.counters.sharedLoadWavefronts - 1);
    return r.state.counters.sharedLoadWavefronts;
  };
  REQUIRE(wavefronts(1) == 1);
  REQUIRE(wavefronts(2) == 2);
  REQUIRE(wavefronts(4) == 4);
  REQUIRE(wavefronts(32) == 32);
  REQUIRE(wavefronts(33) == 1);
  REQUIRE(wavefronts(0) == 1);  // one word for all: a broadcast
}

TEST_CASE("A bank conflict delays the answer by a cycle for each pass more") {
  // The store before the load meets the same conflict, and the load waits behind it.
  device::Profile p = testProfile();
  p.instructionMissLatency = 0;  // the two follow one another at once
  const auto took = [&p](int stride) {
    const Run r = runAll(*machineOf(sharedStride(stride), 1, 32, {intOf(0)}, p));
    return r.trace.requests[1].done - r.trace.requests[1].issued;
  };
  REQUIRE(took(8) == took(1) + 2 * 7);
  REQUIRE(took(33) == took(1));
}

TEST_CASE("Loads that hit L1 meet the banks of the array and of the tags") {
  const auto held = [](int stride) {
    const Run r = loadWith(stride, 0, true);
    return r.trace.requests[1].done - r.trace.requests[1].issued;
  };
  REQUIRE(held(2) == held(1) + 1);    // two words of a bank
  REQUIRE(held(33) == held(1) + 7);   // 32 lines in four banks of tags
  REQUIRE(held(32) == held(1) + 31);  // all in one bank
}

TEST_CASE("Wide accesses go in parts where lanes meet in a bank") {
  const auto passes = [](std::uint32_t bytes, std::uint64_t stride, exec::MemoryAccess::Kind kind) {
    exec::MemoryAccess a;
    a.kind = kind;
    a.lanes = ~0u;
    a.bytesPerLane = bytes;
    for (std::uint64_t lane = 0; lane < 32; ++lane) a.address[lane] = lane * stride;
    return timing::wavefrontsOf(a, false).passes;
  };
  using Kind = exec::MemoryAccess::Kind;
  REQUIRE(passes(8, 8, Kind::Load) == 2);
  REQUIRE(passes(8, 0, Kind::Load) == 1);
  REQUIRE(passes(8, 0, Kind::Store) == 2);
  REQUIRE(passes(16, 16, Kind::Load) == 4);
  REQUIRE(passes(16, 0, Kind::Load) == 2);
  REQUIRE(passes(16, 128, Kind::Load) == 32);
  REQUIRE(passes(16, 0, Kind::Store) == 4);
}

namespace {

// One warp, `op` on x[lane * stride], `times` times.
Run accesses(const std::string& op, int stride, int times = 1, const device::Profile& p = testProfile()) {
  std::string body = "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmul.lo.s32 %r2, %r1, " + std::to_string(stride) + ";\nmul.wide.s32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nmov.f32 %f1, 0f3F800000;\n";
  for (int k = 0; k < times; ++k) body += op + "\n";
  return runAll(*machineOf(kernel(body), 1, 32, {bufferOf(8192), intOf(0)}, p));
}

}  // namespace

TEST_CASE("Lanes that add floats to one word take turns in L2; integers are added up in the warp first") {
  const auto end = [](const char* op, int stride) { return accesses(op, stride).state.endCycle; };
  const char *floats = "red.global.add.f32 [%rd3], %f1;", *integers = "red.global.add.u32 [%rd3], %r1;";
  REQUIRE(end(floats, 0) >= end(floats, 1) + 27);  // 32 turns against 4
  REQUIRE(end(integers, 0) <= end(integers, 1));
  REQUIRE(end(integers, 8) > end(integers, 1));    // 32 sectors against 4
}

TEST_CASE("Stores to a line that has not left yet go along with the one before") {
  const auto sectors = [](int times) { return accesses("st.global.u32 [%rd3], %r1;", 8, times).state.counters.l2WriteSectors; };
  REQUIRE(sectors(1) >= 32);  // those of the far half count twice
  REQUIRE(sectors(3) < 2 * sectors(1));
}

// Each thread of a block writes four words side by side, one by one.
std::string fourStores() {
  std::string body = "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 16;\nadd.s64 %rd3, %rd1, %rd2;\n";
  for (int k = 0; k < 4; ++k) body += "st.global.u32 [%rd3+" + std::to_string(4 * k) + "], %r1;\n";
  return kernel(body);
}

TEST_CASE("A warp's stores stay together in a full queue, so that those to one sector go along with each other") {
  const timing::Counters k = runAll(*machineOf(fourStores(), 1, 1024, {bufferOf(4096), intOf(0)})).state.counters;
  REQUIRE(k.globalStoreSectors == 4 * 4096 / 8);
  REQUIRE(4 * k.l2WriteSectors < 3 * k.globalStoreSectors);
}

TEST_CASE("Stores wait where DRAM cannot take as much as they throw out of L2") {
  const auto end = [](double rowCycleNs) {
    device::Profile p = testProfile();
    p.l2Bytes = 16 * 128;  // one set
    p.dramRowCycleNs = rowCycleNs;
    // 2048 threads write a word each, in rows of DRAM of their own.
    return runAll(*machineOf(kernel("ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.s32 %r3, %r2, 256, %r1;\nmul.wide.u32 %rd2, %r3, 1024;\n"
                                    "add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\n"),
                             8, 256, {bufferOf(2048 * 256), intOf(0)}, p))
        .state.endCycle;
  };
  REQUIRE(end(1000) > 5 * end(0));
}

TEST_CASE("Sectors that are written in part are filled when they leave L2") {
  device::Profile p = testProfile();
  p.l2Bytes = 16 * 128;  // one set
  const auto run = [&](int stride) { return accesses("st.global.u32 [%rd3], %r1;", stride, 1, p); };
  REQUIRE(run(8).state.counters.dramReadBytes == 0);           // eight lines stay
  const timing::Counters k = run(32).state.counters;           // 32 lines, 16 of which leave
  REQUIRE(k.dramWriteBytes == 16 * 32);
  REQUIRE(k.dramReadBytes == 16 * 32);
}

TEST_CASE("Twice the DRAM bandwidth makes a large vector addition faster, twice the FP32 rate does not") {
  device::Profile base = testProfile();
  base.smCount = 2;  // as the profile says: two SMs share the bandwidth
  device::Profile fast = base, math = base;
  fast.dramBytesPerSecond *= 2;
  math.fp32Interval /= 2;
  const auto end = [](const device::Profile& p) { return runAll(*vectorAddMachine(65536, 256, p)).state.endCycle; };
  const auto slow = end(base);
  REQUIRE(end(fast) * 10 < slow * 9);
  REQUIRE(end(math) * 100 >= slow * 99);
}

TEST_CASE("An asynchronous copy takes as long as the banks of shared memory that it writes need") {
  const auto busy = [](int stride) {
    const auto m = machineOf(kernel("ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nmov.u32 %r2, store;\nmad.lo.s32 %r3, %r1, " +
                                    std::to_string(stride) + ", %r2;\ncp.async.ca.shared.global [%r3], [%rd3], 4;\ncp.async.wait_all;\n"),
                             1, 32, {bufferOf(32), intOf(0)});
    return runAll(*m).state.counters.lsuBusy;
  };
  REQUIRE(busy(128) - busy(4) == 31 * timing::ticksPerCycle);   // all lanes in one bank, each in its own
}

TEST_CASE("A load under the guard of its only user makes no wavefront in warps where nobody needs it") {
  const auto m = machineOf(kernel("ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\nld.shared.f32 %f1, [store];\n@%p1 st.global.f32 [%rd1], %f1;\n"), 1, 128,
                           {bufferOf(32), intOf(0)});
  REQUIRE(runAll(*m).state.counters.sharedLoadWavefronts == 1);
}
