#include "cuda/health.h"

#include <dlfcn.h>

#include <array>

namespace warpmill::cuda {
namespace {

using Status = int;

template <class F>
F* symbol(void* library, const char* name) {
  return reinterpret_cast<F*>(::dlsym(library, name));
}

// Numbers of nvmlClockType_t, nvmlTemperatureSensors_t and of the bits of nvmlClocksEventReasons.
constexpr int clockSm = 1, clockMemory = 2, sensorGpu = 0;
struct Reason {
  std::uint64_t bit;
  const char* text;
};
constexpr std::array<Reason, 5> reasons{{{0x4, "power limit"},
                                         {0x8, "hardware slowdown"},
                                         {0x20, "heat (software)"},
                                         {0x40, "heat (hardware)"},
                                         {0x80, "power brake"}}};

}  // namespace

std::string throttleText(std::uint64_t bits) {
  std::string text;
  for (const Reason& r : reasons)
    if ((bits & r.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(r.text);
  return text;
}

HealthReader::HealthReader(const std::string& pciId) {
  library_ = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) return;
  const auto init = symbol<Status()>(library_, "nvmlInit_v2");
  const auto find = symbol<Status(const char*, void**)>(library_, "nvmlDeviceGetHandleByPciBusId_v2");
  if (init == nullptr || find == nullptr || init() != 0 || find(pciId.c_str(), &device_) != 0) device_ = nullptr;
}

HealthReader::~HealthReader() {
  if (library_ == nullptr) return;
  if (const auto shutdown = symbol<Status()>(library_, "nvmlShutdown")) shutdown();
  ::dlclose(library_);
}

std::optional<Health> HealthReader::read() const {
  if (device_ == nullptr) return std::nullopt;
  Health h;
  const auto clock = symbol<Status(void*, int, unsigned*)>(library_, "nvmlDeviceGetClockInfo");
  if (clock == nullptr || clock(device_, clockSm, &h.smMhz) != 0 || clock(device_, clockMemory, &h.memoryMhz) != 0) return std::nullopt;
  if (const auto temperature = symbol<Status(void*, int, unsigned*)>(library_, "nvmlDeviceGetTemperature")) temperature(device_, sensorGpu, &h.temperatureC);
  unsigned milliwatts = 0;
  if (const auto power = symbol<Status(void*, unsigned*)>(library_, "nvmlDeviceGetPowerUsage"); power != nullptr && power(device_, &milliwatts) == 0) h.powerW = milliwatts / 1000.0;
  unsigned long long bits = 0;
  if (const auto why = symbol<Status(void*, unsigned long long*)>(library_, "nvmlDeviceGetCurrentClocksThrottleReasons"); why != nullptr && why(device_, &bits) == 0)
    h.throttleReasons = bits;
  return h;
}

std::string HealthReader::driverVersion() const {
  std::array<char, 96> text{};
  const auto version = library_ == nullptr ? nullptr : symbol<Status(char*, unsigned)>(library_, "nvmlSystemGetDriverVersion");
  return version != nullptr && version(text.data(), static_cast<unsigned>(text.size())) == 0 ? std::string(text.data()) : std::string();
}

}  // namespace warpmill::cuda
