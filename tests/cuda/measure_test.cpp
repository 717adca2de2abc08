// `warpmill measure` as a user runs it, on a driver without a GPU behind it (fake_driver.cpp).
#include "base/json.h"
#include "cli/program.h"
#include "lesson/measured.h"
#include "catch.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

using namespace warpmill;
using warpmill::testing::Ended;
using warpmill::testing::Variable;
using warpmill::testing::Workplace;

namespace {

const std::string oneLaunch = R"({"name": "NAME", "ptx": "kernels", "kernel": "KERNEL", "grid": [4], "block": [BLOCK], "args": [
  {"type": "buffer", "dtype": "f32", "count": 1000, "init": "iota"}, {"type": "buffer", "dtype": "f32", "count": 1000, "init": "random:1"},
  {"type": "buffer", "dtype": "f32", "count": 1000, "init": "zeros"}, {"type": "i32", "value": 1000}]})";

std::string launchOf(const std::string& kernel, const std::string& block = "256") {
  std::string text = oneLaunch;
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"NAME", kernel}, {"KERNEL", kernel}, {"BLOCK", block}}) text.replace(text.find(from), from.size(), to);
  return text;
}

// A module with the vector addition under several names, which the fake driver tells apart.
void writeKernels(const Workplace& w) {
  std::string ptx = testing::vecAddPtx;
  const std::size_t begin = ptx.find(".visible .entry vec_add"), end = ptx.find(".visible .entry forever");
  const std::string kernel = ptx.substr(begin, end - begin);
  for (const std::string name : {"vec_add_wrong", "faults", "hangs", "dies"}) {
    std::string copy = kernel;
    ptx += copy.replace(copy.find("vec_add"), 7, name);
  }
  w.write("kernels.ptx", ptx);
}

lesson::Measured recordOf(const Workplace& w, const std::string& name) {
  const auto record = lesson::readMeasured(w.path(name));
  REQUIRE(record.ok());
  return *record;
}

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("Without a driver measure says so, what to do, and that a part is missing") {
  const Workplace w;
  const Variable driver("WARPMILL_CUDA_DRIVER", w.path("libnone.so"));
  const Ended e = w.run({"measure", "vec_add.json"});
  CHECK(e.exitCode == 3);
  CHECK(has(e.err, "no NVIDIA driver"));
  CHECK(has(e.err, "hint: "));
}

TEST_CASE("A driver without a GPU, and one that does not start, are told apart") {
  const Workplace w;
  const Variable driver("WARPMILL_CUDA_DRIVER", FAKE_DRIVER);
  {
    const Variable none("FAKE_CUDA_NONE", "1");
    const Ended e = w.run({"measure", "vec_add.json"});
    CHECK(e.exitCode == 3);
    CHECK(has(e.err, "finds no GPU"));
  }
  const Variable init("FAKE_CUDA_INIT", "803");
  const Ended e = w.run({"measure", "vec_add.json"});
  CHECK(e.exitCode == 3);
  CHECK(has(e.err, "different versions"));
}

TEST_CASE("A launch is measured cold and warm, its results are hashed and laid beside the simulator's") {
  const Workplace w;
  const Variable driver("WARPMILL_CUDA_DRIVER", FAKE_DRIVER);
  const Ended e = w.run({"measure", "vec_add.json", "--json", "m.json"});
  INFO(e.out << e.err);
  CHECK(e.exitCode == 0);
  CHECK(has(e.out, "GPU and simulator agree byte for byte in 3 buffers"));
  CHECK(has(e.out, "GB/s"));
  const lesson::Measured m = recordOf(w, "m.json");
  CHECK(m.device == "Fake GPU");
  CHECK(m.sms == 4);
  CHECK_FALSE(m.date.empty());
  CHECK(m.ptxSha256.count("vec_add.ptx") == 1);
  REQUIRE(m.results.size() == 1);
  CHECK(m.results[0].cold.repeats == 30);
  CHECK(m.results[0].cold.median == Approx(1).epsilon(0.01));   // the fake clock's microsecond a launch
  CHECK(m.results[0].registers == 12);
  CHECK(m.results[0].sha256.size() == 3);
}

