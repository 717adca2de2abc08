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
  double median = 0, q1 = 0, q3 = 0, least = 0;   // microseconds; quartiles and least are the median where the record has none
  std::uint32_t repeats = 0;             // 0: not said
};

// Why a launch has no times.
struct MeasuredError {
  std::string kind;                      // "out_of_memory", "fault", "hang", "ptx_rejected", "launch_refused", "unsupported", "driver"
  std::string message, hint;
};

struct MeasuredResult {
  std::string name;                      // of the launch
  MeasuredTime cold, warm;               // L2 flushed before the launch; not flushed
  std::uint32_t registers = 0;
  std::uint32_t sharedBytes = 0, localBytes = 0;   // static, of a block; of a thread
  std::vector<std::string> sha256;       // by buffer, after the first launch; empty text where the record has none
  std::vector<double> head;              // the last buffer's first four elements, after the first launch
  std::map<std::string, double> counters;   // Nsight Compute's names
  std::string throttled;                 // what held the clocks back meanwhile, in words; empty: nothing that is known
  std::optional<MeasuredError> error;
};

// The GPU's state before and after.
struct MeasuredClocks {
  double smMhz = 0, memoryMhz = 0, temperatureC = 0, powerW = 0;   // 0: not known
};

struct Measured {
  std::string file, device, driver, date, origin, times;
  std::uint32_t sms = 0;
  // What the driver says of the device; 0 or empty: not said.
  std::string computeCapability;         // "9.0"
  std::uint64_t l2Bytes = 0, sharedPerBlock = 0;
  double clockMhz = 0, memoryMhz = 0;    // the highest
  std::uint32_t memoryBusBits = 0;
  double emptyKernelUs = 0;              // what an empty kernel takes by the same clock, warm; 0: not said
  std::optional<MeasuredClocks> before, after;
  std::map<std::string, std::string> ptxSha256;   // by PTX file: first 16 hex digits
  std::vector<MeasuredResult> results;

  [[nodiscard]] const MeasuredResult* result(std::string_view name) const;   // nullptr: none
};

Result<Measured> parseMeasured(const std::string& text, const std::string& fileName);
Result<Measured> readMeasured(const std::string& path);

// One result as JSON on one line, and back; a whole record, a result a line.
std::string resultJson(const MeasuredResult& result);
Result<MeasuredResult> parseResult(const std::string& text);
std::string measuredJson(const Measured& measured);

}  // namespace warpmill::lesson
