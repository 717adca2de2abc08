#include "cuda/process.h"
#include "cuda/remote.h"
#include "catch.h"

#include <filesystem>
#include <fstream>

using namespace warpmill;
using namespace warpmill::cuda;

TEST_CASE("A program's two outputs and its exit status come back") {
  const auto ran = runProgram({"sh", "-c", "echo out; echo err >&2; exit 3"}, 30);
  REQUIRE(ran.ok());
  CHECK(ran->exitCode == 3);
  CHECK(ran->out == "out\n");
  CHECK(ran->err == "err\n");
}

TEST_CASE("A program that is not there is named; one that does not end is ended") {
  const auto none = runProgram({"warpmill-no-such-program"}, 30);
  REQUIRE_FALSE(none.ok());
  CHECK(none.diagnostics()[0].message.find("warpmill-no-such-program") != std::string::npos);
  const auto late = runProgram({"sleep", "600"}, 0.05);
  REQUIRE_FALSE(late.ok());
  CHECK(late.diagnostics()[0].message.find("did not end") != std::string::npos);
}

TEST_CASE("Launch files are packed with the files that they read, each once, and their paths follow them") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "warpmill-pack-test";
  fs::remove_all(folder);
  fs::create_directories(folder / "from/ptx");
  fs::create_directories(folder / "to");
  std::ofstream(folder / "from/ptx/k.ptx") << "ptx";
  std::ofstream(folder / "from/x.raw") << "raw";
  std::ofstream(folder / "from/l.json") << R"([{"ptx": "ptx/k", "args": [{"init": "file:x.raw"}, {"init": "zeros"}]}])";
  std::ofstream(folder / "from/m.json") << R"({"sequence": [{"ptx": "ptx/k.ptx"}]})";
  std::ofstream(folder / "from/n.json") << R"({"ptx": "none"})";
  const auto packed = packLaunches({(folder / "from/l.json").string(), (folder / "from/m.json").string()}, (folder / "to").string());
  REQUIRE(packed.ok());
  CHECK(packed->find("\"file0.ptx\"") != packed->rfind("\"file0.ptx\""));
  CHECK(packed->find("\"file:file1.bin\"") != std::string::npos);
  CHECK(packed->find("\"zeros\"") != std::string::npos);
  CHECK(fs::exists(folder / "to/file0.ptx"));
  CHECK(fs::exists(folder / "to/file1.bin"));
  CHECK_FALSE(packLaunches({(folder / "from/n.json").string()}, (folder / "to").string()).ok());
  fs::remove_all(folder);
}

TEST_CASE("A host's name cannot smuggle in an option or a command") {
  for (const std::string host : {"-oProxyCommand=x", "a b", "a;b", "", "$(x)"}) {
    RemoteOptions options;
    options.host = host;
    const auto measured = measureOnHost("/nowhere", options);
    REQUIRE_FALSE(measured.ok());
    CHECK(measured.diagnostics()[0].message.find("is no name of a host") != std::string::npos);
  }
}
