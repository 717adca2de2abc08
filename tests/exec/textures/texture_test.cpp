// Texture reads, form by form, against what an H200 gave. forms in results.txt have been recorded by record.py; make_forms.py wrote them.
#include "base/sha256.h"
#include "base/text_file.h"
#include "catch.h"
#include "device/profile.h"
#include "exec/functional.h"
#include "exec/prepare.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

namespace warpmill::exec {
namespace {

constexpr std::uint32_t count = 1024;

float coordinate(std::uint32_t i, std::uint32_t axis, std::uint32_t extent, bool normalized) {
  static constexpr double inf = std::numeric_limits<double>::infinity();
  static constexpr double special[] = {std::numeric_limits<double>::quiet_NaN(), inf, -inf, -0.0, 0.0, 1e10, -1e10, 16777217.0,
                                       2147483648.0, -2147483648.0, 1e-30, -1e-30, 1e38, 0.5, -0.5, 8388607.5};
  const std::uint32_t r = launch::mix(i, 11 + axis), s = launch::mix(i, 21 + axis);
  const double w = extent, scaled = double{s * 1.0};
  double x = 0;
  switch (r & 3) {
    case 0: x = scaled * 0x1p-32 * (5 * w) - 2 * w; break;
    case 1: x = (static_cast<double>(s % (6 * extent)) - 2 * w) / 2 + static_cast<double>((s >> 16) % 33) / 1024 - 16.0 / 1024; break;
    case 2: x = scaled * 0x1p-32 * w; break;
    default: x = (r >> 2) % 8 == 0 ? special[s % 16] : static_cast<double>(s % (std::uint64_t{extent} << 16)) / 65536; break;
  }
  const auto f = static_cast<float>(x);
  return normalized ? f / static_cast<float>(extent) : f;
}

std::int32_t wholeCoordinate(std::uint32_t i, std::uint32_t axis, std::uint32_t extent) {
  const std::uint32_t r = launch::mix(i, 31 + axis), s = launch::mix(i, 41 + axis);
  return r % 16 == 0 ? static_cast<std::int32_t>(s) : static_cast<std::int32_t>(s % (3 * extent + 2)) - static_cast<std::int32_t>(extent) - 1;
}

std::vector<std::uint8_t> inputs(const launch::Texture& t) {
  std::vector<std::uint32_t> words;
  for (std::uint32_t a = 0; a < 3; ++a)
    for (std::uint32_t i = 0; i < count; ++i) words.push_back(std::bit_cast<std::uint32_t>(coordinate(i, a, t.extent[a], t.normalizedCoordinates)));
  for (std::uint32_t a = 0; a < 3; ++a)
    for (std::uint32_t i = 0; i < count; ++i) words.push_back(static_cast<std::uint32_t>(wholeCoordinate(i, a, t.extent[a])));
  for (std::uint32_t i = 0; i < count; ++i) words.push_back(launch::mix(i, 51) % (std::max(t.layers, 1u) + 2));
  std::vector<std::uint8_t> bytes(4 * words.size());
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

std::string program(const std::string& code) {
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 tex)\n{\n"
      ".reg .b64 %out, %in, %t, %a; .reg .b32 %n, %c, %d<4>, %i, %j, %k, %l; .reg .f32 %x, %y, %z; .reg .b16 %h<4>; .reg .pred %p;\n"
      "ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; ld.param.u64 %t, [tex]; mov.u32 %n, %tid.x; mov.u32 %c, %ctaid.x; mad.lo.u32 %n, %c, 256, %n;\n"
      "mad.wide.u32 %a, %n, 4, %in; mad.wide.u32 %out, %n, 16, %out;\n"
      "ld.global.f32 %x, [%a]; ld.global.f32 %y, [%a+4096]; ld.global.f32 %z, [%a+8192];\n"
      "ld.global.b32 %i, [%a+12288]; ld.global.b32 %j, [%a+16384]; ld.global.b32 %k, [%a+20480]; ld.global.b32 %l, [%a+24576];\n"
      "mov.b32 %d0, 0; mov.b32 %d1, 0; mov.b32 %d2, 0; mov.b32 %d3, 0;\n" + code + "\n";
  if (code.find("%h") != std::string::npos)
    for (const char* q : {"0", "1", "2", "3"}) text += "cvt.u32.u16 %d" + std::string(q) + ", %h" + q + "; ";
  return text + "st.global.v4.b32 [%out], {%d0,%d1,%d2,%d3};\nret;\n}\n";
}

struct Form {
  std::string digest, texture, code;
};

std::vector<Form> forms() {
  const auto text = readTextFile(std::string(WARPMILL_SOURCE_DIR) + "/tests/exec/textures/results.txt");
  REQUIRE(text.ok());
  std::vector<Form> all;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const std::string line = text->substr(at, end - at);
    const std::size_t tab = line.find('\t'), colon = line.rfind(" : ");
    all.push_back({line.substr(0, tab), line.substr(tab + 1, colon - tab - 1), line.substr(colon + 3)});
    at = end + 1;
  }
  return all;
}

// What the kernel stores: four words for each of 1024 threads; empty: a fault, kept in `verdict`.
std::vector<std::uint8_t> run(const Form& form, std::string& verdict) {
  const std::string file = R"({"ptx": "k", "grid": [4], "block": [256], "args": [{"type": "buffer", "dtype": "u32", "count": 4096, "init": "zeros"},
    {"type": "buffer", "dtype": "u32", "count": 7168, "init": "zeros"}, )" + form.texture + "]}";
  const auto launches = launch::parseLaunches(file, "test.json", "");
  INFO(formatDiagnostics(launches.diagnostics()));
  REQUIRE(launches.ok());
  auto module = ptx::parse(program(form.code), "k.ptx");
  INFO(formatDiagnostics(module.diagnostics()));
  REQUIRE(module.ok());
  static const device::Profile profile = device::loadProfile("h200").value();
  auto prepared = prepare(launches->front(), std::make_shared<const ptx::Module>(std::move(*module)), profile);
  INFO(formatDiagnostics(prepared.diagnostics()));
  REQUIRE(prepared.ok());
  prepared->memory.copyIn(prepared->argumentAllocation[1], 0, inputs(*launches->front().arguments[2].texture));
  const FunctionalRun result = runFunctional(*prepared->code, prepared->memory, FunctionalLimits{});
  verdict = result.faults.empty() ? "ok" : result.faults.front().message;
  std::vector<std::uint8_t> out(16 * count);
  prepared->memory.copyOut(prepared->argumentAllocation[0], 0, out);
  return out;
}

