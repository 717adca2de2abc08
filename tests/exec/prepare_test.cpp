#include "exec/prepare.h"
#include "catch.h"
#include "exec/functional.h"

#include <algorithm>
#include <cstring>

using namespace warpmill;
using namespace warpmill::exec;

namespace {

const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n";

device::Profile profile() {
  return *device::loadProfile("teaching");
}

Result<PreparedLaunch> prepared(const std::string& ptx, const std::string& kernel, const std::vector<std::string>& arguments,
                                std::array<std::uint32_t, 3> grid = {1, 1, 1}, std::array<std::uint32_t, 3> block = {32, 1, 1},
                                std::uint32_t dynamicShared = 0) {
  auto module = ptx::parse(head + ptx, "k.ptx");
  INFO(formatDiagnostics(module.diagnostics()));
  REQUIRE(module.ok());
  launch::Launch l;
  l.file = "l.json";
  l.kernel = kernel;
  l.grid = grid;
  l.block = block;
  l.dynamicSharedBytes = dynamicShared;
  l.kernelPosition = {2, 1};
  l.gridPosition = {3, 1};
  l.blockPosition = {4, 1};
  l.sharedPosition = {5, 1};
  l.argumentsPosition = {6, 1};
  for (const std::string& text : arguments) {
    auto a = launch::parseArgument(text);
    REQUIRE(a.ok());
    a->position = {static_cast<std::uint32_t>(7 + l.arguments.size()), 1};
    l.arguments.push_back(*a);
  }
  return prepare(l, std::make_shared<const ptx::Module>(std::move(*module)), profile());
}

// "line: message (hint)" of the first error.
std::string errorOf(const Result<PreparedLaunch>& result) {
  if (result.ok()) return {};
  const Diagnostic& d = result.diagnostics()[0];
  REQUIRE(d.file == "l.json");
  return std::to_string(d.position.line) + ": " + d.message + (d.hint.empty() ? "" : " (" + d.hint + ")");
}

const std::string twoKernels =
    ".visible .entry first(.param .u64 p, .param .f32 x, .param .b32 y)\n{ ret; }\n.visible .entry second()\n{ ret; }\n";
const std::vector<std::string> firstArguments{"buffer:f32:10:iota", "f32:2.5", "i32:-1"};

template <class T>
T parameterAt(const PreparedLaunch& p, std::uint64_t offset) {
  T value;
  std::memcpy(&value, p.code->context().parameters.data() + offset, sizeof(T));
  return value;
}

}  // namespace

TEST_CASE("Preparing lays out the parameter block and fills the buffers") {
  const auto p = prepared(twoKernels, "first", firstArguments);
  INFO(formatDiagnostics(p.diagnostics()));
  REQUIRE(p.ok());
  REQUIRE(p->function->name == "first");
  REQUIRE(p->argumentAllocation == std::vector<std::uint32_t>{0, ptx::none, ptx::none});
  const machine::Allocation& buffer = p->memory.allocations()[0];
  REQUIRE(buffer.name == "argument 0");
  REQUIRE(buffer.sizeBytes == 40);
  REQUIRE(parameterAt<std::uint64_t>(*p, 0) == buffer.base);
  REQUIRE(parameterAt<float>(*p, 8) == 2.5f);
  REQUIRE(parameterAt<std::int32_t>(*p, 12) == -1);
  float seventh = 0;
  REQUIRE(p->memory.read(buffer.base + 28, &seventh, 4));
  REQUIRE(seventh == 7);
}

TEST_CASE("The kernel is found by its name, alone in its module, or by its C++ name") {
  REQUIRE(prepared(".visible .entry only()\n{ ret; }\n", "", {}).value().function->name == "only");
  REQUIRE(prepared(".visible .entry _Z7vec_addPKfS0_Pfi()\n{ ret; }\n", "vec_add", {}).ok());
  REQUIRE(errorOf(prepared(twoKernels, "secnod", {})) == "2: k.ptx has no kernel 'secnod' (did you mean 'second'?)");
  REQUIRE(errorOf(prepared(twoKernels, "", {})).find("k.ptx has 2 kernels: say which with 'kernel' (one of: first, second)") !=
          std::string::npos);
  REQUIRE(errorOf(prepared(".func helper()\n{ ret; }\n", "helper", {})).find("has no kernel (a kernel is an .entry function)") !=
          std::string::npos);
}

