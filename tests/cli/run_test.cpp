#include "base/sha256.h"
#include "catch.h"
#include "cli/program.h"

#include <nlohmann/json.hpp>

#include <cstring>

using namespace warpmill;
using namespace warpmill::testing;
using nlohmann::json;

namespace {

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  INFO("wanted: " << part);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A launch runs, says what it took, and its result is compared with what the file expects") {
  const Workplace w;
  for (const char* mode : {"auto", "detailed", "functional"}) {
    const Ended e = w.run({"run", "vec_add.json", "--device", "teaching", "--mode", mode});
    INFO(e.err);
    REQUIRE(e.exitCode == 0);
    REQUIRE(e.err.empty());
    REQUIRE(has(e.out, "vec_add/n1000: ok"));
    REQUIRE(has(e.out, "verdict ok as expected; 4 values of argument 2 as expected"));
  }
}

TEST_CASE("The JSON of a run has the agreed fields, and the buffers' hashes are those of their bytes") {
  const Workplace w;
  const Ended e = w.run({"run", "vec_add.json", "--device", "teaching", "--json", "r.json", "--dump", "2=c.bin", "--dump", "a=a.bin"});
  REQUIRE(e.exitCode == 0);
  const json r = json::parse(w.read("r.json"));
  REQUIRE(r["name"] == "vec_add/n1000");
  REQUIRE(r["verdict"] == "ok");
  REQUIRE(r["faults"].empty());
  REQUIRE(r["timing"]["mode"] == "detailed");
  REQUIRE(r["timing"]["cycles"].get<double>() > 400);
  REQUIRE(r["timing"]["time_us"].get<double>() > 1);
  REQUIRE(r["timing"]["simulated_blocks"] == 4);
  REQUIRE(r["timing"]["of_blocks"] == 4);
  for (const char* key : {"occupancy_pct", "dram_gbps", "useful_gbps", "gflops", "limit"}) REQUIRE(r["achieved"].contains(key));
  for (const char* key : {"registers_per_thread", "blocks_per_sm", "occupancy_limiter", "waves"}) REQUIRE(r["launch"].contains(key));
  REQUIRE(r["counters"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 250);
  REQUIRE(r["counters"]["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == 125);
  REQUIRE(r["stalls"].contains("long_scoreboard"));
  REQUIRE(r["simulator"]["wall_s"].get<double>() > 0);
  REQUIRE(r["simulator"]["warp_instructions"].get<double>() > 32 * 10);
  REQUIRE(r["expect"]["met"] == true);

  std::vector<float> c(1000);
  const std::string bytes = w.read("c.bin");
  REQUIRE(bytes.size() == 4000);
  std::memcpy(c.data(), bytes.data(), bytes.size());
  for (std::size_t i = 0; i < c.size(); ++i) REQUIRE(c[i] == static_cast<float>(i + 1));
  REQUIRE(w.read("a.bin").size() == 4000);
  REQUIRE(r["buffers"].size() == 3);
  REQUIRE(r["buffers"][2]["arg"] == 2);
  const std::span<const std::uint8_t> raw(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  REQUIRE(r["buffers"][2]["sha256"] == sha256Hex(raw).substr(0, 16));
}

TEST_CASE("Two runs write the same JSON but for the time they took") {
  const Workplace w;
  json first, second;
  for (json* into : {&first, &second}) {
    const Ended e = w.run({"run", "vec_add.json", "--json", "-"});
    REQUIRE(e.exitCode == 0);
    *into = json::parse(e.out);  // nothing else is on standard output
    into->erase("simulator");
  }
  REQUIRE(first == second);
}

TEST_CASE("A PTX file runs with its launch on the command line") {
  const Workplace w;
  const std::vector<std::string> launch{"--kernel", "vec_add",
                                        "--grid",   "4",
                                        "--block",  "256,1,1",
                                        "--arg",    "buffer:f32:1000:iota",
                                        "--arg",    "buffer:f32:1000:ones",
                                        "--arg",    "buffer:f32:1000",
                                        "--arg",    "i32:1000",
                                        "--device", "teaching"};
  std::vector<std::string> arguments{"run", "vec_add.ptx", "--mode", "functional", "--dump", "2=c.bin"};
  arguments.insert(arguments.end(), launch.begin(), launch.end());
  const Ended e = w.run(arguments);
  INFO(e.err);
  REQUIRE(e.exitCode == 0);
  float last = 0;
  std::memcpy(&last, w.read("c.bin").data() + 3996, 4);
  REQUIRE(last == 1000);
}

TEST_CASE("A suite gives a table, an array of reports in its order, and can be narrowed") {
  const Workplace w;
  std::string suite = "[";
  for (const char* name : {"a/1", "b/2", "a/3"}) {
    std::string one = vecAddLaunch;
    suite += (suite.size() > 1 ? "," : "") + one.replace(one.find("vec_add/n1000"), 13, name);
  }
  w.write("suite.json", suite + "]");
  const Ended all = w.run({"run", "suite.json", "--device", "teaching", "--jobs", "3", "--json", "r.json"});
  REQUIRE(all.exitCode == 0);
  REQUIRE(has(all.out, "3 launches: 3 ok; none differs from what its file expects"));
  const json r = json::parse(w.read("r.json"));
  REQUIRE(r.size() == 3);
  REQUIRE(r[0]["name"] == "a/1");
  REQUIRE(r[1]["name"] == "b/2");
  REQUIRE(r[2]["name"] == "a/3");
  REQUIRE(r[0]["timing"] == r[2]["timing"]);
  const Ended some = w.run({"run", "suite.json", "--only", "b/*", "--mode", "functional", "--json", "-"});
  REQUIRE(some.exitCode == 0);
  REQUIRE(json::parse(some.out).size() == 1);  // of a suite it stays an array
}

TEST_CASE("A wrong result fails the run and says where it is wrong") {
  const Workplace w;
  w.writeLaunch("wrong.json", "[1, 2, 3, 4]", "[1, 2, 5, 4]");
  const Ended e = w.run({"run", "wrong.json", "--mode", "functional"});
  REQUIRE(e.exitCode == 1);
  REQUIRE(has(e.out, "WRONG: verdict ok as expected; 1 of 4 values of argument 2 are wrong: element 2 is 3, expected 5"));
  w.writeLaunch("near.json", "[1, 2, 3, 4], \"tolerance\": 0", "[1, 2, 3.0000001, 4], \"tolerance\": 1e-6");
  REQUIRE(w.run({"run", "near.json", "--mode", "functional"}).exitCode == 0);
}

TEST_CASE("A fault fails the run with the place where it happened, in both modes") {
  const Workplace w;
  w.writeLaunch("far.json", "\"value\": 1000", "\"value\": 1024");
  for (const char* mode : {"functional", "detailed"}) {
    const Ended e = w.run({"run", "far.json", "--mode", mode, "--json", "r.json"});
    REQUIRE(e.exitCode == 1);
    REQUIRE(has(e.out, "out_of_bounds"));
    REQUIRE(has(e.out, "verdict out_of_bounds, expected ok"));
    const json r = json::parse(w.read("r.json"));
    REQUIRE(r["verdict"] == "out_of_bounds");
    const json& f = r["faults"][0];
    REQUIRE(f["kind"] == "out_of_bounds");
    REQUIRE(f["block"] == json({3, 0, 0}));
    REQUIRE(f["thread"] == json({232, 0, 0}));
    REQUIRE(f["lane"] == 8);
    REQUIRE(f["warp"] == 7);
    REQUIRE(f["buffer"] == 0);
    REQUIRE(f["offset"] == 4000);
    REQUIRE(f["bytes"] == 4);
    REQUIRE(f["access"] == "load");
    REQUIRE(f["ptx_line"] == 24);
  }
}

TEST_CASE("A kernel that never ends is stopped and called a hang") {
  const Workplace w;
  for (const char* mode : {"functional", "detailed"}) {
    const Ended e =
        w.run({"run", "vec_add.ptx", "--kernel", "forever", "--grid", "1", "--block", "32", "--mode", mode, "--max-instructions", "10000"});
    REQUIRE(e.exitCode == 1);
    REQUIRE(has(e.out, "hang"));
  }
}

TEST_CASE("A suite goes on after a launch that cannot run, and its report says why") {
  const Workplace w;
  std::string tooMany = vecAddLaunch, broken = vecAddLaunch;
  tooMany.replace(tooMany.find("[256, 1, 1]"), 11, "[2048, 1, 1]");
  broken.replace(broken.find("\"ptx\": \"vec_add\""), 16, "\"ptx\": \"broken\"");
  w.write("broken.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry vec_add()\n{\n  .reg .f33 %f;\n  ret;\n}\n");
  w.write("suite.json", "[" + tooMany + "," + broken + "," + std::string(vecAddLaunch) + "]");
  const Ended e = w.run({"run", "suite.json", "--mode", "functional", "--json", "r.json"});
  REQUIRE(e.exitCode == 2);
  REQUIRE(has(e.err, "suite.json:5:"));
  REQUIRE(has(e.err, "threads in x, h200 allows 1024"));
  REQUIRE(has(e.err, "broken.ptx:6:"));
  const json r = json::parse(w.read("r.json"));
  REQUIRE(r.size() == 3);
  REQUIRE(r[0]["verdict"] == "launch_error");
  REQUIRE(r[1]["verdict"] == "parse_error");
  REQUIRE(r[1]["faults"][0]["ptx_line"] == 6);
  REQUIRE(r[2]["verdict"] == "ok");
}

TEST_CASE("A scale model of a device can be asked for") {
  const Workplace w;
  const Ended e = w.run({"run", "vec_add.json", "--sms", "2", "--json", "-"});
  REQUIRE(e.exitCode == 0);
  REQUIRE(json::parse(e.out)["launch"]["waves"].get<double>() == Approx(0.25));
  REQUIRE(w.run({"run", "vec_add.json", "--sms", "133"}).exitCode == 2);
}

namespace {

// Two warps exchange values through shared memory, without a barrier.
const char* exchangePtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in) {
.reg .b32 %r<8>; .reg .b64 %rd<6>; .shared .align 4 .b32 s[64];
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
add.u64 %rd2, %rd2, %rd3; ld.global.u32 %r5, [%rd2];
shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2;
    st.shared.u32 [%r4], %r5;
    //barrier
sub.u32 %r2, 252, %r2; add.u32 %r4, %r3, %r2;
    ld.shared.u32 %r6, [%r4];
add.u64 %rd1, %rd1, %rd3; st.global.u32 [%rd1], %r6; ret; }
)";

std::vector<std::string> exchange(const std::string& init, std::vector<std::string> more) {
  std::vector<std::string> all{"run", "k.ptx", "--grid", "1", "--block", "64", "--arg", "buffer:i32:64", "--arg", "buffer:i32:64:" + init, "--device", "teaching"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

TEST_CASE("A race is told of in either mode, with both lines, and only when it is looked for") {
  const Workplace w;
  w.write("k.ptx", exchangePtx);
  for (const char* mode : {"detailed", "functional"}) {
    const Ended e = w.run(exchange("iota", {"--mode", mode}));
    REQUIRE(e.exitCode == 1);
    has(e.out, "k: shared_race");
    has(e.out, "k.ptx:9:19: error: ");
    has(e.out, " [shared_race]\n     9 |     st.shared.u32 [%r4], %r5;\n       |                   ^~~~~\n");
    has(e.out, "k.ptx:12:5: note: the other access, a load, is by block (0,0,0) thread (31,0,0)\n    12 |     ld.shared.u32 %r6, [%r4];\n");
    has(e.out, "  = values of block (0,0,0) thread (32,0,0):\n");
    has(e.out, "%r2  = %r1 << 2");
    has(e.out, "Put __syncthreads() between the two");
    has(e.out, "races, uninitialised values, index overflow; NaN and infinity with");
    REQUIRE(w.run(exchange("iota", {"--mode", mode, "--checks", "memory,init"})).exitCode == 1);  // the first warp reads what is not there yet
    REQUIRE(w.run(exchange("iota", {"--mode", mode, "--checks", "none"})).exitCode == 0);
  }
  const Ended e = w.run(exchange("iota", {"--json", "-"}));
  const json fault = json::parse(e.out)["faults"][0];
  REQUIRE(fault["kind"] == "shared_race");
  REQUIRE(fault["ptx_line"] == 9);
  REQUIRE(fault["thread"] == json::array({32, 0, 0}));
  REQUIRE(fault["other"]["ptx_line"] == 12);
  REQUIRE(fault["other"]["thread"] == json::array({31, 0, 0}));
  REQUIRE(fault["other"]["access"] == "load");
}

TEST_CASE("A buffer that nothing was written to is told of where its values are stored") {
  const Workplace w;
  std::string fixed = exchangePtx;
  w.write("k.ptx", fixed.replace(fixed.find("//barrier"), 9, "bar.sync 0;"));
  REQUIRE(w.run(exchange("iota", {})).exitCode == 0);
  const Ended e = w.run(exchange("uninitialized", {"--json", "-"}));
  REQUIRE(e.exitCode == 1);
  const json fault = json::parse(e.out)["faults"][0];
  REQUIRE(fault["kind"] == "uninitialized");
  REQUIRE(fault["buffer"] == 0);
  REQUIRE(fault["ptx_line"] == 13);
  REQUIRE(fault["count"] == 64);
  REQUIRE(fault["other"]["ptx_line"] == 12);  // the last load
  REQUIRE(fault["message"].get<std::string>().ends_with("from offset 124 of 's' (shared memory), where it had been stored undefined"));
}

TEST_CASE("run --lines says where the time goes, line by line, in text and JSON; without it nothing is gathered") {
  const Workplace w;
  const Ended e = w.run({"run", "vec_add.json", "--device", "teaching", "--lines", "--json", "r.json"});
  REQUIRE(e.exitCode == 0);
  has(e.out, "where the warps' time goes");
  has(e.out, "add.f32 %f3, %f1, %f2;");   // the lines' text, out of the PTX; the sum is what waits for the loads
  const json r = json::parse(w.read("r.json"));
  std::uint64_t instructions = 0;
  double share = 0;
  for (const json& line : r["ptx_lines"]) {
    instructions += line["inst_executed"].get<std::uint64_t>();
    share += line["share_pct"].get<double>();
  }
  CHECK(static_cast<double>(instructions) == r["counters"]["smsp__inst_executed.sum"].get<double>());
  CHECK(share == Approx(100));
  const Ended without = w.run({"run", "vec_add.json", "--device", "teaching", "--json", "-"});
  CHECK_FALSE(json::parse(without.out).contains("ptx_lines"));
  w.write("two.json", "[" + w.read("vec_add.json") + "," + w.read("vec_add.json") + "]");
  const Ended suite = w.run({"run", "two.json", "--device", "teaching", "--lines"});
  has(suite.out, "vec_add/n1000\n  where the warps' time goes");
}
