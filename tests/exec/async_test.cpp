// The programs of async/ (copies that are on their way, mbarriers, clusters) write what they wrote on an H200 (async/h200.txt).
// To see what differs, give record.py a folder for raw results and set WARPMILL_ASYNC_RAW to it.
#include "exec/launcher.h"

#include "base/sha256.h"
#include "base/text_file.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace warpmill;
using namespace warpmill::exec;
using namespace warpmill::exec::test;

namespace {

const std::string folder = std::string(WARPMILL_SOURCE_DIR) + "/tests/exec/async/";
constexpr std::uint32_t words = 65536;

std::uint32_t mix(std::uint32_t i, std::uint32_t seed) {
  std::uint32_t x = i + seed * 0x9E3779B9u;
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ x >> 16;
}

std::string textOf(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Ran {
  std::vector<std::uint32_t> out;
  std::string faults;
};
Ran runProgram(const std::string& text) {
  Launcher l(text);
  std::istringstream head(text);
  std::string word;
  Dim3 grid, block;
  head >> word >> word >> grid.x >> grid.y >> grid.z >> word >> block.x;
  std::vector<std::uint32_t> in(words);
  for (std::uint32_t i = 0; i < words; ++i) in[i] = mix(i, 77);
  l.buffer(in);
  const auto out = l.buffer(std::vector<std::uint32_t>(words));
  const auto run = l.run(grid, block);
  return {l.read<std::uint32_t>(out), describe(run)};
}

void showDifferences(const std::string& name, const Ran& ran, const std::string& rawFolder) {
  std::vector<std::uint32_t> want(words);
  std::ifstream raw(rawFolder + "/" + name + ".bin", std::ios::binary);
  raw.read(reinterpret_cast<char*>(want.data()), 4 * words);
  std::cout << name << " " << ran.faults << "\n";
  std::size_t bad = 0;
  for (std::uint32_t i = 0; i < words; ++i)
    if (want[i] != ran.out[i] && ++bad <= 12) std::cout << std::hex << "   [" << std::dec << i << std::hex << "] want " << want[i] << " got " << ran.out[i] << std::dec << "\n";
  std::cout << "   " << bad << " differ\n";
}

// One thread waits at an mbarrier at offset 0 of shared memory, whose count is 2, after `before`.
std::string waiting(const std::string& before) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p0)\n{\n.reg .b64 %x; .reg .b32 %sm, %t, %r; .reg .pred %p, %q;\n"
         ".shared .align 8 .b8 sm[64];\nmov.u32 %sm, sm; mov.u32 %t, %tid.x; setp.eq.u32 %q, %t, 0; @%q mbarrier.init.shared::cta.b64 [%sm], 2; bar.sync 0;\n" +
         before + "\nW: mbarrier.try_wait.parity.shared::cta.b64 %p, [%sm], 0; @!%p bra W;\nret;\n}\n";
}

}  // namespace

TEST_CASE("asynchronous programs and clusters write what they wrote on an H200") {
  std::ifstream recorded(folder + "h200.txt");
  const char* rawFolder = std::getenv("WARPMILL_ASYNC_RAW");
  std::size_t compared = 0;
  std::string wanted, name;
  while (recorded >> wanted >> name) {
    const Ran ran = runProgram(textOf(folder + name + ".ptx"));
    ++compared;
    const auto hash = sha256Hex({reinterpret_cast<const std::uint8_t*>(ran.out.data()), 4 * ran.out.size()}).substr(0, 16);
    if (rawFolder != nullptr) {
      if (hash != wanted || !ran.faults.empty()) showDifferences(name, ran, rawFolder);
      continue;
    }
    INFO(name);
    INFO(ran.faults);
    CHECK(ran.faults.empty());
    CHECK(hash == wanted);
  }
  CHECK(compared >= 15);
}

TEST_CASE("what cp.async copies is not there before the wait") {
  const auto out = runLanes(".reg .b32 %r<4>, %sm; .shared .align 16 .b8 sm[256];", R"(
    mov.u32 %sm, sm; shl.b32 %r0, %t, 3; add.u32 %r0, %r0, %sm; mov.u32 %r1, 5; st.shared.b32 [%r0], %r1;
    cp.async.ca.shared.global [%r0], [%in], 8; ld.shared.b32 %r2, [%r0]; cp.async.commit_group; cp.async.wait_group 0; ld.shared.b32 %r3, [%r0];
    st.global.v2.b32 [%out], {%r2, %r3};)", std::vector<std::uint64_t>(32, 77));
  for (std::uint64_t v : out) CHECK(v == (77ull << 32 | 5));
}

TEST_CASE("a wait at an mbarrier to which nobody comes is a hang, and one to which somebody comes late is not") {
  Launcher alone(waiting("@%q mbarrier.arrive.shared::cta.b64 %x, [%sm];"));
  alone.buffer(std::vector<std::uint32_t>(1));
  const auto hang = alone.run({1, 1, 1}, {64, 1, 1});
  REQUIRE(hang.faults.size() == 1);
  CHECK(hang.faults[0].kind == machine::FaultKind::Hang);
  CHECK(hang.faults[0].message.find("mbarrier at offset 0") != std::string::npos);

  Launcher late(waiting(R"(@%q mbarrier.arrive.shared::cta.b64 %x, [%sm]; setp.ne.u32 %p, %t, 32; @%p bra W; mov.u32 %r, 0;
    SLOW: add.u32 %r, %r, 1; setp.lt.u32 %p, %r, 100000; @%p bra SLOW; mbarrier.arrive.shared::cta.b64 %x, [%sm];)"));
  late.buffer(std::vector<std::uint32_t>(1));
  CHECK(describe(late.run({1, 1, 1}, {64, 1, 1})).empty());
}

TEST_CASE("a bulk copy outside its buffer or its shared memory is a fault") {
  const auto program = [](const std::string& copy) {
    return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p0)\n{\n.reg .b64 %in; .reg .b32 %sm;\n.shared .align 128 .b8 sm[256];\n"
           "mov.u32 %sm, sm; ld.param.u64 %in, [p0]; mbarrier.init.shared::cta.b64 [%sm+128], 1;\n" + copy + "\nret;\n}\n";
  };
  const auto kindOf = [&](const std::string& copy) {
    Launcher l(program("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes " + copy + ", [%sm+128];"));
    l.buffer(std::vector<std::uint32_t>(16));
    const auto run = l.run({1, 1, 1}, {1, 1, 1});
    REQUIRE(run.faults.size() == 1);
    return run.faults[0].kind;
  };
  CHECK(kindOf("[%sm], [%in], 128") == machine::FaultKind::OutOfBounds);
  CHECK(kindOf("[%sm+240], [%in], 64") == machine::FaultKind::OutOfBounds);
  CHECK(kindOf("[%sm], [%in+4], 16") == machine::FaultKind::Misaligned);
}

TEST_CASE("requests for registers and waits for other grids change no value") {
  const auto out = runLanes("", "setmaxnreg.dec.sync.aligned.u32 40; griddepcontrol.wait; griddepcontrol.launch_dependents; st.global.u64 [%out], %step;");
  for (std::size_t i = 0; i < out.size(); ++i) CHECK(out[i] == 8 * i);
}
