#include "base/text_file.h"
#include "catch.h"
#include "launch/launch.h"

#include <stdlib.h>

#include <filesystem>

using namespace warpmill;
using namespace warpmill::launch;

namespace {

const std::string good = R"({
  "name": "vec_add/n1024",
  "ptx": "ptx/stream",
  "kernel": "vec_add",
  "grid": [4, 1, 1], "block": [256, 1, 1],
  "dynamic_shared_bytes": 0,
  "args": [
    {"type": "buffer", "dtype": "f32", "count": 1024, "init": "random:1"},
    {"type": "buffer", "dtype": "f32", "count": 1024, "init": [0.5, 1]},
    {"type": "buffer", "dtype": "f32", "count": 1024, "init": "zeros", "name": "out"},
    {"type": "i32", "value": 1024}
  ],
  "work": {"bytes": 12288, "flops": 1024},
  "expect": {"verdict": "ok", "output_arg": 2, "output": [1, 2.5, "nan"], "tolerance": 1e-6}
})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// "line:column: message (hint)" of the first error of `good` with one thing changed; column and line of `good` itself where it is before.
std::string errorOf(const std::string& text) {
  const auto launches = parseLaunches(text, "l.json", "folder");
  if (launches.ok()) return {};
  const Diagnostic& d = launches.diagnostics()[0];
  return std::to_string(d.position.line) + ":" + std::to_string(d.position.column) + ": " + d.message +
         (d.hint.empty() ? "" : " (" + d.hint + ")");
}
std::string errorWith(const std::string& from, const std::string& to) {
  return errorOf(replaced(good, from, to));
}

TEST_CASE("A texture is read with its shape and its sampler") {
  const auto launches = parseLaunches(R"({"ptx": "k", "grid": 1, "block": 1, "args": [{"type": "texture", "name": "image", "dims": [8, 5], "dtype": "u8",
    "channels": 4, "layers": 3, "init": "randint:1:256", "filter": "linear", "address": ["wrap", "mirror"], "normalized": true, "read": "normalized",
    "border": [0, 0.5, 1, -1]}], "textures": {"t": {"dims": [7], "dtype": "f32", "init": [1, 2], "memory": "linear", "address": "border"}}})", "f", "");
  INFO(formatDiagnostics(launches.diagnostics()));
  REQUIRE(launches.ok());
  const Argument& a = launches->front().arguments[0];
  REQUIRE(a.texture);
  REQUIRE_FALSE(a.isBuffer);
  REQUIRE(a.name == "image");
  REQUIRE(a.count == 8 * 5 * 3 * 4);
  REQUIRE(a.sizeBytes() == a.count);
  REQUIRE(a.texture->extent == std::array<std::uint32_t, 3>{8, 5, 1});
  REQUIRE(a.texture->dimensions == 2);
  REQUIRE(a.texture->filter == Texture::Filter::Linear);
  REQUIRE(a.texture->address[1] == Texture::Address::Mirror);
  REQUIRE(a.texture->readsNormalized);
  REQUIRE(a.texture->border[1] == 0.5f);
  const Argument& t = launches->front().textures.at(0);
  REQUIRE(t.name == "t");
  REQUIRE(t.texture->isLinearMemory);
  REQUIRE(t.texture->address[0] == Texture::Address::Border);
  REQUIRE(t.init.values == std::vector<double>{1, 2});
}