// Linear filtering of i8: the case below.
bool isBounded(const Form& form) {
  return form.texture.find("\"i8\"") != std::string::npos && form.texture.find("\"filter\": \"linear\"") != std::string::npos;
}

std::string digestOf(const std::vector<std::uint8_t>& bytes) { return sha256Hex(bytes).substr(0, 16); }

TEST_CASE("Texture reads give an H200's bits, form by form") {
  std::size_t compared = 0, refused = 0;
  for (const Form& form : forms()) {
    INFO(form.texture << " : " << form.code);
    if (isBounded(form)) continue;
    std::string verdict;
    const auto got = run(form, verdict);
    if (form.digest == "-") {  // the driver has no such query
      CHECK(verdict != "ok");
      ++refused;
      continue;
    }
    CHECK(verdict == "ok");
    CHECK(digestOf(got) == form.digest);
    ++compared;
  }
  CHECK(compared > 250);
  CHECK(refused > 30);
}

TEST_CASE("Filtered i8 texels are within 1/32767 of an H200's") {
  // The first channel of the forms' results, one form behind the other.
  std::ifstream file(std::string(WARPMILL_SOURCE_DIR) + "/tests/exec/textures/i8_linear.bin", std::ios::binary);
  std::size_t different = 0, compared = 0;
  for (const Form& form : forms()) {
    if (!isBounded(form)) continue;
    std::array<float, count> wanted{};
    REQUIRE(file.read(reinterpret_cast<char*>(wanted.data()), 4 * count));
    std::string verdict;
    const auto bytes = run(form, verdict);
    REQUIRE(verdict == "ok");
    for (std::size_t i = 0; i < count; ++i) {
      float got = 0;
      std::memcpy(&got, &bytes[16 * i], 4);
      const float error = std::fabs(got - wanted[i]) * 32767;
      REQUIRE(error < 1.01f);
      different += error > 0.01f ? 1 : 0;
      ++compared;
    }
  }
  REQUIRE(compared == 6 * count);
  REQUIRE(different * 25 < compared);
}

// Runs one thread of `body` (after which %d0 to %d3 are stored) with the textures of `textures` beside the output; what it faults with.
std::string runNamed(const std::string& declarations, const std::string& body, const std::string& more, std::array<float, 4>& out,
                     const std::string& target = "sm_90") {
  const std::string text = ".version 8.0\n.target " + target + "\n.address_size 64\n" + declarations +
                           "\n.visible .entry k(.param .u64 out)\n{\n.reg .b64 %out, %t; .reg .b32 %d<4>; .reg .pred %p;\nld.param.u64 %out, [out];\n"
                           "mov.b32 %d0, 0; mov.b32 %d1, 0; mov.b32 %d2, 0; mov.b32 %d3, 0;\n" + body + "\nst.global.v4.b32 [%out], {%d0,%d1,%d2,%d3};\nret;\n}\n";
  const std::string file = R"({"ptx": "k", "grid": [1], "block": [1], "args": [{"type": "buffer", "dtype": "f32", "count": 4, "init": "zeros"}])" + more + "}";
  const auto launches = launch::parseLaunches(file, "test.json", "");
  INFO(formatDiagnostics(launches.diagnostics()));
  REQUIRE(launches.ok());
  auto module = ptx::parse(text, "k.ptx");
  INFO(formatDiagnostics(module.diagnostics()));
  REQUIRE(module.ok());
  auto prepared = prepare(launches->front(), std::make_shared<const ptx::Module>(std::move(*module)), device::loadProfile("h200").value());
  if (!prepared) return formatDiagnostics(prepared.diagnostics());
  const FunctionalRun result = runFunctional(*prepared->code, prepared->memory, FunctionalLimits{});
  std::array<std::uint8_t, 16> bytes{};
  prepared->memory.copyOut(prepared->argumentAllocation[0], 0, bytes);
  std::memcpy(out.data(), bytes.data(), 16);
  return result.faults.empty() ? "ok" : std::string(machine::faultName(result.faults.front().kind)) + ": " + result.faults.front().message;
}

