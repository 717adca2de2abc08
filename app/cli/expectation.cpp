#include "cli/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpmill::cli {
namespace {

void judgeOutput(const launch::Launch& l, const launch::Argument& buffer, const std::string& name, const machine::Memory& memory,
                 std::uint32_t allocation, Expectation& e) {
  const std::uint32_t bytes = launch::dtypeBytes(buffer.type);
  std::uint64_t firstWrong = 0;
  double firstGot = 0;
  for (std::uint64_t i = 0; i < l.expectedOutput.size(); ++i) {
    std::uint64_t bits = 0;
    memory.copyOut(allocation, i * bytes, {reinterpret_cast<std::uint8_t*>(&bits), bytes});
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
      e.text += fmt::format("{}{} values of {} as expected, worst difference {:.3g}", e.text.empty() ? "" : "; ", e.compared, name, e.worst);
    return;
  }
  e.met = false;
  e.text += fmt::format("{}{} of {} values of {} are wrong: element {} is {:.9g}, expected {:.9g}", e.text.empty() ? "" : "; ",
                        e.wrong, e.compared, name, firstWrong, firstGot, l.expectedOutput[firstWrong]);
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
  const std::uint32_t index = *launch.launch.expectedOutputArgument;
  judgeOutput(launch.launch, launch.launch.arguments[index], fmt::format("argument {}", index), memory, launch.argumentAllocation[index], *e);
  return e;
}

std::optional<Expectation> judge(const launch::Launch& sequence, const exec::DeviceState& device, const std::string& verdict) {
  std::optional<Expectation> e = judgeVerdict(sequence, verdict);
  if (sequence.expectedOutput.empty() || !sequence.expectedOutputArgument) return e;
  if (!e) e.emplace();
  const std::uint32_t index = *sequence.expectedOutputArgument;
  judgeOutput(sequence, sequence.buffers[index], fmt::format("buffer '{}'", sequence.buffers[index].name), device.memory, device.buffers[index], *e);
  return e;
}

}  // namespace warpmill::cli