TEST_CASE("What is wrong with a texture is said where it stands") {
  struct Case {
    std::string keys, message, hint;
  };
  const Case cases[] = {
      {R"("dtype": "f32", "init": "zeros")", "the key 'dims' is missing", "[WIDTH]"},
      {R"("dims": [], "dtype": "f32", "init": "zeros")", "one to three sizes", ""},
      {R"("dims": [4, 0], "dtype": "f32", "init": "zeros")", "a size in texels is a whole number from 1", ""},
      {R"("dims": [4], "dtype": "f64", "init": "zeros")", "'dtype' is one of", "f32"},
      {R"("dims": [4], "dtype": "f32")", "the key 'init' is missing", "random:1"},
      {R"("dims": [4], "dtype": "f32", "init": "zeros", "channels": 3)", "1, 2 or 4 channels", "use 4"},
      {R"("dims": [4], "dtype": "f32", "init": "zeros", "filter": "liner")", "'filter' is one of", "linear"},
      {R"("dims": [4], "dtype": "f32", "init": "zeros", "adress": "wrap")", "unknown key 'adress'", "address"},
      {R"("dims": [4], "dtype": "f32", "init": "zeros", "address": ["wrap", "wrap"])", "one for each of the 1 dimensions", ""},
      {R"("dims": [4], "dtype": "f32", "init": "zeros", "read": "normalized")", "8 or 16 bits", "element"},
      {R"("dims": [4], "dtype": "u8", "init": "zeros", "filter": "linear")", "linear filtering gives floats", "normalized"},
      {R"("dims": [4, 4], "dtype": "u8", "init": "zeros", "memory": "linear")", "one dimension and no layers", "array"},
      {R"("dims": [4, 4, 4], "dtype": "u8", "init": "zeros", "layers": 2)", "layered texture", ""},
      {R"("dims": [100000000, 100000000], "dtype": "u8", "init": "zeros")", "too large", "16 GiB"},
      {R"("dims": [4], "dtype": "f32", "init": [1, 2, 3, 4, 5])", "there are 5 values", ""},
      {R"("dims": [4], "dtype": "f32", "init": "zeros", "border": [1])", "four numbers", ""},
      {R"("dims": [4], "dtype": "f32", "init": "zeros", "normalized": 1)", "true or false", ""},
  };
  for (const Case& c : cases) {
    INFO(c.keys);
    const auto launches = parseLaunches(R"({"ptx": "k", "grid": 1, "block": 1, "args": [{"type": "texture", )" + c.keys + "}]}", "f", "");
    REQUIRE_FALSE(launches.ok());
    REQUIRE(launches.diagnostics().size() == 1);
    INFO(formatDiagnostics(launches.diagnostics()));
    REQUIRE(launches.diagnostics()[0].position.column > 40);
    REQUIRE(launches.diagnostics()[0].message.find(c.message) != std::string::npos);
    REQUIRE((launches.diagnostics()[0].message + launches.diagnostics()[0].hint).find(c.hint) != std::string::npos);
  }
  REQUIRE_FALSE(parseLaunches(R"({"ptx": "k", "grid": 1, "block": 1, "args": [], "textures": {"t": {"name": "x", "dims": [4], "dtype": "f32", "init": "ones"}}})", "f", "").ok());
  REQUIRE_FALSE(parseLaunches(R"({"ptx": "k", "grid": 1, "block": 1, "args": [], "textures": [1]})", "f", "").ok());
}

}  // namespace

TEST_CASE("A launch file is read with everything in it") {
  const auto launches = parseLaunches(good, "l.json", "folder");
  INFO(formatDiagnostics(launches.diagnostics()));
  REQUIRE(launches.ok());
  REQUIRE(launches->size() == 1);
  const Launch& l = launches->front();
  REQUIRE(l.name == "vec_add/n1024");
  REQUIRE(l.ptxPath == "folder/ptx/stream.ptx");
  REQUIRE(l.kernel == "vec_add");
  REQUIRE(l.grid == std::array<std::uint32_t, 3>{4, 1, 1});
  REQUIRE(l.block == std::array<std::uint32_t, 3>{256, 1, 1});
  REQUIRE(l.arguments.size() == 4);
  REQUIRE(l.arguments[1].init.values == std::vector<double>{0.5, 1});
  REQUIRE(l.arguments[2].name == "out");
  REQUIRE(l.arguments[3].bits == 1024);
  REQUIRE(l.arguments[3].position == SourcePosition{11, 5});
  REQUIRE(l.workBytes == 12288);
  REQUIRE(l.expectedVerdict == "ok");
  REQUIRE(l.expectedOutputArgument == 2u);
  REQUIRE(l.expectedOutput.size() == 3);
  REQUIRE(l.tolerance == 1e-6);
  REQUIRE(l.gridPosition == SourcePosition{5, 11});
  REQUIRE(l.argumentsPosition == SourcePosition{7, 11});
}

