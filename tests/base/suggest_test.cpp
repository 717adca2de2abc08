#include "base/suggest.h"

#include "catch.h"

using namespace warpmill;

TEST_CASE("The edit distance counts insertions, deletions, replacements and swaps") {
  REQUIRE(editDistance("", "") == 0);
  REQUIRE(editDistance("", "abc") == 3);
  REQUIRE(editDistance("block", "blokc") == 1);
  REQUIRE(editDistance("kitten", "sitting") == 3);
}

TEST_CASE("A misspelt name finds the one that was meant") {
  const std::vector<std::string> keys{"name", "ptx", "kernel", "grid", "block", "dynamic_shared_bytes", "args"};
  REQUIRE(closest("blokc", keys) == "block");
  REQUIRE(closest("Kernel", keys) == "kernel");
  REQUIRE(closest("dynamic_shared", keys) == "dynamic_shared_bytes");
  REQUIRE(closest("weather", keys).empty());
  REQUIRE(closest("", keys).empty());
  REQUIRE(didYouMean("gird", keys) == "did you mean 'grid'?");
  REQUIRE(didYouMean("weather", std::vector<std::string>{"a", "bc"}) == "one of: a, bc");
}
