#include "cli/simulate.h"

#include "cli/exit_code.h"
#include "timing/resident.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>

namespace warpmill::cli {
namespace {

// A launch that did not start, as a report: its errors become faults.
void refuse(Outcome& outcome, const launch::Launch& launch, machine::FaultKind kind, const Diagnostics& errors) {
  outcome.exitCode = exitBadInput;
  outcome.diagnostics = errors;
  for (Diagnostic& d : outcome.diagnostics)
    if (d.file.empty() && !launch.file.empty()) d.file = launch.file, d.position = launch.blockPosition;
  outcome.report.verdict = machine::faultName(kind);
  outcome.report.timingMode = "none";
  for (const Diagnostic& d : outcome.diagnostics) {
    if (d.severity != Severity::Error) continue;
    machine::Fault fault;
    fault.kind = kind;
    fault.message = d.message;
    fault.remedy = d.hint;
    fault.messageRu = d.messageRu;
    fault.remedyRu = d.hintRu;
    fault.file = d.file;
    fault.location.line = d.position.line;
    if (kind == machine::FaultKind::ParseError) fault.ptxLine = d.position.line;
    outcome.report.faults.push_back(std::move(fault));
  }
  outcome.expectation = judgeVerdict(launch, outcome.report.verdict);
}

// Memory that this machine can give without killing the program, and what a launch's buffers may take: those with contents once as they
// are at the start, and once more as the kernel leaves them, which a functional run does without.
std::uint64_t availableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  for (std::uint64_t kib = 0; file >> key >> kib; file.ignore(80, '\n'))
    if (key == "MemAvailable:") return kib * 1024;
  return ~0ull;
}

std::uint64_t memoryOf(const launch::Launch& launch, Mode mode) {
  using Kind = launch::Init::Kind;
  std::uint64_t bytes = 0;
  for (const launch::Launch& step : launch.sequence) bytes += memoryOf(step, mode);
  const bool isSequence = !launch.sequence.empty();
  for (const launch::Argument& a : isSequence ? launch.buffers : launch.arguments)
    if (a.isBuffer && (isSequence || a.shared == launch::noBuffer) && a.init.kind != Kind::Zeros && a.init.kind != Kind::Uninitialized)
      bytes += (mode == Mode::Functional ? 1 : 2) * a.sizeBytes();
  return bytes;
}

void takeFaults(profile::Report& report, const std::vector<machine::Fault>& faults) {
  for (const machine::Fault& f : faults) {
    const bool ofAccesses = f.kind == machine::FaultKind::SharedRace || f.kind == machine::FaultKind::GlobalRace || f.kind == machine::FaultKind::Uninitialized ||
                            f.kind == machine::FaultKind::IndexOverflow || f.kind == machine::FaultKind::Nan;
    const bool isKnown = std::any_of(report.faults.begin(), report.faults.end(), [&](const machine::Fault& g) { return f.kind == g.kind && f.pc == g.pc; });
    if (isKnown || !(ofAccesses || f.kind == machine::FaultKind::OutOfBounds)) continue;  // the latter: from one array of shared memory into another
    // An index that wrapped stands before the access out of bounds that it led to.
    const auto at = std::find_if(report.faults.begin(), report.faults.end(), [&](const machine::Fault& g) {
      return f.kind == machine::FaultKind::IndexOverflow && f.other && f.other->pc == g.pc;
    });
    report.faults.insert(at, f);
    report.verdict = machine::faultName(report.faults.front().kind);
  }
}

using Notes = std::vector<profile::Report::Note>;
Notes notesOf(const faults::Checker& checker) {
  Notes notes;
  for (const faults::Note& n : checker.notes()) notes.push_back({n.message, n.file, n.line, n.ptxLine, n.count});
  return notes;
}

// The run in time has shown what is part of the instructions; a functional run beside it shows what only a look at every access can.
void checkAccesses(Outcome& outcome, const exec::PreparedLaunch& prepared, const device::Profile& profile, const SimulateOptions& options, std::uint64_t limit) {
  if (!options.checks.any() || (options.stopAtFirstFault && !outcome.report.faults.empty())) return;
  for (const machine::Fault& f : outcome.report.faults)
    if (f.kind == machine::FaultKind::Hang) {
      outcome.unchecked = "races, uninitialised values and index overflow were not looked for, since the kernel did not end";
      return;
    }
  machine::Memory memory = prepared.memory;
  const auto checker = faults::makeChecker(options.checks, prepared, options.undefined);
  exec::FunctionalLimits limits;
  limits.maxInstructions = limit;
  limits.stopAtFirstFault = options.stopAtFirstFault;
  limits.observer = checker.get();
  limits.residentBlocks = timing::residentBlocks(prepared, profile);
  takeFaults(outcome.report, exec::runFunctional(*prepared.code, memory, limits).faults);
  outcome.unchecked = checker->incomplete();
  outcome.report.notes = notesOf(*checker);
}

}  // namespace

