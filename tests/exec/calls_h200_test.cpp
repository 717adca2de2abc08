// Kernels with recursion, pointers to functions, virtual functions, printf and malloc, compiled by nvcc and clang, give what an H200
// gave (tests/data/calls: calls.cu, runtime.cu, record.cu).
#include "exec/launcher.h"

#include "base/text_file.h"

#include <cstdlib>
#include <map>
#include <sstream>

using namespace warpmill;
using namespace warpmill::exec;
using warpmill::exec::test::Launcher;

namespace {

std::string dataText(const std::string& name) {
  auto text = readTextFile(std::string(WARPMILL_SOURCE_DIR) + "/tests/data/calls/" + name);
  REQUIRE(text.ok());
  return *text;
}

// Values by name, and what was printed by kernel.
struct Recorded {
  std::map<std::string, std::vector<std::string>> values;
  std::map<std::string, std::vector<std::string>> lines;

  Recorded() {
    std::istringstream in(dataText("h200.txt"));
    std::string printing;
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      std::string first, second;
      words >> first >> second;
      if (first == "begin") printing = second;
      else if (first == "end") printing.clear();
      else if (!printing.empty()) lines[printing].push_back(line);
      else {
        std::istringstream all(line);
        all >> first;
        for (std::string word; all >> word;) values[first].push_back(word);
      }
    }
  }
};

const Recorded& recorded() {
  static const Recorded r;
  return r;
}

void check(const std::string& name, const std::vector<std::int32_t>& got) {
  const auto& wanted = recorded().values.at(name);
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO(name << " " << i);
    CHECK(got[i] == std::atoi(wanted.at(i).c_str()));
  }
}
void check(const std::string& name, const std::vector<float>& got) {
  const auto& wanted = recorded().values.at(name);
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO(name << " " << i);
    CHECK(got[i] == std::strtof(wanted.at(i).c_str(), nullptr));
  }
}

std::vector<std::int32_t> iota() {
  std::vector<std::int32_t> v(64);
  for (int i = 0; i < 64; ++i) v[static_cast<std::size_t>(i)] = i;
  return v;
}

const std::vector<std::int32_t> zeros64(64);
const std::vector<std::string> compilers = {"nvcc", "clang19"};

