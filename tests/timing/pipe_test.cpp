#include "support/machine_fixture.h"

using namespace warpmill;
using namespace warpmill::testing;

namespace {

// Issue cycles of the instructions with this opcode, in order, of block 0 warp 0.
std::vector<std::uint64_t> cyclesOf(const timing::Machine& m, const timing::Trace& t, ptx::Opcode opcode, std::uint32_t warp = 0) {
  std::vector<std::uint64_t> out;
  for (const timing::IssueEvent& e : t.issues)
    if (m.launch().function->instructions[e.pc].opcode == opcode && e.warp == timing::WarpId{0, warp}) out.push_back(e.at.cycle);
  return out;
}

std::string manyAdds(int n, bool dependent) {
  std::string body = "mov.u32 %r1, %tid.x;\ncvt.rn.f32.u32 %f1, %r1;\n";
  for (int i = 0; i < n; ++i) body += dependent ? "add.f32 %f1, %f1, %f1;\n" : "add.f32 %f" + std::to_string(2 + i) + ", %f1, %f1;\n";
  return kernel(body, 0);
}

}  // namespace

TEST_CASE("A dependent add issues when the one before is done and not a cycle earlier") {
  const device::Profile p = testProfile();
  const auto m = machineOf(manyAdds(6, true), 1, 32, {intOf(0)});
  const Run r = runAll(*m);
  const auto at = cyclesOf(*m, r.trace, ptx::Opcode::Add);
  REQUIRE(at.size() == 6);
  for (std::size_t i = 1; i + 1 < at.size(); ++i) REQUIRE(at[i] - at[i - 1] == static_cast<std::uint64_t>(p.aluLatency));
}

TEST_CASE("Independent adds of one warp issue in every cycle that the pipe is free") {
  device::Profile p = testProfile();
  p.instructionMissLatency = 0;
  const auto m = machineOf(manyAdds(6, false), 1, 32, {intOf(0)}, p);
  const auto at = cyclesOf(*m, runAll(*m).trace, ptx::Opcode::Add);
  for (std::size_t i = 1; i < at.size(); ++i) REQUIRE(at[i] - at[i - 1] == static_cast<std::uint64_t>(p.fp32Interval));
}

TEST_CASE("Four warps of a block sit on four sub-partitions and issue in the same cycle") {
  device::Profile p = testProfile();
  p.warpLaunchInterval = 0;
  p.mioInterval = 0;  // else they read their special registers one after another
  const auto m = machineOf(manyAdds(4, true), 1, 128, {intOf(0)}, p);
  const Run r = runAll(*m);
  const auto first = cyclesOf(*m, r.trace, ptx::Opcode::Add, 0);
  for (std::uint32_t w = 1; w < 4; ++w) REQUIRE(cyclesOf(*m, r.trace, ptx::Opcode::Add, w) == first);
}

TEST_CASE("Warps that start together get their special registers one after another") {
  device::Profile p = testProfile();
  p.warpLaunchInterval = 0;
  p.mioInterval = 5;
  const auto m = machineOf(manyAdds(4, true), 1, 128, {intOf(0)}, p);
  const Run r = runAll(*m);
  std::vector<std::uint64_t> first;
  for (std::uint32_t w = 0; w < 4; ++w) first.push_back(cyclesOf(*m, r.trace, ptx::Opcode::Add, w).front());
  std::sort(first.begin(), first.end());
  REQUIRE(first.back() - first.front() == 3 * 5);
}

TEST_CASE("Arrivals at a barrier are counted one after another") {
  const auto end = [](double interval) {
    device::Profile p = testProfile();
    p.barrierInterval = interval;
    return runAll(*machineOf(kernel("bar.sync 0;\n", 0), 1, 256, {intOf(0)}, p)).state.endCycle;
  };
  REQUIRE(end(12) >= end(2) + 7 * 9);
}

