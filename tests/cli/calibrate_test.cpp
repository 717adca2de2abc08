// `warpmill calibrate` from a record: numbers that are wrong in the base profile come out as the record's GPU has them.
#include "base/text_file.h"
#include "cli/program.h"
#include "device/profile.h"
#include "catch.h"

#include <nlohmann/json.hpp>

#include <stdlib.h>

using namespace warpmill;
using warpmill::testing::Ended;
using warpmill::testing::Workplace;

namespace {

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

// An H200's own figures: the cycles that chain_fma/w1 counted, the times of two rates, and what its driver says.
constexpr const char* record = R"({"device": "NVIDIA H200", "sms": 132, "driver": "x", "date": "2026-12-01", "compute_capability": "9.0", "shared_per_block": 232448,
  "clock_mhz": 1980, "memory_mhz": 3201, "memory_bus_bits": 6144, "l2_bytes": 62914560, "results": [
  {"name": "chain_fma/w1", "cold_us": 7.4, "head": [8808, 0, 0.5, 0.5]},
  {"name": "rate_ex2/full", "cold_us": 532.9, "counters": {"gpu__time_duration.sum": 531488}},
  {"name": "rate_fma/full", "error": {"kind": "hang", "message": "m", "hint": "h"}}]})";

void writeBase(const Workplace& w) {
  const auto text = readTextFile(std::string(WARPMILL_SOURCE_DIR) + "/assets/devices/h200.json");
  REQUIRE(text.ok());
  auto json = nlohmann::ordered_json::parse(*text);
  json["latency"]["alu"]["value"] = 7;
  json["issue"]["sfu_interval"]["value"] = 4;
  json["sm"]["count"]["value"] = 100;
  json["storeys"]["value"] = {50, 50};
  w.write("base.json", json.dump(1));
}

}  // namespace

TEST_CASE("Calibrating finds latencies and rates that the base profile has wrong, and says where each number came from") {
  const Workplace w;
  writeBase(w);
  w.write("record.json", record);
  const Ended e = w.run({"calibrate", "--from", "record.json", "--base", "./base.json", "--name", "mine"});
  INFO(e.out << e.err);
  REQUIRE(e.exitCode == 0);
  const auto profile = device::loadProfile(w.path("mine.json"));
  REQUIRE(profile.ok());
  CHECK(profile->name == "mine");
  CHECK(profile->title == "NVIDIA H200");
  CHECK(profile->aluLatency == 4);
  CHECK(profile->sfuInterval == 8);
  CHECK(profile->smCount == 132);
  CHECK(profile->dramBytesPerSecond > 4900);
  const auto json = nlohmann::json::parse(w.read("mine.json"));
  CHECK(json["latency"]["alu"]["kind"] == "measured");
  CHECK(has(json["latency"]["alu"]["source"].get<std::string>(), "chain_fma/w1"));
  CHECK(json["latency"]["imad"] == nlohmann::json::parse(w.read("base.json"))["latency"]["imad"]);   // nothing told it
  const Ended run = w.run({"run", "vec_add.json", "--device", "./mine.json"});
  INFO(run.err);
  CHECK(run.exitCode == 0);
}

TEST_CASE("Calibrating without a GPU, from a record without benchmarks, or under a name that is none is refused") {
  const Workplace w;
  w.write("empty.json", R"({"device": "x", "results": []})");
  Ended e = w.run({"calibrate", "--from", "empty.json"});
  CHECK(e.exitCode == 2);
  CHECK(has(e.err, "none of the benchmarks"));
  CHECK_FALSE(w.has("my-gpu.json"));
  e = w.run({"calibrate", "--name", "../x"});
  CHECK(e.exitCode == 2);
  ::setenv("WARPMILL_CUDA_DRIVER", "/nowhere/libcuda.so", 1);
  e = w.run({"calibrate"});
  ::unsetenv("WARPMILL_CUDA_DRIVER");
  CHECK(e.exitCode == 3);
  CHECK(has(e.err, "no NVIDIA driver"));
}