std::vector<std::string> printed(Launcher& l) {
  std::vector<std::string> lines;
  std::istringstream in(l.memory().output.text());
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("recursion, pointers to functions, structs by value and virtual functions give an H200's results") {
  for (const std::string& compiler : compilers) {
    INFO(compiler);
    const std::string text = dataText("calls_" + compiler + ".ptx");
    const auto run = [](Launcher& l) {
      const FunctionalRun result = l.run({1, 1, 1}, {32, 1, 1});
      INFO(test::describe(result));
      CHECK(result.faults.empty());
    };
    for (const std::string kernel : {"recursion", "frames", "early"}) {
      Launcher l(text, kernel);
      const auto out = l.buffer(std::vector<std::int32_t>(kernel == "recursion" ? 64 : 32));
      run(l);
      check(kernel, l.read<std::int32_t>(out));
    }
    {
      Launcher l(text, "pointers");
      const auto out = l.buffer(zeros64);
      l.buffer(iota());
      run(l);
      check("pointers", l.read<std::int32_t>(out));
    }
    for (std::int32_t k = 0; k < 3; ++k) {
      Launcher l(text, "chosen");
      const auto out = l.buffer(std::vector<std::int32_t>(32));
      l.scalar(k);
      run(l);
      check("chosen" + std::to_string(k), l.read<std::int32_t>(out));
    }
    {
      Launcher l(text, "structs");
      const auto out = l.buffer(std::vector<std::int32_t>(32));
      const auto fout = l.buffer(std::vector<float>(32));
      run(l);
      check("structs", l.read<std::int32_t>(out));
      check("structs_f", l.read<float>(fout));
    }
    {
      Launcher l(text, "virtuals");
      const auto fout = l.buffer(std::vector<float>(32));
      const auto out = l.buffer(std::vector<std::int32_t>(32));
      run(l);
      check("virtuals", l.read<std::int32_t>(out));
      check("virtuals_f", l.read<float>(fout));
    }
  }
}

TEST_CASE("printf prints what it prints on an H200, lane by lane, and returns the number of its values") {
  for (const std::string& compiler : compilers) {
    INFO(compiler);
    const std::string text = dataText("runtime_" + compiler + ".ptx");
    Launcher l(text, "prints");
    l.buffer(iota());
    const auto out = l.buffer(zeros64);
    const FunctionalRun result = l.run({1, 1, 1}, {40, 1, 1});
    INFO(test::describe(result));
    CHECK(result.faults.empty());
    auto counts = l.read<std::int32_t>(out);
    counts.resize(40);
    check("prints", counts);
    // Which warp prints first is open, and so is the order of both sides of a branch: the H200 ran warp 1 first.
    auto wanted = recorded().lines.at("prints"), got = printed(l);
    for (auto* lines : {&wanted, &got})
      for (std::string& line : *lines)
        if (line.find("] [%") == std::string::npos && line.find(": [") != std::string::npos) line.erase(line.rfind(" ["));  // behind %hhd, see print_format.h
    REQUIRE(got.size() == wanted.size());
    std::vector<std::string> firstWarp(wanted.begin() + 8, wanted.begin() + 40);
    CHECK(std::vector<std::string>(got.begin(), got.begin() + 32) == firstWarp);
    std::sort(wanted.begin(), wanted.end());
    std::sort(got.begin(), got.end());
    CHECK(got == wanted);
  }
}

TEST_CASE("every conversion of printf prints as on an H200") {
  for (const std::string& compiler : compilers) {
    INFO(compiler);
    const std::string text = dataText("runtime_" + compiler + ".ptx");
    std::vector<std::string> got;
    const auto run = [&](double x, float y, std::int64_t n) {
      Launcher l(text, "numbers");
      l.scalar(x);
      l.scalar(y);
      l.scalar(n);
      const FunctionalRun result = l.run({1, 1, 1}, {1, 1, 1});
      CHECK(result.faults.empty());
      for (std::string& line : printed(l)) got.push_back(std::move(line));
    };
    run(3.14159265358979, 2.5f, 123456789012345);
    run(-std::numeric_limits<double>::infinity(), -0.0f, -7);
    run(6.02214076e23, std::numeric_limits<float>::quiet_NaN(), 200);
    run(0.0, -std::numeric_limits<float>::infinity(), 0);
    const auto& wanted = recorded().lines.at("numbers");
    REQUIRE(got.size() == wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (i % 11 == 5) continue;  // %hhd: see print_format.h
      INFO(i);
      CHECK(got[i] == wanted[i]);
    }
    CHECK(got[5] == "-8327 57209 121 121 df79");
  }
}

TEST_CASE("malloc, free, memcpy and memset give an H200's results") {
  for (const std::string& compiler : compilers) {
    INFO(compiler);
    const std::string text = dataText("runtime_" + compiler + ".ptx");
    {
      Launcher l(text, "lists");
      l.buffer(std::vector<std::uint64_t>(64));
      const auto out = l.buffer(zeros64);
      l.scalar(std::int32_t{0});
      const FunctionalRun result = l.run({1, 1, 1}, {40, 1, 1});
      INFO(test::describe(result));
      CHECK(result.faults.empty());
      auto v = l.read<std::int32_t>(out);
      v.resize(40);
      check("lists", v);
    }
    if (compiler == "nvcc") {  // clang knows malloc too well to ask it
      Launcher l(text, "nothing");
      const auto out = l.buffer(std::vector<std::int32_t>(4));
      l.scalar(std::uint64_t{1} << 40);
      CHECK(l.run({1, 1, 1}, {4, 1, 1}).faults.empty());
      check("nothing", l.read<std::int32_t>(out));
    }
    {
      Launcher l(text, "copies");
      l.buffer(std::vector<char>(128, 'q'));
      const auto out = l.buffer(std::vector<char>(256));
      l.scalar(std::int32_t{9});
      CHECK(l.run({1, 1, 1}, {4, 1, 1}).faults.empty());
      const auto bytes = l.read<char>(out);
      check("copies", std::vector<std::int32_t>(bytes.begin(), bytes.end()));
    }
  }
}
