// Functional warp instructions per second (of processor time) on a few mixes, or on the launches of a file:
//   bench_exec [LAUNCHES.json [ONLY]]     the first 20 million instructions of each launch (whose name contains ONLY)
// Each is also run on JOBS threads (an environment variable; else as many as there are cores), by the wall clock. How much more processor
// time that takes tells what running ahead costs, also where other programs keep the cores busy.
// WARPMILL_ISA=portable measures the portable handlers.
#include "device/profile.h"
#include "exec/functional.h"
#include "exec/handlers.h"
#include "exec/prepare.h"
#include "launch/launch.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace warpmill;

namespace {

struct Mix { const char* name; const char* body; };

const Mix mixes[] = {
    {"fma", "fma.rn.f32 %f1, %f1, %f2, %f3; fma.rn.f32 %f4, %f4, %f2, %f3; fma.rn.f32 %f5, %f5, %f2, %f3; fma.rn.f32 %f6, %f6, %f2, %f3;"},
    {"integer", "add.s32 %r3, %r3, %r1; mad.lo.s32 %r4, %r3, %r1, %r4; xor.b32 %r5, %r5, %r4; shl.b32 %r6, %r5, 3;"},
    {"shared loads and fma", "ld.shared.f32 %f1, [%r2]; ld.shared.f32 %f4, [%r2+512]; fma.rn.f32 %f5, %f1, %f4, %f5; fma.rn.f32 %f6, %f1, %f2, %f6;"},
    {"global loads, shared stores", "ld.global.f32 %f1, [%rd1]; st.shared.f32 [%r2], %f1; ld.global.v4.f32 {%f4, %f5, %f6, %f7}, [%rd2]; add.f32 %f1, %f1, %f4;"},
    {"divergent", "setp.lt.u32 %p2, %r1, 11; @%p2 bra A; add.s32 %r3, %r3, 1; bra.uni B; A: add.s32 %r3, %r3, 2; B: add.s32 %r4, %r4, %r3;"},
};

std::string program(const Mix& mix) {
  return std::string(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u32 p1)\n{\n"
                     ".reg .f32 %f<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>; .shared .b32 s[1024];\n"
                     "ld.param.u64 %rd1, [p0]; ld.param.u32 %r7, [p1]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 16; add.s64 %rd2, %rd1, %rd3;\n"
                     "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3; shl.b32 %r2, %r1, 2; mov.f32 %f2, 0f3F000000; mov.f32 %f3, 0f3E800000;\n"
                     "LOOP:\n") +
         mix.body + "\nsub.s32 %r7, %r7, 1; setp.ne.s32 %p1, %r7, 0; @%p1 bra LOOP;\nret;\n}\n";
}

void measure(const std::string& name, const exec::Code& code, machine::Memory& memory, std::uint64_t most) {
  machine::Memory fresh = memory;
  exec::FunctionalLimits limits;
  limits.maxInstructions = most;
  const std::clock_t start = std::clock();
  const exec::FunctionalRun run = exec::runFunctional(code, memory, limits);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  bool faults = false;
  for (const machine::Fault& f : run.faults) faults |= f.kind != machine::FaultKind::Hang;

  const char* jobs = std::getenv("JOBS");
  limits.jobs = jobs != nullptr ? static_cast<unsigned>(std::stoul(jobs)) : std::max(1u, std::thread::hardware_concurrency());
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t together = std::clock();
  const exec::FunctionalRun parallel = exec::runFunctional(code, fresh, limits);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const double processor = static_cast<double>(std::clock() - together) / CLOCKS_PER_SEC;
  const bool same = fresh == memory && parallel.warpInstructions == run.warpInstructions && parallel.faults.size() == run.faults.size();
  std::cout << std::left << std::setw(36) << name << std::right << std::fixed << std::setprecision(1) << std::setw(8)
            << static_cast<double>(run.warpInstructions) / seconds / 1e6 << " M warp instructions/s on one core" << std::setw(8)
            << static_cast<double>(parallel.warpInstructions) / wall.count() / 1e6 << " with " << limits.jobs << " jobs (" << std::setw(5) << processor / seconds << " times the processor time)"
            << (same ? "" : " (DIFFERENT RESULTS)") << (faults ? " (faults!)" : "") << std::endl;
}

int fail(const Diagnostics& diagnostics) {
  std::cout << formatDiagnostics(diagnostics);
  return 1;
}

int measureMixes() {
  for (const Mix& mix : mixes) {
    auto module = ptx::parse(program(mix), "bench.ptx");
    if (!module) return fail(module.diagnostics());
    machine::Memory memory;
    const std::uint32_t buffer = memory.allocate("x", 1 << 16, 0);
    exec::LaunchContext context;
    context.grid = {8, 1, 1};
    context.block = {128, 1, 1};
    const ptx::Function& kernel = *module->entries()[0];
    context.parameters.resize(kernel.paramBytes);
    const std::uint64_t base = memory.allocations()[buffer].base;
    const std::uint32_t rounds = 40'000;
    std::memcpy(context.parameters.data() + kernel.params[0].offset, &base, sizeof base);
    std::memcpy(context.parameters.data() + kernel.params[1].offset, &rounds, sizeof rounds);
    measure(mix.name, *exec::Code::decode(*module, kernel, context), memory, 0);
  }
  return 0;
}

int measureLaunches(const std::string& file, const std::string& only) {
  const auto launches = launch::readLaunches(file);
  if (!launches) return fail(launches.diagnostics());
  const auto profile = device::loadProfile("h200");
  if (!profile) return fail(profile.diagnostics());
  std::map<std::string, std::shared_ptr<const ptx::Module>> modules;
  for (const launch::Launch& l : *launches) {
    if (l.name.find(only) == std::string::npos) continue;
    auto& module = modules[l.ptxPath];
    if (!module) {
      std::ifstream text(l.ptxPath);
      auto parsed = ptx::parse(std::string(std::istreambuf_iterator<char>(text), {}), l.ptxPath);
      if (!parsed) return fail(parsed.diagnostics());
      module = std::make_shared<const ptx::Module>(std::move(*parsed));
    }
    auto prepared = exec::prepare(l, module, *profile);
    if (!prepared) return fail(prepared.diagnostics());
    measure(l.name, *prepared->code, prepared->memory, 20'000'000);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::cout << "handlers: " << exec::handlerSet().name << "\n";
  return count > 1 ? measureLaunches(arguments[1], count > 2 ? arguments[2] : "") : measureMixes();
}
