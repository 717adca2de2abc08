// Who knows of whom after which act of synchronisation.
#include "faults/clocks.h"

#include "catch.h"

using namespace warpmill::faults;

TEST_CASE("Lanes know each other's past up to their last common __syncwarp") {
  BlockClocks c(3, 2);
  const Epoch before = makeEpoch(3, 0, 1, c.time(0), 10, Plain);
  CHECK_FALSE(c.ordered(before, 0, 0));
  CHECK(c.ordered(before, 0, 1));  // a thread knows itself
  c.syncWarp(0, 0x3, ~0u);
  CHECK(c.ordered(before, 0, 0));
  CHECK_FALSE(c.ordered(before, 0, 2));
  CHECK_FALSE(c.ordered(before, 1, 0));
  const Epoch after = makeEpoch(3, 0, 1, c.time(0), 11, Plain);
  CHECK_FALSE(c.ordered(after, 0, 0));
  c.syncWarp(0, ~0u, ~0u);
  CHECK(c.ordered(after, 0, 31));
}

TEST_CASE("A lane hands on what it has heard from another") {
  BlockClocks c(0, 1);
  const Epoch first = makeEpoch(0, 0, 0, c.time(0), 1, Plain);
  c.syncWarp(0, 0x3, ~0u);
  c.syncWarp(0, 0x6, ~0u);
  CHECK(c.ordered(first, 0, 2));
  CHECK_FALSE(c.ordered(first, 0, 3));
}

TEST_CASE("A barrier orders those who waited behind those who arrived") {
  warpmill::machine::Block block;
  block.warps.resize(3);
  for (auto& w : block.warps) w.threads = ~0u;
  BlockClocks c(0, 3);
  const Epoch of0 = makeEpoch(0, 0, 5, c.time(0), 1, Plain), of1 = makeEpoch(0, 1, 5, c.time(1), 1, Plain), of2 = makeEpoch(0, 2, 5, c.time(2), 1, Plain);
  c.arrive(0, 1, ~0u, false);
  c.arrive(1, 1, ~0u, true);
  CHECK_FALSE(c.ordered(of0, 1, 0));
  block.barriers[1].generation = 1;
  c.openBarriers(block);
  CHECK(c.ordered(of0, 1, 0));
  CHECK_FALSE(c.ordered(of1, 0, 0));  // who only arrives learns nothing
  CHECK_FALSE(c.ordered(of2, 1, 0));
}

TEST_CASE("A release reaches another block only with a fence of the GPU before it and an acquire behind") {
  BlockClocks a(0, 1), b(1, 1);
  SyncPlace place;
  const Epoch data = makeEpoch(0, 0, 0, a.time(0), 1, Plain);
  a.fence(0, 1, FenceScope::Block);
  a.strongWrite(0, 0, place);
  b.strongRead(0, 0, place);
  b.acquire(0);
  CHECK_FALSE(b.ordered(data, 0, 0));
  a.fence(0, 1, FenceScope::Gpu);
  CHECK_FALSE(a.releases(0, 4));  // lane 4 made no fence
  a.strongWrite(0, 0, place);
  b.strongRead(0, 0, place);
  CHECK_FALSE(b.ordered(data, 0, 0));
  b.acquire(0);
  CHECK(b.ordered(data, 0, 0));
  CHECK_FALSE(b.ordered(makeEpoch(0, 0, 0, a.time(0), 2, Plain), 0, 0));
}

TEST_CASE("Joining knowledge of blocks keeps the later time of each") {
  const auto one = std::make_shared<const Times>(Times{3, 1}), two = std::make_shared<const Times>(Times{2, 5}), low = std::make_shared<const Times>(Times{1, 1});
  const Knowledge a = std::make_shared<const BlockTimes>(BlockTimes{{1, one}, {4, low}}), b = std::make_shared<const BlockTimes>(BlockTimes{{1, two}, {2, low}});
  const Knowledge both = joined(a, b);
  REQUIRE(both->size() == 3);
  CHECK(*(*both)[0].second == Times{3, 5});
  CHECK((*both)[1].first == 2);
  CHECK((*both)[2].first == 4);
  CHECK(joined(both, a) == both);
  CHECK(joined(nullptr, a) == a);
}
