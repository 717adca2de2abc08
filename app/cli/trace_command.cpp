#include "cli/trace_command.h"

#include "base/text_file.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/simulate.h"
#include "cli/trace_text.h"
#include "exec/sequence.h"
#include "profile/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace warpmill::cli {
namespace {

constexpr std::uint64_t defaultInstructions = 2'000'000;  // a trace takes some hundred bytes an instruction

std::optional<std::uint64_t> whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

int refuse(std::string message, std::string hint) {
  Diagnostic d;
  d.message = std::move(message);
  d.hint = std::move(hint);
  report({d});
  return exitBadInput;
}

// "A:B", either may be left out.
bool parseRange(const std::string& text, CycleRange& range) {
  if (text.empty()) return true;
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  const std::string from = text.substr(0, colon), to = text.substr(colon + 1);
  const auto begin = from.empty() ? std::optional<std::uint64_t>(range.begin) : whole(from);
  const auto end = to.empty() ? std::optional<std::uint64_t>(range.end) : whole(to);
  if (!begin || !end || *begin >= *end) return false;
  range = {*begin, std::min(*end, range.end)};
  return true;
}

std::optional<timing::WarpId> parseWarp(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto block = whole(std::string_view(text).substr(0, colon)), warp = whole(std::string_view(text).substr(colon + 1));
  if (!block || !warp || *warp > 31) return std::nullopt;
  return timing::WarpId{*block, static_cast<std::uint32_t>(*warp)};
}

std::string headOf(const timing::Machine& machine, const timing::Trace& trace, const std::vector<TraceRow>& rows) {
  std::set<std::uint16_t> sms;
  for (const TraceRow& row : rows) sms.insert(row.sm);
  return fmt::format("{} on {}: {} cycles, {} of {} on {}, {} instructions issued\n", machine.launch().launch.name, machine.profile().name,
                     trace.endCycle, counted(rows.size(), "warp"), counted(machine.blockCount(), "block"), counted(sms.size(), "SM"),
                     trace.issues.size());
}

int show(const TraceOptions& options, const timing::Machine& machine, const timing::Trace& trace) {
  const std::vector<TraceRow> rows = rowsOf(trace);
  CycleRange range{0, std::max<std::uint64_t>(trace.endCycle, 1)};
  const CycleRange all = range;
  if (!parseRange(options.cycles, range) || range.begin >= all.end)
    return refuse(fmt::format("--cycles {}: two cycles A:B with A < B are wanted", options.cycles),
                  fmt::format("this launch goes from 0 to {}", all.end));
  bool wrote = false;
  const auto write = [&](const std::string& path, const std::string& text) {
    wrote = true;
    if (path == "-") return print(text), true;
    const auto error = writeFile(path, text);
    if (error) report({*error});
    return !error;
  };
  if (!options.csv.empty() && !write(options.csv, csvOf(rows, machine, range))) return exitBadInput;
  if (!options.perfetto.empty() && !write(options.perfetto, perfettoOf(trace, rows, machine, range))) return exitBadInput;
  if (wrote && !options.text) return exitOk;
  std::string out = headOf(machine, trace, rows);
  if (options.warp.empty()) {
    out += timelineText(rows, range, options.rows, options.width);
  } else {
    const auto warp = parseWarp(options.warp);
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const TraceRow& row) { return warp && row.warp == *warp; });
    if (found == rows.end())
      return refuse("--warp " + options.warp + ": there is no such warp",
                    fmt::format("the form is BLOCK:WARP, up to {}:{}", rows.empty() ? 0 : rows.back().warp.block,
                                rows.empty() ? 0 : rows.back().warp.warp));
    out += timelineText({*found}, range, 1, options.width) + "\n" + warpListing(trace, machine, *warp, range);
  }
  print(out);
  return exitOk;
}

}  // namespace

int trace(const TraceOptions& options) {
  const auto profile = readDevice(options.device);
  if (!profile) return report(profile.diagnostics()), exitBadInput;
  const auto inputs = readInputs(options.input);
  if (!inputs) return report(inputs.diagnostics()), exitBadInput;
  const launch::Launch& launch = inputs->launches.front();
  if (inputs->launches.size() > 1)
    return refuse(fmt::format("a trace is of one launch, the suite has {}", inputs->launches.size()),
                  "choose one with --only NAME, such as '" + launch.name + "'");
  const std::size_t steps = launch.sequence.size();
  if (steps != 0 && (options.step == 0 || options.step > steps))
    return refuse(fmt::format("'{}' is a sequence of {}, a trace is of one", launch.name, counted(steps, "launch", "launches")),
                  fmt::format("choose one with --step 1 to --step {}; those before it run too", steps));
  if (steps == 0 && options.step != 0) return refuse("--step is for a sequence of launches, this is a single one", "leave it out");
  const launch::Launch& shown = steps == 0 ? launch : launch.sequence[options.step - 1];
  if (!shown.sourcePath.empty()) return notInThisVersion("compiling '" + shown.sourcePath + "' (\"source\" in a launch file)");
  Modules modules;
  const auto moduleOf = [&](const std::string& path) { return modules.get(path); };
  const auto module = modules.get(shown.ptxPath);
  if (!module) return report(module.diagnostics()), exitBadInput;
  auto prepared = steps == 0 ? exec::prepare(launch, *module, *profile, options.seed)
                             : exec::prepareStep(launch, options.step - 1, moduleOf, *profile, options.seed);
  if (!prepared) return report(prepared.diagnostics()), exitBadInput;
  const auto machine = timing::Machine::create(std::move(*prepared), *profile);
  if (!machine) return report(machine.diagnostics()), exitBadInput;
  timing::MachineState state = (*machine)->initialState();
  timing::Trace recorded;
  (*machine)->runToEnd(state, &recorded, options.maxInstructions != 0 ? options.maxInstructions : defaultInstructions);
  if (recorded.endCycle == 0) recorded.endCycle = std::max(state.endCycle, state.at.cycle + 1);
  if (const int wrong = show(options, **machine, recorded); wrong != exitOk) return wrong;
  for (const machine::Fault& f : state.faults) note(fmt::format("{} at PTX line {}: {}", machine::faultName(f.kind), f.ptxLine, f.message));
  return state.faults.empty() ? exitOk : exitFailed;
}

}  // namespace warpmill::cli
