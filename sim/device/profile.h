// A GPU as data: limits, rates, latencies, bandwidths, each with unit and source. Read from assets/devices/NAME.json.
// The whole list of numbers stands once, in device/numbers.def: WM_NUMBER(field, "json.path", "unit", "what it is").
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill::device {

struct NumberInfo {
  std::string_view path;      // "sm.max_warps"
  std::string_view unit;      // "warps", "cycles", "bytes/cycle", ...: the file must say the very same
  std::string_view meaning;
};

struct Provenance {
  std::string kind;           // "documented", "measured" or "estimated"
  std::string source;         // where the number comes from, in a sentence
};

struct Profile {
  std::string name;           // "h200"
  std::string title;          // "NVIDIA H200 SXM (141 GB)"
  std::string computeCapability;  // "9.0"
  std::string about;          // a sentence or two
#define WM_NUMBER(field, path, unit, meaning) double field = 0;
#include "device/numbers.def"
#undef WM_NUMBER
  std::vector<std::uint32_t> storeys;      // SMs a GPC, for the picture (illustrative); sums to smCount
  std::vector<std::uint32_t> sharedOptionsKiB;  // shared-memory carve-outs of an SM, rising
  std::vector<Provenance> provenance;      // by number, in the order of numbers.def
  Provenance storeysSource, sharedOptionsSource;

  [[nodiscard]] double nsPerCycle() const { return 1000.0 / clockMHz; }
};

const std::vector<NumberInfo>& numbers();       // in the order of numbers.def
double numberOf(const Profile& profile, std::size_t index);

Result<Profile> parseProfile(const std::string& text, const std::string& fileName);
// A name ("h200": searched in the assets folder) or a path of a file.
Result<Profile> loadProfile(const std::string& nameOrPath);
std::vector<std::string> profileNames();
// Where assets/ is: next to the program's source or installation, or $WARPMILL_ASSETS.
std::string assetsFolder();

// A profile of `sms` SMs that gets its share of L2, DRAM and of the dispatcher (a scale model of the same machine).
Profile scaleModel(const Profile& profile, std::uint32_t sms);

// Resident blocks an SM by each limit, as the occupancy calculator counts, and the shared-memory carve-out that the driver picks.
// Simplified: the driver's choice of carve-out is not published; the rule here is fitted to `launch__occupancy_limit_shared_mem` of
// 20 launch shapes on an H200.
struct Occupancy {
  std::uint32_t byBlocks = 0, byWarps = 0, byRegisters = 0, byShared = 0;  // `launch__occupancy_limit_*`
  std::uint32_t blocksPerSm = 0;           // the least
  std::string_view limiter;                // "blocks", "warps", "registers" or "shared_mem"
  std::uint32_t sharedBytesPerBlock = 0;   // with the reserved part, rounded
  std::uint32_t carveOutBytes = 0;         // shared memory configured for the SM
};
Occupancy occupancy(const Profile& profile, std::uint32_t threadsPerBlock, std::uint32_t registersPerThread, std::uint32_t sharedBytesPerBlock);

// What the CUDA runtime would refuse, with the sum written out; empty when the launch may go.
Diagnostics checkLaunch(const Profile& profile, std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                        std::uint32_t registersPerThread, std::uint64_t sharedBytesPerBlock, std::uint64_t staticSharedBytes = 0);

}  // namespace warpmill::device
