#include "cli/measure_command.h"

#include "base/error_with.h"
#include "base/sha256.h"
#include "base/text_file.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/three_way.h"
#include "cuda/counters.h"
#include "cuda/process.h"
#include "cuda/remote.h"
#include "cuda/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <set>
#include <thread>

namespace warpmill::cli {
namespace {

namespace fs = std::filesystem;
using lesson::Measured;
using lesson::MeasuredResult;

// A folder that is gone when the work is.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "warpmill-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

cuda::MeasureOptions howOf(const MeasureCommandOptions& options) {
  cuda::MeasureOptions how;
  how.device = static_cast<int>(options.gpu);
  how.mostRepeats = options.repeats;
  how.leastRepeats = std::min(how.leastRepeats, options.repeats);
  how.once = options.once;
  return how;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

// The command line of the same launches for another process of this program.
std::vector<std::string> sameInput(const InputOptions& in) {
  std::vector<std::string> words{in.file};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--only", in.only);
  add("--kernel", in.kernel);
  add("--grid", in.grid);
  add("--block", in.block);
  for (const std::string& a : in.arguments) add("--arg", a);
  for (const std::string& name : in.onlyNames) add("--only-name", name);
  if (in.dynamicSharedBytes != 0) add("--dynamic-shared", std::to_string(in.dynamicSharedBytes));
  return words;
}

std::string shownTime(const lesson::MeasuredTime& t) {
  return t.repeats == 0 ? "" : fmt::format("{:>9.2f} us  [{:.2f} .. {:.2f}]", t.median, t.q1, t.q3);
}

// One launch's line, and what it moves and computes for its work where the file says that.
std::string lineOf(const MeasuredResult& r, const launch::Launch& launch) {
  if (r.error) return fmt::format("{:<44}  {}: {}\n{}", r.name.substr(0, 44), r.error->kind, r.error->message, r.error->hint.empty() ? "" : "  hint: " + r.error->hint + "\n");
  std::string line = fmt::format("{:<44}  cold {:<30} warm {:<30}", r.name.substr(0, 44), shownTime(r.cold), shownTime(r.warm));
  if (r.cold.median > 0 && launch.workBytes) line += fmt::format(" {:>8.1f} GB/s", *launch.workBytes / (r.cold.median * 1000));
  if (r.cold.median > 0 && launch.workFlops) line += fmt::format(" {:>9.1f} GFLOP/s", *launch.workFlops / (r.cold.median * 1000));
  line += fmt::format("  {} registers", r.registers);
  if (!r.throttled.empty()) line += "  (clocks held back: " + r.throttled + ")";
  return line + "\n";
}

// Counters of the launches that ran, from a run of this program under the profiler; single launches only.
void addCounters(Measured& measured, const std::vector<launch::Launch>& launches, const MeasureCommandOptions& options) {
  std::vector<std::string> words{cuda::ownProgram(), "measure"};
  const auto input = sameInput(options.input);
  words.insert(words.end(), input.begin(), input.end());
  words.insert(words.end(), {"--once", "--in-process", "--no-simulator", "--gpu", std::to_string(options.gpu)});
  note("reading the hardware's counters with Nsight Compute");
  const auto counted = cuda::countKernels(words, options.limitSeconds * static_cast<double>(launches.size() + 1));
  if (!counted) {
    Diagnostic d = counted.diagnostics().front();
    d.severity = Severity::Warning;
    d.message += "; times are by events alone";
    return report({d});
  }
  std::size_t kernel = 0;
  for (std::size_t i = 0; i < launches.size() && i < measured.results.size(); ++i) {
    if (measured.results[i].error) continue;
    if (launches[i].sequence.empty() && kernel < counted->size()) measured.results[i].counters = (*counted)[kernel];
    kernel += std::max<std::size_t>(1, launches[i].sequence.size());
  }
}

void addHashes(Measured& measured, const std::vector<launch::Launch>& launches) {
  std::set<std::string> paths;
  for (const launch::Launch& l : launches) {
    if (l.sequence.empty()) paths.insert(l.ptxPath);
    for (const launch::Launch& step : l.sequence) paths.insert(step.ptxPath);
  }
  for (const std::string& path : paths)
    if (const auto bytes = readBinaryFile(path, largestTextFile)) measured.ptxSha256[fs::path(path).filename().string()] = sha256Hex(*bytes).substr(0, 16);
}

// The bytes on the GPU, from one more launch.
std::vector<std::vector<std::uint8_t>> bytesOnGpu(const launch::Launch& launch, const MeasureCommandOptions& options) {
  const Scratch scratch;
  cuda::WorkerOptions how{howOf(options), options.limitSeconds};
  how.how.once = true;
  how.how.dumpFolder = scratch.path();
  const auto again = cuda::measureApart({launch}, how, {});
  std::vector<std::vector<std::uint8_t>> all;
  if (!again || again->results.front().error) return all;
  for (std::size_t i = 0; i < again->results.front().sha256.size(); ++i) {
    auto bytes = readBinaryFile(fmt::format("{}/{}.bin", scratch.path(), i), launch::largestBuffer);
    if (!bytes) return {};
    all.push_back(std::move(*bytes));
  }
  return all;
}

int compareAll(const Measured& measured, const std::vector<launch::Launch>& launches, const MeasureCommandOptions& options, std::string& text) {
  const auto profile = readDevice({});
  if (!profile) return report(profile.diagnostics()), exitBadInput;
  Modules modules;
  const unsigned jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  std::size_t equal = 0, compared = 0;
  int exitCode = exitOk;
  for (std::size_t i = 0; i < measured.results.size(); ++i) {
    if (measured.results[i].error) continue;
    progress(fmt::format("comparing {}/{} {}", i + 1, measured.results.size(), launches[i].name));
    const bool mayAsk = options.host.empty();
    const ThreeWay c = compareResults(launches[i], measured.results[i], *profile, modules, jobs, mayAsk ? GpuBytes([&] { return bytesOnGpu(launches[i], options); }) : GpuBytes());
    ++compared;
    if (c.equal) ++equal;
    if (!c.met) exitCode = exitFailed;
    if (!c.equal || !c.met || launches.size() == 1) text += fmt::format("{}: {}\n", launches[i].name, c.text);
  }
  endProgress();
  if (launches.size() > 1) text += fmt::format("results: {} of {} equal the simulator's byte for byte\n", equal, compared);
  return exitCode;
}

// A lesson's folder may hold eager.py: the same operation by PyTorch, which prints a record of its own. Left out where it cannot run.
void addEager(Measured& measured, const MeasureCommandOptions& options) {
  const fs::path script = fs::path(options.input.file) / "eager.py";
  std::error_code ignored;
  if (!fs::is_regular_file(script, ignored)) return;
  const auto ran = cuda::runProgram({"python3", script.string(), "--gpu", std::to_string(options.gpu), "--repeats", std::to_string(options.repeats)}, options.limitSeconds * 10);
  const auto eager = ran && ran->exitCode == exitOk ? lesson::parseMeasured(ran->out, script.string()) : Result<Measured>(Diagnostics{});
  if (!eager) return note("PyTorch's own operation is left out: python3 with PyTorch for CUDA is not there");
  for (const MeasuredResult& r : eager->results) {
    if (options.json != "-") print(fmt::format("{:<44}  cold {:<30} warm {:<30}  PyTorch\n", r.name.substr(0, 44), shownTime(r.cold), shownTime(r.warm)));
    measured.results.push_back(r);
  }
}

Result<Measured> measureThere(const MeasureCommandOptions& options) {
  if (isPtxFile(options.input.file))
    return errorWith("--host takes a launch file, not a PTX file with its launch on the command line", "write the launch into a JSON file (see README.md)");
  const auto files = launchFiles(options.input.file);
  if (!files) return files.diagnostics();
  const Scratch scratch;
  const auto packed = cuda::packLaunches(*files, scratch.path());
  if (!packed) return packed.diagnostics();
  if (auto error = writeFile(scratch.path() + "/launch.json", *packed)) return std::move(*error);
  cuda::RemoteOptions remote;
  remote.host = options.host;
  remote.arguments = {"--gpu", std::to_string(options.gpu), "--repeats", std::to_string(options.repeats), "--limit", fmt::format("{:g}", options.limitSeconds)};
  if (options.counters) remote.arguments.emplace_back("--counters");
  if (options.once) remote.arguments.emplace_back("--once");
  if (!options.input.only.empty()) {
    // For the shell there: in single quotes, those of the pattern itself written out.
    std::string pattern = "'";
    for (const char c : options.input.only) pattern += c == '\'' ? std::string("'\\''") : std::string(1, c);
    remote.arguments.insert(remote.arguments.end(), {"--only", pattern + "'"});
  }
  note("measuring on " + options.host);
  return cuda::measureOnHost(scratch.path(), remote);
}

// Without a process between: a profiler that started this one sees the kernels, and nothing else runs on the GPU.
int measureHere(const std::vector<launch::Launch>& launches, const MeasureCommandOptions& options) {
  auto gpu = cuda::Gpu::open(howOf(options));
  if (!gpu) return report(gpu.diagnostics()), exitMissing;
  int exitCode = exitOk;
  for (const launch::Launch& l : launches) {
    const MeasuredResult r = (*gpu)->measure(l);
    if (r.error) exitCode = exitFailed;
    print(lineOf(r, l));
  }
  return exitCode;
}

}  // namespace

int measure(const MeasureCommandOptions& options) {
  const auto inputs = readInputs(options.input);
  if (!inputs) return report(inputs.diagnostics()), exitBadInput;
  const std::vector<launch::Launch>& launches = inputs->launches;
  if (!options.json.empty() && options.json != "-")
    if (const auto error = checkWritable(options.json)) return report({*error}), exitBadInput;
  if (options.inProcess) return measureHere(launches, options);

  const bool toScreen = options.json != "-";
  std::size_t shown = 0;
  const auto tell = [&](const MeasuredResult& r) {
    if (toScreen) print(lineOf(r, launches[shown])), flushOutput();
    ++shown;
  };
  auto measured = options.host.empty() ? cuda::measureApart(launches, {howOf(options), options.limitSeconds}, tell) : measureThere(options);
  if (!measured) return report(measured.diagnostics()), exitMissing;
  if (!options.host.empty()) {
    if (measured->results.size() != launches.size())
      return report({errorWith(fmt::format("{} launches were sent to {}, {} came back", launches.size(), options.host, measured->results.size()))}), exitFailed;
    for (const MeasuredResult& r : measured->results) tell(r);
    measured->ptxSha256.clear();   // there the files have other names
    if (!options.origin.empty()) measured->origin = options.origin;
  } else {
    if (options.counters) addCounters(*measured, launches, options);
    measured->date = today();
    measured->origin = options.origin.empty() ? "warpmill measure (CUDA events" + std::string(options.counters ? ", Nsight Compute)" : ")") : options.origin;
    if (!options.once)
      measured->times = "cold: L2 flushed before each launch; warm: not. Median, quartiles and least of n launches by CUDA events, after 5 to warm up, the GPU kept busy until each was queued";
  }
  addHashes(*measured, launches);
  int exitCode = exitOk;
  for (const MeasuredResult& r : measured->results)
    if (r.error) exitCode = exitFailed;
  std::string text;
  if (!options.noSimulator) exitCode = std::max(exitCode, compareAll(*measured, launches, options, text));
  if (options.host.empty() && !options.once && options.input.only.empty()) addEager(*measured, options);
  if (!options.json.empty() && toScreen)
    if (const auto error = writeFile(options.json, measuredJson(*measured))) report({*error}), exitCode = exitBadInput;
  if (!toScreen) return print(measuredJson(*measured)), exitCode;
  text += fmt::format("{}, driver {}, {} SMs", measured->device, measured->driver, measured->sms);
  if (measured->emptyKernelUs > 0) text += fmt::format("; an empty kernel takes {:.2f} us by the same clock", measured->emptyKernelUs);
  if (measured->before && measured->after)
    text += fmt::format("; SM clock {:.0f} MHz before, {:.0f} after; {:.0f} and {:.0f} C", measured->before->smMhz, measured->after->smMhz, measured->before->temperatureC, measured->after->temperatureC);
  print(text + "\n");
  return exitCode;
}

}  // namespace warpmill::cli