Outcome refusal(const launch::Launch& launch, machine::FaultKind kind, const std::string& message, const std::string& hint) {
  Outcome outcome;
  outcome.report.name = launch.name;
  Diagnostic d;
  d.file = launch.file;
  d.position = launch.argumentsPosition;
  d.message = message;
  d.hint = hint;
  refuse(outcome, launch, kind, {d});
  return outcome;
}

std::uint64_t warpCount(const launch::Launch& l) {
  std::uint64_t sum = 0;
  for (const launch::Launch& step : l.sequence) sum += warpCount(step);
  if (!l.sequence.empty()) return sum;
  const std::uint64_t blocks = std::uint64_t{l.grid[0]} * l.grid[1] * l.grid[2];  // at most 2^63 on any device there is
  const std::uint64_t warps = (std::uint64_t{l.block[0]} * l.block[1] * l.block[2] + 31) / 32;
  return std::min<std::uint64_t>(blocks, 1ull << 50) * std::min<std::uint64_t>(warps, 1ull << 10);
}

std::uint64_t defaultInstructionLimit(const launch::Launch& l) {
  constexpr std::uint64_t base = 50'000'000, perWarp = 1'000'000;
  return base + perWarp * std::min<std::uint64_t>(warpCount(l), 1ull << 40);
}

