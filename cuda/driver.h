// The CUDA driver, opened when it is wanted: nothing of CUDA is needed to build the program or to start it. The functions are declared
// here by their published binary interface.
// Source: CUDA driver API reference (names, parameters, numbers of attributes and of statuses).
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace warpmill::cuda {

using Status = int;                       // CUresult
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Address = unsigned long long;       // CUdeviceptr

using Array = struct ArrayTag*;
using TextureReference = struct TextureReferenceTag*;

inline constexpr Status success = 0, outOfMemory = 2;

// Structures of the driver's interface, member by member (CUlaunchConfig, CUlaunchAttribute, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D,
// CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC); what nothing here sets is left out of the names.
struct LaunchAttribute {
  int id = 0;
  char pad[4]{};
  unsigned value[16]{};
};
struct LaunchConfig {
  unsigned grid[3]{}, block[3]{}, sharedBytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attributeCount = 0;
};
struct ArrayDescriptor {
  std::size_t width = 0, height = 0, depth = 0;
  int format = 0;
  unsigned channels = 0, flags = 0;
};
struct CopyEnd {
  std::size_t x = 0, y = 0, z = 0, level = 0;
  int kind = 0;
  const void* host = nullptr;
  Address device = 0;
  Array array = nullptr;
  void* reserved = nullptr;
  std::size_t pitch = 0, height = 0;
};
struct Copy3D {
  CopyEnd from, to;
  std::size_t widthBytes = 0, height = 0, depth = 0;
};
struct ResourceDescriptor {
  struct Linear { Address address; int format; unsigned channels; std::size_t bytes; };
  int kind = 0;
  union {
    Array array;
    Linear linear;
    int reserved[32];
  };
  unsigned flags = 0;
};
struct TextureDescriptor {
  int address[3]{}, filter = 0;
  unsigned flags = 0, anisotropy = 0;
  int mipmapFilter = 0;
  float bias = 0, least = 0, most = 0, border[4]{};
  int reserved[12]{};
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56 && sizeof(ArrayDescriptor) == 40 && sizeof(Copy3D) == 200 &&
              sizeof(ResourceDescriptor) == 144 && sizeof(TextureDescriptor) == 104);

// Numbers of CUdevice_attribute, CUfunction_attribute, CUjit_option and CUlimit.
namespace attribute {
inline constexpr int smCount = 16, l2Bytes = 38, clockKhz = 13, memoryClockKhz = 36, memoryBusBits = 37, computeMajor = 75, computeMinor = 76, sharedPerBlockOptIn = 97;
inline constexpr int sharedBytes = 1, localBytes = 3, registers = 4, dynamicSharedLimit = 8, clusterSizeAllowed = 14;
inline constexpr int errorLog = 5, errorLogBytes = 6;
inline constexpr int stackLimit = 0;
inline constexpr int clusterDimension = 4;   // CUlaunchAttributeID
}  // namespace attribute

class Driver {
 public:
  // Opens the library and asks it for devices. Errors in plain words, with what to do: no library, no device, driver too old.
  // WARPMILL_CUDA_DRIVER names another library file (tests have one without a GPU).
  static Result<std::shared_ptr<Driver>> open();
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

#define FUNCTION(name, symbol, parameters) Status(*name) parameters = nullptr;
#define OPTIONAL(name, symbol, parameters) FUNCTION(name, symbol, parameters)
#include "cuda/driver_functions.def"
#undef OPTIONAL
#undef FUNCTION

  // "out of memory (CUDA_ERROR_OUT_OF_MEMORY)", and what that means for a learner.
  [[nodiscard]] std::string nameOf(Status status) const;

 private:
  explicit Driver(void* library) : library_(library) {}
  void* library_;
};

// A status in plain words: what happened, what to do.
struct PlainError {
  std::string kind;      // "out_of_memory", "fault", "ptx_rejected", "launch_refused", "driver"
  std::string message, hint;
};
PlainError plainError(const Driver& driver, Status status, const std::string& doing);

}  // namespace warpmill::cuda
