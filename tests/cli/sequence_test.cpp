// Sequences of launches, and what kernels print, through the program.
#include "catch.h"
#include "cli/program.h"

#include <nlohmann/json.hpp>

#include <cstring>

using namespace warpmill;
using namespace warpmill::testing;
using nlohmann::json;

namespace {

const std::string data = std::string(WARPMILL_SOURCE_DIR) + "/tests/data/calls/";

json jsonOf(const Workplace& w, std::vector<std::string> arguments, int exitCode = 0) {
  arguments.insert(arguments.end(), {"--device", "teaching", "--json", "-"});
  const Ended e = w.run(arguments);
  INFO(e.err);
  REQUIRE(e.exitCode == exitCode);
  return json::parse(e.out);
}

const char* const stepThatFails = R"({
  "ptx": "vec_add", "name": "fails",
  "buffers": {"a": {"dtype": "f32", "count": 64, "init": "ones"}, "b": {"dtype": "f32", "count": 64, "init": "zeros"}},
  "sequence": [
    {"kernel": "vec_add", "grid": 1, "block": 64, "args": [{"buffer": "a"}, {"buffer": "a"}, {"buffer": "b"}, {"type": "i32", "value": 64}]},
    {"name": "too far", "kernel": "vec_add", "grid": 1, "block": 96, "args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "b"}, {"type": "i32", "value": 96}]},
    {"name": "never", "kernel": "vec_add", "grid": 1, "block": 64, "args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "b"}, {"type": "i32", "value": 64}]}
  ]
})";

// The second launch reads `read` elements of a buffer of which the first has written 64.
std::string stepThatReads(int read) {
  const std::string n = std::to_string(read);
  return R"({
  "ptx": "vec_add", "name": "reads",
  "buffers": {"a": {"dtype": "f32", "count": 96, "init": "ones"}, "b": {"dtype": "f32", "count": 96, "init": "uninitialized"}, "c": {"dtype": "f32", "count": 96, "init": "zeros"}},
  "sequence": [
    {"kernel": "vec_add", "grid": 1, "block": 96, "args": [{"buffer": "a"}, {"buffer": "a"}, {"buffer": "b"}, {"type": "i32", "value": 64}]},
    {"kernel": "vec_add", "grid": 1, "block": 96, "args": [{"buffer": "b"}, {"buffer": "a"}, {"buffer": "c"}, {"type": "i32", "value": )" + n + R"(}]}
  ]
})";
}

}  // namespace

TEST_CASE("What an earlier launch of a sequence has written may be read, and the rest of the buffer may not") {
  const Workplace w;
  w.write("fine.json", stepThatReads(64));
  w.write("more.json", stepThatReads(65));
  for (const char* mode : {"functional", "detailed"}) {
    CHECK(jsonOf(w, {"run", "fine.json", "--mode", mode})["verdict"] == "ok");
    const json r = jsonOf(w, {"run", "more.json", "--mode", mode}, 1);
    CHECK(r["verdict"] == "uninitialized");
    CHECK(r["faults"][0]["launch"] == 1);
    CHECK(r["faults"][0]["thread"] == json::array({64, 0, 0}));
  }
}

TEST_CASE("Launches of a sequence run one after the other on the same buffers and variables") {
  const Workplace w;
  for (const char* mode : {"functional", "detailed"}) {
    const json r = jsonOf(w, {"run", data + "sequence.json", "--mode", mode, "--dump", "out=out.bin", "--dump", "3=count.bin"});
    CHECK(r["name"] == "two-pass sum");
    CHECK(r["verdict"] == "ok");
    CHECK(r["expect"]["met"] == true);
    CHECK(r["printf"] == "the sum is 8.38656e+06\n");
    REQUIRE(r["launches"].size() == 2);
    CHECK(r["launches"][0]["name"] == "partial");
    CHECK(r["launches"][1]["name"] == "last");
    CHECK_FALSE(r["launches"][0].contains("printf"));
    CHECK(r["launches"][1]["printf"] == r["printf"]);
    REQUIRE(r["buffers"].size() == 4);
    CHECK(r["buffers"][1]["name"] == "sums");
    CHECK(r["buffers"][1]["sha256"] == r["launches"][1]["buffers"][0]["sha256"]);
    const auto count = [&](const json& one) { return one["simulator"]["warp_instructions"].get<std::uint64_t>(); };
    CHECK(count(r) == count(r["launches"][0]) + count(r["launches"][1]));
    if (std::string(mode) == "detailed") {
      const auto time = [&](const json& one) { return one["timing"]["time_us"].get<double>(); };
      CHECK(time(r) == time(r["launches"][0]) + time(r["launches"][1]));
    }
    float sum = 0;
    std::uint32_t launches = 0;
    const std::string out = w.read("out.bin"), counted = w.read("count.bin");
    REQUIRE(out.size() == 4);
    REQUIRE(counted.size() == 4);
    std::memcpy(&sum, out.data(), 4);
    std::memcpy(&launches, counted.data(), 4);
    CHECK(sum == 8386560.0f);
    CHECK(launches == 7);  // 5 at first, and one more by each launch: variables of the module keep their values
  }
}

