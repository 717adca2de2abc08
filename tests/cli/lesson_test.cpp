#include "catch.h"
#include "cli/program.h"
#include "cli/prose.h"

#include <nlohmann/json.hpp>

using namespace warpmill::testing;
using warpmill::cli::padded;
using warpmill::cli::setProse;
using warpmill::cli::setTable;

namespace {

struct FindLessons {
  FindLessons() {
    setenv("WARPMILL_ASSETS", WARPMILL_SOURCE_DIR "/assets", 1);
    setenv("WARPMILL_LESSONS", WARPMILL_SOURCE_DIR "/lessons", 1);
    setenv("LC_ALL", "C", 1);
  }
};
const FindLessons findLessons;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("The lessons are listed with their goals, in the language asked for") {
  const Workplace w;
  const Ended english = w.run({"lesson", "list"});
  CHECK(english.exitCode == 0);
  CHECK(has(english.out, "01-vector-add"));
  CHECK(has(english.out, "Vector addition in Triton"));
  CHECK(has(w.run({"lesson", "list", "--language", "ru"}).out, "Сложение векторов на CUDA"));
}

TEST_CASE("A lesson's text is shown with its figures filled in") {
  const Workplace w;
  const Ended e = w.run({"lesson", "show", "1"});
  REQUIRE(e.exitCode == 0);
  CHECK(has(e.out, "1000\u00a0elements"));
  CHECK_FALSE(has(e.out, "{scale."));
  CHECK_FALSE(has(e.out, "{real."));
}

TEST_CASE("A lesson plays through: question, runs, moments, result checked, measured figures, answer") {
  const Workplace w;
  const Ended e = w.run({"lesson", "run", "01-vector-add", "--no-full", "--json", "walk.json"});
  REQUIRE(e.exitCode == 0);
  CHECK(has(e.out, "c) Less than one per cent"));
  CHECK(has(e.out, "The result is right: c[i] = a[i] + b[i] holds for all 1000 elements"));
  CHECK(has(e.out, "Lane 5 wants a[613]."));
  CHECK(has(e.out, "Lanes: ######## ........ ........ ........  8 of 32 make the access."));
  CHECK(has(e.out, "driver 580"));
  CHECK(e.out.find("Predict first") < e.out.find("The answer"));
  const auto j = nlohmann::json::parse(w.read("walk.json"));
  CHECK(j["ok"] == true);
  CHECK(j["runs"].size() == 3);
  CHECK(j["runs"][0]["check"]["compared"] == 1000);
  CHECK(j["figures"]["real.after.sectors_per_request"] == 4);
}

TEST_CASE("The full size is simulated and laid beside the measured one") {
  const Workplace w;
  const Ended e = w.run({"lesson", "run", "1", "--size", "n2^12", "--json", "-"});
  REQUIRE(e.exitCode == 0);
  const auto j = nlohmann::json::parse(e.out);
  CHECK(j["runs"].size() == 6);
  std::size_t both = 0;
  for (const auto& step : j["steps"])
    if (step.contains("rows"))
      for (const auto& row : step["rows"]) both += !row["simulated"].is_null() && !row["measured"].is_null();
  CHECK(both == 30);
}

TEST_CASE("Only the steps of one variant are shown when one is asked for") {
  const Workplace w;
  const Ended e = w.run({"lesson", "run", "1", "--no-full", "--variant", "after", "--language", "ru"});
  REQUIRE(e.exitCode == 0);
  CHECK(has(e.out, "Чей это элемент?"));
  CHECK_FALSE(has(e.out, "Бригада ждёт"));
}

TEST_CASE("A record's share of the peak is of the device it was measured on, whichever is simulated") {
  const Workplace w;
  const auto figure = [&](const char* device) {
    const Ended e = w.run({"lesson", "run", "1", "--no-full", "--device", device, "--json", "-"});
    REQUIRE(e.exitCode == 0);
    return nlohmann::json::parse(e.out)["figures"]["real.after.peak_pct"].get<double>();
  };
  CHECK(figure("teaching") == figure("h200"));
}

TEST_CASE("Judging solutions is not in this version, and says so") {
  const Workplace w;
  const Ended e = w.run({"lesson", "check", "1", "saxpy.cu"});
  CHECK(e.exitCode == 3);
  CHECK(has(e.err, "not in this version"));
}

TEST_CASE("An unknown lesson, variant, language, size or device is refused with what there is") {
  const Workplace w;
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& hint) {
    const Ended e = w.run(arguments);
    INFO(e.err);
    CHECK(e.exitCode == 2);
    CHECK(e.out.empty());
    CHECK(has(e.err, hint));
  };
  refused({"lesson", "run", "9"}, "01-vector-add");
  refused({"lesson", "run", "1", "--variant", "aftr"}, "did you mean 'after'?");
  refused({"lesson", "run", "1", "--language", "xx"}, "en, ru");
  refused({"lesson", "run", "1", "--size", "n7"}, "n2^10");
  refused({"lesson", "run", "1", "--device", "h2000"}, "h200");
  refused({"lesson", "rnu", "1"}, "did you mean 'run'?");
  refused({"lesson", "run"}, "lesson list");
}

TEST_CASE("A lesson whose result is wrong ends with exit status 1 and says where") {
  const Workplace w;
  std::filesystem::copy(WARPMILL_SOURCE_DIR "/lessons/01-vector-add", w.path("lesson"));
  std::string ptx = w.read("lesson/vec_add.ptx");
  ptx.replace(ptx.find("add.f32"), 7, "sub.f32");
  w.write("lesson/vec_add.ptx", ptx);
  const Ended e = w.run({"lesson", "run", w.path("lesson"), "--no-full"});
  CHECK(e.exitCode == 1);
  CHECK(has(e.out, "The result is wrong: 1000 of 1000 elements differ. The first: c[0]"));
}

TEST_CASE("Prose is set to a width; lists hang, code stays, a dash never begins a line") {
  CHECK(setProse("one two three", 7) == "one two\nthree\n");
  CHECK(setProse("- one two\n- three", 7) == "- one\n  two\n- three\n");
  CHECK(setProse("text\n\n    code  here", 4) == "text\n\n    code  here\n");
  CHECK(setProse("**bold** and *this* 2 * 3", 80) == "bold and this 2 * 3\n");
  CHECK(setProse("слово — дело", 8) == "слово\u00a0—\nдело\n");
}

TEST_CASE("A table's columns are as wide as their widest cell, Cyrillic counted by letters") {
  CHECK(padded("да", 4) == "да  ");
  CHECK(setTable({{"", "a"}, {"время", "1,5"}}) == "         a\n-----  ---\nвремя  1,5\n");
}
