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

inline constexpr Status success = 0, outOfMemory = 2;

// Numbers of CUdevice_attribute, CUfunction_attribute, CUjit_option and CUlimit.
namespace attribute {
inline constexpr int smCount = 16, l2Bytes = 38, clockKhz = 13, memoryClockKhz = 36, memoryBusBits = 37, computeMajor = 75, computeMinor = 76, sharedPerBlockOptIn = 97;
inline constexpr int sharedBytes = 1, localBytes = 3, registers = 4, dynamicSharedLimit = 8, clusterSizeAllowed = 14;
inline constexpr int errorLog = 5, errorLogBytes = 6;
inline constexpr int stackLimit = 0;
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
#include "cuda/driver_functions.def"
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