TEST_CASE("A sequence ends with the launch that has a fault, which is told with its number and the buffer's name") {
  const Workplace w;
  w.write("fails.json", stepThatFails);
  const json r = jsonOf(w, {"run", "fails.json", "--mode", "functional"}, 1);
  CHECK(r["verdict"] == "out_of_bounds");
  REQUIRE(r["launches"].size() == 2);
  CHECK(r["launches"][0]["verdict"] == "ok");
  REQUIRE_FALSE(r["faults"].empty());
  CHECK(r["faults"][0]["launch"] == 1);
  CHECK(r["faults"][0]["message"].get<std::string>().find("argument 0 ('a', 256 bytes)") != std::string::npos);
  const Ended text = w.run({"run", "fails.json", "--mode", "functional", "--device", "teaching"});
  CHECK(text.out.find("fails: out_of_bounds, 2 launches") != std::string::npos);
  CHECK(text.out.find("too far") != std::string::npos);
}

TEST_CASE("check looks at each launch of a sequence, and trace wants a single one") {
  const Workplace w;
  w.write("fails.json", stepThatFails);
  const Ended fine = w.run({"check", "fails.json", "--device", "teaching"});
  INFO(fine.err);
  CHECK(fine.exitCode == 0);
  CHECK(fine.out.find("3 launches, no errors") != std::string::npos);
  std::string wrong = stepThatFails;
  wrong.replace(wrong.find("\"block\": 96"), 11, "\"block\": 9600");
  w.write("wrong.json", wrong);
  CHECK(w.run({"check", "wrong.json", "--device", "teaching"}).exitCode == 2);
  const Ended traced = w.run({"trace", "fails.json", "--device", "teaching"});
  CHECK(traced.exitCode == 2);
  CHECK(traced.err.find("'fails' is a sequence of 3 launches") != std::string::npos);
  const Ended second = w.run({"trace", data + "sequence.json", "--device", "teaching", "--step", "2"});
  INFO(second.err);
  CHECK(second.exitCode == 0);
  CHECK(second.out.find("last on ") == 0);
  const Ended third = w.run({"trace", "fails.json", "--device", "teaching", "--step", "3"});
  CHECK(third.exitCode == 2);
  CHECK(third.err.find("launch 2 of 'fails' comes before, and ends with a fault") != std::string::npos);
}

TEST_CASE("What a kernel prints comes first on standard output, and in the JSON") {
  const Workplace w;
  const std::vector<std::string> launch = {"run", data + "runtime_nvcc.ptx", "--kernel", "prints", "--grid", "1", "--block", "2", "--arg", "buffer:i32:64:iota",
                                           "--arg", "buffer:i32:64:zeros"};
  const std::string printed = "thread 0 of 2: 0  0.00 0.000000e+00 0 even a 0 %\nthread 1 of 2: 8589934592  1.50 3.333333e-01 1e-07 odd b 1 %\n"
                              "0 18446744073709551615 (nil) -5 x\n1 18446744073709551615 (nil) -5 x\n";
  for (const char* mode : {"functional", "detailed"}) {
    std::vector<std::string> arguments = launch;
    arguments.insert(arguments.end(), {"--mode", mode});
    CHECK(jsonOf(w, arguments)["printf"] == printed);
    arguments.insert(arguments.end(), {"--device", "teaching"});
    CHECK(w.run(arguments).out.find(printed) == 0);
  }
}

TEST_CASE("A stack for deep recursion is asked for in the launch file") {
  const Workplace w;
  const auto launch = [&](const std::string& stack) {
    return R"({"ptx": ")" + data + R"(calls_nvcc", "kernel": "recursion", "grid": 1, "block": 32,)" + stack +
           R"("args": [{"type": "buffer", "dtype": "i32", "count": 64, "init": "zeros"}]})";
  };
  w.write("deep.json", launch(""));
  CHECK(jsonOf(w, {"run", "deep.json", "--mode", "functional"})["verdict"] == "ok");
  w.write("shallow.json", launch("\"stack_bytes\": 256,"));
  const json r = jsonOf(w, {"run", "shallow.json", "--mode", "functional"}, 1);
  CHECK(r["verdict"] == "out_of_bounds");
  CHECK(r["faults"][0]["message"].get<std::string>().find("the stack is full") == 0);
}
