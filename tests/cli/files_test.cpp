#include "catch.h"
#include "cli/program.h"

#include <nlohmann/json.hpp>

using namespace warpmill::testing;

TEST_CASE("Nothing is written when the input is bad, and an old report stays as it was") {
  const Workplace w;
  w.write("r.json", "old");
  w.writeLaunch("bad.json", "\"block\"", "\"blokc\"");
  const std::size_t files = w.fileCount();
  REQUIRE(w.run({"run", "bad.json", "--json", "r.json", "--dump", "2=c.bin"}).exitCode == 2);
  REQUIRE(w.read("r.json") == "old");
  REQUIRE(w.fileCount() == files);
}

TEST_CASE("A report that cannot be written is an error and leaves no temporary file") {
  const Workplace w;
  const std::size_t files = w.fileCount();
  const Ended e = w.run({"run", "vec_add.json", "--mode", "functional", "--json", "no/such/r.json"});
  REQUIRE(e.exitCode == 2);
  REQUIRE(e.err.find("no/such/r.json: error: cannot write this file") != std::string::npos);
  REQUIRE(w.fileCount() == files);
}

TEST_CASE("A reader that closes the pipe early does not keep files from being written") {
  const Workplace w;
  const Ended e = w.runInto("|", {"run", "vec_add.json", "--mode", "functional", "--json", "r.json"});
  REQUIRE(e.exitCode == 0);
  REQUIRE(nlohmann::json::parse(w.read("r.json"))["verdict"] == "ok");
}

TEST_CASE("A full disk behind standard output is an error") {
  const Workplace w;
  const Ended e = w.runInto("/dev/full", {"devices", "h200"});
  REQUIRE(e.exitCode == 2);
  REQUIRE(e.err.find("writing to standard output failed") != std::string::npos);
}

TEST_CASE("check names instructions that cannot be executed, each form once with its first line") {
  const Workplace w;
  w.write("odd.ptx",
          ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\nfrobnicate.u32 %r1, %r2;\nadd.u32 %r1, %r2, 1;\n"
          "frobnicate.u32 %r3, %r2;\nret;\n}\n");
  const Ended odd = w.run({"check", "odd.ptx"});
  REQUIRE(odd.exitCode == 0);
  CHECK(odd.err.find("odd.ptx:7:1: warning: 'frobnicate.u32' cannot be executed here (2 times in this file)") != std::string::npos);
  CHECK(odd.err.find("add.u32") == std::string::npos);
}

TEST_CASE("check says what is in a good file and everything that is wrong in a bad one") {
  const Workplace w;
  const Ended ptx = w.run({"check", "vec_add.ptx"});
  REQUIRE(ptx.exitCode == 0);
  REQUIRE(ptx.out.find("vec_add.ptx: 2 kernels: vec_add, forever; PTX 8.0 for sm_80") == 0);
  REQUIRE(w.run({"check", "vec_add.json"}).out == "vec_add.json: 1 launch, no errors\n");
  w.writeLaunch("two.json", "[4, 1, 1], \"block\": [256, 1, 1]", "[4, 70000, 1], \"block\": [256, 8, 1]");
  const Ended two = w.run({"check", "two.json"});
  REQUIRE(two.exitCode == 2);
  REQUIRE(two.err.find("two.json:5:11: error: the grid is too large") != std::string::npos);
  REQUIRE(two.out == "two.json: 1 launch, 1 with errors\n");
}

TEST_CASE("devices lists the profiles, and one with every number's unit and source") {
  const Workplace w;
  const Ended list = w.run({"devices"});
  REQUIRE(list.exitCode == 0);
  REQUIRE(list.out.find("h200") != std::string::npos);
  REQUIRE(list.out.find("teaching") != std::string::npos);
  const Ended one = w.run({"devices", "h200"});
  REQUIRE(one.out.find("latency.l1") != std::string::npos);
  REQUIRE(one.out.find(" measured on an H200") != std::string::npos);
  const auto json = nlohmann::json::parse(w.run({"devices", "h200", "--json", "-"}).out);
  REQUIRE(json["numbers"]["sm.count"]["value"] == 132);
  REQUIRE(json["numbers"]["sm.count"]["unit"] == "SMs");
  for (const auto& [name, number] : json["numbers"].items()) {
    INFO(name);
    REQUIRE_FALSE(number["source"].get<std::string>().empty());
  }
}
