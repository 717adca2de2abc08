#include "support/machine_fixture.h"
#include "timing/guard.h"
#include "timing/quantum.h"

#include <algorithm>

using namespace warpmill;
using namespace warpmill::testing;

namespace {

device::Profile someSms(int sms) {
  device::Profile p = testProfile();
  p.smCount = sms;
  p.blockTurnover = 150;
  return p;
}

timing::MachineState stepped(const timing::Machine& m) {
  timing::MachineState s = m.initialState();
  while (m.step(s, {}, nullptr) == timing::Advance::Issued) {}
  return s;
}

using Kind = launch::Init::Kind;
constexpr std::uint32_t words = 16384;
std::vector<launch::Argument> arguments() { return {bufferOf(words, Kind::Random, 1), bufferOf(words + 1024, Kind::Random, 2), bufferOf(words), intOf(words)}; }

// %r5: the thread's number in the grid; %rd4, %rd7, %rd9: its element of p0, p1, p2.
std::string elementwise(const std::string& body) {
  return kernel(R"(
ld.param.u64 %rd1, [p0];
ld.param.u64 %rd2, [p1];
ld.param.u64 %rd3, [p2];
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mov.u32 %r4, %tid.x;
mad.lo.s32 %r5, %r2, %r3, %r4;
mul.wide.s32 %rd5, %r5, 4;
add.s64 %rd4, %rd1, %rd5;
add.s64 %rd7, %rd2, %rd5;
add.s64 %rd9, %rd3, %rd5;
)" + body, 3);
}

struct Program { const char* name; std::string text; bool inQuanta; };

std::vector<Program> programs() {
  return {
      {"streams", vectorAdd(), true},
      {"loads that go past what sank, through shared memory", elementwise(R"(
ld.global.f32 %f1, [%rd4];
add.f32 %f2, %f1, %f1;
mul.wide.u32 %rd10, %r4, 4;
mov.u64 %rd11, store;
add.s64 %rd12, %rd11, %rd10;
st.shared.f32 [%rd12], %f2;
ld.global.f32 %f3, [%rd7];
add.f32 %f4, %f3, %f3;
bar.sync 0;
xor.b32 %r6, %r4, 5;
mul.wide.u32 %rd13, %r6, 4;
add.s64 %rd14, %rd11, %rd13;
ld.shared.f32 %f5, [%rd14];
add.f32 %f6, %f5, %f4;
st.global.f32 [%rd9], %f6;)"), true},
      {"lines that are still on their way, and past L1", elementwise(R"(
mov.u32 %r7, 0;
mov.f32 %f9, 0f00000000;
again:
ld.global.f32 %f1, [%rd1];
ld.global.f32 %f2, [%rd4];
ld.global.cg.f32 %f3, [%rd4];
ld.global.f32 %f4, [%rd4];
add.f32 %f5, %f1, %f2;
add.f32 %f6, %f3, %f4;
add.f32 %f7, %f5, %f6;
add.f32 %f9, %f9, %f7;
add.s32 %r7, %r7, 1;
setp.lt.s32 %p1, %r7, 6;
@%p1 bra again;
st.global.f32 [%rd9], %f9;)"), true},
      {"copies in groups", elementwise(R"(
mul.wide.u32 %rd10, %r4, 4;
mov.u64 %rd11, store;
add.s64 %rd12, %rd11, %rd10;
cvta.to.shared.u64 %rd13, %rd12;
cp.async.ca.shared.global [%rd12], [%rd4], 4;
cp.async.commit_group;
cp.async.ca.shared.global [%rd12+2048], [%rd7], 4;
cp.async.commit_group;
cp.async.wait_group 1;
ld.shared.f32 %f1, [%rd12];
cp.async.wait_all;
ld.shared.f32 %f2, [%rd12+2048];
add.f32 %f3, %f1, %f2;
st.global.f32 [%rd9], %f3;)"), true},
      {"warps that wait for pipes", elementwise(R"(
mov.u32 %r7, 0;
ld.global.f32 %f1, [%rd4];
sin.approx.f32 %f2, %f1;
cos.approx.f32 %f3, %f1;
again:
ex2.approx.f32 %f4, %f2;
ld.global.f32 %f5, [%rd7];
mul.lo.u32 %r8, %r7, %r5;
ex2.approx.f32 %f6, %f3;
add.f32 %f2, %f4, %f5;
add.f32 %f3, %f6, %f4;
add.s64 %rd7, %rd7, 512;
add.s32 %r7, %r7, 1;
setp.lt.s32 %p1, %r7, 5;
@%p1 bra again;
add.f32 %f7, %f2, %f3;
st.global.f32 [%rd9], %f7;)"), true},
      {"blocks that race for one word", elementwise(R"(
ld.global.f32 %f1, [%rd3];
add.f32 %f1, %f1, 0f3F800000;
st.global.f32 [%rd3], %f1;
ld.global.f32 %f2, [%rd3];
add.f32 %f2, %f2, 0f3F800000;
st.global.f32 [%rd3], %f2;)"), true},
      {"a block that stores out of bounds", elementwise(R"(
setp.eq.s32 %p1, %r5, 9000;
@%p1 add.s64 %rd9, %rd9, 1000000;
st.global.f32 [%rd9], 0f3F800000;)"), true},
      {"tickets", elementwise("atom.global.add.u32 %r8, [%rd3], 1;\nmul.wide.u32 %rd10, %r8, 4;\nand.b64 %rd10, %rd10, 65535;\nadd.s64 %rd11, %rd2, %rd10;\nst.global.u32 [%rd11], %r5;"), false},
  };
}

}  // namespace

TEST_CASE("SMs that run in quanta leave the machine as running them cycle by cycle does") {
  for (const Program& program : programs())
    for (const int sms : {1, 5}) {
      INFO(program.name << " on " << sms << " SMs");
      const auto m = machineOf(program.text, words / 128, 128, arguments(), someSms(sms));
      REQUIRE((m->quantum() != 0) == program.inQuanta);
      const timing::MachineState expected = stepped(*m);
      REQUIRE(m->finished(expected));
      timing::MachineState run = m->initialState();
      REQUIRE(m->runToEnd(run, nullptr) == timing::Advance::Finished);
      CHECK(run.at == expected.at);
      CHECK(run.counters == expected.counters);
      CHECK(run == expected);
      for (const unsigned jobs : {2u, 3u, 8u}) {
        INFO(jobs << " threads");
        timing::MachineState parallel = m->initialState();
        REQUIRE(m->runToEnd(parallel, timing::TraceTaker(), 0, jobs) == timing::Advance::Finished);
        CHECK(parallel == expected);
      }
      // From the middle, and up to it.
      timing::MachineState half = m->initialState();
      for (std::uint64_t k = 0; k < expected.counters.ptxInstructions / 2; ++k) m->step(half, {}, nullptr);
      REQUIRE(m->runToEnd(half, nullptr) == timing::Advance::Finished);
      CHECK(half == expected);
      timing::MachineState part = m->initialState();
      REQUIRE(m->runUntil(part, expected.counters.ptxInstructions / 2) == timing::Advance::Issued);
      while (m->step(part, {}, nullptr) == timing::Advance::Issued) {}
      CHECK(part == expected);
    }
}

TEST_CASE("Two SMs meet where one writes bytes that the other one uses in the same quantum") {
  std::vector<timing::SmQuantum> quanta(3);
  timing::Meetings meetings;
  const auto line = [](std::uint64_t number, std::uint32_t used) { return timing::LineAccess{number, 1, {used, 0, 0, 0}}; };
  quanta[0].sent.push_back({line(5, 0x0F)});
  quanta[0].sent.back().store = true;
  quanta[1].reads.push_back(line(6, 0x0F));
  quanta[1].reads.push_back(line(5, 0xF0));
  quanta[0].reads.push_back(line(5, 0x0F));
  CHECK_FALSE(meetings.any(quanta));
  quanta[2].reads.push_back(line(5, 0x08));
  CHECK(meetings.any(quanta));
  quanta[2].reads.clear();
  CHECK_FALSE(meetings.any(quanta));
  quanta[2].sent.push_back({line(5, 0x18)});
  quanta[2].sent.back().store = true;
  CHECK(meetings.any(quanta));
}

TEST_CASE("A clock that leaps, or goes on while nothing is issued, is told of") {
  timing::ProgressGuard guard;
  CHECK(guard.look(100, 5'000'000'000, 1).empty());
  CHECK(guard.look(100, 100 + (1ull << 41), 2).find("runs away") != std::string::npos);
  std::uint64_t cycle = 0;
  std::string told;
  while (told.empty() && cycle < 1'000'000) ++cycle, told = guard.look(cycle, cycle + 1, 3);
  CHECK(cycle > 1000);
  CHECK(told.find("no warp issues") != std::string::npos);
  timing::ProgressGuard busy;
  for (std::uint64_t k = 0; k < 1'000'000; ++k)
    if (!busy.look(k, k + 1, k / 1000).empty()) FAIL("it issues now and then");
}
