// What the tests of the parser share: short kernels, and the files of tests/data/ptx.
#pragma once

#include "base/text_file.h"
#include "catch.h"
#include "ptx/module.h"

#include <string>

namespace warpmill::ptx::test {

inline Module parsed(const std::string& text) {
  auto module = parse(text, "test.ptx", Calls::AsWritten);
  INFO(formatDiagnostics(module.diagnostics()));
  REQUIRE(module.ok());
  return std::move(module.value());
}

inline std::string dataText(const std::string& name) {
  auto text = readTextFile(std::string(WARPMILL_SOURCE_DIR) + "/tests/data/ptx/" + name);
  REQUIRE(text.ok());
  return std::move(text.value());
}

inline Module parsedData(const std::string& name) {
  return parsed(dataText(name));
}

// A file with these statements at module level.
inline std::string moduleText(const std::string& statements) {
  return ".version 9.0\n.target sm_90\n.address_size 64\n" + statements;
}

// A file with one kernel `k(p, n)`; `body` begins on line 12 and has registers %p0-7, %r0-31, %rd0-15, %f0-15, %rs0-7, %fd0-3.
inline std::string kernelText(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
         "  .reg .pred %p<8>;\n  .reg .b32 %r<32>;\n  .reg .b64 %rd<16>;\n  .reg .f32 %f<16>;\n  .reg .b16 %rs<8>;\n  .reg .f64 %fd<4>;\n" +
         body + "\n}\n";
}

inline Module parsedKernel(const std::string& body) {
  return parsed(kernelText(body));
}

// The instruction of the module whose text begins with `start`; the first such.
inline const Instruction& instructionOf(const Module& module, const std::string& start) {
  for (const Function& function : module.functions)
    for (const Instruction& instruction : function.instructions)
      if (module.textOf(instruction).starts_with(start)) return instruction;
  FAIL("no instruction starts with " << start);
  static const Instruction missing;
  return missing;
}

}  // namespace warpmill::ptx::test
