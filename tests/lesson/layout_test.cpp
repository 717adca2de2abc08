#include "lesson/layout.h"
#include "catch.h"

#include <set>

using namespace warpmill::lesson;
using Place = BlockedLayout::Place;

TEST_CASE("A block larger than all threads hold at once goes round again in further registers") {
  const BlockedLayout layout{1024, 4, 4};
  CHECK(layout.elementsPerThread() == 8);
  CHECK(layout.copies() == 1);
  CHECK(layout.elementAt({1, 2, 0}) == 136);
  CHECK(layout.elementAt({1, 2, 3}) == 139);
  CHECK(layout.elementAt({1, 2, 4}) == 648);
  CHECK(layout.elementAt({3, 31, 7}) == 1023);
}

TEST_CASE("A block smaller than the threads is held several times, warp 0 first") {
  const BlockedLayout layout{32, 4, 1};
  CHECK(layout.elementsPerThread() == 1);
  CHECK(layout.copies() == 4);
  CHECK(layout.elementAt({3, 5, 0}) == 5);
  CHECK(layout.placesOf(5) == std::vector<Place>{{0, 5, 0}, {1, 5, 0}, {2, 5, 0}, {3, 5, 0}});
}

TEST_CASE("Every place holds an element, and every element's places are those that hold it") {
  for (const BlockedLayout layout : {BlockedLayout{32, 4, 1}, BlockedLayout{64, 4, 2}, BlockedLayout{512, 4, 4}, BlockedLayout{1024, 4, 4}, BlockedLayout{2048, 8, 4}}) {
    std::size_t places = 0;
    for (std::uint32_t element = 0; element < layout.block; ++element) {
      const auto held = layout.placesOf(element);
      places += held.size();
      for (const Place& p : held) REQUIRE(layout.elementAt(p) == element);
      CHECK(held.size() == layout.copies());
    }
    CHECK(places == std::size_t(layout.threads()) * layout.elementsPerThread());
  }
}
