// Runs PTX text in tests: buffers and scalars in the order of the kernel's parameters, then the results back.
#pragma once

#include "exec/functional.h"
#include "exec/op.h"
#include "exec/runtime.h"

#include "catch.h"

#include <cstring>
#include <string>
#include <vector>

namespace warpmill::exec::test {

class Launcher {
 public:
  explicit Launcher(std::string text, const std::string& entry = "") {
    auto parsed = ptx::parse(std::move(text), "test.ptx");
    if (!parsed.ok()) FAIL(formatDiagnostics(parsed.diagnostics()));
    module_ = std::move(*parsed);
    function_ = entry.empty() ? module_.entries().at(0) : module_.entry(entry);
    REQUIRE(function_ != nullptr);
    context_.parameters.assign(function_->paramBytes, 0);
    for (const ptx::Variable& v : module_.variables) {
      std::uint64_t address = 0;
      if (v.space == ptx::Space::Global || v.space == ptx::Space::Const) {
        const std::uint32_t a = memory_.allocate(v.name, v.sizeBytes, ptx::none, v.space == ptx::Space::Const);
        if (!v.initial.empty()) memory_.copyIn(a, 0, v.initial);
        address = memory_.allocations()[a].base;
      }
      context_.variableAddress.push_back(address);
    }
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i)
      for (const auto& r : module_.variables[i].relocations) {
        std::uint64_t bits = (r.variable != ptx::none ? context_.variableAddress[r.variable] : machine::functionAddress(r.function)) + static_cast<std::uint64_t>(r.addend);
        for (std::uint32_t a = 0; a < memory_.allocations().size(); ++a)
          if (memory_.allocations()[a].base == context_.variableAddress[i]) memory_.copyIn(a, r.offset, {reinterpret_cast<const std::uint8_t*>(&bits), 8});
      }
  }

  // The body of a kernel with buffers `out` and `in`, of which thread t of the only block owns eight bytes at %out and %in.
  static std::string body(const std::string& registers, const std::string& code) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n" + registers +
           "\n.reg .b64 %out, %in, %step; .reg .b32 %t;\nld.param.u64 %out, [p0]; ld.param.u64 %in, [p1]; mov.u32 %t, %tid.x;\n"
           "mul.wide.u32 %step, %t, 8; add.s64 %out, %out, %step; add.s64 %in, %in, %step;\n" + code + "\nret;\n}\n";
  }

  template <class T> std::uint32_t buffer(const std::vector<T>& values, const std::string& name = "") {
    const std::uint32_t argument = next_;
    const std::uint32_t a = memory_.allocate(name.empty() ? "argument " + std::to_string(argument) : name, values.size() * sizeof(T), argument);
    memory_.copyIn(a, 0, {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)});
    scalar(memory_.allocations()[a].base);
    return a;
  }
  template <class T> void scalar(T value) {
    const ptx::Variable& p = function_->params.at(next_++);
    std::memcpy(context_.parameters.data() + p.offset, &value, sizeof(T));
  }
  FunctionalRun run(Dim3 grid, Dim3 block, std::uint32_t dynamicShared = 0, FunctionalLimits limits = {1'000'000, 64, false}) {
    if (!memory_.hasHeap() && usesHeap(module_, *function_)) memory_.createHeap(1 << 20);
    context_.grid = grid;
    context_.block = block;
    context_.dynamicSharedBytes = dynamicShared;
    const auto& cluster = function_->requiredCluster;
    if (cluster[0] != 0) context_.cluster = {cluster[0], cluster[1] == 0 ? 1 : cluster[1], cluster[2] == 0 ? 1 : cluster[2]};
    context_.explicitCluster = function_->isClustered;
    auto code = Code::decode(module_, *function_, context_, handlers_);
    REQUIRE(code.ok());
    code_ = std::make_unique<Code>(std::move(*code));
    return runFunctional(*code_, memory_, limits);
  }
  template <class T> std::vector<T> read(std::uint32_t allocation) const {
    std::vector<T> values(memory_.allocations()[allocation].sizeBytes / sizeof(T));
    memory_.copyOut(allocation, 0, {reinterpret_cast<std::uint8_t*>(values.data()), values.size() * sizeof(T)});
    return values;
  }
  [[nodiscard]] const Code& code() const { return *code_; }
  [[nodiscard]] const ptx::Module& module() const { return module_; }
  machine::Memory& memory() { return memory_; }
  LaunchContext& context() { return context_; }
  void handlers(const HandlerSet& handlers) { handlers_ = &handlers; }

 private:
  ptx::Module module_;
  const ptx::Function* function_ = nullptr;
  LaunchContext context_;
  machine::Memory memory_;
  std::unique_ptr<Code> code_;
  const HandlerSet* handlers_ = nullptr;
  std::uint32_t next_ = 0;
};

inline std::string describe(const FunctionalRun& run) {
  std::string s;
  for (const machine::Fault& f : run.faults) s += std::string(machine::faultName(f.kind)) + ": " + f.message + "\n";
  return s;
}

// One block runs `code` (see Launcher::body) over `in`; thread t's eight bytes of output.
inline std::vector<std::uint64_t> runLanes(const std::string& registers, const std::string& code, std::vector<std::uint64_t> in = {}, unsigned threads = 32) {
  in.resize(threads < 32 ? 32 : threads);
  Launcher l(Launcher::body(registers, code));
  const auto out = l.buffer(std::vector<std::uint64_t>(in.size()));
  l.buffer(in);
  const FunctionalRun run = l.run({1, 1, 1}, {threads, 1, 1});
  INFO(describe(run));
  CHECK(run.faults.empty());
  return l.read<std::uint64_t>(out);
}

}  // namespace warpmill::exec::test
