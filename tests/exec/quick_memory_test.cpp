// Loads and stores have a quick way (functional runs) and a general one (timing, observers): both must do the same.
#include "exec/handlers.h"
#include "launcher.h"

using namespace warpmill;
using namespace warpmill::exec;
using namespace warpmill::exec::test;

namespace {

// The same launch instruction by instruction, as the timing run issues it.
void stepThrough(const Code& code, machine::Memory& memory) {
  const Dim3& grid = code.context().grid;
  StepOutcome outcome;
  for (std::uint64_t b = 0; b < std::uint64_t{grid.x} * grid.y * grid.z; ++b) {
    machine::Block block = code.makeBlock(b, 0);
    for (std::uint64_t n = 0; !block.done() && n < 100000; ++n)
      for (machine::Warp& warp : block.warps)
        if (runnable(warp)) step(code, memory, block, warp, {}, outcome);
  }
}

struct Form { const char* type; const char* reg; unsigned count, bytes; };
const Form forms[] = {{"u8", "%h", 1, 1},  {"s8", "%r", 1, 1},  {"u16", "%h", 1, 2}, {"s16", "%r", 1, 2}, {"u32", "%r", 1, 4}, {"s32", "%l", 1, 4},
                      {"u64", "%l", 1, 8}, {"u8", "%h", 4, 4},  {"u16", "%h", 2, 4}, {"u32", "%r", 2, 8}, {"u32", "%r", 4, 16}, {"u64", "%l", 2, 16}};

std::string operand(const Form& f) {
  if (f.count == 1) return std::string(f.reg) + "4";
  std::string list = "{";
  for (unsigned k = 0; k < f.count; ++k) list += (k == 0 ? "" : ", ") + std::string(f.reg) + std::to_string(4 + k);
  return list + "}";
}

// Thread t reads at `table[t]` of x and writes at `table[t + 64]`, for those with an odd bit of `mask` only where that is 0.
std::string copying(const Form& f, const std::string& space) {
  const std::string vector = f.count == 1 ? "" : ".v" + std::to_string(f.count);
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u32 p2)\n{\n"
         ".reg .b32 %r<9>; .reg .b16 %h<9>; .reg .b64 %l<9>; .reg .b64 %rd<9>; .reg .b32 %t<9>; .reg .pred %p<9>; .shared .align 16 .b8 s[8192];\n"
         "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u32 %t1, [p2]; mov.u32 %t2, %tid.x; mul.wide.u32 %rd3, %t2, 4;\n"
         "add.s64 %rd2, %rd2, %rd3; ld.global.u32 %t3, [%rd2]; ld.global.u32 %t4, [%rd2+256];\n"
         "cvt.u64.u32 %rd3, %t3; cvt.u64.u32 %rd4, %t4; add.s64 %rd3, %rd3, %rd1; add.s64 %rd4, %rd4, %rd1;\n" +
         std::string(space == "shared" ? "mul.wide.u32 %rd5, %t2, 128; add.s64 %rd6, %rd5, %rd1; mov.u32 %t6, s; mad.lo.u32 %t5, %t2, 128, %t6;\n"
                                         "mov.u32 %t7, 0;\nFILL: ld.global.u32 %t8, [%rd6]; st.shared.u32 [%t5], %t8; add.s64 %rd6, %rd6, 4; add.u32 %t5, %t5, 4;\n"
                                         "add.u32 %t7, %t7, 1; setp.lt.u32 %p2, %t7, 32; @%p2 bra FILL; bar.sync 0; add.u32 %t3, %t3, %t6; add.u32 %t4, %t4, %t6;\n"
                                       : "") +
         "shr.u32 %t2, %t1, %t2; and.b32 %t2, %t2, 1; setp.ne.u32 %p1, %t2, 0;\n@%p1 ld." + space + vector + "." + f.type + " " + operand(f) +
         ", [" + (space == "shared" ? "%t3" : "%rd3") + "];\n" +
         (space == "shared" ? "bar.sync 0;\n" : "") + "@%p1 st." + space + vector + "." + (f.type[0] == 's' ? "u" + std::string(f.type + 1) : f.type) + " [" +
         (space == "shared" ? "%t4" : "%rd4") + "], " + operand(f) + ";\n" +
         (space == "shared" ? "bar.sync 0; add.s64 %rd6, %rd5, %rd1; sub.u32 %t5, %t5, 128; mov.u32 %t7, 0;\nBACK: ld.shared.u32 %t8, [%t5]; st.global.u32 [%rd6], %t8;\n"
                              "add.s64 %rd6, %rd6, 4; add.u32 %t5, %t5, 4; add.u32 %t7, %t7, 1; setp.lt.u32 %p2, %t7, 32; @%p2 bra BACK;\n"
                            : "") +
         "ret;\n}\n";
}

// Byte offsets of 64 lanes, in elements of `bytes`, inside `size`.
std::vector<std::uint32_t> pattern(unsigned kind, unsigned bytes, std::uint32_t size) {
  std::vector<std::uint32_t> at(64);
  const std::uint32_t elements = size / bytes;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t lane = i % 32;
    switch (kind) {
      case 0: at[i] = i; break;                                    // a row
      case 1: at[i] = 3; break;                                    // one place
      case 2: at[i] = 63 - i; break;                               // backwards
      case 3: at[i] = i % 16 + (i / 16) * 20; break;               // rows of 16
      case 4: at[i] = (i * 2654435761u) % elements; break;         // anywhere
      case 5: at[i] = lane < 8 ? 5 : lane < 16 ? 40 + lane : 7 * lane; break;
      case 6: at[i] = elements - 64 + i; break;                    // to the last byte
      default: at[i] = i / 2; break;                               // two by two
    }
    at[i] *= bytes;
  }
  return at;
}

}  // namespace

