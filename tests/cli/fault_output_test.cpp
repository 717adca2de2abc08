// How `warpmill run` tells of faults: as compilers do, in two languages, once a line, and in JSON with all that is known.
#include "cli/program.h"

#include "catch.h"

#include <nlohmann/json.hpp>

using namespace warpmill::testing;
using nlohmann::json;

namespace {

// Each thread writes the element behind its own, on two lines; the last two elements lie outside.
const std::string kernel = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p0)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  .loc 1 3 12
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  ld.param.u64 %rd1, [p0];
  add.s64 %rd3, %rd1, %rd2;
  .loc 1 4 16
  st.global.u32 [%rd3+8], %r1;
  .loc 1 5 5
  ld.global.u32 %r2, [%rd3+8];
  ld.global.u32 %r3, [%rd3+12];
  ret;
}
  .file 1 "k.cu"
)";
const std::string source = "// k\n__global__ void k(int* out) {\n    int i = threadIdx.x;\n    out[i + 2] = i;\n    i += out[i + 2] + out[i + 3];\n}\n";

std::vector<std::string> command(std::vector<std::string> more) {
  std::vector<std::string> all{"run", "k.ptx", "--grid", "1", "--block", "64", "--arg", "buffer:i32:64", "--device", "teaching", "--checks", "memory"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("A fault is told with its place, its line and the expression underlined, what to do and how often") {
  const Workplace w;
  w.write("k.ptx", kernel);
  w.write("k.cu", source);
  for (const char* mode : {"detailed", "functional"}) {
    const Ended e = w.run(command({"--mode", mode}));
    INFO(e.out << e.err);
    REQUIRE(e.exitCode == 1);
    CHECK(has(e.out, "k.cu:4:5: error: store of 4 bytes at offset 256 of argument 0 (256 bytes), right behind its end by block (0,0,0) thread (62,0,0) [out_of_bounds]\n"
                     "     4 |     out[i + 2] = i;\n"
                     "       |     ^~~~~~~~~~\n"
                     "  = PTX line 13: st.global.u32 [%rd3+8], %r1\n"));
    CHECK(has(e.out, "      [%rd3+8]                 = 0x"));
    CHECK(has(e.out, "      %rd2      = %r1 * 4      = 248\n"));
    CHECK(has(e.out, "  hint: Guard the access"));
    CHECK(has(e.out, "  2 times at this line\n"));
    CHECK(has(e.out, "  5 times at this line, by 2 of its instructions\n"));  // two and three threads
  }
}

TEST_CASE("A fault can be told in Russian, and another language is refused") {
  const Workplace w;
  w.write("k.ptx", kernel);
  const Ended e = w.run(command({"--language", "ru"}));
  INFO(e.out);
  CHECK(has(e.out, "k.cu:4: ошибка: запись 4 байт по смещению 256 аргумента 0 (256 байт), сразу за концом: блок (0,0,0), поток (62,0,0) [out_of_bounds]\n"));
  CHECK(has(e.out, "  совет: Перед обращением сравните"));
  CHECK(has(e.out, "в этой строке 2 раза\n"));
  const Ended refused = w.run(command({"--language", "fr"}));
  CHECK(refused.exitCode == 2);
  CHECK(has(refused.err, "not in 'fr'"));
}

TEST_CASE("The run goes on after a fault unless it is to stop there") {
  const Workplace w;
  w.write("k.ptx", kernel);
  for (const char* mode : {"detailed", "functional"}) {
    const json all = json::parse(w.run(command({"--mode", mode, "--json", "-"})).out);
    REQUIRE(all["faults"].size() == 3);
    CHECK(all["faults"][0]["count"] == 2);
    CHECK(all["faults"][2]["count"] == 3);
    const json first = json::parse(w.run(command({"--mode", mode, "--json", "-", "--stop-at-first-fault"})).out);
    REQUIRE(first["faults"].size() == 1);
    CHECK(first["verdict"] == "out_of_bounds");
  }
}

TEST_CASE("JSON has both languages, the registers with their values, and which of the warp's instructions it was") {
  const Workplace w;
  w.write("k.ptx", kernel);
  const json f = json::parse(w.run(command({"--json", "-"})).out)["faults"][0];
  CHECK(f["message"].get<std::string>().starts_with("store of 4 bytes"));
  CHECK(f["message_ru"].get<std::string>().starts_with("запись 4 байт"));
  CHECK_FALSE(f["remedy_ru"].get<std::string>().empty());
  CHECK(f["warp_instruction"] == 5);
  REQUIRE(f["registers"].size() == 5);
  CHECK(f["registers"][2]["name"] == "%rd1");
  CHECK(f["registers"][2]["definition"] == "argument 0");
  CHECK(f["registers"][3]["value"] == "248");
  CHECK(f["expression"].get<std::string>().find("%rd2 = %r1 * 4 = 248") != std::string::npos);
}
