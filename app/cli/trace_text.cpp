#include "cli/trace_text.h"

#include "presenter/stall_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <map>

namespace warpmill::cli {
namespace {

using presenter::StallGroup;
using timing::Stall;

constexpr const char* legend =
    "W issues   R ready, another was picked   G waits for global memory   S for shared memory or a special function\n"
    "Q memory queue is full   B at a barrier, or draining   M fixed latency or busy pipe   I no instruction yet\n";

// The instruction's text on one line, blanks made single.
std::string instructionText(const ptx::Module& module, const ptx::Instruction& in) {
  std::string out;
  for (const char c : module.textOf(in)) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out.empty() ? "ret (implied)" : out;
}

std::string axis(CycleRange range, std::size_t columns, std::uint64_t perColumn, std::size_t indent) {
  std::string numbers(indent, ' '), ticks(indent, ' ');
  for (std::size_t c = 0; c < columns; c += 10) {
    std::string number = std::to_string(range.begin + c * perColumn);
    number.resize(std::max<std::size_t>(number.size() + 1, 10), ' ');
    numbers.resize(std::min(numbers.size(), indent + c), ' ');
    numbers += number;
    ticks += "|         ";
  }
  while (!numbers.empty() && numbers.back() == ' ') numbers.pop_back();
  ticks.resize(indent + columns);
  return numbers + "\n" + ticks + "\n";
}

std::string levelName(timing::Level level) {
  switch (level) {
    case timing::Level::Shared:
      return "shared";
    case timing::Level::L1:
      return "L1";
    case timing::Level::L2:
      return "L2";
    case timing::Level::Dram:
      return "DRAM";
  }
  return "";
}

std::string memoryText(const timing::Trace& trace, std::uint32_t request) {
  if (request >= trace.requests.size()) return {};
  const timing::Request& r = trace.requests[request];
  if (r.isShared) return fmt::format("shared, {} wavefront{}, done at {}", r.wavefronts, r.wavefronts == 1 ? "" : "s", r.done);
  return fmt::format("{} sector{}, {} {}, {} {}", r.sectorCount, r.sectorCount == 1 ? "" : "s", r.isStore ? "to" : "from",
                     levelName(r.level), r.isStore ? "accepted at" : "back at", r.done);
}

}  // namespace

std::vector<TraceRow> rowsOf(const timing::Trace& trace) {
  std::map<timing::WarpId, TraceRow> rows;
  const auto row = [&](timing::WarpId warp, std::uint16_t sm, std::uint8_t place) -> TraceRow& {
    TraceRow& r = rows[warp];
    r.warp = warp, r.sm = sm, r.place = place;
    return r;
  };
  for (const timing::IssueEvent& e : trace.issues)
    row(e.warp, e.sm, e.warpSlot).segments.push_back({e.at.cycle, e.at.cycle + 1, Stall::Selected, e.pc});
  for (const timing::StallInterval& s : trace.stalls)
    if (s.end > s.begin) row(s.warp, s.sm, s.warpSlot).segments.push_back({s.begin, s.end, s.reason, s.pc});
  std::vector<TraceRow> out;
  for (auto& [warp, r] : rows) {
    std::stable_sort(r.segments.begin(), r.segments.end(), [](const TraceSegment& a, const TraceSegment& b) { return a.begin < b.begin; });
    out.push_back(std::move(r));
  }
  return out;
}

std::string lettersOf(const TraceRow& row, CycleRange range, std::size_t columns, std::uint64_t perColumn) {
  std::vector<std::array<std::uint64_t, presenter::stallGroupCount>> cycles(columns);
  for (const TraceSegment& s : row.segments) {
    const std::uint64_t begin = std::max(s.begin, range.begin), end = std::min(s.end, range.end);
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t column = (at - range.begin) / perColumn;
      if (column >= columns) break;
      const std::uint64_t next = std::min(end, range.begin + (column + 1) * perColumn);
      cycles[column][static_cast<std::size_t>(presenter::groupOf(s.state))] += next - at;
      at = next;
    }
  }
  std::string out;
  for (const auto& column : cycles) {
    const auto most = std::max_element(column.begin(), column.end());  // of equal ones the first: work before waiting
    if (*most == 0) {
      out += ' ';
      continue;
    }
    const char letter = presenter::letterOf(static_cast<StallGroup>(most - column.begin()));
    const bool issuedToo = column[static_cast<std::size_t>(StallGroup::Working)] != 0;
    out += issuedToo && letter != 'W' ? static_cast<char>(std::tolower(letter)) : letter;
  }
  return out;
}