TEST_CASE("Arguments that do not fit the kernel's parameters are errors that list the parameters") {
  const std::string list = " (they are 0: .u64 p, 1: .f32 x, 2: .b32 y)";
  const auto with = [](std::size_t i, const std::string& text) {
    auto arguments = firstArguments;
    arguments[i] = text;
    return errorOf(prepared(twoKernels, "first", arguments));
  };
  REQUIRE(errorOf(prepared(twoKernels, "first", {})) == "6: kernel 'first' takes 3 arguments, 0 given" + list);
  REQUIRE(errorOf(prepared(twoKernels, "second", {"i32:1"})) == "6: kernel 'second' takes 0 arguments, 1 given (it has none)");
  REQUIRE(with(0, "i32:1") == "7: argument 0 is i32 and has 4 bytes, but parameter 'p' (.u64) has 8" + list);
  REQUIRE(with(1, "buffer:f32:4") == "8: argument 1 is a buffer, whose address has 8 bytes, but parameter 'x' (.f32) has 4" + list);
  REQUIRE(with(1, "i32:1") == "8: argument 1 is i32, but parameter 'x' (.f32) is a float" + list);
  REQUIRE(with(2, "f32:1").empty());  // .b32 takes any 32 bits
  REQUIRE(with(0, "f64:1") == "7: argument 0 is f64, but parameter 'p' (.u64) is an integer" + list);
  REQUIRE(with(0, "u64:5").empty());  // an address may be given as a number; reading there is a fault
}

TEST_CASE("Block shapes are held against .reqntid and .maxntid, and all against the device") {
  const std::string required = ".visible .entry k() .reqntid 64, 2\n{ ret; }\n", most = ".visible .entry k() .maxntid 128\n{ ret; }\n";
  REQUIRE(errorOf(prepared(required, "k", {}, {1, 1, 1}, {128, 1, 1})) ==
          "4: the block is 128 x 1 x 1, but the kernel requires 64 x 2 x 1 (.reqntid) (write \"block\": [64, 2, 1])");
  REQUIRE(prepared(required, "k", {}, {1, 1, 1}, {64, 2, 1}).ok());
  REQUIRE(errorOf(prepared(most, "k", {}, {1, 1, 1}, {129, 1, 1}))
              .find("4: the block has 129 threads, but the kernel was compiled for at most 128 (.maxntid)") == 0);
  REQUIRE(prepared(most, "k", {}, {1, 1, 1}, {128, 1, 1}).ok());
  const std::string plain = ".visible .entry k()\n{ ret; }\n";
  const std::string local = ".visible .entry k()\n{ .local .align 4 .b8 x[524292]; .reg .b64 %a; mov.u64 %a, x; ret; }\n";
  REQUIRE(errorOf(prepared(local, "k", {})).find("2: a thread of kernel 'k' needs 524292 bytes of local memory, a GPU gives it 524288") == 0);
  REQUIRE(errorOf(prepared(plain, "k", {}, {1, 65536, 1})).find("3: the grid is too large") == 0);
  REQUIRE(errorOf(prepared(plain, "k", {}, {1, 1, 1}, {2048, 1, 1})).find("4: the block is too large") == 0);
  REQUIRE(errorOf(prepared(plain, "k", {}, {1, 1, 1}, {32, 1, 1}, 50000))
              .find("5: the block needs 50000 bytes of shared memory, teaching allows 49152") == 0);
}

TEST_CASE("Module variables hold their initial values, addresses of one another included, and constants cannot be written") {
  const std::string ptx =
      ".global .align 4 .u32 numbers[3] = {5, 6, 7};\n.const .align 4 .u32 fixed[2] = {8, 9};\n.global .align 8 .u64 table[2] = {0, "
      "numbers+4};\n"
      ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %rd<4>; .reg .b32 %r<3>;\nld.param.u64 %rd1, [out];\nld.global.u64 %rd2, "
      "[table+8];\n"
      "ld.global.u32 %r1, [%rd2];\nst.global.u32 [%rd1], %r1;\nld.const.u32 %r2, [fixed+4];\nst.global.u32 [%rd1+4], %r2;\nret;\n}\n";
  const auto p = prepared(ptx, "k", {"buffer:u32:2"}, {1, 1, 1}, {1, 1, 1});
  INFO(formatDiagnostics(p.diagnostics()));
  REQUIRE(p.ok());
  machine::Memory memory = p->memory;
  const FunctionalRun run = runFunctional(*p->code, memory, FunctionalLimits{1000, 64, false});
  REQUIRE(run.faults.empty());
  std::array<std::uint32_t, 2> out{};
  REQUIRE(memory.read(memory.allocations()[0].base, out.data(), 8));
  REQUIRE(out == std::array<std::uint32_t, 2>{6, 9});
  const auto fixed =
      std::find_if(memory.allocations().begin(), memory.allocations().end(), [](const auto& a) { return a.name == "fixed"; });
  REQUIRE(fixed->readOnly);
  REQUIRE(p->memory.allocations()[0] == prepared(ptx, "k", {"buffer:u32:2"})->memory.allocations()[0]);  // the run changed only its copy
}

TEST_CASE("a kernel's clusters must fill the grid, and are what special registers tell") {
  const std::string pairs = ".visible .entry k() .reqnctapercluster 2, 1, 1\n{ ret; }\n";
  CHECK(errorOf(prepared(pairs, "k", {}, {3, 1, 1})) ==
        "3: the grid is 3 x 1 x 1, which clusters of 2 x 1 x 1 do not fill evenly (make each size of the grid a multiple of the cluster's)");
  const auto good = prepared(pairs, "k", {}, {4, 1, 1});
  REQUIRE(good.ok());
  CHECK(good->code->context().cluster.x == 2);
  CHECK(good->code->context().explicitCluster);
}
