#include "exec/order.h"
#include "launcher.h"

#include <bit>
#include <set>

using namespace warpmill;
using namespace warpmill::exec;
using namespace warpmill::exec::test;

namespace {

// A kernel over a buffer of words `x` and one of floats `f`. %r1: number of the block; %r2: of the thread in the grid (blocks of 64);
// %rd1: x; %rd2: x[thread]; %rd3: f; %rd4: x[block].
std::string kernel(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n"
         ".reg .f32 %f<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<9>;\n"
         "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd3, [p1]; mov.u32 %r1, %ctaid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r2, %r1, 64, %r3;\n"
         "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd2, %rd1; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd4, %rd1;\n" +
         body + "\nret;\n}\n";
}

struct Named { const char* name; std::string body; };

const Named kernels[] = {
    {"each thread its own word", "ld.global.u32 %r4, [%rd2]; mad.lo.u32 %r4, %r4, 3, %r2; st.global.u32 [%rd2], %r4;"},
    {"each block reads what the one before wrote",
     "ld.global.u32 %r4, [%rd2]; add.u32 %r4, %r4, 1; st.global.u32 [%rd2+256], %r4;"},
    {"blocks write bytes of the same words",
     "and.b32 %r4, %r1, 3; cvt.u64.u32 %rd5, %r4; mul.wide.u32 %rd6, %r3, 4; add.s64 %rd6, %rd6, %rd1; add.s64 %rd6, %rd6, %rd5;"
     "st.global.u8 [%rd6], %r1;"},
    {"the last writer of one word stays", "st.global.u32 [%rd1], %r2; st.global.v2.u32 [%rd1+8], {%r1, %r3};"},
    {"a store of the old value counts as one",
     "setp.eq.u32 %p1, %r1, 2; selp.u32 %r4, 77, 0, %p1; st.global.u32 [%rd1], %r4;"},
    {"tickets", "atom.global.add.u32 %r4, [%rd1], 1; st.global.u32 [%rd2+64], %r4;"},
    {"a float sum", "cvt.rn.f32.u32 %f1, %r2; add.f32 %f1, %f1, 0f3DCCCCCD; rcp.rn.f32 %f1, %f1; red.global.add.f32 [%rd3], %f1;"},
    {"a float sum whose old value nobody reads", "cvt.rn.f32.u32 %f1, %r2; mul.f32 %f1, %f1, 0f3DCCCCCD; atom.global.add.f32 %f2, [%rd3+4], %f1;"},
    {"a reduction, then its value",
     "red.global.add.u32 [%rd1], %r3; red.global.max.s32 [%rd1+8], %r2; ld.global.u32 %r4, [%rd1]; st.global.u32 [%rd2+64], %r4;"},
    {"a reduction of what was stored", "st.global.u32 [%rd4+64], 7; red.global.add.u32 [%rd4+64], %r3; red.global.inc.u32 [%rd1], 5;"},
    {"reductions beyond the end", "mul.wide.u32 %rd5, %r2, 400; add.s64 %rd5, %rd5, %rd1; red.global.add.u32 [%rd5], 1; red.global.or.b32 [%rd1], %r2;"},
    {"a block waits for all others",
     "setp.ne.u32 %p1, %r3, 0; @%p1 bra WAIT; atom.global.add.u32 %r4, [%rd1], 1;\n"
     "SPIN: ld.volatile.global.u32 %r5, [%rd1]; mov.u32 %r6, %nctaid.x; setp.lt.u32 %p2, %r5, %r6; @%p2 bra SPIN;\n"
     "WAIT: bar.sync 0; ld.global.u32 %r7, [%rd1]; st.global.u32 [%rd2+64], %r7;"},
    {"a lock",
     "setp.ne.u32 %p1, %r3, 0; @%p1 bra END;\nTAKE: atom.global.cas.b32 %r4, [%rd1], 0, 1; setp.ne.u32 %p2, %r4, 0; @%p2 bra TAKE;\n"
     "ld.global.u32 %r5, [%rd1+4]; mad.lo.u32 %r5, %r5, 5, %r1; st.global.u32 [%rd1+4], %r5; atom.global.exch.b32 %r4, [%rd1], 0;\nEND: bar.sync 0;"},
    {"the clock", "mov.u32 %r4, %clock; st.global.u32 [%rd2], %r4;"},
    {"the multiprocessor", "mov.u32 %r4, %smid; st.global.u32 [%rd2], %r4;"},
    {"blocks beyond the end",
     "mul.wide.u32 %rd5, %r2, 400; add.s64 %rd5, %rd5, %rd1; st.global.u32 [%rd5], %r2; ld.global.u32 %r4, [%rd5+8]; st.global.u32 [%rd2], %r4;"},
    {"some blocks never meet at the barrier",
     "st.global.u32 [%rd2], %r2; and.b32 %r4, %r1, 7; setp.ne.u32 %p1, %r4, 3; @%p1 bra END; setp.lt.u32 %p2, %r3, 32; @%p2 bra OTHER; bar.sync 1;\n"
     "OTHER: bar.sync 2;\nEND: st.global.u32 [%rd2], %r1;"},
    {"one block loops for ever", "setp.ne.u32 %p1, %r1, 20; @%p1 bra END;\nLOOP: add.u32 %r4, %r4, 1; bra LOOP;\nEND: st.global.u32 [%rd2], %r1;"},
};

struct Outcome {
  std::vector<std::uint32_t> words;
  std::vector<float> floats;
  FunctionalRun run;
};

Outcome outcomeOf(const Named& k, unsigned jobs, std::uint64_t seed, std::uint64_t most = 3'000'000) {
  constexpr unsigned blocks = 48;
  Launcher l(kernel(k.body));
  l.context().seed = seed;
  l.context().smCount = 5;
  const auto x = l.buffer(std::vector<std::uint32_t>(blocks * 64 + 64 + 16));
  const auto f = l.buffer(std::vector<float>(4));
  Outcome o;
  FunctionalLimits limits{most, 3, false};
  limits.jobs = jobs;
  o.run = l.run({blocks, 1, 1}, {64, 1, 1}, 0, limits);
  o.words = l.read<std::uint32_t>(x);
  o.floats = l.read<float>(f);
  return o;
}

}  // namespace