TEST_CASE("A warp's cycles are all accounted for: selected, or waiting for a named reason") {
  const auto m = vectorAddMachine(1024, 128);
  const Run r = runAll(*m);
  // For each warp the stall intervals and its issues cover the time from its first wait to its last issue without gap or overlap.
  for (std::uint64_t block = 0; block < 8; ++block)
    for (std::uint32_t w = 0; w < 4; ++w) {
      std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
      for (const auto& s : r.trace.stalls)
        if (s.warp == timing::WarpId{block, w}) spans.emplace_back(s.begin, s.end);
      for (const auto& e : r.trace.issues)
        if (e.warp == timing::WarpId{block, w} && m->lowered().ops[e.pc].issues != 0) spans.emplace_back(e.at.cycle, e.at.cycle + m->lowered().ops[e.pc].issues);
      std::sort(spans.begin(), spans.end());
      REQUIRE(spans.size() > 10);
      for (std::size_t i = 1; i < spans.size(); ++i) {
        INFO("block " << block << " warp " << w << " span " << i << ": " << spans[i - 1].second << " then " << spans[i].first);
        REQUIRE(spans[i].first == spans[i - 1].second);
      }
    }
}

TEST_CASE("Waiting for a load from DRAM is called long_scoreboard and is most of a vector addition") {
  const auto m = vectorAddMachine(1024, 128);
  const Run r = runAll(*m);
  const auto& stalls = r.state.counters.stalledWarpCycles;
  const auto longest = std::max_element(stalls.begin(), stalls.end()) - stalls.begin();
  REQUIRE(static_cast<timing::Stall>(longest) == timing::Stall::LongScoreboard);
}

TEST_CASE("While a pipe takes an instruction in every cycle, those that wait for it are not selected; while it is busy longer, they are throttled") {
  const auto share = [](double interval) {
    device::Profile p = testProfile();
    p.fp32Interval = interval;
    p.instructionMissLatency = 0;
    std::string adds;
    for (int i = 0; i < 240; ++i) adds += "add.f32 %f" + std::to_string(2 + i % 24) + ", %f1, %f1;\n";
    const auto stalls = runAll(*machineOf(kernel(adds, 0), 1, 1024, {intOf(0)}, p)).state.counters.stalledWarpCycles;
    const auto of = [&](timing::Stall s) { return static_cast<double>(stalls[static_cast<std::size_t>(s)]); };
    REQUIRE(of(timing::Stall::NotSelected) > 0);
    return of(timing::Stall::MathPipeThrottle) / of(timing::Stall::NotSelected);
  };
  REQUIRE(share(1) < 0.2);
  REQUIRE(share(2) > 0.7);
  REQUIRE(share(4) > 2 * share(2));
}

TEST_CASE("Who uses what was made of a load waits for the load, also where loads went past the making") {
  const auto stalls = runAll(*machineOf(kernel("ld.param.u64 %rd1, [p0];\nld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\nld.global.f32 %f3, [%rd1+4];\n"
                                               "add.f32 %f4, %f2, %f2;\nst.global.f32 [%rd1+8], %f4;\n"),
                                        1, 32, {bufferOf(64), intOf(0)}))
                          .state.counters.stalledWarpCycles;
  REQUIRE(stalls[static_cast<std::size_t>(timing::Stall::LongScoreboard)] > 2 * stalls[static_cast<std::size_t>(timing::Stall::Wait)]);
}

TEST_CASE("Two runs of one launch give the same state and the same trace") {
  const auto m = vectorAddMachine(4096, 256);
  const Run a = runAll(*m), b = runAll(*m);
  REQUIRE(a.state == b.state);
  REQUIRE(a.trace.issues.size() == b.trace.issues.size());
  for (std::size_t i = 0; i < a.trace.issues.size(); ++i) {
    REQUIRE(a.trace.issues[i].at == b.trace.issues[i].at);
    REQUIRE(a.trace.issues[i].pc == b.trace.issues[i].pc);
    REQUIRE(a.trace.issues[i].warp == b.trace.issues[i].warp);
  }
}

TEST_CASE("A run without a trace ends in the same state as one with it") {
  const auto m = vectorAddMachine(4096, 256);
  timing::MachineState quiet = m->initialState();
  REQUIRE(m->runToEnd(quiet, nullptr) == timing::Advance::Finished);
  REQUIRE(quiet == runAll(*m).state);
}

