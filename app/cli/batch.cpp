#include "cli/batch.h"

#include "base/error_with.h"
#include "base/suggest.h"
#include "cli/console.h"
#include "cli/exit_code.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <new>
#include <thread>

namespace warpmill::cli {

std::optional<Mode> parseMode(const std::string& text, int& exitCode) {
  if (text == "auto") return Mode::Auto;
  if (text == "detailed") return Mode::Detailed;
  if (text == "projected") return Mode::Projected;
  if (text == "functional") return Mode::Functional;
  constexpr std::array<std::string_view, 4> modes{"auto", "detailed", "functional", "projected"};
  report({errorWith("--mode: unknown mode '" + text + "'", didYouMean(text, modes))});
  exitCode = exitBadInput;
  return std::nullopt;
}

namespace {

Outcome simulateSafely(const launch::Launch& launch, const device::Profile& profile, Modules& modules, const SimulateOptions& options) {
  try {
    return simulate(launch, profile, modules, options);
  } catch (const std::bad_alloc&) {
    return refusal(launch, machine::FaultKind::LaunchError, "this launch needs more memory than this machine has");
  }
}

}  // namespace

std::vector<Outcome> simulateAll(const std::vector<launch::Launch>& launches, const device::Profile& profile,
                                 const SimulateOptions& options, unsigned jobs, bool keepMemory) {
  std::vector<Outcome> outcomes(launches.size());
  Modules modules;
  std::atomic<std::size_t> next = 0, done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < launches.size(); i = next++) {
      outcomes[i] = simulateSafely(launches[i], profile, modules, options);
      if (!keepMemory) {
        outcomes[i].memory = {};
        if (outcomes[i].prepared) outcomes[i].prepared->memory = {};
        if (launches.size() > 1) outcomes[i].prepared.reset();  // of one, its faults are shown with the lines that they are in
      }
      const std::size_t n = ++done;
      if (launches.size() > 1) progress(fmt::format("{}/{} {}", n, launches.size(), launches[i].name));
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < jobs && t < launches.size(); ++t) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  endProgress();
  return outcomes;
}

}  // namespace warpmill::cli
