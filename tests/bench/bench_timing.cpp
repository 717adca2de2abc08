// How fast the detailed timing machine runs: machine instructions a second, one core. Prints, never judges.
// usage: bench_timing LAUNCH.json [NAME] [DEVICE]
#include "device/profile.h"
#include "exec/prepare.h"
#include "launch/launch.h"
#include "timing/machine.h"

#include <chrono>
#include <cstdio>
#include <string>

using namespace warpmill;

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bench_timing LAUNCH.json [NAME] [DEVICE]\n", stderr);
    return 2;
  }
  const auto launches = launch::readLaunches(argv[1]);
  const auto profile = device::loadProfile(argc > 3 ? argv[3] : "h200");
  if (!launches || !profile) {
    std::fputs(formatDiagnostics(launches ? profile.diagnostics() : launches.diagnostics()).c_str(), stderr);
    return 2;
  }
  for (const launch::Launch& l : *launches) {
    if (argc > 2 && l.name != argv[2]) continue;
    auto module = ptx::parseFile(l.ptxPath);
    if (!module) continue;
    auto prepared = exec::prepare(l, std::make_shared<const ptx::Module>(std::move(*module)), *profile);
    if (!prepared) continue;
    const auto machine = timing::Machine::create(std::move(*prepared), *profile);
    if (!machine) continue;
    timing::MachineState state = (*machine)->initialState();
    const auto begin = std::chrono::steady_clock::now();
    (*machine)->runToEnd(state, nullptr);
    const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%-28s %10llu machine instructions %8.3f s %8.2f M/s  end cycle %llu\n", l.name.c_str(),
                static_cast<unsigned long long>(state.counters.machineInstructions), s, static_cast<double>(state.counters.machineInstructions) / s / 1e6,
                static_cast<unsigned long long>(state.endCycle));
  }
  return 0;
}
