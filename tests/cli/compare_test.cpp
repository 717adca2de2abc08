// `warpmill compare` and `warpmill run --what-if`, through the program.
#include "catch.h"
#include "cli/program.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace warpmill;
using namespace warpmill::testing;
using nlohmann::json;

namespace {

void writeSuite(const Workplace& w) {
  std::string suite;
  for (const char* size : {"a", "b", "c"}) {
    std::string one = vecAddLaunch;
    one.replace(one.find("n1000"), 5, size);
    suite += (suite.empty() ? "[" : ",") + one;
  }
  w.write("suite.json", suite + "]");
}

// Measured times that are `factor` times what the simulator says.
std::string recordOf(const Workplace& w, double factor) {
  const Ended e = w.run({"run", "suite.json", "--device", "teaching", "--json", "-"});
  REQUIRE(e.exitCode == 0);
  json out = {{"device", "a GPU"}, {"sms", 2}, {"driver", "1"}, {"results", json::array()}};
  for (const json& r : json::parse(e.out)) {
    const double us = r["timing"]["time_us"].get<double>() * factor;
    out["results"].push_back({{"name", r["name"]}, {"cold_us", us + 2}, {"warm_us", us}, {"registers", 12},
                              {"counters", {{"gpu__time_duration.sum", us * 1000}, {"smsp__inst_executed.sum", r["counters"]["smsp__inst_executed.sum"]}}}});
  }
  return out.dump();
}

}  // namespace

TEST_CASE("compare lays simulated beside measured times, and ends with mean, 90th percentile and worst error") {
  const Workplace w;
  writeSuite(w);
  w.write("gpu.json", recordOf(w, 2));
  const Ended text = w.run({"compare", "suite.json", "gpu.json", "--device", "teaching"});
  INFO(text.out << text.err);
  REQUIRE(text.exitCode == 0);
  CHECK(text.out.find("mean error 50.0 %, 90th percentile 50.0 %, worst 50.0 %") != std::string::npos);
  const Ended e = w.run({"compare", "suite.json", "gpu.json", "--device", "teaching", "--json", "-"});
  const json r = json::parse(e.out);
  REQUIRE(r["rows"].size() == 3);
  for (const json& row : r["rows"]) {
    CHECK(std::fabs(row["error_pct"].get<double>() + 50) < 1e-6);
    CHECK(row["counters"]["smsp__inst_executed.sum"][0] == row["counters"]["smsp__inst_executed.sum"][1]);
  }
  CHECK(r["time_error_pct"]["n"] == 3);
}

TEST_CASE("compare refuses a record that knows none of the launches") {
  const Workplace w;
  writeSuite(w);
  w.write("gpu.json", R"({"device": "a GPU", "sms": 2, "driver": "1", "results": []})");
  const Ended e = w.run({"compare", "suite.json", "gpu.json", "--device", "teaching"});
  CHECK(e.exitCode == 2);
  CHECK(e.err.find("none of the 3 launches") != std::string::npos);
}

TEST_CASE("What-if says what would help, the most helpful first") {
  const Workplace w;
  const Ended e = w.run({"run", "vec_add.json", "--device", "teaching", "--what-if", "--json", "-"});
  REQUIRE(e.exitCode == 0);
  const json r = json::parse(e.out);
  REQUIRE(r["what_if"].size() >= 5);
  CHECK(r["what_if"][0]["name"] == "free_launch");   // a thousand elements: the start is most of it
  for (std::size_t i = 1; i < r["what_if"].size(); ++i) CHECK(r["what_if"][i]["gain_pct"].get<double>() <= r["what_if"][i - 1]["gain_pct"].get<double>());
  for (const json& remedy : r["what_if"]) CHECK(remedy["time_us"].get<double>() > 0);
  const Ended text = w.run({"run", "vec_add.json", "--device", "teaching", "--what-if"});
  CHECK(text.out.find("most, against launch overhead") != std::string::npos);
}