std::string timelineText(const std::vector<TraceRow>& rows, CycleRange range, std::size_t mostRows, std::size_t width) {
  const std::uint64_t length = std::max<std::uint64_t>(range.end - range.begin, 1);
  const std::uint64_t perColumn = (length + width - 1) / width;
  const auto columns = static_cast<std::size_t>((length + perColumn - 1) / perColumn);
  std::string out = fmt::format("cycles {} to {}, {} a character", range.begin, range.end, perColumn);
  if (perColumn > 1) out += ": the state that took most of them, a small letter where the warp also issued";
  out += std::string("\n") + legend + "\n";
  constexpr std::size_t indent = 26;
  out += axis(range, columns, perColumn, indent);
  std::size_t shown = 0;
  for (const TraceRow& row : rows) {
    const std::string letters = lettersOf(row, range, columns, perColumn);
    if (letters.find_first_not_of(' ') == std::string::npos) continue;
    if (shown++ >= mostRows) continue;
    std::string label = fmt::format("block {} warp {}", row.warp.block, row.warp.warp);
    out += fmt::format("{:<17}SM {:<3}.{} {}\n", label, row.sm, row.place % 4, letters);
  }
  if (shown > mostRows) out += fmt::format("... and {} more warps (--rows {} shows them)\n", shown - mostRows, shown);
  if (shown == 0) out += "no warp ran in these cycles\n";
  return out;
}

std::string warpListing(const timing::Trace& trace, const timing::Machine& machine, timing::WarpId warp, CycleRange range) {
  const ptx::Module& module = *machine.launch().module;
  const ptx::Function& function = *machine.launch().function;
  std::string out = fmt::format("block {} warp {}\n{:>8} {:>6}  {:<20} {:>5} {:<6} {:<52} {:>5}  {}\n", warp.block, warp.warp, "cycle",
                                "waited", "for", "PTX", "source", "instruction", "lanes", "memory");
  std::map<Stall, std::uint64_t> waits;  // since the issue before
  std::size_t nextStall = 0;
  for (const timing::IssueEvent& e : trace.issues) {
    if (e.warp != warp) continue;
    waits.clear();
    // Intervals stand in the order of their ends; those of this wait end at the issue.
    for (; nextStall < trace.stalls.size() && trace.stalls[nextStall].end <= e.at.cycle; ++nextStall)
      if (trace.stalls[nextStall].warp == warp)
        waits[trace.stalls[nextStall].reason] += trace.stalls[nextStall].end - trace.stalls[nextStall].begin;
    if (e.at.cycle < range.begin || e.at.cycle >= range.end) continue;
    std::uint64_t total = 0, most = 0;
    std::string reason;
    for (const auto& [stall, cycles] : waits) {
      total += cycles;
      if (cycles > most) most = cycles, reason = timing::stallName(stall);
    }
    const ptx::Instruction& in = function.instructions[e.pc];
    const std::string source = in.location.line == 0 ? "" : std::to_string(in.location.line);
    out += fmt::format("{:>8} {:>6}  {:<20} {:>5} {:<6} {:<52} {:>5}  {}\n", e.at.cycle, total, reason, in.position.line, source,
                       instructionText(module, in), fmt::format("{}/{}", std::popcount(e.executed), std::popcount(e.lanes)),
                       machine.lowered().ops[e.pc].issues == 0 ? "(part of another machine instruction)" : memoryText(trace, e.request));
  }
  return out;
}

std::string csvOf(const std::vector<TraceRow>& rows, const timing::Machine& machine, CycleRange range) {
  const ptx::Function& function = *machine.launch().function;
  std::string out = "begin,end,sm,place,block,warp,state,pc,ptx_line,source_line\n";
  struct Line {
    const TraceRow* row;
    const TraceSegment* segment;
  };
  std::vector<Line> lines;
  for (const TraceRow& row : rows)
    for (const TraceSegment& s : row.segments)
      if (s.begin < range.end && s.end > range.begin) lines.push_back({&row, &s});
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.segment->begin < b.segment->begin; });
  for (const auto& [row, s] : lines) {
    const bool known = s->pc < function.instructions.size();
    out += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", s->begin, s->end, row->sm, row->place, row->warp.block, row->warp.warp,
                       timing::stallName(s->state), s->pc, known ? function.instructions[s->pc].position.line : 0,
                       known ? function.instructions[s->pc].location.line : 0);
  }
  return out;
}

}  // namespace warpmill::cli
