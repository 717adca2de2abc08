// The file of `warpmill sweep`: one launch with holes, and axes whose values fill them; every combination is a launch.
//
//   {"launch": {"ptx": "vec_add", "kernel": "vec_add", "grid": ["${(n + block - 1) / block}"], "block": ["${block}"],
//               "args": [{"type": "buffer", "dtype": "f32", "count": "${n}", "init": "random:1"}, ..., {"type": "i32", "value": "${n}"}],
//               "work": {"bytes": "${12 * n}"}},
//    "axes": {"n": [1024, 4096, 16384], "block": [64, 128, 256], "device": ["h200", "teaching"]},
//    "where": "n >= block"}
//
// A text that is one hole becomes a number; a hole within a text is written into it. Expressions: whole numbers, names of axes,
// + - * / % ( ) and the comparisons < <= > >= == != with && and ||, min(a, b), max(a, b). An axis may also have objects as values: their
// members are laid over the launch ({"kernel": "tiled", "block": [16, 16]}), their "name" is what is shown. The axis "device" chooses the profile.
#pragma once

#include "base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmill::cli {

// An expression over whole numbers. Errors say where in the text: a name that is none, a division by zero, what does not fit 64 bits.
Result<std::int64_t> evaluate(const std::string& expression, const std::map<std::string, std::int64_t>& names);

struct SweepPoint {
  std::vector<std::pair<std::string, std::string>> values;   // axis and value, in the order of the axes
  std::string device = "h200";
  nlohmann::ordered_json launch;                             // filled in, with a name of its own
};

// All points in the order of the axes, the last one the fastest.
Result<std::vector<SweepPoint>> readSweep(const std::string& path);
Result<std::vector<SweepPoint>> parseSweep(const std::string& text, const std::string& file);
inline constexpr std::size_t mostSweepPoints = 1'000'000;

}  // namespace warpmill::cli
