#include "device/profile.h"
#include "base/text_file.h"
#include "catch.h"

#include <algorithm>
#include <numeric>

using namespace warpmill;
using namespace warpmill::device;

namespace {

std::string teachingText() {
  return readTextFile(assetsFolder() + "/devices/teaching.json").value();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// The errors of a profile, one a line, as the command line would print them (without the source line).
std::string errorsOf(const std::string& text) {
  const auto profile = parseProfile(text, "p.json");
  std::string out;
  for (Diagnostic d : profile.diagnostics()) {
    d.sourceLine.clear();
    out += formatDiagnostic(d);
  }
  REQUIRE(profile.ok() == out.empty());
  return out;
}

}  // namespace

TEST_CASE("Every profile that comes with the program is sound, and every number has a source") {
  const auto names = profileNames();
  REQUIRE(std::find(names.begin(), names.end(), "h200") != names.end());
  REQUIRE(std::find(names.begin(), names.end(), "teaching") != names.end());
  for (const std::string& name : names) {
    const auto profile = loadProfile(name);
    INFO(formatDiagnostics(profile.diagnostics()));
    REQUIRE(profile.ok());
    REQUIRE(profile->name == name);
    REQUIRE(profile->provenance.size() == numbers().size());
    for (const Provenance& p : profile->provenance) REQUIRE(p.source.size() > 5);
    REQUIRE(std::accumulate(profile->storeys.begin(), profile->storeys.end(), 0u) == profile->smCount);
  }
}

TEST_CASE("A profile's numbers arrive in their fields") {
  const Profile p = *loadProfile("teaching");
  REQUIRE(p.clockMHz == 1000);
  REQUIRE(p.nsPerCycle() == 1);
  REQUIRE(p.smCount == 2);
  REQUIRE(p.dramBytesPerSecond == 32);
  REQUIRE(p.sharedOptionsKiB == std::vector<std::uint32_t>{0, 16, 32, 48});
  for (std::size_t i = 0; i < numbers().size(); ++i)
    if (numbers()[i].path == "latency.dram_extra") REQUIRE(numberOf(p, i) == 200);
}

TEST_CASE("A wrong unit is an error where it stands and names the right one") {
  const std::string text =
      replaced(teachingText(), R"("clock": {"value": 1000, "unit": "MHz")", R"("clock": {"value": 1000, "unit": "GHz")");
  const std::string errors = errorsOf(text);
  REQUIRE(errors.find("wrong unit 'GHz' of 'clock'") != std::string::npos);
  REQUIRE(errors.find("hint: it is given in 'MHz'") != std::string::npos);
  const auto profile = parseProfile(text, "p.json");
  const Diagnostic& d = profile.diagnostics()[0];
  REQUIRE(lineOf(text, d.position.line).substr(d.position.column - 1, d.length) == "\"GHz\"");
}

TEST_CASE("Missing, unknown, negative, fractional and absurd numbers are errors with a hint") {
  const std::string good = teachingText();
  REQUIRE(errorsOf(good).empty());
  const std::string noClock = errorsOf(replaced(good, "\"clock\": {", "\"clokc\": {"));
  REQUIRE(noClock.find("unknown key 'clokc'\n    hint: did you mean 'clock'?") != std::string::npos);
  REQUIRE(noClock.find("the number 'clock' is missing (SM clock under load)") != std::string::npos);
  REQUIRE(errorsOf(replaced(good, "\"alu\": {\"value\": 4", "\"alu\": {\"value\": -4")).find("'latency.alu' is negative") !=
          std::string::npos);
  REQUIRE(errorsOf(replaced(good, "\"count\": {\"value\": 2", "\"count\": {\"value\": 2.5")).find("'sm.count' is a whole number") !=
          std::string::npos);
  REQUIRE(errorsOf(replaced(good, "\"count\": {\"value\": 2", "\"count\": {\"value\": 0")).find("the least is 1 SMs") != std::string::npos);
  REQUIRE(errorsOf(replaced(good, "\"max_warps\": {\"value\": 32", "\"max_warps\": {\"value\": 65")).find("the most is 64 warps") !=
          std::string::npos);
  REQUIRE(errorsOf(replaced(good, "\"alu\": {\"value\": 4", "\"alu\": {\"value\": 1e999")).find("too large") != std::string::npos);
  REQUIRE(errorsOf(replaced(good, "\"alu\": {\"value\": 4", "\"alu\": {\"value\": \"4\"")).find("is a number, not a text") !=
          std::string::npos);
  REQUIRE(errorsOf(replaced(good, "\"kind\": \"estimated\"", "\"kind\": \"guessed\"")).find("unknown kind 'guessed'") != std::string::npos);
  REQUIRE(errorsOf(replaced(good, "\"issue\": {", "\"issue\": 3, \"issues\": {")).find("'issue' is an object of numbers, not a number") !=
          std::string::npos);
}

TEST_CASE("Lists that do not add up are errors") {
  const std::string good = teachingText();
  REQUIRE(errorsOf(replaced(good, "\"value\": [2]", "\"value\": [3]")).find("the storeys add up to 3 SMs, but 'sm.count' is 2") !=
          std::string::npos);
  REQUIRE(errorsOf(replaced(good, "[0, 16, 32, 48]", "[0, 32, 16, 48]")).find("rise") != std::string::npos);
  REQUIRE(errorsOf(replaced(good, "[0, 16, 32, 48]", "[0, 16, 32, 96]")).find("more than L1 and shared memory together") !=
          std::string::npos);
  REQUIRE(errorsOf(replaced(good, "[0, 16, 32, 48]", "[0, 16, 32]")).find("49152 + 0 > 32768 bytes") != std::string::npos);
}

TEST_CASE("Text that is no JSON, or no object, is an error with a position") {
  REQUIRE(errorsOf("{\"name\": ").find("p.json:1:10: error:") == 0);
  REQUIRE(errorsOf("[1]").find("a device profile is an object, not an array") != std::string::npos);
  REQUIRE(errorsOf("{}").find("the key 'name' is missing") != std::string::npos);
}

TEST_CASE("An unknown device is an error that lists the devices") {
  const auto wrong = loadProfile("h20");
  REQUIRE(wrong.diagnostics()[0].message == "there is no device 'h20'");
  REQUIRE(wrong.diagnostics()[0].hint.find("did you mean 'h200'?") == 0);
  REQUIRE(loadProfile("no/such.json").diagnostics()[0].message.find("cannot read this file") == 0);
  REQUIRE(loadProfile(assetsFolder() + "/devices/h200.json").ok());
}
