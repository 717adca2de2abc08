// Launch files: what to run, on which buffers, and what to expect. The format is fixed (see ARCHITECTURE.md, "Launch files").
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill::launch {

enum class DType : std::uint8_t { U8, I8, U16, I16, U32, I32, U64, I64, F16, BF16, F32, F64 };
std::string_view dtypeName(DType type);           // "f32"
std::optional<DType> dtypeFromName(std::string_view name);
std::uint32_t dtypeBytes(DType type);
bool isFloat(DType type);
bool isSigned(DType type);

// Values as a dtype's little-endian bits, in the low bytes. Floats round to nearest, ties to even; integers wrap.
std::uint64_t bitsOf(DType type, double value);
std::uint64_t bitsOfInteger(DType type, std::int64_t value);
std::uint64_t bitsOfUnsigned(DType type, std::uint64_t value);
// And back, for showing and comparing.
double valueOf(DType type, std::uint64_t bits);

struct Init {
  enum class Kind : std::uint8_t { Zeros, Ones, Iota, Values, Random, RandInt, Chase, Step, File, Uninitialized };
  Kind kind = Kind::Zeros;
  std::uint64_t a = 0, b = 0;          // random:a, randint:a:b, chase:a, step:a
  std::vector<double> values;          // of Values, of a float dtype
  std::vector<std::int64_t> integers;  // of Values, of an integer dtype (u64: the same bits)
  std::string path;                    // of File, already relative to the launch file's folder
};

inline constexpr std::uint32_t noBuffer = 0xFFFFFFFFu;

// How a texture is read: the array's shape and the sampler's state. Texels lie row after row, layer after layer, channels side by side.
struct Texture {
  enum class Filter : std::uint8_t { Point, Linear };
  enum class Address : std::uint8_t { Wrap, Clamp, Mirror, Border };
  std::array<std::uint32_t, 3> extent{1, 1, 1};  // in texels
  std::uint32_t dimensions = 1;
  std::uint32_t layers = 0;            // 0: not layered
  std::uint32_t channels = 1;          // 1, 2 or 4
  bool isLinearMemory = false;         // of one dimension, read by whole numbers only (tex1Dfetch)
  Filter filter = Filter::Point;
  std::array<Address, 3> address{Address::Clamp, Address::Clamp, Address::Clamp};
  bool normalizedCoordinates = false;
  bool readsNormalized = false;        // integers of 8 and 16 bits as floats of [0, 1] or [-1, 1]
  std::array<float, 4> border{};
};

struct Argument {
  bool isBuffer = false;
  std::optional<Texture> texture;      // then `type`, `count` and `init` say what its texels are; the argument is a handle of 8 bytes
  std::uint32_t shared = noBuffer;     // of a launch in a sequence: which of the sequence's buffers it is
  std::string name;                    // optional key "name": shown instead of "argument 2"
  DType type = DType::I32;
  std::uint64_t count = 0;             // elements of a buffer; of a texture: texels times channels
  Init init;
  std::uint64_t bits = 0;              // of a scalar: little-endian value in its low bytes
  SourcePosition position, initPosition;  // in the launch file
  [[nodiscard]] std::uint64_t sizeBytes() const { return isBuffer || texture ? count * dtypeBytes(type) : dtypeBytes(type); }
};

struct Launch {
  std::string name;
  std::string file;                    // the launch file, as the user named it
  std::string ptxPath;                 // resolved; empty where "source" stands instead
  std::string sourcePath;              // of "source": to be compiled first
  std::string kernel;                  // empty: the module's only entry
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{0, 0, 0};  // blocks of a cluster; 0: not said
  std::uint32_t dynamicSharedBytes = 0;
  std::optional<std::uint32_t> stackBytes;  // of a thread; not said: exec's usual
  std::vector<Argument> arguments;
  std::vector<Argument> textures;      // of "textures": for the module's .texref variables of these names
  std::optional<double> workBytes, workFlops;
  std::string expectedVerdict;         // empty: not said
  std::optional<std::uint32_t> expectedOutputArgument;  // of a sequence: into `buffers`
  std::vector<double> expectedOutput;
  double tolerance = 0;
  // A sequence: these launches one after the other on one device, with these buffers. Of its own a sequence has name, work and
  // expectation; the fields of a launch mean nothing then.
  std::vector<Launch> sequence;
  std::vector<Argument> buffers;       // by name
  SourcePosition position, ptxPosition, kernelPosition, gridPosition, blockPosition, clusterPosition, sharedPosition, argumentsPosition, verdictPosition;
};

// The largest buffer, in bytes: more than any lesson wants, less than what would stop the machine it runs on.
inline constexpr std::uint64_t largestBuffer = 16ull << 30;

// One object or an array of them; one that has the key "sequence" holds several launches. Unknown keys, wrong types and missing ones are errors with position and hint. Opens no other file.
Result<std::vector<Launch>> parseLaunches(const std::string& text, const std::string& fileName, const std::string& folder);
// The same from a file; it also looks whether the files that it names are there and long enough.
Result<std::vector<Launch>> readLaunches(const std::string& path);

// An "--arg" of the command line: "buffer:f32:1024:random:1" or "i32:1024".
Result<Argument> parseArgument(const std::string& text);
// An `init` of a buffer as text: "random:1", "zeros", "[1, 2, 3]". What is wrong with it, or nothing.
std::optional<Diagnostic> parseInit(std::string_view text, const std::string& folder, Argument& buffer);

// The buffer's bytes as its `init` says; an error when a file is missing or too short. Uninitialized gives zeros.
Result<std::vector<std::uint8_t>> initialBytes(const Argument& argument);

// Elements from `first` on, as many as `into` holds; not for File.
void fillElements(const Argument& buffer, std::uint64_t first, std::span<std::uint8_t> into);

// The 32-bit murmur3 finaliser of i + seed * 0x9E3779B9.
std::uint32_t mix(std::uint32_t i, std::uint32_t seed);

}  // namespace warpmill::launch
