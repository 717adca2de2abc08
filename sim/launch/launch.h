// Launch files: what to run, on which buffers, and what to expect. The format is fixed (see ARCHITECTURE.md, "Launch files").
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmill::launch {

enum class DType : std::uint8_t { U8, I8, U16, I16, U32, I32, U64, I64, F16, BF16, F32, F64 };
std::string_view dtypeName(DType type);           // "f32"
std::optional<DType> dtypeFromName(std::string_view name);
std::uint32_t dtypeBytes(DType type);

struct Init {
  enum class Kind : std::uint8_t { Zeros, Ones, Iota, Values, Random, RandInt, Chase, Step, File, Uninitialized };
  Kind kind = Kind::Zeros;
  std::uint64_t a = 0, b = 0;          // random:a, randint:a:b, chase:a, step:a
  std::vector<double> values;          // of Values; 64-bit integers that a double cannot hold stand in `integers`
  std::vector<std::int64_t> integers;
  std::string path;                    // of File, already relative to the launch file's folder
};

struct Argument {
  bool isBuffer = false;
  std::string name;                    // optional key "name": shown instead of "argument 2"
  DType type = DType::I32;
  std::uint64_t count = 0;             // elements of a buffer
  Init init;
  std::uint64_t bits = 0;              // of a scalar: little-endian value in its low bytes
  SourcePosition position;             // in the launch file
};

struct Launch {
  std::string name;
  std::string file;                    // the launch file, as the user named it
  std::string ptxPath;                 // resolved
  std::string kernel;                  // empty: the module's only entry
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamicSharedBytes = 0;
  std::vector<Argument> arguments;
  std::optional<double> workBytes, workFlops;
  std::string expectedVerdict;         // empty: not said
  std::optional<std::uint32_t> expectedOutputArgument;
  std::vector<double> expectedOutput;
  double tolerance = 0;
  SourcePosition position, gridPosition, blockPosition, argumentsPosition;
};

// One object or an array of them. Unknown keys, wrong types and missing ones are errors with position and hint.
Result<std::vector<Launch>> parseLaunches(const std::string& text, const std::string& fileName, const std::string& folder);
Result<std::vector<Launch>> readLaunches(const std::string& path);

// An "--arg" of the command line: "buffer:f32:1024:random:1" or "i32:1024".
Result<Argument> parseArgument(const std::string& text);

// The buffer's bytes as its `init` says; an error when a file is missing or too short. Uninitialized gives zeros.
Result<std::vector<std::uint8_t>> initialBytes(const Argument& argument);

// The 32-bit murmur3 finaliser of i + seed * 0x9E3779B9.
std::uint32_t mix(std::uint32_t i, std::uint32_t seed);

}  // namespace warpmill::launch
