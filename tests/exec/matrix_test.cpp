// Matrix instructions as whole warps use them: what is loaded, multiplied and stored again.
#include "exec/launcher.h"

using namespace warpmill;
using namespace warpmill::exec;
using warpmill::exec::test::Launcher;

namespace {

// Small integers are exact in every format, so that a plain sum is the expected value.
std::uint16_t half(int v) {
  static const std::uint16_t table[9] = {0xC400, 0xC200, 0xC000, 0xBC00, 0, 0x3C00, 0x4000, 0x4200, 0x4400};  // -4 ... 4
  return table[v + 4];
}
int element(unsigned row, unsigned column, unsigned seed) { return static_cast<int>((row * 7 + column * 5 + seed) % 9) - 4; }

std::string kernel(const std::string& code) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n"
         ".reg .b64 %a, %b, %c, %x; .reg .b32 %r<40>; .reg .f32 %f<20>; .reg .b32 %t, %s; .shared .align 16 .b8 sm[1024];\n"
         "ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %c, [c]; mov.u32 %t, %tid.x; mov.u32 %s, sm;\n" + code + "\nret;\n}\n";
}

}  // namespace

TEST_CASE("wmma loads row- and column-major operands, multiplies and stores") {
  Launcher l(kernel(R"(
    wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%a], 16;
    wmma.load.b.sync.aligned.col.m16n16k16.f16 {%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}, [%b], 16;
    wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%c], 16;
    wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15}, {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7},
      {%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}, {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};
    wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%c], {%f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15}, 16;)"));
  std::vector<std::uint16_t> a(256), b(256);
  std::vector<float> c(256);
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned k = 0; k < 16; ++k) {
      a[i * 16 + k] = half(element(i, k, 1));
      b[i * 16 + k] = half(element(k, i, 2));  // column i
      c[i * 16 + k] = static_cast<float>(element(i, k, 3));
    }
  l.buffer(a);
  l.buffer(b);
  const auto out = l.buffer(c);
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  INFO(test::describe(run));
  REQUIRE(run.faults.empty());
  const auto d = l.read<float>(out);
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      int sum = element(i, j, 3);
      for (unsigned k = 0; k < 16; ++k) sum += element(i, k, 1) * element(k, j, 2);
      REQUIRE(d[j * 16 + i] == static_cast<float>(sum));
    }
}

TEST_CASE("ldmatrix deals rows to lanes, transposed or not, and stmatrix puts them back") {
  Launcher l(kernel(R"(
    shl.b32 %r1, %t, 4; cvt.u64.u32 %x, %r1; add.s64 %a, %a, %x; ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%a];
    add.u32 %r6, %s, %r1; st.shared.v4.b32 [%r6], {%r2, %r3, %r4, %r5};
    bar.sync 0;
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r6];
    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r14, %r15, %r16, %r17}, [%r6];
    add.s64 %b, %b, %x; st.global.v4.b32 [%b], {%r10, %r11, %r12, %r13};
    bar.sync 0;
    stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r6], {%r14, %r15, %r16, %r17};
    bar.sync 0;
    ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r6];
    add.s64 %c, %c, %x; st.global.v4.b32 [%c], {%r2, %r3, %r4, %r5};)"));
  std::vector<std::uint16_t> a(256);  // four matrices of 8 x 8
  for (unsigned i = 0; i < 256; ++i) a[i] = static_cast<std::uint16_t>(i * 3);
  l.buffer(a);
  const auto dealt = l.buffer(std::vector<std::uint16_t>(256)), back = l.buffer(std::vector<std::uint16_t>(256));
  const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
  INFO(test::describe(run));
  REQUIRE(run.faults.empty());
  const auto d = l.read<std::uint16_t>(dealt);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned matrix = 0; matrix < 4; ++matrix)
      for (unsigned h = 0; h < 2; ++h) CHECK(d[lane * 8 + matrix * 2 + h] == a[matrix * 64 + lane / 4 * 8 + lane % 4 * 2 + h]);
  CHECK(l.read<std::uint16_t>(back) == a);
}