TEST_CASE("The quick way of loads and stores does what the general one does") {
  for (const std::string space : {"global", "shared", ""})
    for (const Form& f : forms)
      for (unsigned kind = 0; kind < 8; ++kind)
        for (const std::uint32_t mask : {0xFFFFFFFFu, 0x00FF0F31u, 0x80000000u}) {
          const std::uint32_t size = space == "shared" ? 8192 : 200'000;  // several pages
          std::string text = copying(f, space.empty() ? "global" : space);
          if (space.empty())
            for (std::size_t at; (at = text.find("ld.global")) != std::string::npos || (at = text.find("st.global")) != std::string::npos;) text.erase(at + 2, 7);
          Launcher l(text);
          std::vector<std::uint8_t> x(size);
          for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint8_t>(i * 167 + i / 256);
          auto table = pattern(kind, f.bytes, size);
          const auto to = pattern((kind + 3) % 8, f.bytes, size);
          table.insert(table.end(), to.begin(), to.end());
          l.buffer(x);
          l.buffer(table);
          l.scalar(mask);
          machine::Memory general = l.memory();
          const FunctionalRun run = l.run({1, 1, 1}, {64, 1, 1});
          INFO(space << " " << f.type << " x" << f.count << ", pattern " << kind << ", lanes " << mask << "\n" << describe(run));
          REQUIRE(run.faults.empty());
          stepThrough(l.code(), general);
          REQUIRE(l.memory() == general);
        }
}

TEST_CASE("Vectors of processors with more make no other results") {
  // Each form once more with the portable handlers; on hosts without others both are the same.
  for (const Form& f : forms)
    for (unsigned kind = 0; kind < 8; ++kind) {
      std::vector<machine::Memory> results;
      for (const HandlerSet* handlers : {&handlerSet(), &portableHandlerSet()}) {
        Launcher l(copying(f, "global"));
        l.handlers(*handlers);
        std::vector<std::uint8_t> x(200'000);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint8_t>(i * 89 + i / 128);
        auto table = pattern(kind, f.bytes, 200'000);
        const auto to = pattern((kind + 5) % 8, f.bytes, 200'000);
        table.insert(table.end(), to.begin(), to.end());
        l.buffer(x);
        l.buffer(table);
        l.scalar(0xFFFF00FFu);
        l.run({1, 1, 1}, {64, 1, 1});
        results.push_back(l.memory());
      }
      REQUIRE(results[0] == results[1]);
    }
}
