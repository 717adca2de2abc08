// A trace as text.
#pragma once

#include "timing/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmill::cli {

struct CycleRange {
  std::uint64_t begin = 0, end = 0;  // [begin, end)
};

// Something that a warp did, or a reason for which it waited, for some cycles.
struct TraceSegment {
  std::uint64_t begin = 0, end = 0;
  timing::Stall state = timing::Stall::Selected;
  std::uint32_t pc = 0;
};
struct TraceRow {
  timing::WarpId warp;
  std::uint16_t sm = 0;
  std::uint8_t place = 0;
  std::vector<TraceSegment> segments;  // by time
};
// A row a warp, by block and warp.
std::vector<TraceRow> rowsOf(const timing::Trace& trace);

// One row as `columns` letters for equal parts of the range: the state that took most of the part; small where the warp also issued in
// it; blank where the warp was not there. Exact when a part is one cycle.
std::string lettersOf(const TraceRow& row, CycleRange range, std::size_t columns, std::uint64_t cyclesPerColumn);

std::string timelineText(const std::vector<TraceRow>& rows, CycleRange range, std::size_t mostRows, std::size_t width);
// Every instruction that the warp issued in the range: when, how long it had waited for what, what it touched.
std::string warpListing(const timing::Trace& trace, const timing::Machine& machine, timing::WarpId warp, CycleRange range);
std::string csvOf(const std::vector<TraceRow>& rows, const timing::Machine& machine, CycleRange range);
// The JSON of Chrome's trace events, for ui.perfetto.dev.
std::string perfettoOf(const timing::Trace& trace, const std::vector<TraceRow>& rows, const timing::Machine& machine, CycleRange range);

}  // namespace warpmill::cli