TEST_CASE("A suite is an array of launches, and shapes may leave out dimensions") {
  const auto suite =
      parseLaunches("[" + replaced(good, "[4, 1, 1]", "[4]") + ", " + replaced(good, "[256, 1, 1]", "256") + "]", "l.json", "");
  REQUIRE(suite.ok());
  REQUIRE(suite->size() == 2);
  REQUIRE((*suite)[0].grid == std::array<std::uint32_t, 3>{4, 1, 1});
  REQUIRE((*suite)[1].block == std::array<std::uint32_t, 3>{256, 1, 1});
  REQUIRE((*suite)[1].ptxPath == "ptx/stream.ptx");
}

TEST_CASE("Optional keys may be missing, and the name then is the kernel's or the file's") {
  const auto launches = parseLaunches(R"({"ptx": "a/k.ptx", "grid": 1, "block": 32, "args": []})", "l.json", "");
  REQUIRE(launches.ok());
  REQUIRE(launches->front().name == "k");
  REQUIRE(launches->front().kernel.empty());
  REQUIRE_FALSE(launches->front().workBytes);
}

TEST_CASE("Whatever is wrong in a launch file is an error at its place with a hint") {
  REQUIRE(errorOf(good).empty());
  REQUIRE(errorWith("\"kernel\"", "\"kernal\"") == "4:3: unknown key 'kernal' (did you mean 'kernel'?)");
  REQUIRE(errorWith("\"vec_add\"", "3") == "4:13: 'kernel' is a text, not a number");
  REQUIRE(errorWith("\"ptx\": \"ptx/stream\",", "") ==
          R"(1:1: the key 'ptx' is missing (write "ptx": "FILE.ptx", or "source": "FILE.cu" to compile it first))");
  REQUIRE(errorWith("\"ptx/stream\"", "\"\"") == "3:10: 'ptx' is empty");
  REQUIRE(errorWith("\"grid\": [4, 1, 1],", "") == "1:1: the key 'grid' is missing (write \"grid\": [X, Y, Z])");
  REQUIRE(errorWith("[4, 1, 1]", "[4, 0, 1]") == "5:15: 'grid' has size 0 (every dimension is at least 1)");
  REQUIRE(errorWith("[4, 1, 1]", "[4, 1, 1, 1]").find("5:11: 'grid' has 4 dimensions") == 0);
  REQUIRE(errorWith("[4, 1, 1]", "[-4]").find("5:12: 'grid' holds whole numbers from 1 to 4294967295") == 0);
  REQUIRE(errorWith("[4, 1, 1]", "[1.5]").find("5:12: 'grid' holds whole numbers") == 0);
  REQUIRE(errorWith("[4, 1, 1]", "\"4\"").find("5:11: 'grid' holds whole numbers") == 0);
  REQUIRE(errorWith("\"dynamic_shared_bytes\": 0", "\"dynamic_shared_bytes\": -1").find("6:27: 'dynamic_shared_bytes' is a whole number") ==
          0);
  REQUIRE(errorWith("\"count\": 1024", "\"count\": 0") == "8:49: a buffer has at least one element");
  REQUIRE(errorWith("\"count\": 1024", "\"count\": 1e15").find("8:49: the buffer is too large (at most 16 GiB") == 0);
  REQUIRE(errorWith("\"count\": 1024", "\"count\": 10.5") == "8:49: 'count' is a whole number of elements, not 10.5");
  REQUIRE(errorWith("\"dtype\": \"f32\"", "\"dtype\": \"float\"").find("8:33: unknown dtype 'float'") == 0);
  REQUIRE(errorWith("\"random:1\"", "\"randon:1\"") == "8:63: unknown init 'randon' (did you mean 'random'?)");
  REQUIRE(errorWith("\"random:1\"", "7") == "8:63: 'init' is a text or an array of values, not a number");
  REQUIRE(errorWith(", \"init\": \"random:1\"", "") == R"(8:5: the key 'init' is missing (such as "zeros", "random:1" or [1, 2, 3]))");
  REQUIRE(errorWith("[0.5, 1]", "[0.5, \"x\"]").find("9:69: a value of type f32 is a number, not the text 'x'") == 0);
  REQUIRE(errorWith("\"i32\"", "\"int\"").find("11:14: unknown type 'int' (") == 0);
  REQUIRE(errorWith("\"value\": 1024", "\"value\": 3000000000").find("11:30: 3000000000 does not fit i32") == 0);
  REQUIRE(errorWith("\"value\": 1024", "\"count\": 1024").find("11:21: unknown key 'count'") == 0);
  REQUIRE(errorWith("\"bytes\": 12288", "\"bytes\": -1").find("'bytes' is a number of at least 0") != std::string::npos);
  REQUIRE(errorWith("\"output_arg\": 2", "\"output_arg\": 4").find("'output_arg' is the number of an argument (they count from 0 to 3)") !=
          std::string::npos);
  REQUIRE(errorWith("\"output_arg\": 2", "\"output_arg\": 3").find("argument 3 is no buffer") != std::string::npos);
  REQUIRE(errorOf("3") == "1:1: a launch file is an object or an array of objects, not a number");
  REQUIRE(errorOf("[]") == "1:1: this suite has no launches");
  REQUIRE(errorOf("[3]") == "1:2: a launch is an object, not a number");
  REQUIRE(errorOf("{\"args\": 3}").find("1:1: the key 'ptx' is missing") == 0);
}

