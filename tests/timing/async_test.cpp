// Asynchronous copies, mbarriers and clusters in time: the same results as without time, in the order that waiting asks for.
#include "support/machine_fixture.h"

#include "base/text_file.h"
#include "exec/functional.h"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace warpmill;
using namespace warpmill::testing;

namespace {

launch::Argument wordsOf(std::uint64_t count, launch::Init::Kind kind) {
  launch::Argument a = bufferOf(count, kind, 77);
  a.type = launch::DType::U32;
  a.init.b = 0xFFFFFFFF;
  return a;
}

std::string textOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::shared_ptr<const timing::Machine> machineOfProgram(const std::string& text, std::uint32_t sms) {
  device::Profile p = testProfile();
  p.smCount = static_cast<int>(sms);
  auto module = ptx::parse(text, "test.ptx");
  REQUIRE(module.ok());
  launch::Launch l;
  l.name = "test";
  std::istringstream head(text);
  std::string word;
  head >> word >> word >> l.grid[0] >> l.grid[1] >> l.grid[2] >> word >> l.block[0];
  l.arguments = {wordsOf(65536, launch::Init::Kind::RandInt), wordsOf(65536, launch::Init::Kind::Zeros)};
  auto prepared = exec::prepare(l, std::make_shared<const ptx::Module>(std::move(*module)), p);
  INFO(formatDiagnostics(prepared.diagnostics()));
  REQUIRE(prepared.ok());
  auto machine = timing::Machine::create(std::move(*prepared), p);
  INFO(formatDiagnostics(machine.diagnostics()));
  REQUIRE(machine.ok());
  return *machine;
}

}  // namespace

TEST_CASE("Asynchronous programs and clusters give in time what they give without, and go back in time") {
  std::size_t programs = 0, inQuanta = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(WARPMILL_SOURCE_DIR) + "/tests/exec/async")) {
    if (entry.path().extension() != ".ptx") continue;
    INFO(entry.path().filename().string());
    ++programs;
    for (const std::uint32_t sms : {2u, 5u}) {
      const auto m = machineOfProgram(textOf(entry.path()), sms);
      machine::Memory memory = m->launch().memory;
      const auto functional = exec::runFunctional(*m->launch().code, memory, {});
      REQUIRE(functional.faults.empty());
      timing::MachineState state = m->initialState();
      std::uint64_t issues = 0;
      while (m->step(state, {}, nullptr) == timing::Advance::Issued) ++issues;
      REQUIRE(m->finished(state));
      CHECK(state.faults.empty());
      CHECK(state.memory == memory);
      timing::MachineState run = m->initialState();
      REQUIRE(m->runToEnd(run, timing::TraceTaker(), 0, 2) == timing::Advance::Finished);
      CHECK(run == state);
      if (m->quantum() != 0) ++inQuanta;
      timing::MachineState half = m->initialState();
      for (std::uint64_t k = 0; k < issues / 2; ++k) m->step(half, {}, nullptr);
      timing::MachineState copy = half;
      CHECK(copy == half);
      while (m->step(half, {}, nullptr) == timing::Advance::Issued) {}
      while (m->step(copy, {}, nullptr) == timing::Advance::Issued) {}
      CHECK(copy == half);
      CHECK(copy == state);
    }
  }
  CHECK(programs >= 15);
  CHECK(inQuanta >= 2);
}

TEST_CASE("A warp waits at cp.async.wait_group until its copies have come, and at mbarrier.try_wait for a bulk copy") {
  const auto waits = [](const std::string& body) {
    const auto m = machineOf(kernel("ld.param.u64 %rd1, [p0]; mov.u32 %r1, store;\n" + body, 1), 1, 32, {bufferOf(4096), intOf(0)});
    const Run r = runAll(*m);
    std::uint64_t longest = 0;
    for (const auto& s : r.trace.stalls)
      if (s.reason == timing::Stall::LongScoreboard) longest = std::max(longest, s.end - s.begin);
    return longest;
  };
  const std::string copy = "mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 4; cvt.u64.u32 %rd2, %r3; add.s64 %rd3, %rd1, %rd2; add.u32 %r4, %r1, %r3;\n"
                           "cp.async.cg.shared.global [%r4], [%rd3], 16; cp.async.commit_group;\n";
  const std::uint64_t none = waits(copy), one = waits(copy + "cp.async.wait_group 0;\n"), open = waits(copy + "cp.async.wait_group 1;\n");
  CHECK(one > none + 200);
  CHECK(open == none);
  const std::string bulk = "mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0; @!%p1 bra done; mbarrier.init.shared.b64 [%r1+4096], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r1+4096], 2048;\n"
                           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 2048, [%r1+4096];\n";
  CHECK(waits(bulk + "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r1+4096], 0; @!%p2 bra W;\ndone:\n") > waits(bulk + "done:\n") + 200);
}

TEST_CASE("A wait at an mbarrier to which nobody comes blocks the machine") {
  const auto m = machineOf(kernel("mov.u32 %r1, store; mbarrier.init.shared.b64 [%r1], 33;\nW: mbarrier.try_wait.parity.shared.b64 %p2, [%r1], 0; @!%p2 bra W;\n", 0), 1, 32, {intOf(0)});
  timing::MachineState state = m->initialState();
  CHECK(m->runToEnd(state, nullptr) == timing::Advance::Blocked);
  REQUIRE(state.faults.size() == 1);
  CHECK(state.faults[0].kind == machine::FaultKind::Hang);
}
