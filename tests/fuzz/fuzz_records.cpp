// Any bytes as a sweep's file, an expression in one, and a record of a real GPU: each is read or refused with a message that can be printed, and
// a record that is read is written and read again as the same.
//   cmake --preset fuzz && cmake --build --preset fuzz --target fuzz_records
//   build/fuzz/tests/fuzz/fuzz_records -dict=tests/fuzz/records.dict -max_total_time=300 FOLDER_FOR_FINDS tests/fuzz/corpus/records
#include "cli/sweep_spec.h"
#include "launch/launch.h"
#include "lesson/measured.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

template <typename T>
bool isRead(const warpmill::Result<T>& result) {
  if (!result.ok()) (void)warpmill::formatDiagnostics(result.diagnostics());
  return result.ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmill;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto points = cli::parseSweep(text, "fuzz.json");
  if (isRead(points))
    for (std::size_t i = 0; i < points->size() && i < 16; ++i)
      (void)isRead(launch::parseLaunches((*points)[i].launch.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), "", "folder"));
  (void)isRead(cli::evaluate(text, {{"n", 1024}, {"block", 256}}));
  (void)isRead(lesson::parseResult(text));
  const auto record = lesson::parseMeasured(text, "fuzz.json");
  if (!isRead(record)) return 0;
  const std::string written = lesson::measuredJson(*record);
  const auto again = lesson::parseMeasured(written, "again.json");
  if (!again.ok() || lesson::measuredJson(*again) != written) std::abort();
  return 0;
}
