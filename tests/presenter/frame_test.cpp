#include "catch.h"

#include "presenter/describe.h"
#include "presenter/timeline.h"
#include "support/machine_fixture.h"

using namespace warpmill;
using namespace warpmill::presenter;

namespace {

std::unique_ptr<session::Session> vectorAddition(std::uint32_t grid = 2, std::uint32_t block = 64) {
  const std::uint32_t n = grid * block;
  auto opened = session::Session::open(testing::machineOf(testing::vectorAdd(), grid, block,
                                                          {testing::bufferOf(n, launch::Init::Kind::Random, 1), testing::bufferOf(n, launch::Init::Kind::Random, 2), testing::bufferOf(n), testing::intOf(n)}));
  REQUIRE(opened.ok());
  return std::move(*opened);
}

}  // namespace

TEST_CASE("before the first cycle a frame has no crews and says that nothing was issued") {
  const auto s = vectorAddition();
  const Frame f = makeFrame(*s, {});
  CHECK(f.atStart);
  CHECK(f.sms.size() == 1);
  CHECK(f.gpu.blocksTotal == 2);
  CHECK(f.gpu.kernel == "k");
  CHECK_FALSE(f.request.any);
  CHECK(describe(f, Language::English).find("nothing has been issued yet") != std::string::npos);
}

TEST_CASE("frames of a whole launch agree with the simulator at every cycle") {
  const auto s = vectorAddition();
  Selection selection;
  selection.warp = {0, 1};
  std::size_t working = 0, onRoads = 0, queuedOrMoving = 0;
  std::uint64_t cycles = 0;
  while (s->step(session::Unit::Cycle, session::Scope::Everything, selection.warp) == session::Stop::Done && ++cycles < 20000) {
    const Frame f = makeFrame(*s, selection);
    const SmView& sm = f.sms[0];
    CHECK(f.cycle == s->position().cycle);
    std::uint32_t used = 0, sum = 0;
    for (const PlaceView& p : sm.places) used += p.used;
    for (const std::uint32_t n : sm.counts) sum += n;
    REQUIRE(sum == used);
    REQUIRE(used == sm.usedPlaces);
    for (const BlockView& b : sm.blocks)
      for (std::size_t w = 0; b.used && w < b.places.size(); ++w)
        if (const PlaceView& p = sm.places[b.places[w]]; p.used) REQUIRE(p.warp == WarpId{b.block, static_cast<std::uint32_t>(w)});
    for (std::size_t scheduler = 0; scheduler < 4; ++scheduler) {
      const Pick& pick = sm.picks[scheduler];
      if (!pick.any) continue;
      REQUIRE(pick.place % 4 == scheduler);
      if (sm.places[pick.place].used) {
        CHECK(sm.places[pick.place].group == StallGroup::Working);
        ++working;
      }
    }
    for (const TruckView& t : f.trucks) {
      REQUIRE(t.fraction >= 0);
      REQUIRE(t.fraction <= 1);
      REQUIRE(t.used.size() * 32 == t.movedBytes);
      onRoads += t.from != Station::Dock;
    }
    queuedOrMoving += f.trucks.size() + f.dock.size();
    if (f.crew.any && f.crew.line == 0) CHECK_FALSE(f.crew.instruction.empty());
  }
  CHECK(working > 40);
  CHECK(onRoads > 0);
  CHECK(queuedOrMoving >= onRoads);
  const Frame end = makeFrame(*s, selection);
  CHECK(end.atEnd);
  CHECK(end.sms[0].usedPlaces == 0);
  CHECK_FALSE(end.crew.any);
}

TEST_CASE("the focused request has its pallets, its lanes and rising stamps") {
  const auto s = vectorAddition();
  Selection selection;
  selection.warp = {1, 1};
  Frame f;
  for (int i = 0; i < 20000 && !f.request.any; ++i) {
    if (s->step(session::Unit::Cycle, session::Scope::Everything, selection.warp) != session::Stop::Done) break;
    f = makeFrame(*s, selection);
  }
  REQUIRE(f.request.any);
  CHECK(f.request.warp == selection.warp);
  CHECK(f.request.lanes == ~0u);
  REQUIRE(f.request.pallets.size() == 4);   // 32 neighbouring floats: 128 bytes
  CHECK(f.request.usedBytes == 128);
  CHECK(f.request.buffer == "argument 0");
  CHECK(elementText(f.request, 5) == "argument 0[101]");   // block 1 of 64 threads, warp 1, lane 5
  for (std::size_t p = 0; p < 4; ++p) {
    CHECK(f.request.pallets[p].lanes.size() == 8);
    CHECK(f.request.pallets[p].usedMask == ~0u);
  }
  REQUIRE(f.request.stations.size() >= 4);
  for (std::size_t i = 1; i < f.request.stations.size(); ++i) CHECK(f.request.stations[i - 1].cycle <= f.request.stations[i].cycle);
  CHECK(f.request.stations.front().past);
  CHECK_FALSE(f.request.stations.back().past);
}

TEST_CASE("a crew's registers are those of its warp, and the loaded one is on the road") {
  const auto s = vectorAddition();
  Selection selection;
  bool away = false;
  for (int i = 0; i < 20000 && !away; ++i) {
    if (s->step(session::Unit::Cycle, session::Scope::Everything, selection.warp) != session::Stop::Done) break;
    const Frame f = makeFrame(*s, selection);
    for (const RegisterView& r : f.crew.registers) {
      if (r.name == "%r4" && f.crew.pc > 8 && !r.inFlight)
        for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK(r.bits[lane] == lane);   // %tid.x of warp 0
      if (r.name == "%f1" && r.inFlight) away = true;
    }
  }
  CHECK(away);
}

TEST_CASE("the timeline of a real launch covers every issue") {
  const auto s = vectorAddition();
  const Timeline line = makeTimeline(s->trace(), 0, s->trace().endCycle);
  CHECK(line.rows.size() == 4);
  std::uint64_t covered = 0;
  for (const timing::IssueEvent& e : s->trace().issues)
    for (const TimelineRow& row : line.rows)
      for (const Segment& seg : row.segments)
        covered += row.place == e.warpSlot && seg.group == StallGroup::Working && seg.begin <= e.at.cycle && e.at.cycle < seg.end;
  CHECK(covered == s->trace().issues.size());
}
