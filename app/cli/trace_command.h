// warpmill trace: what happened when, as a timeline in characters, a listing of one warp, CSV, or for Perfetto.
#pragma once

#include "cli/inputs.h"

namespace warpmill::cli {

struct TraceOptions {
  InputOptions input;
  DeviceOptions device;
  bool text = false;         // also the default when nothing else is asked for
  std::string csv, perfetto;
  std::string cycles, warp;  // "A:B", "BLOCK:WARP"
  std::size_t step = 0;      // of a sequence, from 1
  unsigned rows = 40, width = 100;
  std::uint64_t seed = 0, maxInstructions = 0;
};
int trace(const TraceOptions& options);

}  // namespace warpmill::cli
