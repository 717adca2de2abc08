#include "catch.h"

#include "presenter/timeline.h"

using namespace warpmill;
using namespace warpmill::presenter;

namespace {

// Two warps of one block: warp 0 issues at 0 and 4, then waits for memory; warp 1 issues at 1 and waits at a barrier.
timing::Trace twoWarps() {
  timing::Trace t;
  const auto issue = [&](std::uint64_t cycle, std::uint8_t place, std::uint32_t warp) {
    timing::IssueEvent e;
    e.at = {cycle, 0};
    e.warpSlot = place;
    e.warp = {5, warp};
    t.issues.push_back(e);
  };
  const auto stall = [&](std::uint64_t begin, std::uint64_t end, std::uint8_t place, timing::Stall reason, std::uint32_t warp) {
    timing::StallInterval s;
    s.begin = begin;
    s.end = end;
    s.warpSlot = place;
    s.reason = reason;
    s.warp = {5, warp};
    t.stalls.push_back(s);
  };
  issue(0, 0, 0);
  issue(1, 1, 1);
  issue(4, 0, 0);
  stall(0, 1, 1, timing::Stall::NotSelected, 1);
  stall(1, 4, 0, timing::Stall::Wait, 0);
  stall(2, 12, 1, timing::Stall::Barrier, 1);
  stall(5, 12, 0, timing::Stall::LongScoreboard, 0);
  t.blocks.push_back({5, 0, 0, 0, 12});
  t.endCycle = 12;
  return t;
}

}  // namespace

TEST_CASE("a timeline has a row a warp and a letter a cycle") {
  const Timeline line = makeTimeline(twoWarps(), 0, 12);
  REQUIRE(line.rows.size() == 2);
  CHECK(timelineText(line, 0, 12, 12) ==
        "WMMMWGGGGGGG\n"
        "RWBBBBBBBBBB\n");
}

TEST_CASE("far away, a bin shows what takes most of it") {
  const Timeline line = makeTimeline(twoWarps(), 0, 12);
  CHECK(timelineText(line, 0, 12, 3) ==
        "MGG\n"
        "BBB\n");
  CHECK(timelineText(line, 0, 24, 4) ==
        "MG..\n"
        "BB..\n");
}

TEST_CASE("the overview counts crews in each state") {
  const Timeline line = makeTimeline(twoWarps(), 0, 12);
  const auto bins = overview(line, 0, 12, 12);
  CHECK(bins[0][static_cast<std::size_t>(StallGroup::Working)] == Approx(1));
  CHECK(bins[0][static_cast<std::size_t>(StallGroup::Ready)] == Approx(1));
  CHECK(bins[8][static_cast<std::size_t>(StallGroup::Global)] == Approx(1));
  CHECK(bins[8][static_cast<std::size_t>(StallGroup::Barrier)] == Approx(1));
  CHECK(bins[8][static_cast<std::size_t>(StallGroup::Working)] == Approx(0));
}

TEST_CASE("another floor's warps are not in this floor's timeline") { CHECK(makeTimeline(twoWarps(), 1, 12).rows.empty()); }

TEST_CASE("segments of a row never overlap, whatever the trace says") {
  timing::Trace t = twoWarps();
  timing::StallInterval s;
  s.begin = 0;
  s.end = 12;
  s.warp = {5, 0};
  s.reason = timing::Stall::MathPipeThrottle;
  t.stalls.push_back(s);
  for (const TimelineRow& row : makeTimeline(t, 0, 12).rows)
    for (std::size_t i = 1; i < row.segments.size(); ++i) CHECK(row.segments[i - 1].end <= row.segments[i].begin);
}
