#include "cli/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpmill::cli {
namespace {

void judgeOutput(const exec::PreparedLaunch& prepared, const machine::Memory& memory, Expectation& e) {
  const launch::Launch& l = prepared.launch;
  const std::uint32_t index = *l.expectedOutputArgument;
  const launch::Argument& buffer = l.arguments[index];
  const std::uint32_t bytes = launch::dtypeBytes(buffer.type);
  std::uint64_t firstWrong = 0;
  double firstGot = 0;
  for (std::uint64_t i = 0; i < l.expectedOutput.size(); ++i) {
    std::uint64_t bits = 0;
    memory.copyOut(prepared.argumentAllocation[index], i * bytes, {reinterpret_cast<std::uint8_t*>(&bits), bytes});
    const double got = launch::valueOf(buffer.type, bits), wanted = l.expectedOutput[i];
    const bool bothNan = std::isnan(got) && std::isnan(wanted);
    const double difference = bothNan || got == wanted ? 0 : std::fabs(got - wanted) / std::max(1.0, std::fabs(wanted));
    const bool right = difference <= l.tolerance;  // false for NaN
    if (!right && e.wrong++ == 0) firstWrong = i, firstGot = got;
    if (!(difference <= e.worst)) e.worst = difference;
    ++e.compared;
  }
  if (e.wrong == 0) {
    if (e.compared != 0)
      e.text += fmt::format("{}{} values of argument {} as expected, worst difference {:.3g}", e.text.empty() ? "" : "; ", e.compared,
                            index, e.worst);
    return;
  }
  e.met = false;
  e.text += fmt::format("{}{} of {} values of argument {} are wrong: element {} is {:.9g}, expected {:.9g}", e.text.empty() ? "" : "; ",
                        e.wrong, e.compared, index, firstWrong, firstGot, l.expectedOutput[firstWrong]);
}

}  // namespace

std::optional<Expectation> judgeVerdict(const launch::Launch& l, const std::string& verdict) {
  if (l.expectedVerdict.empty()) return std::nullopt;
  Expectation e;
  e.met = l.expectedVerdict == verdict;
  e.text = e.met ? fmt::format("verdict {} as expected", verdict) : fmt::format("verdict {}, expected {}", verdict, l.expectedVerdict);
  return e;
}

std::optional<Expectation> judge(const exec::PreparedLaunch& launch, const machine::Memory& memory, const std::string& verdict) {
  std::optional<Expectation> e = judgeVerdict(launch.launch, verdict);
  if (launch.launch.expectedOutput.empty() || !launch.launch.expectedOutputArgument) return e;
  if (!e) e.emplace();
  judgeOutput(launch, memory, *e);
  return e;
}

}  // namespace warpmill::cli
