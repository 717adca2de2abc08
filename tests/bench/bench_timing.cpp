// How fast the detailed timing machine runs: machine instructions a second, one core. Prints, never judges.
// usage: bench_timing LAUNCH.json [NAME] [DEVICE [JOBS]]; JOBS 0: with a trace, that is cycle by cycle and not in quanta.
#include "device/profile.h"
#include "exec/prepare.h"
#include "launch/launch.h"
#include "timing/machine.h"

#include <ctime>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace warpmill;

namespace {

// Of what a change of speed must not change.
std::uint64_t checksum(const timing::MachineState& s) {
  std::uint64_t sum = 0xcbf29ce484222325ull;
  const auto add = [&](std::uint64_t v) { sum = (sum ^ v) * 0x100000001b3ull; };
  add(s.endCycle), add(s.at.cycle), add(s.nextRequest);
  const timing::Counters& c = s.counters;
  for (const std::uint64_t v : {c.ptxInstructions, c.machineInstructions, c.threadInstructions, c.globalLoadSectors, c.globalLoadHits, c.globalStoreSectors,
                                c.sharedLoadWavefronts, c.sharedStoreWavefronts, c.l2Hits, c.dramReadBytes, c.dramWriteBytes, c.flops, c.issueCycles})
    add(v);
  for (const std::uint64_t v : c.stalledWarpCycles) add(v);
  for (const timing::SmState& sm : s.sms) add(sm.residentWarpCycles), add(sm.activeCycles), add(sm.missesHead);
  return sum;
}

}  // namespace

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
    const std::clock_t begin = std::clock();
    timing::Trace trace;
    const auto jobs = static_cast<unsigned>(argc > 4 ? std::atoi(argv[4]) : 1);
    if (jobs == 0) (*machine)->runToEnd(state, &trace);
    else (*machine)->runToEnd(state, timing::TraceTaker(), 0, jobs);
    const double s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;  // of the processor, which others may use too
    std::printf("%-28s %10llu machine instructions (%llu of PTX) %8.3f s %8.2f M/s  end cycle %llu  checksum %016llx\n", l.name.c_str(),
                static_cast<unsigned long long>(state.counters.machineInstructions),
                static_cast<unsigned long long>(state.counters.ptxInstructions), s, static_cast<double>(state.counters.machineInstructions) / s / 1e6,
                static_cast<unsigned long long>(state.endCycle), static_cast<unsigned long long>(checksum(state)));
  }
  return 0;
}
