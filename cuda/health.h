// The GPU's state by its management library (NVML), opened when it is wanted: clocks, temperature, power, reasons for throttling.
// Source: NVML API reference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpmill::cuda {

struct Health {
  unsigned smMhz = 0, memoryMhz = 0;    // now
  unsigned temperatureC = 0;
  double powerW = 0;
  std::uint64_t throttleReasons = 0;    // NVML's bits
};

// Throttling that changes a measurement (power, heat), in words; empty: none. Idle clocks and a user's own limits are not meant.
std::string throttleText(std::uint64_t reasons);

class HealthReader {
 public:
  // pciId: as the driver names the device ("0000:01:00.0"). Nothing works when the library is not there; that is no error.
  explicit HealthReader(const std::string& pciId);
  ~HealthReader();
  HealthReader(const HealthReader&) = delete;
  HealthReader& operator=(const HealthReader&) = delete;

  [[nodiscard]] std::optional<Health> read() const;
  [[nodiscard]] std::string driverVersion() const;   // "580.159.04"; empty when not known

 private:
  void* library_ = nullptr;
  void* device_ = nullptr;
};

}  // namespace warpmill::cuda
