#include "profile/report.h"
#include "support/machine_fixture.h"

#include <nlohmann/json.hpp>

#include <set>

using namespace warpmill;
using namespace warpmill::testing;
using profile::Verdict;

namespace {

// Four SMs whose launch costs nothing worth speaking of.
device::Profile fourSms() {
  device::Profile p = testProfile();
  p.smCount = 4;
  p.launchOverheadNs = 100;
  return p;
}

Verdict verdictOf(const std::string& ptx, std::uint32_t grid, std::uint32_t block, std::vector<launch::Argument> arguments, const device::Profile& p = fourSms()) {
  const auto m = machineOf(ptx, grid, block, std::move(arguments), p);
  timing::MachineState state = m->initialState();
  REQUIRE(m->runToEnd(state, nullptr) == timing::Advance::Finished);
  return profile::reportOf(*m, state).verdictOnTime;
}

// `body` 200 times in a loop; p0 in %rd2, the thread's number in %r1.
std::string loop(const std::string& body, int pointers = 1) {
  return kernel("ld.param.u64 %rd1, [p0];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\nmov.u32 %r9, 0;\nmov.f32 %f1, 0f3F800000;\nmov.u32 %r10, store;\nshl.b32 %r11, %r1, 7;\nadd.s32 %r12, %r10, %r11;\n"
                "again:\n" + body + "\nadd.s32 %r9, %r9, 1;\nsetp.lt.s32 %p1, %r9, 200;\n@%p1 bra again;\nst.global.f32 [%rd2], %f1;", pointers);
}

std::string times(int n, const std::string& text) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text + "\n";
  return out;
}

}  // namespace

TEST_CASE("Arithmetic that keeps the FP32 pipe busy is bound by compute, and idle lanes make it divergence") {
  const std::string fma = times(16, "fma.rn.f32 %f1, %f1, %f1, %f1;");
  const Verdict v = verdictOf(loop(fma), 32, 256, {bufferOf(64), intOf(0)});
  INFO(v.sentence);
  CHECK(v.bound == "compute");
  CHECK(v.limit == "compute");
  const std::string quarter = "and.b32 %r3, %r1, 3;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra over;\n" + fma + "over:";
  const Verdict idle = verdictOf(loop(quarter), 32, 256, {bufferOf(64), intOf(0)});
  INFO(idle.sentence);
  CHECK(idle.bound == "divergence");
  CHECK(idle.sentence.find("of 32 lanes") != std::string::npos);
}

TEST_CASE("A short kernel is bound by its launch") {
  device::Profile p = fourSms();
  p.launchOverheadNs = 5000;
  const Verdict v = verdictOf(vectorAdd(), 1, 32, {bufferOf(32), bufferOf(32), bufferOf(32), intOf(32)}, p);
  CHECK(v.bound == "launch overhead");
  CHECK(v.limit == "overhead");
}

TEST_CASE("Atomics on one address are bound by the unit that does them") {
  const Verdict v = verdictOf(loop("red.global.add.f32 [%rd2], %f1;"), 16, 256, {bufferOf(64), intOf(0)});
  INFO(v.sentence);
  CHECK(v.bound == "atomics");
}

TEST_CASE("Lanes that wait for one bank are bound by shared memory") {
  const Verdict v = verdictOf(loop("ld.shared.u32 %r13, [%r12];\nadd.s32 %r14, %r14, %r13;"), 16, 32, {bufferOf(64), intOf(0)});
  INFO(v.sentence);
  CHECK(v.bound == "shared memory");
}

TEST_CASE("Few warps with dependent loads are bound by the memory's latency, and one busy SM of four by the lack of blocks") {
  const std::string chase = loop("ld.global.u32 %r2, [%rd2];\nand.b32 %r2, %r2, 0;\ncvt.u64.u32 %rd5, %r2;\nadd.s64 %rd2, %rd2, %rd5;\nadd.s64 %rd2, %rd2, 128;");
  const Verdict v = verdictOf(chase, 4, 32, {bufferOf(8192), intOf(0)});
  INFO(v.sentence);
  CHECK(v.bound == "memory latency");
  CHECK(v.limit == "latency");
  const Verdict one = verdictOf(chase, 1, 32, {bufferOf(8192), intOf(0)});
  CHECK(one.bound == "memory latency");
  CHECK(one.sentence.find("only 25 % of the SMs have blocks") != std::string::npos);
  const Verdict busy = verdictOf(loop(times(16, "fma.rn.f32 %f1, %f1, %f1, %f1;")), 1, 1024, {bufferOf(64), intOf(0)});
  INFO(busy.sentence);
  CHECK(busy.bound == "parallelism");
}

TEST_CASE("Many blocks that stream are bound by DRAM's bandwidth") {
  device::Profile p = fourSms();
  p.dramBytesPerSecond /= 8;
  const Verdict v = verdictOf(vectorAdd(), 512, 256, {bufferOf(131072), bufferOf(131072), bufferOf(131072), intOf(131072)}, p);
  INFO(v.sentence);
  CHECK(v.bound == "memory bandwidth");
  CHECK(v.sentence.find("DRAM moves") != std::string::npos);
  CHECK(v.resources.front().share > v.resources.back().share);
}

TEST_CASE("Every bound has its advice and one of the four limits, and a report says them with the roofline") {
  std::set<std::string_view> limits;
  for (const profile::Bound& b : profile::bounds()) {
    CHECK_FALSE(profile::adviceFor(b.name).empty());
    limits.insert(b.limit);
  }
  CHECK(limits == std::set<std::string_view>{"memory", "compute", "latency", "overhead"});

  const auto m = vectorAddMachine(65536, 256, fourSms());
  timing::MachineState state = m->initialState();
  m->runToEnd(state, nullptr);
  profile::Report r = profile::reportOf(*m, state);
  r.roofline.usefulBytes = 3 * 4 * 65536;
  const nlohmann::json json = toJson(r);
  CHECK(json["achieved"]["bound"] == r.verdictOnTime.bound);
  CHECK(json["resources"].size() > 5);
  CHECK(json["roofline"]["flop_per_useful_byte"].get<double>() == Approx(1.0 / 12));
  CHECK(json["roofline"]["roof_gflops"].get<double>() == Approx(fourSms().dramBytesPerSecond / 12));
  const profile::Report back = profile::reportFromJson(json);
  CHECK(back.timeUs == r.timeUs);
  CHECK(back.counters == r.counters);
  CHECK(back.stalls == r.stalls);
  CHECK(back.verdictOnTime.bound == r.verdictOnTime.bound);
  CHECK(back.verdictOnTime.resources.size() == r.verdictOnTime.resources.size());
  CHECK(back.registersPerThread == r.registersPerThread);
  CHECK_FALSE(profile::reportFromJson(nlohmann::json::array()).timeUs);
  CHECK_FALSE(profile::reportFromJson({{"timing", 3}, {"counters", "x"}, {"resources", {1}}}).timeUs);
  const std::string text = toText(r);
  CHECK(text.find("bound by") != std::string::npos);
  CHECK(text.find("would help") != std::string::npos);
  CHECK(text.find("0.0833 FLOP a useful byte") != std::string::npos);
}
