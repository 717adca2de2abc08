// Builds a machine from PTX text and a few numbers, for tests of timing and time travel.
#pragma once

#include "catch.h"
#include "device/profile.h"
#include "exec/prepare.h"
#include "ptx/module.h"
#include "timing/machine.h"

#include <memory>
#include <string>
#include <vector>

namespace warpmill::testing {

inline launch::Argument bufferOf(std::uint64_t count, launch::Init::Kind kind = launch::Init::Kind::Zeros, std::uint64_t seed = 0) {
  launch::Argument a;
  a.isBuffer = true;
  a.type = launch::DType::F32;
  a.count = count;
  a.init.kind = kind;
  a.init.a = seed;
  return a;
}

inline launch::Argument intOf(std::uint32_t value) {
  launch::Argument a;
  a.type = launch::DType::I32;
  a.bits = value;
  return a;
}

// The machine of tests: the teaching profile with one SM, or what the test makes of it.
inline device::Profile testProfile() {
  auto p = device::loadProfile(std::string(WARPMILL_SOURCE_DIR) + "/assets/devices/teaching.json");
  INFO(formatDiagnostics(p.diagnostics()));
  REQUIRE(p.ok());
  p->smCount = 1;
  return *p;
}

inline std::shared_ptr<const timing::Machine> machineOf(const std::string& ptxText, std::uint32_t grid, std::uint32_t block, std::vector<launch::Argument> arguments,
                                                        const device::Profile& profile = testProfile()) {
  auto module = ptx::parse(ptxText, "test.ptx");
  INFO(formatDiagnostics(module.diagnostics()));
  REQUIRE(module.ok());
  launch::Launch l;
  l.name = "test";
  l.grid = {grid, 1, 1};
  l.block = {block, 1, 1};
  l.arguments = std::move(arguments);
  auto prepared = exec::prepare(l, std::make_shared<const ptx::Module>(std::move(*module)), profile);
  INFO(formatDiagnostics(prepared.diagnostics()));
  REQUIRE(prepared.ok());
  auto machine = timing::Machine::create(std::move(*prepared), profile);
  INFO(formatDiagnostics(machine.diagnostics()));
  REQUIRE(machine.ok());
  return *machine;
}

// An entry with parameters p0.. (u64 pointers) and n (u32), common registers declared, and `body`.
inline std::string kernel(const std::string& body, int pointers = 1) {
  std::string params;
  for (int i = 0; i < pointers; ++i) params += ".param .u64 p" + std::to_string(i) + ", ";
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(" + params +
         ".param .u32 n)\n{\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .f32 %f<32>;\n.reg .b64 %rd<32>;\n.shared .align 16 .b8 store[8192];\n" + body + "\nret;\n}\n";
}

inline std::string vectorAdd() {
  return kernel(R"(
ld.param.u64 %rd1, [p0];
ld.param.u64 %rd2, [p1];
ld.param.u64 %rd3, [p2];
ld.param.u32 %r1, [n];
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mov.u32 %r4, %tid.x;
mad.lo.s32 %r5, %r2, %r3, %r4;
setp.ge.s32 %p1, %r5, %r1;
@%p1 bra done;
cvta.to.global.u64 %rd4, %rd1;
mul.wide.s32 %rd5, %r5, 4;
add.s64 %rd6, %rd4, %rd5;
cvta.to.global.u64 %rd7, %rd2;
add.s64 %rd8, %rd7, %rd5;
ld.global.f32 %f1, [%rd6];
ld.global.f32 %f2, [%rd8];
add.f32 %f3, %f1, %f2;
cvta.to.global.u64 %rd9, %rd3;
add.s64 %rd10, %rd9, %rd5;
st.global.f32 [%rd10], %f3;
done:)", 3);
}

inline std::shared_ptr<const timing::Machine> vectorAddMachine(std::uint32_t n, std::uint32_t block, const device::Profile& profile = testProfile()) {
  using Kind = launch::Init::Kind;
  return machineOf(vectorAdd(), (n + block - 1) / block, block, {bufferOf(n, Kind::Random, 1), bufferOf(n, Kind::Random, 2), bufferOf(n), intOf(n)}, profile);
}

struct Run {
  timing::MachineState state;
  timing::Trace trace;
};

inline Run runAll(const timing::Machine& machine) {
  Run r{machine.initialState(), {}};
  REQUIRE(machine.runToEnd(r.state, &r.trace) == timing::Advance::Finished);
  return r;
}

}  // namespace warpmill::testing