TEST_CASE("A wrong result is followed to the element, both values, and its writer in the simulator") {
  const Workplace w;
  writeKernels(w);
  w.write("l.json", launchOf("vec_add_wrong"));
  const Variable driver("WARPMILL_CUDA_DRIVER", FAKE_DRIVER);
  const Ended e = w.run({"measure", "l.json", "--once"});
  INFO(e.out << e.err);
  CHECK(has(e.out, "argument 2 differs in 1 of 1000 elements"));
  CHECK(has(e.out, "element 17"));
  CHECK(has(e.out, "last written at PTX line"));
  CHECK(has(e.out, "thread (17,0,0) of block (0,0,0)"));
}

TEST_CASE("Kernels that fault, hang or take their process along end alone, and the next launch is measured") {
  const Workplace w;
  writeKernels(w);
  w.write("s.json", "[" + launchOf("vec_add") + "," + launchOf("faults") + "," + launchOf("hangs") + "," + launchOf("dies") + "," + launchOf("vec_add", "2048") + "," + launchOf("vec_add") + "]");
  const Variable driver("WARPMILL_CUDA_DRIVER", FAKE_DRIVER);
  const Ended e = w.run({"measure", "s.json", "--json", "m.json", "--limit", "1", "--no-simulator"});
  INFO(e.out << e.err);
  CHECK(e.exitCode == 1);
  const lesson::Measured m = recordOf(w, "m.json");
  REQUIRE(m.results.size() == 6);
  CHECK_FALSE(m.results[0].error);
  const auto kind = [&](std::size_t i) { return m.results[i].error ? m.results[i].error->kind : std::string(); };
  CHECK(kind(1) == "fault");
  CHECK(kind(2) == "hang");
  CHECK(kind(3) == "driver");
  CHECK(kind(4) == "launch_refused");
  CHECK_FALSE(m.results[5].error);
  CHECK(m.device == "Fake GPU");
  CHECK(has(e.out, "not its own"));
}

TEST_CASE("A buffer too large for the GPU and PTX that the driver refuses are said in plain words") {
  const Workplace w;
  writeKernels(w);
  std::string large = launchOf("vec_add");
  large.replace(large.find("1000"), 4, "200000000");
  w.write("kernels2.ptx", std::string("// newer\n") + testing::vecAddPtx);
  std::string refused = launchOf("vec_add");
  refused.replace(refused.find("\"kernels\""), 9, "\"kernels2\"");
  w.write("s.json", "[" + large + "," + refused + "]");
  const Variable driver("WARPMILL_CUDA_DRIVER", FAKE_DRIVER);
  const Ended e = w.run({"measure", "s.json", "--json", "m.json", "--no-simulator"});
  const lesson::Measured m = recordOf(w, "m.json");
  REQUIRE(m.results.size() == 2);
  REQUIRE(m.results[0].error);
  CHECK(m.results[0].error->kind == "out_of_memory");
  REQUIRE(m.results[1].error);
  CHECK(m.results[1].error->kind == "ptx_rejected");
  CHECK(has(m.results[1].error->message, "Unsupported .version 99.0"));
}

