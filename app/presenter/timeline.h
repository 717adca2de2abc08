// What every warp of one SM did when: a row for each place, segments of stall groups, and how many crews were in each state over time.
#pragma once

#include "presenter/frame.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace warpmill::presenter {

struct Segment {
  std::uint64_t begin = 0, end = 0;   // [begin, end) in cycles
  WarpId warp;
  StallGroup group = StallGroup::Instruction;
};

struct TimelineRow {
  std::uint8_t place = 0;
  std::uint32_t blockSlot = 0, warp = 0;
  std::vector<Segment> segments;      // in time order, without overlaps
};

struct Timeline {
  std::uint32_t sm = 0;
  std::uint64_t endCycle = 0;
  std::vector<TimelineRow> rows;      // by block slot, then warp
};

// One SM's history out of the trace. O(trace): build it again only when the history changed.
[[nodiscard]] Timeline makeTimeline(const timing::Trace& trace, std::uint32_t sm, std::uint64_t endCycle);

// The state that takes most of each of `bins` equal parts of [begin, end); noGroup where the place is empty.
inline constexpr std::uint8_t noGroup = 0xFF;
[[nodiscard]] std::vector<std::uint8_t> binned(const TimelineRow& row, double begin, double end, std::size_t bins);

// Crew-cycles in each group for each of `bins` equal parts of [begin, end), divided by the part's length: crews in that state.
[[nodiscard]] std::vector<std::array<float, stallGroupCount>> overview(const Timeline& timeline, double begin, double end, std::size_t bins);

// The timeline in characters, a row a place, one letter a bin: for tests and the terminal.
[[nodiscard]] std::string timelineText(const Timeline& timeline, double begin, double end, std::size_t bins);

}  // namespace warpmill::presenter