TEST_CASE("Taking a snapshot in the middle and running on from it ends in the same state") {
  const auto m = vectorAddMachine(4096, 256);
  timing::MachineState s = m->initialState();
  for (int i = 0; i < 500; ++i) REQUIRE(m->step(s, {}, nullptr) == timing::Advance::Issued);
  timing::MachineState copy = s;
  m->runToEnd(s, nullptr);
  REQUIRE_FALSE(copy == s);
  m->runToEnd(copy, nullptr);
  REQUIRE(copy == s);
}

TEST_CASE("The sums are right") {
  const std::uint32_t n = 1000;  // not a multiple of the block: the last one masks
  const auto m = vectorAddMachine(n, 128);
  const Run r = runAll(*m);
  REQUIRE(r.state.faults.empty());
  const auto& index = m->launch().argumentAllocation;
  std::vector<float> x(n), y(n), z(n);
  const auto bytes = [](std::vector<float>& v) { return std::span<std::uint8_t>(reinterpret_cast<std::uint8_t*>(v.data()), v.size() * 4); };
  r.state.memory.copyOut(index[0], 0, bytes(x));
  r.state.memory.copyOut(index[1], 0, bytes(y));
  r.state.memory.copyOut(index[2], 0, bytes(z));
  for (std::uint32_t i = 0; i < n; ++i) REQUIRE(z[i] == x[i] + y[i]);
  REQUIRE(z[1] != 0.0f);
}

TEST_CASE("Warps that take turns with products of three registers need two cycles for each, one that goes on with reused operands one") {
  device::Profile p = testProfile();
  p.instructionMissLatency = 0, p.warpLaunchInterval = 0, p.mioInterval = 0;
  const auto products = [&](int chains, std::uint32_t block) {
    std::string body = "mov.u32 %r1, %tid.x;\ncvt.rn.f32.u32 %f1, %r1;\nadd.f32 %f2, %f1, %f1;\nadd.f32 %f3, %f2, %f1;\n";
    for (int i = 0; i < 64; ++i) {
      const std::string x = "%f" + std::to_string(10 + i % chains);
      body += "fma.rn.f32 " + x + ", " + x + ", %f2, %f3;\n";
    }
    return machineOf(kernel(body, 0), 1, block, {intOf(0)}, p);
  };
  const auto span = [&](int chains, std::uint32_t block) {
    const auto m = products(chains, block);
    const auto trace = runAll(*m).trace;
    std::uint64_t first = ~0ull, last = 0;
    for (std::uint32_t w = 0; w < block / 32; w += 4)
      for (std::uint64_t at : cyclesOf(*m, trace, ptx::Opcode::Fma, w)) first = std::min(first, at), last = std::max(last, at);
    return last - first;
  };
  // Eight warps of one sub-partition, 512 products.
  REQUIRE(span(1, 1024) >= 2 * 511);
  REQUIRE(span(4, 1024) < 512 + 8 * 8);
  // They wait for dispatch, and the pipe counts as taken meanwhile.
  const auto counters = [&](int chains) { return runAll(*products(chains, 1024)).state.counters; };
  const auto busy = [&](int chains) { return counters(chains).pipeBusy[static_cast<std::size_t>(lowering::Pipe::Fma)]; };
  REQUIRE(busy(1) > busy(4) + 32 * 50);
  REQUIRE(counters(1).stalledWarpCycles[static_cast<std::size_t>(timing::Stall::DispatchStall)] > 32 * 16);
}

TEST_CASE("A kernel with matrix instructions runs at the clock that they allow") {
  device::Profile p = testProfile();
  p.tensorClockMHz = p.clockMHz / 2;
  const auto clock = [&](const std::string& body) { return machineOf(kernel(body, 0), 1, 32, {intOf(0)}, p)->profile().clockMHz; };
  REQUIRE(clock("add.f32 %f1, %f2, %f3;") == p.clockMHz);
  REQUIRE(clock("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4};") == p.tensorClockMHz);
}
