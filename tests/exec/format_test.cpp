#include "exec/format.h"

#include "exec/launcher.h"

using namespace warpmill;
using namespace warpmill::exec;
using ptx::Type;

TEST_CASE("values are shown as their PTX type says") {
  CHECK(formatValue(Type::F32, 0x40490FDB) == "3.1415927");
  CHECK(formatValue(Type::F32, 0x3DCCCCCD) == "0.1");
  CHECK(formatValue(Type::F32, 0x7FFFFFFF) == "nan");
  CHECK(formatValue(Type::F32, 0xFF800000) == "-inf");
  CHECK(formatValue(Type::F64, 0xBFF8000000000000) == "-1.5");
  CHECK(formatValue(Type::F16, 0x3C00) == "1");
  CHECK(formatValue(Type::BF16, 0x3F80) == "1");
  CHECK(formatValue(Type::F16x2, 0x40003800) == "(0.5, 2)");
  CHECK(formatValue(Type::S32, 0xFFFFFFFB) == "-5");
  CHECK(formatValue(Type::U32, 0xFFFFFFFB) == "4294967291");
  CHECK(formatValue(Type::S16, 0xFFFE) == "-2");
  CHECK(formatValue(Type::Pred, 1) == "true");
  CHECK(formatValue(Type::B64, 0x7F0000000200, Untyped::Hex) == "0x00007f0000000200");
  CHECK(formatValue(Type::B32, 0xFFFFFFFF, Untyped::Signed) == "-1");
  CHECK(formatValue(Type::B32, 0x3F000000, Untyped::Float) == "0.5");
}

TEST_CASE("a register's lane reads the same value as the program wrote") {
  test::Launcher l(test::Launcher::body(".reg .f32 %f; .reg .b64 %w; .reg .pred %p; .reg .s16 %h;", R"(
    cvt.rn.f32.u32 %f, %t;
    mul.wide.u32 %w, %t, -1;
    setp.gt.u32 %p, %t, 3;
    mov.s16 %h, -7;)"));
  l.buffer(std::vector<std::uint64_t>(32));
  l.buffer(std::vector<std::uint64_t>(32));
  l.run({1, 1, 1}, {32, 1, 1});
  machine::Block block = l.code().makeBlock(0, 0);
  machine::Memory memory = l.memory();
  StepOutcome outcome;
  while (runnable(block.warps[0])) step(l.code(), memory, block, block.warps[0], {}, outcome);
  const ptx::Function& f = l.code().function();
  const auto shown = [&](const std::string& name, unsigned lane) {
    for (std::uint32_t r = 0; r < f.registers.size(); ++r)
      if (f.registers[r].name == name) return formatRegister(f, block.warps[0], r, lane);
    return std::string("no such register");
  };
  CHECK(shown("%f", 5) == "5");
  CHECK(shown("%w", 2) == "8589934590");
  CHECK(shown("%p", 3) == "false");
  CHECK(shown("%p", 4) == "true");
  CHECK(shown("%h", 31) == "-7");
}
