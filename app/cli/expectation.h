// "expect" of a launch file: does the outcome agree?
#pragma once

#include "exec/prepare.h"

#include <optional>
#include <string>

namespace warpmill::cli {

struct Expectation {
  bool met = true;
  std::string text;            // a sentence for people
  std::uint64_t compared = 0;  // output elements
  std::uint64_t wrong = 0;
  double worst = 0;            // largest difference, relative where the expected value is over 1
};

// Nothing when the launch expects nothing. An element is right when |got - expected| <= tolerance * max(1, |expected|); a NaN is right
// where a NaN is expected.
std::optional<Expectation> judge(const exec::PreparedLaunch& launch, const machine::Memory& memory, const std::string& verdict);
// The same of a sequence, whose expected output is in one of its own buffers.
std::optional<Expectation> judge(const launch::Launch& sequence, const exec::DeviceState& device, const std::string& verdict);
// The part that needs no run: the verdict alone.
std::optional<Expectation> judgeVerdict(const launch::Launch& launch, const std::string& verdict);

}  // namespace warpmill::cli