TEST_CASE("Several mistakes are all reported, but no more than twenty") {
  const auto two = parseLaunches(replaced(replaced(good, "[4, 1, 1]", "[0]"), "\"i32\"", "\"i33\""), "l.json", "");
  REQUIRE(two.diagnostics().size() == 2);
  std::string many = "[";
  for (int i = 0; i < 100; ++i) many += (i == 0 ? "{}" : ", {}");
  REQUIRE(parseLaunches(many + "]", "l.json", "").diagnostics().size() == 20);
}

TEST_CASE("Random values of an integer type are a warning, for they are all zero") {
  const auto launches = parseLaunches(replaced(good, "\"dtype\": \"f32\"", "\"dtype\": \"i32\""), "l.json", "");
  REQUIRE(launches.ok());
  REQUIRE(launches.diagnostics().size() == 1);
  REQUIRE(launches.diagnostics()[0].severity == Severity::Warning);
}

TEST_CASE("Files that a launch names are looked for when it is read") {
  std::string folder = (std::filesystem::temp_directory_path() / "warpmill-launch-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  REQUIRE_FALSE(writeFile(folder + "/l.json", replaced(good, "ptx/stream", "streem")));
  REQUIRE_FALSE(writeFile(folder + "/stream.ptx", std::string_view("x")));
  REQUIRE_FALSE(writeFile(folder + "/data.bin", std::string_view("12345")));
  const auto missing = readLaunches(folder + "/l.json");
  REQUIRE_FALSE(missing.ok());
  REQUIRE(missing.diagnostics()[0].message == "there is no file " + folder + "/streem.ptx");
  REQUIRE(missing.diagnostics()[0].hint == "did you mean 'stream.ptx'?");
  REQUIRE(missing.diagnostics()[0].position == SourcePosition{3, 10});
  REQUIRE_FALSE(missing.diagnostics()[0].sourceLine.empty());

  REQUIRE_FALSE(writeFile(folder + "/l.json", replaced(replaced(good, "ptx/stream", "stream"), "random:1", "file:data.bin")));
  const auto tooShort = readLaunches(folder + "/l.json");
  REQUIRE_FALSE(tooShort.ok());
  REQUIRE(tooShort.diagnostics()[0].message.find("data.bin is too short: it has 5 bytes") != std::string::npos);
  REQUIRE(tooShort.diagnostics()[0].position == SourcePosition{8, 63});

  REQUIRE_FALSE(writeFile(folder + "/l.json", replaced(good, "ptx/stream", "stream")));
  REQUIRE(readLaunches(folder + "/l.json").ok());
  REQUIRE_FALSE(readLaunches(folder + "/none.json").ok());
  std::filesystem::remove_all(folder);
}

namespace {

const std::string sequence = R"({
  "name": "sum", "ptx": "reduce",
  "buffers": {
    "x": {"dtype": "f32", "count": 64, "init": "iota"},
    "sums": {"type": "buffer", "dtype": "f32", "count": 2, "init": "zeros"}
  },
  "sequence": [
    {"kernel": "partial", "grid": 2, "block": 32, "args": [{"buffer": "x"}, {"buffer": "sums"}]},
    {"ptx": "other", "kernel": "total", "grid": 1, "block": 32, "stack_bytes": 4096, "args": [{"buffer": "sums"}, {"type": "i32", "value": 2}]}
  ],
  "work": {"bytes": 256},
  "expect": {"output_buffer": "sums", "output": [1, 2]}
})";

