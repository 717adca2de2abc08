#include "ptx_tools.h"

using namespace warpmill;
using namespace warpmill::ptx;
using namespace warpmill::ptx::test;

namespace {

const char* const sharedText = R"(.version 8.0
.target sm_80
.address_size 64
.shared .align 4 .b8 a[100];
.shared .align 16 .b8 b[64];
.extern .shared .align 16 .b8 dynamic[];
.const .align 8 .b8 c1[5];
.const .f64 c2;
.global .u32 g1;
.global .align 256 .b8 g2[8];
.func usesA() { .reg .b32 %r<2>; ld.shared.b32 %r1, [a]; ret; }
.entry onlyA() { .reg .b32 %r<2>; ld.shared.b32 %r1, [a+4]; ret; }
.entry onlyB() { .reg .b32 %r<2>; ld.shared.b32 %r1, [b]; ret; }
.entry both() { .reg .b32 %r<2>; .reg .b64 %rd<2>; mov.u64 %rd1, b; call usesA; ld.shared.b32 %r1, [dynamic]; ret; }
.entry own() { .shared .align 8 .b8 mine[12]; .reg .b32 %r<2>; ld.shared.b32 %r1, [b]; ld.shared.b32 %r1, [mine]; ld.shared.b32 %r1, [dynamic]; ret; }
.entry nothing() { ret; }
)";

}  // namespace

TEST_CASE("A kernel's shared memory holds the module's variables that it or its callees use") {
  const Module module = parsed(sharedText);
  REQUIRE(module.variables[0].offset == 0);
  REQUIRE(module.variables[1].offset == 112);  // behind a, since one kernel uses both
  REQUIRE(module.entry("onlyA")->staticSharedBytes == 100);
  REQUIRE(module.entry("both")->staticSharedBytes == 176);
  REQUIRE(module.entry("nothing")->staticSharedBytes == 0);
}

TEST_CASE("Variables that no kernel uses together may share their place") {
  const Module module = parsed(R"(.version 8.0
.target sm_80
.address_size 64
.shared .align 4 .b8 a[100];
.shared .align 4 .b8 b[64];
.entry first() { .reg .b32 %r<2>; ld.shared.b32 %r1, [a]; ret; }
.entry second() { .reg .b32 %r<2>; ld.shared.b32 %r1, [b]; ret; }
)");
  REQUIRE(module.variables[0].offset == 0);
  REQUIRE(module.variables[1].offset == 0);
  REQUIRE(module.entry("second")->staticSharedBytes == 64);
}

TEST_CASE("Dynamic shared memory begins behind the static part, aligned") {
  const Module module = parsed(sharedText);
  REQUIRE(module.entry("both")->dynamicSharedOffset == 176);
  const Function& own = *module.entry("own");
  REQUIRE(own.variables[0].offset == 0);  // fits in front of b
  REQUIRE(own.staticSharedBytes == 176);
  REQUIRE(module.entry("onlyA")->dynamicSharedOffset == 100);
}

TEST_CASE("Module variables get offsets in their segments") {
  const Module module = parsed(sharedText);
  REQUIRE(module.variables[3].offset == 0);
  REQUIRE(module.variables[4].offset == 8);
  REQUIRE(module.constBytes == 16);
  REQUIRE(module.variables[6].offset == 256);
  REQUIRE(module.globalBytes == 264);
}
