#include "presenter/timeline.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace warpmill::presenter {

Timeline makeTimeline(const timing::Trace& trace, std::uint32_t sm, std::uint64_t endCycle) {
  Timeline out;
  out.sm = sm;
  out.endCycle = std::max(endCycle, trace.endCycle);
  std::array<std::vector<Segment>, 64> places;
  std::array<std::uint32_t, 64> blockSlot{}, warpOf{};
  std::map<std::uint64_t, std::uint32_t> slotOfBlock;
  for (const timing::BlockEvent& e : trace.blocks)
    if (e.sm == sm) slotOfBlock[e.block] = e.slot;
  const auto put = [&](std::uint8_t place, const Segment& s) {
    if (place >= places.size() || s.end <= s.begin) return;
    if (places[place].empty()) {
      const auto found = slotOfBlock.find(s.warp.block);
      blockSlot[place] = found == slotOfBlock.end() ? 0 : found->second;
      warpOf[place] = s.warp.warp;
    }
    places[place].push_back(s);
  };
  for (const timing::StallInterval& s : trace.stalls)
    if (s.sm == sm) put(s.warpSlot, {s.begin, s.end, s.warp, groupOf(s.reason)});
  for (const timing::IssueEvent& e : trace.issues)
    if (e.sm == sm) put(e.warpSlot, {e.at.cycle, e.at.cycle + 1, e.warp, StallGroup::Working});
  for (std::size_t p = 0; p < places.size(); ++p) {
    std::vector<Segment>& all = places[p];
    if (all.empty()) continue;
    // An issue stands before a wait that would cover its cycle.
    std::stable_sort(all.begin(), all.end(), [](const Segment& a, const Segment& b) {
      return a.begin != b.begin ? a.begin < b.begin : (a.group == StallGroup::Working) > (b.group == StallGroup::Working);
    });
    TimelineRow row{static_cast<std::uint8_t>(p), blockSlot[p], warpOf[p], {}};
    for (Segment s : all) {
      if (!row.segments.empty()) {
        Segment& before = row.segments.back();
        if (s.group == StallGroup::Working && before.end > s.begin && before.group != StallGroup::Working) before.end = s.begin;
        if (before.end > s.begin) s.begin = before.end;
        if (s.end <= s.begin) continue;
        if (before.end <= before.begin) row.segments.pop_back();
        else if (before.group == s.group && before.end == s.begin && before.warp == s.warp) { before.end = s.end; continue; }
      }
      row.segments.push_back(s);
    }
    out.rows.push_back(std::move(row));
  }
  std::stable_sort(out.rows.begin(), out.rows.end(), [](const TimelineRow& a, const TimelineRow& b) {
    return a.blockSlot != b.blockSlot ? a.blockSlot < b.blockSlot : a.warp != b.warp ? a.warp < b.warp : a.place < b.place;
  });
  return out;
}

namespace {

// Calls use(bin, group, cycles) for every piece of a segment in every bin it touches.
template <class Use>
void eachPiece(const TimelineRow& row, double begin, double end, std::size_t bins, const Use& use) {
  if (end <= begin || bins == 0) return;
  const double width = (end - begin) / static_cast<double>(bins);
  auto s = std::partition_point(row.segments.begin(), row.segments.end(), [&](const Segment& x) { return static_cast<double>(x.end) <= begin; });
  for (; s != row.segments.end() && static_cast<double>(s->begin) < end; ++s) {
    const double a = std::max(begin, static_cast<double>(s->begin)), b = std::min(end, static_cast<double>(s->end));
    auto bin = static_cast<std::size_t>((a - begin) / width);
    for (double at = a; bin < bins && at < b; ++bin) {
      const double edge = std::min(b, begin + width * static_cast<double>(bin + 1));
      if (edge > at) use(bin, s->group, edge - at);
      at = std::max(at, edge);
    }
  }
}

}  // namespace

std::vector<std::uint8_t> binned(const TimelineRow& row, double begin, double end, std::size_t bins) {
  std::vector<std::uint8_t> out(bins, noGroup);
  std::array<double, stallGroupCount> sum{};
  std::size_t current = bins;
  const auto close = [&] {
    if (current >= bins) return;
    out[current] = static_cast<std::uint8_t>(std::max_element(sum.begin(), sum.end()) - sum.begin());
    sum.fill(0);
  };
  eachPiece(row, begin, end, bins, [&](std::size_t bin, StallGroup group, double cycles) {
    if (bin != current) {
      close();
      current = bin;
    }
    sum[static_cast<std::size_t>(group)] += cycles;
  });
  close();
  return out;
}

std::vector<std::array<float, stallGroupCount>> overview(const Timeline& timeline, double begin, double end, std::size_t bins) {
  std::vector<std::array<float, stallGroupCount>> out(bins);
  if (end <= begin || bins == 0) return out;
  const double width = (end - begin) / static_cast<double>(bins);
  for (const TimelineRow& row : timeline.rows)
    eachPiece(row, begin, end, bins, [&](std::size_t bin, StallGroup group, double cycles) { out[bin][static_cast<std::size_t>(group)] += static_cast<float>(cycles / width); });
  return out;
}

std::string timelineText(const Timeline& timeline, double begin, double end, std::size_t bins) {
  std::string out;
  for (const TimelineRow& row : timeline.rows) {
    for (const std::uint8_t g : binned(row, begin, end, bins)) out += g == noGroup ? '.' : letterOf(static_cast<StallGroup>(g));
    out += '\n';
  }
  return out;
}

}  // namespace warpmill::presenter
