// `warpmill sweep`: its expressions, its points, its jobs.
#include "cli/program.h"
#include "cli/sweep_spec.h"
#include "catch.h"

#include <nlohmann/json.hpp>

#include <cstdlib>

using namespace warpmill;
using warpmill::cli::evaluate;
using warpmill::testing::Ended;
using warpmill::testing::Workplace;

namespace {

constexpr const char* spec = R"({
  "launch": {"name": "add", "ptx": "vec_add", "kernel": "vec_add", "grid": ["${(n + block - 1) / block}"], "block": ["${block}"],
             "args": [{"type": "buffer", "dtype": "f32", "count": "${n}", "init": "random:${seed}"}, {"type": "buffer", "dtype": "f32", "count": "${n}", "init": "ones"},
                      {"type": "buffer", "dtype": "f32", "count": "${n}", "init": "zeros"}, {"type": "i32", "value": "${n}"}]},
  "axes": {"n": [100, 1000], "block": [64, 128, 256], "seed": [{"name": "one", "dynamic_shared_bytes": 0}, "7"], "device": ["h200"]},
  "where": "n >= block && block != 128"
})";

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("A sweep's expressions are whole numbers with the usual precedence") {
  const std::map<std::string, std::int64_t> names{{"n", 1000}, {"block", 256}};
  const auto value = [&](const char* text) { return evaluate(text, names).value(); };
  CHECK(value("(n + block - 1) / block") == 4);
  CHECK(value("2 + 3 * 4 % 5 - -1") == 5);
  CHECK(value("n >= block && block != 128 || 0") == 1);
  CHECK(value("min(n, 7) + max(1, block)") == 263);
}

