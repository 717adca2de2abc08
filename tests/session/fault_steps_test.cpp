// A fault is a place in time: one can go to the moment before and after it, and to the other party's.
#include "session/session.h"
#include "support/machine_fixture.h"

using namespace warpmill;
using namespace warpmill::testing;
using machine::FaultKind;
using session::Session;
using session::Stop;

namespace {

std::unique_ptr<Session> open(const std::string& body, std::uint32_t grid, std::uint32_t block, std::uint32_t elements) {
  auto s = Session::open(machineOf(kernel(body), grid, block, {bufferOf(elements), intOf(elements)}));
  REQUIRE(s.ok());
  return std::move(*s);
}

const std::string elementOf = "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmad.lo.s32 %r3, %r1, 64, %r2;\nmul.wide.s32 %rd2, %r3, 4;\nadd.s64 %rd3, %rd1, %rd2;\n";

bool countsAsDone(const Session& s, FaultKind kind) {
  for (const machine::Fault& f : s.state().faults)
    if (f.kind == kind) return true;
  return false;
}

}  // namespace

TEST_CASE("An access out of bounds: the moment before, and the one after") {
  const auto s = open(elementOf + "st.global.u32 [%rd3], %r3;", 4, 64, 200);
  REQUIRE(s->faults().size() == 1);
  const machine::Fault f = s->faults()[0];
  CHECK(f.block[0] == 3);
  CHECK(f.thread[0] == 8);
  const auto step = s->stepOf(f);
  REQUIRE(step);
  CHECK(s->trace().issues[*step].at.cycle == f.cycle);
  s->seekStep(*step);
  CHECK_FALSE(countsAsDone(*s, FaultKind::OutOfBounds));
  CHECK(s->nextPc({f.block[0], f.warp}) == f.pc);
  s->seekStep(*step + 1);
  CHECK(countsAsDone(*s, FaultKind::OutOfBounds));
  CHECK(s->lastIssue()->pc == f.pc);
}

TEST_CASE("A race is found without time, and both its accesses have their moments in time") {
  const auto s = open(elementOf + "mul.lo.u32 %r4, %r2, 4;\nst.shared.u32 [%r4], %r2;\nmov.u32 %r5, 252;\nsub.s32 %r5, %r5, %r4;\nld.shared.u32 %r6, [%r5];\nst.global.u32 [%rd3], %r6;", 1, 64, 64);
  const machine::Fault* race = nullptr;
  for (const machine::Fault& f : s->faults())
    if (f.kind == FaultKind::SharedRace) race = &f;
  REQUIRE(race != nullptr);
  REQUIRE(race->other);
  const auto step = s->stepOf(*race);
  REQUIRE(step);
  const auto& issue = s->trace().issues[*step];
  CHECK(issue.pc == race->pc);
  CHECK(issue.warp.warp == race->warp);
  CHECK(race->cycle == issue.at.cycle);
  const auto other = s->stepOf(*race->other, *step);
  REQUIRE(other);
  CHECK(*other != *step);
  CHECK(s->trace().issues[*other].pc == race->other->pc);
  CHECK(s->trace().issues[*other].warp.warp == race->other->warp);
}

TEST_CASE("Of an instruction that is issued many times, the time is found at which it went wrong") {
  const auto s = open(elementOf + "mov.u32 %r4, 0;\nagain: st.global.u32 [%rd3], %r4;\nadd.s64 %rd3, %rd3, 256;\nadd.s32 %r4, %r4, 1;\nsetp.lt.s32 %p1, %r4, 5;\n@%p1 bra again;", 1, 64, 192);
  REQUIRE(s->faults().size() == 1);
  const machine::Fault f = s->faults()[0];
  CHECK(f.count == 128);  // two more rounds of 64 threads
  const auto step = s->stepOf(f);
  REQUIRE(step);
  std::size_t before = 0;
  for (std::uint64_t k = 0; k < *step; ++k) {
    const auto& e = s->trace().issues[k];
    before += e.pc == f.pc && e.warp.warp == f.warp ? 1u : 0u;
  }
  CHECK(before == 3);
}

TEST_CASE("Checks find nothing in a correct launch, and can be left out") {
  const auto s = open(elementOf + "st.global.u32 [%rd3], %r3;", 4, 64, 256);
  CHECK(s->faults().empty());
  session::Options none;
  none.checks = {false, false, false, false};
  auto quiet = Session::open(machineOf(kernel("mov.u32 %r1, %tid.x;\nand.b32 %r1, %r1, 3;\nst.shared.u32 [%r1], %r1;"), 1, 32, {bufferOf(1), intOf(1)}), none);
  REQUIRE(quiet.ok());
  for (const machine::Fault& f : (*quiet)->faults()) CHECK(f.kind == FaultKind::Misaligned);
}
