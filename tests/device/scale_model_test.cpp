#include "catch.h"
#include "device/profile.h"

#include <cmath>
#include <numeric>

using namespace warpmill::device;

TEST_CASE("A scale model keeps each SM's share of bandwidth and cache") {
  const Profile whole = *loadProfile("h200");
  for (const std::uint32_t sms : {1u, 2u, 4u, 17u, 131u}) {
    const Profile model = scaleModel(whole, sms);
    REQUIRE(model.smCount == sms);
    const auto perSm = [](const Profile& p, double total) { return total / p.smCount; };
    REQUIRE(perSm(model, model.dramBytesPerSecond) == Approx(perSm(whole, whole.dramBytesPerSecond)));
    REQUIRE(perSm(model, model.l2Slices * model.l2SectorsPerCycle) == Approx(perSm(whole, whole.l2Slices * whole.l2SectorsPerCycle)));
    REQUIRE(perSm(model, model.l2Bytes) == Approx(perSm(whole, whole.l2Bytes)).epsilon(0.01));
    REQUIRE(model.blockLaunchInterval * model.smCount == Approx(whole.blockLaunchInterval * whole.smCount));
    REQUIRE(model.l2Slices == std::round(model.l2Slices));
    REQUIRE(model.dramChannels >= 1);
    REQUIRE(model.maxWarpsPerSm == whole.maxWarpsPerSm);
    REQUIRE(model.l1Latency == whole.l1Latency);
    REQUIRE(std::accumulate(model.storeys.begin(), model.storeys.end(), 0u) == sms);
  }
}

TEST_CASE("A scale model of all SMs is the machine itself, and a smaller one says what it is") {
  const Profile whole = *loadProfile("h200");
  REQUIRE(scaleModel(whole, 132).name == "h200");
  const Profile model = scaleModel(whole, 2);
  REQUIRE(model.title == "NVIDIA H200 SXM (141 GB), scale model with 2 of 132 SMs");
  for (std::size_t i = 0; i < numbers().size(); ++i)
    if (numbers()[i].path == "memory.dram_bandwidth") REQUIRE(model.provenance[i].source.find("share of 2/132 of: ") == 0);
}
