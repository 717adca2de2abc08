// How far projections are from detailed simulations of everything: each launch is simulated whole, projected as `--mode auto` would where
// it would, and projected from a quarter, a sixteenth and a 64th of its work. Prints the error of the time beside the error bar that the projection states, and how often the bar held.
// usage: bench_projection LAUNCH.json [MOST [NAME]]; MOST: millions of units of work of the launches that are tried, 4 unless given.
#include "device/profile.h"
#include "exec/prepare.h"
#include "launch/launch.h"
#include "timing/projection.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace warpmill;

namespace {

struct Tried { std::string name; double error = 0, bar = 0; };

void summary(const char* what, std::vector<Tried> tried) {
  if (tried.empty()) return;
  const auto held = std::count_if(tried.begin(), tried.end(), [](const Tried& t) { return std::abs(t.error) <= t.bar; });
  double sum = 0, bars = 0;
  for (const Tried& t : tried) sum += std::abs(t.error), bars += t.bar;
  std::sort(tried.begin(), tried.end(), [](const Tried& a, const Tried& b) { return std::abs(a.error) > std::abs(b.error); });
  const auto n = static_cast<double>(tried.size());
  std::printf("%-14s %3zu projections: mean error %.1f %%, 95 %% within %.1f %%, worst %.1f %% (%s); mean bar %.1f %%, which held in %.0f %%\n", what, tried.size(), sum / n,
              std::abs(tried[tried.size() / 20].error), std::abs(tried.front().error), tried.front().name.c_str(), bars / n, 100.0 * static_cast<double>(held) / n);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bench_projection LAUNCH.json [MOST [NAME]]\n", stderr);
    return 2;
  }
  const auto launches = launch::readLaunches(argv[1]);
  const auto profile = device::loadProfile("h200");
  if (!launches || !profile) {
    std::fputs(formatDiagnostics(launches ? profile.diagnostics() : launches.diagnostics()).c_str(), stderr);
    return 2;
  }
  const double most = 1e6 * (argc > 2 ? std::atof(argv[2]) : 4.0);
  std::vector<Tried> all;
  std::vector<std::vector<Tried>> byShare(4);
  for (const launch::Launch& l : *launches) {
    if (argc > 3 && l.name != argv[3]) continue;
    auto module = ptx::parseFile(l.ptxPath);
    if (!module) continue;
    auto prepared = exec::prepare(l, std::make_shared<const ptx::Module>(std::move(*module)), *profile);
    if (!prepared) continue;
    const auto machine = timing::Machine::create(std::move(*prepared), *profile);
    if (!machine) continue;
    const timing::GridEstimate grid = timing::estimateGrid((*machine)->launch());
    if (!grid.alone || grid.work() > most || grid.blocks < 8) continue;
    timing::MachineState whole = (*machine)->initialState();
    if ((*machine)->runToEnd(whole, nullptr) != timing::Advance::Finished) continue;
    std::printf("%-32s %10.0f %9llu cycles ", l.name.c_str(), grid.work(), static_cast<unsigned long long>(whole.endCycle));
    for (std::size_t k = 0; k < byShare.size(); ++k) {
      timing::ProjectionLimits limits;
      if (k == 0 && grid.work() <= static_cast<double>(limits.wholeWork)) continue;
      if (k != 0) limits.work = static_cast<std::uint64_t>(grid.work() / std::pow(4.0, static_cast<double>(k)));
      const auto p = timing::project(*machine, grid, limits);
      if (!p || p->simulatedSms >= std::min<std::uint64_t>(grid.blocks, static_cast<std::uint64_t>(profile->smCount))) continue;
      const double error = 100.0 * (static_cast<double>(p->state.endCycle) / static_cast<double>(whole.endCycle) - 1.0);
      std::printf("  %3u SMs %+6.1f %% (%4.1f)%c", p->simulatedSms, error, p->errorPct, std::abs(error) <= p->errorPct ? ' ' : '!');
      byShare[k].push_back({l.name, error, p->errorPct});
      all.push_back(byShare[k].back());
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  const char* const shares[] = {"as auto does", "a quarter", "a sixteenth", "a 64th"};
  for (std::size_t k = 0; k < byShare.size(); ++k) summary(shares[k], byShare[k]);
  summary("all", all);
  return 0;
}
