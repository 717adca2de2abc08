#include "base/text_file.h"
#include "catch.h"
#include "cli/program.h"

using namespace warpmill;
using namespace warpmill::testing;

namespace {

// Runs, wants this exit status and these parts in what standard error says, and nothing on standard output.
void refused(const Workplace& w, int exitCode, const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
  const Ended e = w.run(arguments);
  std::string line;
  for (const std::string& a : arguments) line += a + " ";
  INFO(line);
  INFO(e.err);
  CHECK(e.exitCode == exitCode);
  for (const std::string& part : parts) {
    INFO(part);
    CHECK(e.err.find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("A wrong command line is refused with a hint and exit status 2") {
  const Workplace w;
  refused(w, 2, {"rum", "vec_add.json"}, {"there is no verb 'rum'", "did you mean 'run'?"});
  refused(w, 2, {"run"}, {"file"});
  refused(w, 2, {"run", "vec_add.json", "--devcie", "h200"}, {"--devcie", "did you mean '--device'?"});
  refused(w, 2, {"run", "vec_add.json", "--jobs", "x"}, {"--jobs"});
  refused(w, 2, {"run", "vec_add.json", "--jobs", "0"}, {"--jobs"});
  refused(w, 2, {"run", "vec_add.json", "--max-instructions", "-1"}, {"'-1' is given, a whole number is wanted, 1 or more"});
  refused(w, 2, {"run", "vec_add.json", "--sms", "2.5"}, {"'2.5' is given, a whole number is wanted, 1 to 4096"});
  refused(w, 2, {"run", "vec_add.json", "--seed", "99999999999999999999"}, {"a whole number is wanted"});
  refused(w, 2, {"run", "vec_add.json", "--mode", "fast"}, {"unknown mode 'fast'", "one of: auto, detailed, functional, projected"});
  refused(w, 2, {"run", "vec_add.json", "--checks", "memroy"}, {"unknown check 'memroy'", "did you mean 'memory'?"});
  refused(w, 2, {"run", "vec_add.json", "--device", "h2000"}, {"there is no device 'h2000'", "did you mean 'h200'?"});
  refused(w, 2, {"run", "vec_add.json", "--grid", "4"}, {"go with a .ptx file"});
  refused(w, 2, {"run", "vec_add.json", "--dump", "2"}, {"an argument and a file are wanted"});
  refused(w, 2, {"run", "vec_add.json", "--dump", "3=x"}, {"has no such buffer", "its buffers are the arguments 0 (a), 1, 2 (c)"});
  refused(w, 2, {"run", "vec_add.json", "--only", "x*"}, {"no launch of vec_add.json has a name like 'x*'"});
  refused(w, 2, {"run", "vec_add.ptx"}, {"--grid is missing", "--block is missing"});
  refused(w, 2, {"run", "vec_add.ptx", "--grid", "0", "--block", "4,4,4,4"},
          {"--grid 0: one to three whole numbers", "--block 4,4,4,4: one to three"});
  refused(w, 2, {"run", "vec_add.ptx", "--grid", "1", "--block", "1", "--arg", "i23:4"}, {"unknown type 'i23'", "did you mean 'i32'?"});
  refused(w, 2, {"trace", "vec_add.json", "--cycles", "9:3"}, {"two cycles A:B with A < B are wanted"});
  refused(w, 2, {"trace", "vec_add.json", "--warp", "9:9"}, {"there is no such warp", "up to 3:7"});
  refused(w, 2, {"devices", "nothing"}, {"there is no device 'nothing'"});
}

TEST_CASE("What is agreed on and not there yet is said, with exit status 3") {
  const Workplace w;
  refused(w, 3, {"run", "vec_add.json", "--checks", "memory,shuffle"}, {"the check 'shuffle' is not in this version"});
  for (const char* verb : {"compile", "debug"})
    refused(w, 3, {verb, "whatever", "--option", "x"}, {"'warpmill " + std::string(verb) + "' is not in this version"});
  w.writeLaunch("source.json", "\"ptx\": \"vec_add\"", "\"source\": \"vec_add.json\"");
  refused(w, 3, {"run", "source.json"}, {"compiling", "not in this version"});
}

TEST_CASE("Bad files are refused with file, line, column and a hint") {
  const Workplace w;
  refused(w, 2, {"run", "nothing.json"}, {"nothing.json: error: cannot read this file: No such file or directory"});
  refused(w, 2, {"run", "nothing.ptx", "--grid", "1", "--block", "1"}, {"nothing.ptx: error: cannot read this file"});
  refused(w, 2, {"run", "."}, {"this is a folder"});
  w.write("empty.json", "");
  refused(w, 2, {"run", "empty.json"}, {"empty.json:1:1: error: this file is empty"});
  w.write("half.json", "{\"ptx\": \"vec_add\",\n");
  refused(w, 2, {"run", "half.json"}, {"half.json:2:1: error:"});
  w.writeLaunch("key.json", "\"block\"", "\"blokc\"");
  refused(w, 2, {"run", "key.json"}, {"key.json:5:22: error: unknown key 'blokc'", "\"blokc\"", "^~~~~~~", "did you mean 'block'?"});
  w.writeLaunch("ptx.json", "\"ptx\": \"vec_add\"", "\"ptx\": \"vec_ad\"");
  refused(w, 2, {"run", "ptx.json"}, {"ptx.json:3:10: error: there is no file vec_ad.ptx", "did you mean 'vec_add.ptx'?"});
  w.writeLaunch("verdict.json", "\"verdict\": \"ok\"", "\"verdict\": \"out_of_bound\"");
  refused(w, 2, {"run", "verdict.json"}, {"verdict.json:13:25: error: unknown verdict 'out_of_bound'", "did you mean 'out_of_bounds'?"});
  w.write("broken.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n  add.f31 %f1, %f2, %f3;\n}\n");
  refused(w, 2, {"run", "broken.ptx", "--grid", "1", "--block", "32"}, {"broken.ptx:6:", "error:"});
}

TEST_CASE("Launches that the kernel or the device refuses say what is wanted") {
  const Workplace w;
  w.writeLaunch("kernel.json", "\"kernel\": \"vec_add\"", "\"kernel\": \"vec_sub\"");
  refused(w, 2, {"run", "kernel.json"}, {"kernel.json:4:13: error: vec_add.ptx has no kernel 'vec_sub'", "did you mean 'vec_add'?"});
  w.writeLaunch("count.json", ",\n    {\"type\": \"i32\", \"value\": 1000}", "");
  refused(w, 2, {"run", "count.json"},
          {"count.json:6:11: error: kernel 'vec_add' takes 4 arguments, 3 given", "they are 0: .u64 a, 1: .u64 b, 2: .u64 c, 3: .u32 n"});
  w.writeLaunch("size.json", "{\"type\": \"i32\", \"value\": 1000}", "{\"type\": \"i64\", \"value\": 1000}");
  refused(w, 2, {"run", "size.json"}, {"size.json:10:5: error: argument 3 is i64 and has 8 bytes, but parameter 'n' (.u32) has 4"});
  w.writeLaunch("block.json", "[256, 1, 1]", "[32, 33, 1]");
  refused(w, 2, {"run", "block.json"},
          {"block.json:5:31: error: the block has 32 x 33 x 1 = 1056 threads, h200 allows 1024", "hint: use more blocks of fewer threads"});
  w.writeLaunch("grid.json", "[4, 1, 1]", "[1, 70000, 1]");
  refused(w, 2, {"run", "grid.json"}, {"grid.json:5:11: error: the grid is too large: 70000 blocks in y, h200 allows 65535"});
}

TEST_CASE("Buffers larger than this machine's memory are refused before they are made") {
  const Workplace w;
  std::string suite;
  // 3 TiB in all; where a machine has even that, the kernel does not take so many arguments.
  for (int i = 0; i < 100; ++i) suite += R"({"type": "buffer", "dtype": "f32", "count": 4294967296, "init": "ones"}, )";
  w.write("huge.json",
          R"({"ptx": "vec_add", "kernel": "vec_add", "grid": 1, "block": 32, "args": [)" + suite + R"({"type": "i32", "value": 1}]})");
  refused(w, 2, {"run", "huge.json", "--mode", "functional"}, {"huge.json:1:73: error:"});
}

TEST_CASE("A device profile with a wrong unit is refused where the unit stands") {
  const Workplace w;
  std::string profile = readTextFile(std::string(WARPMILL_SOURCE_DIR) + "/assets/devices/teaching.json").value();
  profile.replace(profile.find("\"MHz\""), 5, "\"GHz\"");
  w.write("mine.json", profile);
  refused(w, 2, {"run", "vec_add.json", "--device", "mine.json"}, {"mine.json:8:", "wrong unit 'GHz' of 'clock'", "it is given in 'MHz'"});
}

TEST_CASE("Garbage instead of files is refused without a crash") {
  const Workplace w;
  std::string noise;
  for (unsigned i = 0; i < 4000; ++i) noise += static_cast<char>(i * 2654435761u >> 13);
  for (const char* name : {"noise.json", "noise.ptx"}) {
    w.write(name, noise);
    for (const char* verb : {"run", "check", "trace"}) {
      std::vector<std::string> arguments{verb, name};
      if (std::string(name) == "noise.ptx" && std::string(verb) != "check")
        arguments.insert(arguments.end(), {"--grid", "1", "--block", "1"});
      refused(w, 2, arguments, {name});
    }
  }
  w.write("deep.json", std::string(100000, '['));
  refused(w, 2, {"run", "deep.json"}, {"nested too deeply"});
}

TEST_CASE("Help goes to standard output and says the exit statuses") {
  const Workplace w;
  const Ended e = w.run({"--help"});
  REQUIRE(e.exitCode == 0);
  REQUIRE(e.out.find("Exit status: 0 fine") != std::string::npos);
  REQUIRE(w.run({"run", "--help"}).out.find("--max-instructions") != std::string::npos);
  REQUIRE(w.run({"--version"}).out.find("warpmill 0.") == 0);
  REQUIRE(w.run({}).exitCode == 2);
}
