// Is the result right? A named reference computes the expected output in fp64 from the same inputs.
#pragma once

#include "base/result.h"
#include "exec/prepare.h"
#include "lesson/lesson.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill::lesson {

// What a reference sees: inputs and scalars as doubles.
struct ReferenceInput {
  std::vector<std::vector<double>> inputs;   // buffers, by Check::inputs; a scalar is a vector of one
  std::vector<double> output;                // as it is before the run: elements from `count` on must stay so
  std::uint64_t count = 0;
};

struct Reference {
  std::string_view name;       // "vec_add"
  std::string_view formula;    // "c[i] = a[i] + b[i]"
  std::size_t inputCount;
  std::function<std::vector<double>(const ReferenceInput&)> expected;
};
const std::vector<Reference>& references();
const Reference* reference(std::string_view name);   // nullptr: there is none

struct Mismatch {
  std::uint64_t index = 0;     // element of the output
  double expected = 0, got = 0;
};

struct CheckResult {
  bool ok = false;
  std::string reference, formula, output;   // name of the output argument
  std::uint64_t compared = 0, wrong = 0;
  double worstRelativeError = 0;
  double tolerance = 0;
  std::optional<Mismatch> first;            // of the wrong ones
};

// `launch` as it was before the run, `memory` as it is after.
Result<CheckResult> checkResult(const Check& check, const exec::PreparedLaunch& launch, const machine::Memory& memory);

// One sentence: "c[i] = a[i] + b[i] holds for all 1000 elements ..." or where it fails first.
std::string checkText(const CheckResult& result, std::string_view language);

}  // namespace warpmill::lesson