TEST_CASE("Textures are made of the launch's texels: as arguments, in linear memory, and for the module's own .texref") {
  const Workplace w;
  const auto head = [](const std::string& names) { return ".version 8.0\n.target sm_90\n.address_size 64\n" + names; };
  const std::string body = ".visible .entry texels(.param .u64 out, .param .u64 tex)\n{\n  ret;\n}\n", alone = ".visible .entry texels(.param .u64 out)\n{\n  ret;\n}\n";
  w.write("arg.ptx", head("") + body);
  w.write("ref.ptx", head(".global .texref picture;\n") + alone);
  const std::string out = R"({"type": "buffer", "dtype": "f32", "count": 24, "init": "zeros"})";
  const auto launch = [&](const std::string& name, const std::string& ptx, const std::string& more, const std::string& args) {
    return R"({"name": ")" + name + R"(", "ptx": ")" + ptx + R"(", "grid": 1, "block": 32, )" + more + R"("args": [)" + out + args + "]}";
  };
  const std::string texture = R"("dims": [4, 3], "dtype": "f32", "init": "iota", "filter": "linear")";
  w.write("s.json", "[" + launch("array", "arg", "", ", {\"type\": \"texture\", " + texture + "}") + "," +
                        launch("layers", "arg", "", R"(, {"type": "texture", "dims": [4, 3], "dtype": "f32", "init": "iota", "layers": 2})") + "," +
                        launch("linear", "arg", "", R"(, {"type": "texture", "dims": [24], "dtype": "f32", "init": "iota", "memory": "linear"})") + "," +
                        launch("own", "ref", R"("textures": {"picture": {)" + texture + "}}, ", "") + "]");
  const Variable driver("WARPMILL_CUDA_DRIVER", FAKE_DRIVER);
  const Ended e = w.run({"measure", "s.json", "--json", "m.json", "--no-simulator"});
  INFO(e.out << e.err);
  CHECK(e.exitCode == 0);
  const lesson::Measured m = recordOf(w, "m.json");
  REQUIRE(m.results.size() == 4);
  for (const lesson::MeasuredResult& r : m.results) {
    INFO(r.name);
    CHECK_FALSE(r.error);
    CHECK(r.head == std::vector<double>{0, 1, 2, 3});
    CHECK(r.sha256.size() == 1);   // textures are no results
  }
  CHECK(m.results[1].sha256 == m.results[2].sha256);
  CHECK(m.results[0].sha256 == m.results[3].sha256);
  CHECK(m.results[0].sha256 != m.results[1].sha256);   // the second layer's texels are there, too
}

TEST_CASE("A cluster that the launch file asks for is launched as one") {
  const Workplace w;
  w.write("c.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry cluster(.param .u64 out)\n{\n  ret;\n}\n");
  w.write("c.json", R"({"name": "c", "ptx": "c", "grid": [8, 4], "block": 32, "cluster": [4, 2], "args": [{"type": "buffer", "dtype": "u32", "count": 3, "init": "zeros"}]})");
  const Variable driver("WARPMILL_CUDA_DRIVER", FAKE_DRIVER);
  const Ended e = w.run({"measure", "c.json", "--json", "m.json", "--no-simulator"});
  INFO(e.out << e.err);
  CHECK(e.exitCode == 0);
  CHECK(recordOf(w, "m.json").results.at(0).head == std::vector<double>{4, 2, 1});
}

TEST_CASE("Counters come from Nsight Compute; without the permission the times stay and the way to get it is said") {
  const Workplace w;
  const Variable driver("WARPMILL_CUDA_DRIVER", FAKE_DRIVER);
  std::filesystem::create_directories(w.path("bin"));
  const auto ncu = [&](const std::string& script) {
    w.write("bin/ncu", "#!/bin/sh\n" + script);
    std::filesystem::permissions(w.path("bin/ncu"), std::filesystem::perms::owner_all);
  };
  const Variable path("PATH", w.path("bin") + ":" + "/usr/bin:/bin");
  ncu("echo '\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"'; echo '\"0\",\"vec_add\",\"smsp__inst_executed.sum\",\"544\"'\n");
  Ended e = w.run({"measure", "vec_add.json", "--counters", "--json", "m.json", "--no-simulator"});
  CHECK(e.exitCode == 0);
  CHECK(recordOf(w, "m.json").results[0].counters.at("smsp__inst_executed.sum") == 544);
  ncu("echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission'; exit 1\n");
  e = w.run({"measure", "vec_add.json", "--counters", "--json", "n.json", "--no-simulator"});
  CHECK(e.exitCode == 0);
  CHECK(has(e.err, "NVreg_RestrictProfilingToAdminUsers"));
  CHECK(recordOf(w, "n.json").results[0].counters.empty());
  CHECK(recordOf(w, "n.json").results[0].cold.repeats == 30);
}

