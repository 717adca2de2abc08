#include "catch.h"
#include "device/profile.h"

#include <algorithm>

using namespace warpmill;
using namespace warpmill::device;

namespace {

Profile h200() {
  auto profile = loadProfile("h200");
  INFO(formatDiagnostics(profile.diagnostics()));
  REQUIRE(profile.ok());
  return *profile;
}

std::string firstError(const Diagnostics& errors) {
  return errors.empty() ? "" : errors[0].message;
}

}  // namespace

// threads a block, shared bytes a block, registers a thread; then launch__occupancy_limit_{blocks,registers,shared_mem,warps} as an
// H200 reported them (hardware suite, Nsight Compute).
TEST_CASE("Occupancy limits are those that an H200 reports") {
  struct Row {
    std::uint32_t threads, shared, registers, blocks, byRegisters, byShared, byWarps;
  };
  const Row measured[] = {
      {256, 0, 16, 32, 16, 32, 8},     {1, 0, 20, 32, 84, 32, 64},      {32, 16384, 16, 32, 128, 13, 64}, {128, 0, 16, 32, 32, 32, 16},
      {1024, 0, 16, 32, 4, 8, 2},      {64, 0, 24, 32, 42, 32, 32},     {512, 0, 24, 32, 5, 16, 4},       {1024, 0, 24, 32, 2, 8, 2},
      {256, 0, 19, 32, 10, 32, 8},     {256, 32768, 31, 32, 8, 6, 8},   {256, 56320, 26, 32, 8, 4, 8},    {256, 100352, 26, 32, 8, 2, 8},
      {256, 200704, 26, 32, 8, 1, 8},  {256, 4096, 28, 32, 8, 20, 8},   {256, 4224, 28, 32, 8, 19, 8},    {256, 2048, 32, 32, 8, 21, 8},
      {1024, 8192, 32, 32, 2, 3, 2},   {256, 8448, 64, 32, 4, 10, 8},   {256, 1024, 18, 32, 10, 16, 8},   {256, 128, 16, 32, 16, 28, 8},
      {256, 0, 36, 32, 6, 32, 8},      {256, 132, 22, 32, 10, 25, 8},   {256, 16384, 72, 32, 3, 7, 8},    {128, 16, 29, 32, 16, 28, 16},
      {256, 4096, 48, 32, 5, 12, 8},   {128, 16384, 165, 32, 3, 7, 16}, {256, 32768, 204, 32, 1, 1, 8},   {256, 65536, 183, 32, 1, 1, 8},
      {128, 32768, 152, 32, 3, 4, 16}, {128, 49152, 128, 32, 4, 4, 16}, {256, 98304, 176, 32, 1, 1, 8},   {128, 16, 16, 32, 32, 28, 16}};
  const Profile p = h200();
  for (const Row& row : measured) {
    INFO(row.threads << " threads, " << row.shared << " bytes shared, " << row.registers << " registers");
    const Occupancy o = occupancy(p, row.threads, row.registers, row.shared);
    CHECK(o.byBlocks == row.blocks);
    CHECK(o.byRegisters == row.byRegisters);
    CHECK(o.byShared == row.byShared);
    CHECK(o.byWarps == row.byWarps);
    CHECK(o.blocksPerSm == std::min(std::min(row.blocks, row.byRegisters), std::min(row.byShared, row.byWarps)));
  }
}

TEST_CASE("The limiter is the least limit, hardware's own first when they are equal") {
  const Profile p = h200();
  REQUIRE(occupancy(p, 256, 16, 0).limiter == "warps");
  REQUIRE(occupancy(p, 32, 16, 0).limiter == "blocks");
  REQUIRE(occupancy(p, 256, 64, 0).limiter == "registers");
  REQUIRE(occupancy(p, 256, 26, 100352).limiter == "shared_mem");
  REQUIRE(occupancy(p, 256, 32, 0).limiter == "warps");  // registers allow 8 blocks too
}

TEST_CASE("A launch at the limit goes, and one over it is refused with the sum") {
  const Profile p = h200();
  REQUIRE(checkLaunch(p, {2147483647, 65535, 65535}, {32, 32, 1}, 64, 232448).empty());
  REQUIRE(firstError(checkLaunch(p, {1, 1, 1}, {33, 32, 1}, 16, 0)) == "the block has 33 x 32 x 1 = 1056 threads, h200 allows 1024");
  REQUIRE(firstError(checkLaunch(p, {1, 65536, 1}, {32, 1, 1}, 16, 0)) == "the grid is too large: 65536 blocks in y, h200 allows 65535");
  REQUIRE(firstError(checkLaunch(p, {1, 1, 1}, {1, 1, 65}, 16, 0)) == "the block is too large: 65 threads in z, h200 allows 64");
  REQUIRE(firstError(checkLaunch(p, {0, 1, 1}, {32, 1, 1}, 16, 0)) == "the grid has 0 blocks in x");
  REQUIRE(firstError(checkLaunch(p, {1, 1, 1}, {32, 1, 1}, 16, 240000, 40000)) ==
          "the block needs 40000 static + 200000 dynamic = 240000 bytes of shared memory, h200 allows 232448 (227 KiB)");
  REQUIRE(firstError(checkLaunch(p, {1, 1, 1}, {32, 1, 1}, 16, 49156, 49156)) == "the kernel has 49156 bytes of static shared memory, at most 49152 (48 KiB) can be");
  REQUIRE(checkLaunch(p, {1, 1, 1}, {32, 1, 1}, 16, 149152, 49152).empty());
  REQUIRE(firstError(checkLaunch(p, {1, 1, 1}, {32, 1, 1}, 16, 232449)) ==
          "the block needs 232449 bytes of shared memory, h200 allows 232448 (227 KiB)");
  REQUIRE(firstError(checkLaunch(p, {1, 1, 1}, {1024, 1, 1}, 65, 0)) ==
          "the block needs too many registers: 32 warps x 32 threads x 65 registers, with units of 256 a warp an SM holds 28 such warps");
  REQUIRE(checkLaunch(p, {1, 1, 1}, {4294967295u, 4294967295u, 4294967295u}, 16, 0).size() == 3);  // no overflow of the product
}
