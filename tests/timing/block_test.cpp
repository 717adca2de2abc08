#include "support/machine_fixture.h"

#include <map>

using namespace warpmill;
using namespace warpmill::testing;

namespace {

std::string withBarrier() {
  return kernel("mov.u32 %r1, %tid.x;\nmov.u32 %r3, store;\nshl.b32 %r4, %r1, 2;\nadd.s32 %r5, %r3, %r4;\nst.shared.u32 [%r5], %r1;\nbar.sync 0;\nld.shared.u32 %r6, [%r5];\n", 0);
}

}  // namespace

TEST_CASE("No SM ever holds more blocks or warps than the occupancy calculation allows") {
  const auto m = vectorAddMachine(65536, 256);
  const auto limit = m->occupancy().blocksPerSm;
  timing::MachineState s = m->initialState();
  while (m->step(s, {}, nullptr) == timing::Advance::Issued)
    for (std::size_t sm = 0; sm < s.sms.size(); ++sm) {
      REQUIRE(s.residentBlocks[sm] <= limit);
      REQUIRE(s.sms[sm].residentWarps <= m->profile().maxWarpsPerSm);
    }
  REQUIRE(m->finished(s));
}

TEST_CASE("Every block runs exactly once, on one SM, and ends after it began") {
  const auto m = vectorAddMachine(16384, 128);
  const Run r = runAll(*m);
  REQUIRE(r.trace.blocks.size() == m->blockCount());
  std::map<std::uint64_t, int> seen;
  for (const auto& b : r.trace.blocks) {
    ++seen[b.block];
    REQUIRE(b.end > b.begin);
  }
  REQUIRE(seen.size() == m->blockCount());
}

TEST_CASE("Blocks go round the SMs") {
  device::Profile p = testProfile();
  p.smCount = 4;
  const auto m = vectorAddMachine(4096, 256, p);
  const Run r = runAll(*m);
  std::map<std::uint32_t, int> perSm;
  for (const auto& b : r.trace.blocks) ++perSm[b.sm];
  REQUIRE(perSm.size() == 4);
  for (const auto& [sm, n] : perSm) REQUIRE(n == 4);
}

TEST_CASE("The dispatcher starts blocks no faster than its interval") {
  device::Profile p = testProfile();
  p.smCount = 4;
  p.blockLaunchInterval = 10;
  const Run r = runAll(*vectorAddMachine(4096, 256, p));
  for (std::size_t i = 1; i < r.trace.blocks.size(); ++i) REQUIRE(r.trace.blocks[i].begin - r.trace.blocks[i - 1].begin >= 9);
}

TEST_CASE("No warp passes a barrier before the last one of its block has arrived, and all do soon after") {
  const auto m = machineOf(withBarrier(), 2, 256, {intOf(0)});
  const Run r = runAll(*m);
  const auto opcode = [&](const timing::IssueEvent& e) { return m->launch().function->instructions[e.pc].opcode; };
  for (std::uint64_t block = 0; block < 2; ++block) {
    std::uint64_t lastArrival = 0;
    for (const auto& e : r.trace.issues)
      if (e.warp.block == block && opcode(e) == ptx::Opcode::Bar) lastArrival = std::max(lastArrival, e.at.cycle);
    int passed = 0;
    bool arrived = false;
    std::map<std::uint32_t, bool> behind;
    for (const auto& e : r.trace.issues) {
      if (e.warp.block != block) continue;
      if (opcode(e) == ptx::Opcode::Bar) { behind[e.warp.warp] = true; arrived = true; continue; }
      if (behind[e.warp.warp] && opcode(e) == ptx::Opcode::Ld) {
        REQUIRE(e.at.cycle >= lastArrival + static_cast<std::uint64_t>(m->profile().barrierLatency));
        ++passed;
      }
    }
    REQUIRE(arrived);
    REQUIRE(passed == 8);
  }
}

TEST_CASE("A barrier that a warp never reaches is told of with where that one waits, and is no endless run") {
  const auto m = machineOf(kernel("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra wait;\nbra.uni spin;\nwait:\nbar.sync 0, 64;\nbra.uni out;\nspin:\nbar.sync 1, 64;\nout:\n", 0), 1, 64, {intOf(0)});
  timing::MachineState s = m->initialState();
  REQUIRE(m->runToEnd(s, nullptr) == timing::Advance::Blocked);
  REQUIRE(s.faults.size() == 1);
  REQUIRE(s.faults[0].kind == machine::FaultKind::DivergentBarrier);
  INFO(s.faults[0].message);
  REQUIRE(s.faults[0].message.find("barrier 1") != std::string::npos);
}

TEST_CASE("An endless loop ends at the limit of instructions as a hang") {
  const auto m = machineOf(kernel("again:\nbra again;\n", 0), 1, 32, {intOf(0)});
  timing::MachineState s = m->initialState();
  m->runToEnd(s, nullptr, 1000);
  REQUIRE(s.faults.size() == 1);
  REQUIRE(s.faults[0].kind == machine::FaultKind::Hang);
}
