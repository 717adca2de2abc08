#include "cuda/driver.h"

#include "base/error_with.h"

#include <fmt/format.h>

#include <dlfcn.h>

#include <array>
#include <cstdlib>

namespace warpmill::cuda {
namespace {

constexpr const char* withoutGpu = "the simulator needs no GPU; records of real ones are in assets/measured, and --host NAME measures on another machine";

// Statuses that a learner meets, by number.
struct Known {
  Status status;
  const char* kind;
  const char* message;
  const char* hint;
};
constexpr std::array<Known, 22> known{{
    {1, "launch_refused", "the driver refused a value of the launch", "compare grid, block and shared memory with the device's limits ('warpmill devices')"},
    {2, "out_of_memory", "the GPU has not enough free memory for this launch's buffers", "choose a smaller size, or end other programs that use the GPU (nvidia-smi lists them)"},
    {100, "no_device", "the driver is there and finds no GPU", withoutGpu},
    {101, "no_device", "there is no GPU of this number", "nvidia-smi lists the GPUs"},
    {200, "ptx_rejected", "the driver cannot read this as a program", "'warpmill check' looks at the PTX"},
    {209, "ptx_rejected", "the PTX is for another kind of GPU than this one", "compile it for this GPU's compute capability or an older one: --arch"},
    {218, "ptx_rejected", "the driver's compiler refused the PTX", "'warpmill check' looks at the PTX; its .target must not be newer than the GPU"},
    {222, "ptx_rejected", "the PTX is of a newer version than this driver knows", "update the driver, or compile with an older toolkit (the .version line)"},
    {500, "launch_refused", "the module has no kernel of this name", "'warpmill check' lists the kernels"},
    {700, "fault", "the kernel accessed an address that is not its own (illegal address)", "'warpmill run' on the same launch names the thread, the line and the buffer"},
    {701, "launch_refused", "the launch needs more registers or shared memory than an SM has", "use a smaller block, or __launch_bounds__ so that the compiler uses fewer registers"},
    {702, "hang", "the display driver stopped the kernel because it took too long", "'warpmill run' looks for loops in which nothing changes"},
    {710, "fault", "an assert() in the kernel failed", "'warpmill run' names the line and the thread"},
    {714, "fault", "the stack of a thread overflowed or a barrier was used wrongly (hardware stack error)", "\"stack_bytes\" in the launch file gives threads a larger stack"},
    {715, "fault", "the kernel ran into an illegal instruction or a trap", "'warpmill run' names the line and the thread"},
    {716, "fault", "the kernel accessed an address that is not a multiple of the access's size (misaligned)", "'warpmill run' names the line and the thread"},
    {717, "fault", "the kernel accessed memory through an address of another kind (address space)", "'warpmill run' names the line and the thread"},
    {718, "fault", "the kernel jumped to an address that is no instruction", "look for calls through a pointer that was never set"},
    {719, "fault", "the kernel ended with a fault", "'warpmill run' on the same launch says which, where and why"},
    {803, "driver", "the driver's library and its kernel module are of different versions", "restart the machine after an update of the driver"},
    {912, "launch_refused", "the GPU runs no clusters of this size with such blocks", "at most 8 blocks a cluster on every GPU, 16 on an H100 or H200; all of one have to fit on SMs that are neighbours"},
    {999, "driver", "the driver met an error that it cannot name", "nvidia-smi shows whether the GPU answers"},
}};

}  // namespace

Result<std::shared_ptr<Driver>> Driver::open() {
  const char* named = std::getenv("WARPMILL_CUDA_DRIVER");
  const std::string path = named != nullptr && *named != '\0' ? named : "libcuda.so.1";
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return errorWith("no NVIDIA driver on this machine (" + path + " is not there)", withoutGpu);
  std::shared_ptr<Driver> driver(new Driver(library));
#define FUNCTION(name, symbol, parameters) \
  driver->name = reinterpret_cast<Status(*) parameters>(::dlsym(library, symbol)); \
  if (driver->name == nullptr) return errorWith("the NVIDIA driver has no function " symbol, "it is too old: install one for CUDA 11.4 or newer");
#define OPTIONAL(name, symbol, parameters) driver->name = reinterpret_cast<Status(*) parameters>(::dlsym(library, symbol));
#include "cuda/driver_functions.def"
#undef OPTIONAL
#undef FUNCTION
  if (const Status status = driver->init(0); status != success) {
    const PlainError e = plainError(*driver, status, "starting the driver");
    return errorWith(e.message, e.hint);
  }
  int count = 0;
  if (driver->deviceCount(&count) != success || count == 0) return errorWith("the NVIDIA driver is there and finds no GPU", withoutGpu);
  return driver;
}

Driver::~Driver() {
  ::dlclose(library_);
}

std::string Driver::nameOf(Status status) const {
  const char* name = nullptr;
  return errorName != nullptr && errorName(status, &name) == success && name != nullptr ? name : fmt::format("status {}", status);
}

PlainError plainError(const Driver& driver, Status status, const std::string& doing) {
  for (const Known& k : known)
    if (k.status == status) return {k.kind, fmt::format("{} ({}, when {})", k.message, driver.nameOf(status), doing), k.hint};
  const char* text = nullptr;
  const bool has = driver.errorText(status, &text) == success && text != nullptr;
  return {"driver", fmt::format("the driver says: {} ({}, when {})", has ? text : "an error", driver.nameOf(status), doing), "nvidia-smi shows whether the GPU answers"};
}

}  // namespace warpmill::cuda