TEST_CASE("A wrong expression is refused with its column") {
  for (const char* text : {"", "1 +", "(1", "m", "1 / 0", "9223372036854775807 + 1", "99999999999999999999", "1 2", "min(1)", "-9223372036854775807 - 2"}) {
    INFO(text);
    const auto v = evaluate(text, {{"n", 1}});
    REQUIRE_FALSE(v.ok());
    CHECK(has(v.diagnostics()[0].message, "column"));
  }
  CHECK_FALSE(evaluate(std::string(100'000, '('), {}).ok());
  CHECK_FALSE(evaluate(std::string(100'000, '-'), {}).ok());
}

TEST_CASE("A sweep runs every combination that its condition lets through, in the order of the axes") {
  const Workplace w;
  std::string text = spec;
  text.replace(text.find(R"({"name": "one", "dynamic_shared_bytes": 0})"), 42, "3");
  w.write("s.json", text);
  const Ended e = w.run({"sweep", "s.json", "--json", "out.json", "--jobs", "1"});
  INFO(e.out << e.err);
  CHECK(e.exitCode == 0);
  const auto parts = nlohmann::json::parse(w.read("out.json"));
  REQUIRE(parts.size() == 6);   // n=100: 64; n=1000: 64 and 256; each with two seeds
  CHECK(parts[0]["name"] == "add/n=100/block=64/seed=3/device=h200");
  CHECK(parts[5]["sweep"]["block"] == "256");
  CHECK(parts[5]["verdict"] == "ok");
  CHECK(parts[0]["buffers"][0]["sha256"] != parts[1]["buffers"][0]["sha256"]);
  CHECK(has(e.out, "time us"));
}

TEST_CASE("The jobs of a sweep, run one by one as a shell would, merge to what the sweep gives at once") {
  const Workplace w;
  std::string text = spec;
  text.replace(text.find(R"({"name": "one", "dynamic_shared_bytes": 0})"), 42, "3");
  w.write("s.json", text);
  const Ended jobs = w.run({"sweep", "s.json", "--emit-jobs", "--jobs-folder", w.path(""), "--mode", "functional"});
  REQUIRE(jobs.exitCode == 0);
  w.write("jobs.sh", jobs.out);
  REQUIRE(std::system(("sh -e " + w.path("jobs.sh") + " > /dev/null").c_str()) == 0);
  std::vector<std::string> merge{"sweep", "--json", "merged.json"};
  for (int i = 1; i <= 6; ++i) merge.insert(merge.end(), {"--merge", w.path("sweep-" + std::to_string(i) + ".json")});
  CHECK(w.run(merge).exitCode == 0);
  CHECK(w.run({"sweep", "s.json", "--mode", "functional", "--json", "whole.json"}).exitCode == 0);
  auto merged = nlohmann::json::parse(w.read("merged.json")), whole = nlohmann::json::parse(w.read("whole.json"));
  for (auto* all : {&merged, &whole})
    for (auto& part : *all) part.erase("simulator");   // its own speed
  CHECK(merged == whole);
}

TEST_CASE("The points of a sweep become a launch file that runs by itself") {
  const Workplace w;
  std::string text = spec;
  text.replace(text.find(R"({"name": "one", "dynamic_shared_bytes": 0})"), 42, "3");
  w.write("s.json", text);
  CHECK(w.run({"sweep", "s.json", "--emit-launches", "launches.json"}).exitCode == 0);
  const Ended e = w.run({"run", "launches.json", "--mode", "functional"});
  INFO(e.err);
  CHECK(e.exitCode == 0);
  CHECK(has(e.out, "6 launches: 6 ok"));
}

TEST_CASE("What is wrong with a sweep's file is said, and which point has it") {
  const Workplace w;
  const auto refused = [&](const std::string& text, const std::string& says) {
    w.write("s.json", text);
    const Ended e = w.run({"sweep", "s.json"});
    INFO(text << "\n" << e.err);
    CHECK(e.exitCode == 2);
    CHECK(has(e.err, says));
  };
  refused("{", "no JSON");
  refused("[]", "\"launch\" and \"axes\"");
  refused(R"({"launch": {}, "axes": {"n": []}})", "no values");
  refused(R"({"launch": {}, "axes": {"n": [1.5]}})", "1.5");
  refused(R"({"launch": {}, "axes": {"n": [1]}, "wher": "1"})", "\"wher\"");
  refused(R"({"launch": {"grid": ["${m}"]}, "axes": {"n": [1]}})", "no axis 'm'");
  refused(R"({"launch": {"grid": ["${n"]}, "axes": {"n": [1]}})", "without '}'");
  refused(R"({"launch": {"ptx": "vec_add"}, "axes": {"n": [1, 2]}, "where": "n > 5"})", "no combination");
  refused(R"({"launch": {"ptx": "vec_add", "grid": ["${n}"], "block": [32], "args": []}, "axes": {"n": [4, 0]}})", "point 2");
  refused(R"({"launch": {"ptx": "vec_add"}, "axes": {"device": ["h2000"]}})", "h2000");
  const std::string thousand = [] { std::string s = "1"; for (int i = 2; i <= 1001; ++i) s += "," + std::to_string(i); return s; }();
  refused(R"({"launch": {}, "axes": {"a": [)" + thousand + R"(], "b": [)" + thousand + "]}}", "combinations");
  CHECK(w.run({"sweep"}).exitCode == 2);
  CHECK(w.run({"sweep", "s.json", "--merge", "vec_add.json"}).exitCode == 2);
}

TEST_CASE("A sweep that lies too deep, is too large for memory, or has a number that does not fit is refused") {
  const auto says = [](const std::string& text) {
    const auto points = cli::parseSweep(text, "s.json");
    REQUIRE_FALSE(points.ok());
    CHECK(points.diagnostics().front().file == "s.json");
    return points.diagnostics().front().message;
  };
  CHECK(says(R"({"launch": {"a": )" + std::string(200'000, '[') + std::string(200'000, ']') + R"(}, "axes": {"n": [1]}})").find("more than 64 deep") != std::string::npos);
  std::string thousand = "0";
  for (int i = 1; i < 1000; ++i) thousand += "," + std::to_string(i);
  CHECK(says(R"({"launch": {}, "axes": {"a": [)" + thousand + R"(], "b": [)" + thousand + "]}}").find("more than fits into memory") != std::string::npos);
  CHECK(says(R"({"launch": {}, "axes": {"a": [18446744073709551615]}})").find("does not fit 64 bits") != std::string::npos);
}