TEST_CASE("On another machine the same program measures, and the record comes back") {
  // ssh and scp that stay on this machine, with a home of their own.
  const Workplace w;
  const Variable driver("WARPMILL_CUDA_DRIVER", FAKE_DRIVER);
  std::filesystem::create_directories(w.path("bin"));
  std::filesystem::create_directories(w.path("home"));
  w.write("bin/ssh", "#!/bin/sh\nfor last; do :; done\ncd " + w.path("home") + " && exec sh -c \"$last\"\n");
  w.write("bin/scp", "#!/bin/sh\nfor to; do :; done\nfor from; do case $from in /*) cp \"$from\" \"" + w.path("home") + "/${to#*:}\" || exit 9;; esac; done\n");
  for (const char* name : {"bin/ssh", "bin/scp"}) std::filesystem::permissions(w.path(name), std::filesystem::perms::owner_all);
  const Variable path("PATH", w.path("bin") + ":" + "/usr/bin:/bin");
  const Ended e = w.run({"measure", "vec_add.json", "--host", "gpu", "--json", "m.json"});
  INFO(e.out << e.err);
  CHECK(e.exitCode == 0);
  const lesson::Measured m = recordOf(w, "m.json");
  REQUIRE(m.results.size() == 1);
  CHECK(m.results[0].name == "vec_add/n1000");
  CHECK(m.results[0].cold.repeats == 30);
  CHECK(has(e.out, "agree byte for byte"));
  const Ended again = w.run({"measure", "vec_add.json", "--host", "gpu", "--json", "n.json"});
  CHECK(again.exitCode == 0);   // the program is there already
}

TEST_CASE("A lesson's folder stands for all its launches") {
  const Workplace w;
  std::filesystem::create_directories(w.path("lesson"));
  w.write("lesson/lesson.json", R"({"launches": {"scale": "s.json", "full": "f.json"}})");
  w.write("lesson/s.json", testing::vecAddLaunch);
  w.write("lesson/f.json", "[" + std::string(testing::vecAddLaunch) + "]");
  w.write("lesson/vec_add.ptx", testing::vecAddPtx);
  const Variable driver("WARPMILL_CUDA_DRIVER", FAKE_DRIVER);
  const Ended e = w.run({"measure", "lesson", "--json", "m.json"});
  INFO(e.err);
  CHECK(e.exitCode == 0);
  CHECK(recordOf(w, "m.json").results.size() == 2);
  w.write("lesson/eager.py", "import sys\nsys.exit(3)\n");
  const Ended without = w.run({"measure", "lesson", "--json", "m.json"});
  CHECK(without.exitCode == 0);
  CHECK(has(without.err, "PyTorch"));
  CHECK(recordOf(w, "m.json").results.size() == 2);
  w.write("lesson/eager.py", R"(print('{"results": [{"name": "x/eager/n2^10", "cold_us": 5, "cold": {"median": 5, "n": 30}}]}'))");
  CHECK(w.run({"measure", "lesson", "--json", "m.json"}).exitCode == 0);
  REQUIRE(recordOf(w, "m.json").results.size() == 3);
  CHECK(recordOf(w, "m.json").results[2].cold.median == 5);
  CHECK(has(w.run({"measure", "."}).err, "no lesson's"));
}

TEST_CASE("A record is read as it was written") {
  lesson::Measured m;
  m.device = "X", m.sms = 3, m.driver = "1.2", m.date = "2026-12-01", m.emptyKernelUs = 2.5, m.l2Bytes = 50u << 20;
  m.before = lesson::MeasuredClocks{1980, 3201, 33, 82.25};
  m.results.resize(2);
  m.results[0].name = "a\"\n", m.results[0].cold = {3.5, 3.25, 4, 3, 30}, m.results[0].sha256 = {"0123"}, m.results[0].counters["c"] = 0.125;
  m.results[1].name = "b", m.results[1].error = lesson::MeasuredError{"hang", "m", "h"};
  const auto back = lesson::parseMeasured(measuredJson(m), "r.json");
  REQUIRE(back.ok());
  CHECK(back->device == "X");
  CHECK(back->emptyKernelUs == 2.5);
  CHECK(back->l2Bytes == 50u << 20);
  REQUIRE(back->before);
  CHECK(back->before->powerW == 82.25);
  CHECK_FALSE(back->after);
  REQUIRE(back->results.size() == 2);
  CHECK(back->results[0].name == "a\"\n");
  CHECK(back->results[0].cold.least == 3);
  CHECK(back->results[0].warm.repeats == 0);
  CHECK(back->results[0].counters.at("c") == 0.125);
  REQUIRE(back->results[1].error);
  CHECK(back->results[1].error->hint == "h");
}
