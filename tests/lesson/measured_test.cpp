#include "base/sha256.h"
#include "base/text_file.h"
#include "launch/launch.h"
#include "lesson/measured.h"
#include "catch.h"

#include <algorithm>

using namespace warpmill;
using namespace warpmill::lesson;

namespace {
const std::string root = WARPMILL_SOURCE_DIR;
}

TEST_CASE("The records of the lessons are of an H200, of this tree's PTX, with 30 repeats or 0.2 s of them") {
  for (const std::string id : {"01-vector-add", "02-vector-add-triton"}) {
    const auto record = readMeasured(root + "/assets/measured/h200/" + id + ".json");
    REQUIRE(record.ok());
    CHECK(record->device == "NVIDIA H200");
    CHECK(record->sms == 132);
    CHECK_FALSE(record->driver.empty());
    REQUIRE_FALSE(record->ptxSha256.empty());
    for (const auto& [file, hash] : record->ptxSha256) {
      const auto ptx = readBinaryFile(root + "/lessons/" + id + "/" + file, 1 << 20);
      REQUIRE(ptx.ok());
      CHECK(sha256Hex(*ptx).substr(0, 16) == hash);
    }
    REQUIRE_FALSE(record->results.empty());
    for (const MeasuredResult& r : record->results) {
      INFO(r.name);
      CHECK((r.cold.repeats >= 30 || r.cold.repeats * r.cold.median > 0.15e6));
      CHECK(r.cold.q1 <= r.cold.median);
      CHECK(r.cold.median <= r.cold.q3);
      if (r.name.starts_with(id + "/eager/")) continue;   // PyTorch's own operation: a time, no kernel of ours
      CHECK(r.sha256.size() == 3);
      CHECK(r.counters.count("gpu__time_duration.sum") == 1);
    }
  }
}

TEST_CASE("The records of the examples have every launch, of this tree's PTX, with the hardware's counters") {
  for (const std::string suite : {"calibration", "mixed", "triton"}) {
    const auto record = readMeasured(root + "/assets/measured/h200/examples-" + suite + ".json");
    const auto launches = launch::readLaunches(root + "/assets/examples/" + suite + ".json");
    REQUIRE(record.ok());
    REQUIRE(launches.ok());
    REQUIRE(record->results.size() == launches->size());
    for (std::size_t i = 0; i < launches->size(); ++i) {
      INFO((*launches)[i].name);
      const MeasuredResult* r = record->result((*launches)[i].name);
      REQUIRE(r != nullptr);
      CHECK_FALSE(r->error);
      CHECK(r->counters.at("gpu__time_duration.sum") > 0);
      const std::string& path = (*launches)[i].ptxPath;
      const auto ptx = readBinaryFile(path, 4 << 20);
      REQUIRE(ptx.ok());
      CHECK(record->ptxSha256.at(path.substr(path.rfind('/') + 1)) == sha256Hex(*ptx).substr(0, 16));
    }
  }
}

TEST_CASE("All variants of a lesson wrote the same bytes on the real GPU") {
  const auto record = readMeasured(root + "/assets/measured/h200/01-vector-add.json");
  REQUIRE(record.ok());
  const auto output = [&](const char* name) { return record->result(name)->sha256[2]; };
  CHECK(output("01-vector-add/before/n2^24") == output("01-vector-add/after/n2^24"));
  CHECK(output("01-vector-add/after/n2^24") == output("01-vector-add/grid-stride/n2^24"));
}

TEST_CASE("A record without results is refused at its place") {
  const auto record = parseMeasured("{\n \"device\": \"x\"}", "r.json");
  REQUIRE_FALSE(record.ok());
  CHECK(record.diagnostics()[0].file == "r.json");
  CHECK(record.diagnostics()[0].message.find("results") != std::string::npos);
}

TEST_CASE("A result without a name is refused at its place") {
  const auto record = parseMeasured("{\"results\": [\n  {\"cold_us\": 1}]}", "r.json");
  REQUIRE_FALSE(record.ok());
  CHECK(record.diagnostics()[0].position.line == 2);
}

TEST_CASE("A counter that is no number is refused at its place") {
  const auto record = parseMeasured("{\"results\": [\n  {\"name\": \"x\", \"counters\": {\"a\": 1,\n \"b\": \"many\"}}]}", "r.json");
  REQUIRE_FALSE(record.ok());
  CHECK(record.diagnostics()[0].position.line == 3);
}
