// Any bytes as a launch file, an --arg and a device profile: each is read or refused with a message that can be printed.
//   cmake --preset fuzz && cmake --build --preset fuzz --target fuzz_launch
//   build/fuzz/tests/fuzz/fuzz_launch -dict=tests/fuzz/launch.dict -max_total_time=300 FOLDER_FOR_FINDS tests/fuzz/corpus/launch
#include "base/json.h"
#include "device/profile.h"
#include "launch/launch.h"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmill;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto launches = launch::parseLaunches(text, "fuzz.json", "folder");
  if (launches.ok()) {
    for (const launch::Launch& l : *launches)
      for (const launch::Argument& a : l.arguments)
        if ((a.isBuffer || a.texture) && a.sizeBytes() < 4096 && a.init.kind != launch::Init::Kind::File) (void)launch::initialBytes(a);
  } else {
    (void)formatDiagnostics(launches.diagnostics());
  }
  const auto argument = launch::parseArgument(text);
  if (!argument) (void)formatDiagnostics(argument.diagnostics());
  const auto profile = device::parseProfile(text, "fuzz.json");
  if (!profile) (void)formatDiagnostics(profile.diagnostics());
  return 0;
}
