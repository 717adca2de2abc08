#include "studio/options.h"

#include "catch.h"

using namespace warpmill::studio;

namespace {

CommandLine parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "warpmill-studio");
  return parseCommandLine(static_cast<int>(words.size()), words.data());
}

}  // namespace

TEST_CASE("The command line names lesson, moment, picture, size and focus") {
  const CommandLine line = parsed({"--lesson", "1", "--at", "812", "--screenshot", "a.png", "--size", "1280x720", "--theme", "light", "--language", "ru",
                                   "--select", "7:2:5", "--level", "crew", "--panel", "memory"});
  REQUIRE_FALSE(line.exitNow);
  CHECK(line.options.lesson == "1");
  CHECK(line.options.atCycle == 812);
  CHECK(line.options.screenshot == "a.png");
  CHECK(line.options.width == 1280);
  CHECK(line.options.height == 720);
  CHECK(line.options.theme == "light");
  CHECK(line.options.language == "ru");
  REQUIRE(line.options.select);
  CHECK(line.options.select->block == 7);
  CHECK(line.options.select->warp == 2);
  CHECK(line.options.select->lane == 5);
  CHECK(line.options.level == "crew");
  CHECK(line.options.panels == std::vector<std::string>{"memory"});
}

TEST_CASE("A step is a number, or all of them with pictures") {
  const CommandLine one = parsed({"--lesson", "1", "--step", "3"});
  REQUIRE_FALSE(one.exitNow);
  CHECK(one.options.step == 3);
  CHECK_FALSE(one.options.everyStep);
  const CommandLine all = parsed({"--lesson", "1", "--step", "all", "--screenshot", "a.png"});
  REQUIRE_FALSE(all.exitNow);
  CHECK(all.options.everyStep);
  CHECK_FALSE(all.options.step);
}

TEST_CASE("Help and version leave with 0 and print to standard output") {
  for (const char* word : {"--help", "--version"}) {
    const CommandLine line = parsed({word});
    CHECK(line.exitNow);
    CHECK(line.exitCode == 0);
    CHECK(line.output.find("warpmill-studio") != std::string::npos);
  }
}

TEST_CASE("A wrong command line leaves with 2 and says what is wrong") {
  const std::vector<std::vector<const char*>> wrong = {
      {"--frobnicate"}, {"--size", "12"},    {"--size", "10x10"},   {"--at", "-3"},       {"--at", "soon"},      {"--theme", "blue"},
      {"--select", "x"}, {"--select", "1:99"}, {"--select", "1:2:3:4"}, {"--select", "-1:2"}, {"--scale", "9"},      {"--panel", "nothing"},
      {"--level", "sky"}, {"--language", "xx"}, {"--lesson", "1", "--launch", "a.json"},
      {"--step", "all"}, {"--step", "-1"},   {"--step", "one"},     {"--step", "1", "--launch", "a.json"}};
  for (const auto& words : wrong) {
    const CommandLine line = parsed(words);
    INFO(words.front() << " " << (words.size() > 1 ? words[1] : ""));
    CHECK(line.exitNow);
    CHECK(line.exitCode == 2);
    CHECK_FALSE(line.error.empty());
  }
}
