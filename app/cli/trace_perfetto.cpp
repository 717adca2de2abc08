// A trace in the JSON that ui.perfetto.dev and chrome://tracing read: a process an SM, a thread a warp's place, a slice for each issue and
// each wait, and an arrow-less span for each memory request on its way. Times are in microseconds of the simulated clock.
#include "cli/trace_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>

namespace warpmill::cli {
namespace {

using nlohmann::json;

class Writer {
 public:
  Writer(const timing::Machine& machine, CycleRange range)
      : function_(*machine.launch().function), range_(range), usPerCycle_(machine.profile().nsPerCycle() / 1000) {}

  void addRow(const TraceRow& row) {
    if (sms_.insert(row.sm).second) nameOf("process_name", row.sm, 0, fmt::format("SM {}", row.sm));
    if (places_.insert({row.sm, row.place}).second)
      nameOf("thread_name", row.sm, row.place, fmt::format("place {} (sub-partition {})", row.place, row.place % 4));
    for (const TraceSegment& s : row.segments) {
      if (s.begin >= range_.end || s.end <= range_.begin) continue;
      json event = {{"ph", "X"},
                    {"cat", s.state == timing::Stall::Selected ? "issue" : "stall"},
                    {"name", std::string(timing::stallName(s.state))},
                    {"pid", row.sm},
                    {"tid", row.place},
                    {"ts", us(s.begin)},
                    {"dur", us(s.end - s.begin)}};
      event["args"] = {{"block", row.warp.block}, {"warp", row.warp.warp}, {"cycle", s.begin}, {"ptx_line", lineOf(s.pc)}};
      events_.push_back(std::move(event));
    }
  }

  void addRequest(const timing::Request& r) {
    if (r.issued >= range_.end || r.done <= range_.begin) return;
    const std::string name = r.isShared ? "shared memory" : r.isAtomic ? "atomic" : r.isStore ? "store" : "load";
    json event = {{"cat", "memory"}, {"name", name}, {"id", r.id}, {"pid", r.sm}, {"tid", r.warpSlot}};
    event["ph"] = "b";
    event["ts"] = us(r.issued);
    event["args"] = {{"block", r.warp.block},
                     {"warp", r.warp.warp},
                     {"sectors", r.sectorCount},
                     {"wavefronts", r.wavefronts},
                     {"ptx_line", lineOf(r.pc)}};
    events_.push_back(event);
    event["ph"] = "e";
    event["ts"] = us(r.done);
    event.erase("args");
    events_.push_back(std::move(event));
  }

  [[nodiscard]] std::string text() const { return json{{"displayTimeUnit", "ns"}, {"traceEvents", events_}}.dump() + "\n"; }

 private:
  [[nodiscard]] double us(std::uint64_t cycles) const { return static_cast<double>(cycles) * usPerCycle_; }
  [[nodiscard]] std::uint32_t lineOf(std::uint32_t pc) const {
    return pc < function_.instructions.size() ? function_.instructions[pc].position.line : 0;
  }
  void nameOf(const char* what, std::uint32_t process, std::uint32_t thread, const std::string& name) {
    events_.push_back({{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}});
  }

  const ptx::Function& function_;
  CycleRange range_;
  double usPerCycle_;
  json events_ = json::array();
  std::set<std::uint16_t> sms_;
  std::set<std::pair<std::uint16_t, std::uint8_t>> places_;
};

}  // namespace

std::string perfettoOf(const timing::Trace& trace, const std::vector<TraceRow>& rows, const timing::Machine& machine, CycleRange range) {
  Writer writer(machine, range);
  for (const TraceRow& row : rows) writer.addRow(row);
  for (const timing::Request& request : trace.requests) writer.addRequest(request);
  return writer.text();
}

}  // namespace warpmill::cli