namespace {

// Results and faults. Nobody asks how the memory was before, so it need not be there twice.
exec::FunctionalRun runFunctional(Outcome& outcome, exec::PreparedLaunch& prepared, const device::Profile& profile, const SimulateOptions& options, std::uint64_t limit,
                                  Notes& notes) {
  outcome.memory = std::move(prepared.memory);
  exec::FunctionalLimits limits;
  limits.residentBlocks = timing::residentBlocks(prepared, profile);
  limits.maxInstructions = limit;
  limits.stopAtFirstFault = options.stopAtFirstFault;
  limits.jobs = options.checks.any() ? 1 : options.jobs;
  const auto checker = faults::makeChecker(options.checks, prepared, options.undefined);
  if (options.checks.any()) limits.observer = checker.get();
  const exec::FunctionalRun run = exec::runFunctional(*prepared.code, outcome.memory, limits);
  if (options.checks.any()) outcome.unchecked = checker->incomplete();
  notes = notesOf(*checker);
  return run;
}

// Nothing: the launch is simulated whole, because that is quick or because it cannot be taken apart.
std::optional<timing::Projection> projectionOf(const std::shared_ptr<const timing::Machine>& machine, Mode mode, const timing::TraceTaker& taker) {
  const timing::ProjectionLimits limits;
  const timing::GridEstimate grid = timing::estimateGrid(machine->launch());
  if (mode == Mode::Auto && grid.work() <= static_cast<double>(limits.wholeWork)) return std::nullopt;
  return timing::project(machine, grid, limits, taker);
}

// The time from the projection, the results and the faults from a run without time.
void reportProjection(Outcome& outcome, exec::PreparedLaunch& prepared, timing::Projection projection, const device::Profile& profile, const SimulateOptions& options, std::uint64_t limit) {
  outcome.report = profile::reportOf(projection);
  if (!options.results && !options.leavesMemory) return;
  projection = {};  // its copy of the memory would have to be kept as it was
  Notes notes;
  const exec::FunctionalRun run = runFunctional(outcome, prepared, profile, options, limit, notes);
  const profile::Report results = profile::reportOf(prepared, run, outcome.memory, options.results);
  outcome.report.verdict = results.verdict;
  outcome.report.faults = results.faults;
  outcome.report.notes = std::move(notes);
  outcome.report.buffers = results.buffers;
  outcome.report.printed = results.printed;
  outcome.report.warpInstructions = results.warpInstructions;
}

void runToFirstFault(const timing::Machine& machine, timing::MachineState& state, std::uint64_t limit) {
  while (state.faults.empty()) {
    if (state.counters.ptxInstructions >= limit || machine.step(state, {}, nullptr) != timing::Advance::Issued) {
      machine.runToEnd(state, nullptr, limit);  // it says how the launch ended
      return;
    }
  }
}

// On a device that earlier launches may have used; it becomes what this one leaves.
Outcome simulateOn(exec::DeviceState& device, const launch::Launch& launch, const device::Profile& profile, Modules& modules, const SimulateOptions& options) {
  Outcome outcome;
  outcome.report.name = launch.name;
  const auto start = std::chrono::steady_clock::now();
  const auto module = modules.get(launch.ptxPath);
  if (!module) {
    refuse(outcome, launch, machine::FaultKind::ParseError, module.diagnostics());
    return outcome;
  }
  auto prepared = exec::prepareOn(device, launch, *module, profile, options.seed);
  if (!prepared) {
    refuse(outcome, launch, machine::FaultKind::LaunchError, prepared.diagnostics());
    return outcome;
  }
  const std::uint64_t limit = options.maxInstructions != 0 ? options.maxInstructions : defaultInstructionLimit(launch);
  if (options.mode == Mode::Functional) {
    Notes notes;
    const exec::FunctionalRun run = runFunctional(outcome, *prepared, profile, options, limit, notes);
    outcome.report = profile::reportOf(*prepared, run, outcome.memory, options.results);
    outcome.report.notes = std::move(notes);
    outcome.report.threads = options.checks.any() ? 1 : options.jobs;
  } else {
    auto machine = timing::Machine::create(*prepared, profile);
    if (!machine) {
      refuse(outcome, launch, machine::FaultKind::LaunchError, machine.diagnostics());
      return outcome;
    }
    profile::Heat heat(**machine);
    const timing::TraceTaker taker = options.heat ? timing::TraceTaker([&](const timing::Trace& trace) { heat.take(trace); }) : timing::TraceTaker();
    if (auto projection = options.mode == Mode::Detailed ? std::nullopt : projectionOf(*machine, options.mode, taker)) {
      machine->reset();
      heat.scale(projection->factor);
      reportProjection(outcome, *prepared, std::move(*projection), profile, options, limit);
    } else {
      timing::MachineState state = (*machine)->initialState();
      if (options.stopAtFirstFault) runToFirstFault(**machine, state, limit);
      else (*machine)->runToEnd(state, taker, limit, options.jobs);
      outcome.report = profile::reportOf(**machine, state, options.results);
      if ((*machine)->quantum() != 0 && !taker && !options.stopAtFirstFault) outcome.report.threads = options.jobs;
      outcome.memory = std::move(state.memory);
      checkAccesses(outcome, *prepared, profile, options, limit);
    }
    if (options.heat && !options.stopAtFirstFault) outcome.report.heat = profile::heatReport(heat, *prepared->module, *prepared->function);
  }
  outcome.report.wallSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.results)
    outcome.expectation = judge(*prepared, outcome.memory, outcome.report.verdict);
  else
    outcome.expectation = judgeVerdict(launch, outcome.report.verdict);
  const bool failed = outcome.report.verdict != "ok" || (outcome.expectation && !outcome.expectation->met);
  outcome.exitCode = failed ? exitFailed : exitOk;
  outcome.prepared = std::move(*prepared);
  return outcome;
}