std::string sequenceErrorWith(const std::string& from, const std::string& to) { return errorOf(replaced(sequence, from, to)); }

}  // namespace

TEST_CASE("A sequence holds launches that share named buffers") {
  const auto launches = parseLaunches("[" + good + "," + sequence + "]", "l.json", "folder");
  INFO(formatDiagnostics(launches.diagnostics()));
  REQUIRE(launches.ok());
  REQUIRE(launches->size() == 2);
  CHECK(launches->front().sequence.empty());
  const Launch& s = launches->back();
  CHECK(s.name == "sum");
  REQUIRE(s.buffers.size() == 2);
  CHECK(s.buffers[1].name == "sums");
  REQUIRE(s.sequence.size() == 2);
  const Launch &first = s.sequence[0], &second = s.sequence[1];
  CHECK(first.name == "partial");
  CHECK(first.ptxPath == "folder/reduce.ptx");
  CHECK(second.ptxPath == "folder/other.ptx");
  CHECK_FALSE(first.stackBytes.has_value());
  CHECK(second.stackBytes == 4096u);
  REQUIRE(first.arguments.size() == 2);
  CHECK(first.arguments[1].isBuffer);
  CHECK(first.arguments[1].shared == 1);
  CHECK(first.arguments[1].count == 2);
  CHECK(first.arguments[1].position.line == 22);
  CHECK(second.arguments[0].shared == 1);
  CHECK(second.arguments[1].shared == noBuffer);
  CHECK(s.workBytes == 256.0);
  CHECK(s.expectedOutputArgument == 1u);
  CHECK(s.expectedOutput == std::vector<double>{1, 2});
}

TEST_CASE("What is wrong with a sequence is said where it stands") {
  CHECK(sequenceErrorWith("{\"buffer\": \"x\"}", "{\"buffer\": \"sumz\"}") == "8:71: there is no buffer 'sumz' (did you mean 'sums'?)");
  CHECK(sequenceErrorWith("{\"buffer\": \"x\"}", "{\"buffer\": \"x\", \"count\": 3}").find("unknown key 'count'") != std::string::npos);
  CHECK(sequenceErrorWith("\"init\": \"iota\"", "\"name\": \"y\", \"init\": \"iota\"").find("4:10") == std::string::npos);
  CHECK(sequenceErrorWith("\"init\": \"iota\"", "\"name\": \"y\", \"init\": \"iota\"").find("the buffer's name is its key") != std::string::npos);
  CHECK(sequenceErrorWith("\"type\": \"buffer\"", "\"type\": \"i32\"").find("has the type \"buffer\"") != std::string::npos);
  CHECK(sequenceErrorWith("\"output_buffer\": \"sums\"", "\"output_buffer\": \"out\"").find("one of the sequence's buffers") != std::string::npos);
  CHECK(sequenceErrorWith("\"output_buffer\": \"sums\", ", "").find("'output' without 'output_buffer'") != std::string::npos);
  CHECK(sequenceErrorWith("\"output_buffer\"", "\"output_arg\"").find("unknown key 'output_arg'") != std::string::npos);
  CHECK(sequenceErrorWith("\"stack_bytes\": 4096", "\"stack_bytes\": 4096000").find("at most 524288") != std::string::npos);
  CHECK(sequenceErrorWith("\"kernel\": \"partial\"", "\"sequence\": []").find("cannot hold a sequence") != std::string::npos);
  CHECK(sequenceErrorWith("\"work\"", "\"grid\": 2, \"work\"").find("unknown key 'grid'") != std::string::npos);
  CHECK(errorOf(R"({"sequence": []})").find("'sequence' is an array of 1 to 1024 launches") != std::string::npos);
  CHECK(errorOf(R"({"sequence": [3]})").find("a launch is an object, not a number") != std::string::npos);
  CHECK(errorWith(R"({"type": "i32", "value": 1024})", R"({"buffer": "x"})").find("named buffers are those of a sequence") != std::string::npos);
}
