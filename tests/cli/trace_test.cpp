#include "catch.h"
#include "cli/program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

using namespace warpmill::testing;

namespace {

std::vector<std::string> linesOf(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The letters of a warp's row in a timeline.
std::string rowOf(const std::string& text, const std::string& warp) {
  for (const std::string& line : linesOf(text))
    if (line.starts_with(warp + " ") && line.find(" SM ") != std::string::npos) return line.substr(26);
  return {};
}

}  // namespace

TEST_CASE("A trace shows a row for every warp, with a legend") {
  const Workplace w;
  const Ended e = w.run({"trace", "vec_add.json", "--device", "teaching"});
  REQUIRE(e.exitCode == 0);
  REQUIRE(e.out.find("32 warps of 4 blocks on 2 SMs") != std::string::npos);
  REQUIRE(e.out.find("G waits for global memory") != std::string::npos);
  for (int block = 0; block < 4; ++block) {
    const std::string row = rowOf(e.out, "block " + std::to_string(block) + " warp 7");
    INFO(e.out);
    REQUIRE(row.find('G') != std::string::npos);
  }
}

TEST_CASE("A window of single cycles shows exactly the cycles in which a warp issued") {
  const Workplace w;
  const Ended listing = w.run({"trace", "vec_add.json", "--device", "teaching", "--warp", "1:2"});
  REQUIRE(listing.exitCode == 0);
  // The cycle of the warp's store, from the listing; then the timeline of the cycles around it.
  std::uint64_t store = 0;
  for (const std::string& line : linesOf(listing.out))
    if (line.find("st.global.f32") != std::string::npos) store = std::stoull(line);
  REQUIRE(store > 100);
  const std::string window = std::to_string(store - 5) + ":" + std::to_string(store + 5);
  const std::string row = rowOf(w.run({"trace", "vec_add.json", "--device", "teaching", "--cycles", window}).out, "block 1 warp 2");
  REQUIRE(row.size() >= 6);
  REQUIRE(row[5] == 'W');
}

TEST_CASE("The listing of a warp has each of its instructions, its lanes and what its loads touched") {
  const Workplace w;
  const Ended e = w.run({"trace", "vec_add.json", "--device", "teaching", "--warp", "3:7"});
  REQUIRE(e.exitCode == 0);
  std::size_t loads = 0;
  for (const std::string& line : linesOf(e.out)) {
    if (line.find("ld.global.f32") == std::string::npos) continue;
    ++loads;
    REQUIRE(line.find(" 8/8 ") != std::string::npos);  // elements 992 to 999: the other lanes left at the branch
    REQUIRE(line.find("1 sector, from DRAM") != std::string::npos);
  }
  REQUIRE(loads == 2);
}

TEST_CASE("The CSV of a trace has a row for each issue and each wait, in time order") {
  const Workplace w;
  const Ended e = w.run({"trace", "vec_add.json", "--device", "teaching", "--csv", "-"});
  REQUIRE(e.exitCode == 0);
  const auto lines = linesOf(e.out);
  REQUIRE(lines[0] == "begin,end,sm,place,block,warp,state,pc,ptx_line,source_line");
  std::uint64_t before = 0;
  std::size_t selected = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::uint64_t begin = std::stoull(lines[i]);
    REQUIRE(begin >= before);
    before = begin;
    if (lines[i].find(",selected,") != std::string::npos) ++selected;
  }
  REQUIRE(selected == 31 * 19 + 19);  // every warp of 1000 threads goes through all 19 instructions; the last with 8 lanes
}

TEST_CASE("A trace for Perfetto has every issue and a pair of ends for every memory request") {
  const Workplace w;
  const Ended e = w.run({"trace", "vec_add.json", "--device", "teaching", "--perfetto", "t.json"});
  REQUIRE(e.exitCode == 0);
  REQUIRE(e.out.empty());
  const auto trace = nlohmann::json::parse(w.read("t.json"));
  std::size_t issues = 0, begins = 0, ends = 0, processes = 0;
  for (const auto& event : trace["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "X" && event["cat"] == "issue") ++issues;
    if (phase == "b") ++begins;
    if (phase == "e") ++ends;
    if (event["name"] == "process_name") ++processes;
  }
  REQUIRE(issues == 32 * 19);
  REQUIRE(begins == 32 * 3);  // two loads and a store a warp
  REQUIRE(ends == begins);
  REQUIRE(processes == 2);
}

TEST_CASE("A trace is of one launch") {
  const Workplace w;
  w.write("suite.json", "[" + std::string(vecAddLaunch) + "," + vecAddLaunch + "]");
  const Ended e = w.run({"trace", "suite.json"});
  REQUIRE(e.exitCode == 2);
  REQUIRE(e.err.find("choose one with --only") != std::string::npos);
}