const std::string oneTexture = R"(, "textures": {"t": {"dims": [4], "dtype": "f32", "init": [10, 20, 30, 40]}})";

TEST_CASE("A texture that the module declares is read by its name, with its own sampler or another") {
  std::array<float, 4> out{};
  REQUIRE(runNamed(".global .texref t;", "tex.1d.v4.f32.f32 {%d0,%d1,%d2,%d3}, [t, {0f40300000}];", oneTexture, out) == "ok");
  REQUIRE(out[0] == 30);  // 2.75 is in the third texel
  REQUIRE(runNamed(".global .texref t;\n.global .samplerref s = { filter_mode = linear };",
                   "tex.1d.v4.f32.f32 {%d0,%d1,%d2,%d3}, [t, s, {0f40300000}];", oneTexture, out, "sm_90, texmode_independent") == "ok");
  REQUIRE(out[0] == 32.5f);
  // Its address is a handle that registers carry.
  REQUIRE(runNamed(".global .texref t;", "mov.u64 %t, t; istypep.texref %p, %t; @%p tex.1d.v4.f32.f32 {%d0,%d1,%d2,%d3}, [%t, {0f3F800000}];", oneTexture, out) == "ok");
  REQUIRE(out[0] == 20);
}

TEST_CASE("Reading a texture that is not there, or one of another shape, is a fault with a name") {
  std::array<float, 4> out{};
  const std::string read = "tex.1d.v4.f32.f32 {%d0,%d1,%d2,%d3}, [t, {0f3F800000}];";
  REQUIRE(runNamed(".global .texref t;", read, "", out).starts_with("null_access: texture handle 0, which names no texture, is read"));
  REQUIRE(runNamed(".global .texref t;", "mov.u64 %t, 7; tex.1d.v4.f32.f32 {%d0,%d1,%d2,%d3}, [%t, {0f3F800000}];", oneTexture, out)
              .starts_with("out_of_bounds: texture handle 7, which names no texture, is read"));
  REQUIRE(runNamed(".global .texref t;", "tex.2d.v4.f32.f32 {%d0,%d1,%d2,%d3}, [t, {0f3F800000,0f3F800000}];", oneTexture, out).starts_with("unsupported: "));
  REQUIRE(runNamed(".global .texref t;", "tex.cube.v4.f32.f32 {%d0,%d1,%d2,%d3}, [t, {0f3F800000,0f3F800000,0f3F800000,0f3F800000}];", oneTexture, out)
              .starts_with("unsupported: "));
  REQUIRE(runNamed(".global .texref other;", "", oneTexture, out).find("k.ptx has no texture 't'") != std::string::npos);
}

TEST_CASE("A read shows the caches the texel it begins with") {
  const auto launches = launch::parseLaunches(R"({"ptx": "k", "grid": [1], "block": [32], "args": [
    {"type": "texture", "dims": [16, 4], "dtype": "f32", "channels": 2, "init": "zeros"}]})", "test.json", "");
  REQUIRE(launches.ok());
  auto module = ptx::parse(".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 t) { .reg .b64 %t; .reg .b32 %d<4>, %i;\n"
                           "ld.param.u64 %t, [t]; mov.u32 %i, %tid.x; tex.2d.v4.f32.s32 {%d0,%d1,%d2,%d3}, [%t, {%i, 1}]; ret; }", "k.ptx");
  REQUIRE(module.ok());
  const auto prepared = prepare(launches->front(), std::make_shared<const ptx::Module>(std::move(*module)), device::loadProfile("h200").value());
  REQUIRE(prepared.ok());
  machine::Memory memory = prepared->memory;
  machine::Block block = prepared->code->makeBlock(0, 0);
  StepOutcome outcome;
  for (int k = 0; k < 3; ++k) step(*prepared->code, memory, block, block.warps[0], Clock{}, outcome);
  REQUIRE(outcome.access.kind == MemoryAccess::Kind::Load);
  REQUIRE(outcome.access.lanes == 0xFFFFu);  // the others read outside
  REQUIRE(outcome.access.bytesPerLane == 8);
  REQUIRE(outcome.access.address[3] - outcome.access.address[0] == 24);
  REQUIRE(outcome.access.address[0] == prepared->code->context().textures[0].base + 16 * 8);
}

}  // namespace
}  // namespace warpmill::exec