// Sums of what the launches of a sequence report.
void addUp(profile::Report& sum, const profile::Report& r) {
  const double before = sum.timeUs.value_or(0);
  if (r.timeUs) {
    sum.timeUs = before + *r.timeUs;
    sum.cycles = sum.cycles.value_or(0) + *r.cycles;
    const auto mean = [&](double& into, double value) { into = *sum.timeUs == 0 ? 0 : (into * before + value * *r.timeUs) / *sum.timeUs; };
    mean(sum.dramGbps, r.dramGbps);
    mean(sum.gflops, r.gflops);
    mean(sum.occupancyPct, r.occupancyPct);
  }
  sum.timingMode = r.timingMode;
  sum.simulatedBlocks += r.simulatedBlocks;
  sum.ofBlocks += r.ofBlocks;
  sum.warpInstructions += r.warpInstructions;
  sum.wallSeconds += r.wallSeconds;
  sum.threads = std::max(sum.threads, r.threads);
  sum.printed += r.printed;
  sum.notes.insert(sum.notes.end(), r.notes.begin(), r.notes.end());
  sum.faults.insert(sum.faults.end(), r.faults.begin(), r.faults.end());
  if (sum.verdict == "ok") sum.verdict = r.verdict;
}

Outcome simulateSequence(const launch::Launch& sequence, const device::Profile& profile, Modules& modules, const SimulateOptions& options) {
  Outcome outcome;
  outcome.report.name = sequence.name;
  auto device = exec::prepareDevice(sequence);
  if (!device) {
    refuse(outcome, sequence, machine::FaultKind::LaunchError, device.diagnostics());
    return outcome;
  }
  SimulateOptions ofStep = options;
  ofStep.leavesMemory = true;
  ofStep.undefined = faults::undefinedBuffers(sequence, *device);
  for (const launch::Launch& launch : sequence.sequence) {
    Outcome step = simulateOn(*device, launch, profile, modules, ofStep);
    if (step.prepared) device->memory = std::move(step.memory);
    step.memory = {};
    addUp(outcome.report, step.report);
    outcome.exitCode = std::max(outcome.exitCode, step.exitCode);
    outcome.diagnostics.insert(outcome.diagnostics.end(), step.diagnostics.begin(), step.diagnostics.end());
    if (!step.unchecked.empty()) outcome.unchecked = step.unchecked;
    const bool ended = step.report.verdict != "ok" || !step.prepared;
    if (step.prepared) outcome.prepared = std::move(step.prepared);
    step.prepared.reset();
    outcome.steps.push_back(std::move(step));
    if (ended) break;
  }
  if (outcome.report.timeUs) {
    if (sequence.workBytes) outcome.report.usefulGbps = *sequence.workBytes / (*outcome.report.timeUs * 1000);
    if (sequence.workFlops) outcome.report.gflops = *sequence.workFlops / (*outcome.report.timeUs * 1000);
  }
  outcome.expectation = options.results ? judge(sequence, *device, outcome.report.verdict) : judgeVerdict(sequence, outcome.report.verdict);
  if (outcome.expectation && !outcome.expectation->met) outcome.exitCode = std::max(outcome.exitCode, static_cast<int>(exitFailed));
  outcome.buffers = device->buffers;
  for (const launch::Argument& buffer : sequence.buffers) outcome.bufferNames.push_back(buffer.name);
  if (options.results)
    for (const std::uint32_t b : outcome.buffers) outcome.bufferHashes.push_back(profile::hashOf(device->memory, b));
  outcome.memory = std::move(device->memory);
  return outcome;
}

}  // namespace

Outcome simulate(const launch::Launch& launch, const device::Profile& profile, Modules& modules, const SimulateOptions& options) {
  if (const std::uint64_t needed = memoryOf(launch, options.mode), there = availableMemory(); needed > there)
    return refusal(launch, machine::FaultKind::LaunchError,
                   fmt::format("simulating the buffers may take {} MiB, this machine has {} MiB free", needed >> 20, there >> 20),
                   "use smaller buffers");
  if (!launch.sequence.empty()) return simulateSequence(launch, profile, modules, options);
  exec::DeviceState device;
  return simulateOn(device, launch, profile, modules, options);
}

}  // namespace warpmill::cli