TEST_CASE("Any number of threads gives the results, faults and counts of one") {
  for (const Named& k : kernels)
    for (const std::uint64_t seed : {0ull, 1ull, 77ull}) {
      const Outcome one = outcomeOf(k, 1, seed);
      for (const unsigned jobs : {2u, 3u, 8u}) {
        INFO(k.name << ", seed " << seed << ", " << jobs << " threads");
        const Outcome many = outcomeOf(k, jobs, seed);
        CHECK(many.words == one.words);
        for (std::size_t i = 0; i < 4; ++i) CHECK(std::bit_cast<std::uint32_t>(many.floats[i]) == std::bit_cast<std::uint32_t>(one.floats[i]));
        CHECK(many.run.warpInstructions == one.run.warpInstructions);
        CHECK(many.run.threadInstructions == one.run.threadInstructions);
        CHECK(describe(many.run) == describe(one.run));
        REQUIRE(many.run.faults.size() == one.run.faults.size());
        for (std::size_t i = 0; i < one.run.faults.size(); ++i) CHECK(many.run.faults[i].count == one.run.faults[i].count);
      }
    }
}

TEST_CASE("An atomic whose result no instruction reads is a reduction") {
  const auto unused = [](const std::string& body) {
    Launcher l(kernel(body));
    l.buffer(std::vector<std::uint32_t>(4096));
    l.buffer(std::vector<float>(4));
    l.run({1, 1, 1}, {32, 1, 1});
    for (const Op& op : l.code().ops())
      if (op.instruction->opcode == ptx::Opcode::Atom || op.instruction->opcode == ptx::Opcode::Red) return op.resultUnused;
    return false;
  };
  CHECK(unused("red.global.add.u32 [%rd1], 1;"));
  CHECK(unused("atom.global.add.u32 %r9, [%rd1], 1;"));
  CHECK(unused("mov.u32 %r9, 0; atom.global.add.u32 %r9, [%rd1], 1;"));
  CHECK_FALSE(unused("atom.global.add.u32 %r9, [%rd1], 1; st.global.u32 [%rd1+4], %r9;"));
  CHECK_FALSE(unused("atom.global.add.u32 %r9, [%rd1], 1; st.global.v2.u32 [%rd1+8], {%r3, %r9};"));
  CHECK_FALSE(unused("atom.global.add.u64 %rd9, [%rd1], 1; st.global.u32 [%rd9], 1;"));
  CHECK_FALSE(unused("atom.global.cas.b32 %r9, [%rd1], 1, 2;"));
}

TEST_CASE("A limit on instructions ends a run at the same one, however many threads there are") {
  for (const std::uint64_t most : {1ull, 500ull, 1001ull}) {
    const Outcome one = outcomeOf(kernels[5], 1, 0, most), many = outcomeOf(kernels[5], 4, 0, most);
    CHECK(one.run.warpInstructions == most);
    CHECK(many.run.warpInstructions == most);
    CHECK(many.words == one.words);
    CHECK(describe(many.run) == describe(one.run));
  }
}

TEST_CASE("Seeds give the float sum of a kernel with atomics different last bits, the same seed the same ones") {
  std::set<std::uint32_t> sums;
  for (const std::uint64_t seed : {0ull, 1ull, 2ull, 3ull, 4ull, 5ull, 6ull, 7ull}) {
    const Outcome o = outcomeOf(kernels[6], 1, seed);
    CHECK(o.run.faults.empty());
    sums.insert(std::bit_cast<std::uint32_t>(o.floats[0]));
    CHECK(std::bit_cast<std::uint32_t>(outcomeOf(kernels[6], 1, seed).floats[0]) == std::bit_cast<std::uint32_t>(o.floats[0]));
  }
  CHECK(sums.size() >= 3);
}

TEST_CASE("What does not hang on an order is the same for all seeds") {
  const Outcome natural = outcomeOf(kernels[0], 1, 0);
  for (const std::uint64_t seed : {1ull, 9ull, 12345678901ull}) CHECK(outcomeOf(kernels[0], 1, seed).words == natural.words);
}

TEST_CASE("A seed's order has every block once, and seed 0 is the natural order") {
  for (const std::uint64_t count : {1ull, 2ull, 3ull, 4ull, 5ull, 48ull, 1000ull})
    for (const std::uint64_t seed : {0ull, 1ull, 99ull}) {
      const BlockOrder order(count, seed);
      std::set<std::uint64_t> seen;
      bool natural = true;
      for (std::uint64_t i = 0; i < count; ++i) {
        seen.insert(order.at(i));
        natural = natural && order.at(i) == i;
      }
      CHECK(seen.size() == count);
      CHECK(*seen.rbegin() == count - 1);
      if (seed == 0) CHECK(natural);
      if (seed != 0 && count >= 48) CHECK_FALSE(natural);
    }
}
