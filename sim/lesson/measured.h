// A record of what a real GPU did: assets/measured/DEVICE/NAME.json, in the format that `warpmill measure` and `compare` share.
#pragma once

#include "base/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill::lesson {

struct MeasuredTime {
  double median = 0, q1 = 0, q3 = 0;     // microseconds; quartiles are the median where the record has none
  std::uint32_t repeats = 0;             // 0: not said
};

struct MeasuredResult {
  std::string name;                      // of the launch
  MeasuredTime cold, warm;               // L2 flushed before the launch; not flushed
  std::uint32_t registers = 0;
  std::vector<std::string> sha256;       // by buffer; empty text where the record has none
  std::map<std::string, double> counters;   // Nsight Compute's names
};

struct Measured {
  std::string file, device, driver, date, origin;
  std::uint32_t sms = 0;
  std::map<std::string, std::string> ptxSha256;   // by PTX file: first 16 hex digits
  std::vector<MeasuredResult> results;

  [[nodiscard]] const MeasuredResult* result(std::string_view name) const;   // nullptr: none
};

Result<Measured> parseMeasured(const std::string& text, const std::string& fileName);
Result<Measured> readMeasured(const std::string& path);

}  // namespace warpmill::lesson
