#include "cli/command_line.h"

#include "base/suggest.h"
#include "cli/calibrate_command.h"
#include "cli/check_command.h"
#include "cli/compare_command.h"
#include "cli/console.h"
#include "cli/devices_command.h"
#include "cli/exit_code.h"
#include "cli/lesson_command.h"
#include "cli/measure_command.h"
#include "cli/run_command.h"
#include "cli/sweep_command.h"
#include "cli/trace_command.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <functional>
#include <memory>

namespace warpmill::cli {
namespace {

// A verb's work, kept with its options until the command line is read.
using Work = std::function<int()>;

// Only digits, in range: CLI11 itself lets "-1" wrap round.
std::function<std::string(const std::string&)> wholeNumber(std::uint64_t least = 0, std::uint64_t most = ~0ull) {
  return [=](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most) return {};
    const std::string upTo = most == ~0ull ? " or more" : " to " + std::to_string(most);
    return "'" + text + "' is given, a whole number is wanted, " + std::to_string(least) + upTo;
  };
}

void addDeviceOptions(CLI::App& verb, DeviceOptions& options) {
  verb.add_option("--device", options.device, "a device's name ('warpmill devices' lists them) or a profile's file")->capture_default_str();
  verb.add_option("--sms", options.sms, "a scale model of the device with so many SMs and their share of L2 and DRAM")->check(wholeNumber(1, 4096));
}

void addInputOptions(CLI::App& verb, InputOptions& options) {
  verb.add_option("file", options.file, "a launch file (JSON), or a .ptx file with --grid, --block and --arg")->required();
  verb.add_option("--only", options.only, "only the launches of a suite whose names match, as in --only 'vec_add/*'");
  verb.add_option("--only-name", options.onlyNames)->allow_extra_args(false)->group("");   // as it stands there; what starts this program has names
  verb.add_option("--kernel", options.kernel, "with a .ptx file: the kernel, when it has several")->group("With a .ptx file");
  verb.add_option("--grid", options.grid, "blocks: X or X,Y,Z")->group("With a .ptx file");
  verb.add_option("--block", options.block, "threads a block: X or X,Y,Z")->group("With a .ptx file");
  verb.add_option("--arg", options.arguments, "an argument, in order: buffer:f32:1024:random:1 or i32:1024")->allow_extra_args(false)->group("With a .ptx file");
  verb.add_option("--dynamic-shared", options.dynamicSharedBytes, "bytes of dynamic shared memory")->check(wholeNumber(0, 1u << 30))->group("With a .ptx file");
}

Work addRun(CLI::App& verb) {
  const auto options = std::make_shared<RunOptions>();
  addInputOptions(verb, options->input);
  addDeviceOptions(verb, options->device);
  verb.add_option("--mode", options->mode, "detailed: every instruction in time; projected: the time from a part of the blocks; functional: results only; auto: detailed, or projected where that would take long")->capture_default_str();
  verb.add_option("--checks", options->checks, "all, none, or some of memory,barrier,hang,race,init,overflow; also nan, which all leaves out")->capture_default_str();
  verb.add_option("--seed", options->seed, "another order of blocks, warps and atomics, as hardware leaves them open; 0: rising numbers")->capture_default_str()->check(wholeNumber());
  verb.add_option("--max-instructions", options->maxInstructions, "warp instructions after which the launch counts as hanging")->check(wholeNumber(1));
  verb.add_option("--dump", options->dumps, "ARG=FILE: write a buffer's bytes after the run")->allow_extra_args(false);
  verb.add_option("--jobs", options->jobs, "threads: for launches of a suite, and for the blocks of a functional run; results do not depend on it (default: the processors)")->check(wholeNumber(1, 1024));
  verb.add_flag("--no-results", options->noResults, "do not hash or compare the buffers");
  verb.add_flag("--stop-at-first-fault", options->stopAtFirstFault, "end the run there; else it goes on, and later faults are counted by line");
  verb.add_option("--language", options->language, "en or ru: of what is said of faults")->capture_default_str();
  verb.add_flag("--lines", options->lines, "where the time goes: instructions, waits and sectors of every source line and every line of PTX; takes about twice the time");
  verb.add_flag("--what-if", options->whatIf, "what would help: simulate again with one bottleneck lifted at a time");
  verb.add_option("--json", options->json, "write the report as JSON to this file, '-' for standard output");
  return [options] { return run(*options); };
}

Work addCheck(CLI::App& verb) {
  const auto options = std::make_shared<CheckOptions>();
  verb.add_option("file", options->file, "a .ptx file or a launch file")->required();
  addDeviceOptions(verb, options->device);
  return [options] { return check(*options); };
}

Work addDevices(CLI::App& verb) {
  const auto options = std::make_shared<DevicesOptions>();
  verb.add_option("name", options->name, "a device's name or a profile's file: all its numbers");
  verb.add_option("--json", options->json, "write them as JSON to this file, '-' for standard output");
  return [options] { return devices(*options); };
}

Work addTrace(CLI::App& verb) {
  const auto options = std::make_shared<TraceOptions>();
  addInputOptions(verb, options->input);
  addDeviceOptions(verb, options->device);
  verb.add_flag("--text", options->text, "a timeline in characters: a row a warp, a letter for what it does (the default)");
  verb.add_option("--step", options->step, "of a sequence: this launch, counted from 1")->check(wholeNumber(1, 1024));
  verb.add_option("--cycles", options->cycles, "A:B: only these cycles");
  verb.add_option("--warp", options->warp, "BLOCK:WARP: this warp's timeline and every instruction it issued");
  verb.add_option("--rows", options->rows, "the most warps to show")->capture_default_str()->check(wholeNumber(1, 1'000'000));
  verb.add_option("--width", options->width, "characters of a row")->capture_default_str()->check(wholeNumber(10, 10000));
  verb.add_option("--csv", options->csv, "write what every warp did as CSV to this file, '-' for standard output");
  verb.add_option("--perfetto", options->perfetto, "write it for ui.perfetto.dev to this file");
  verb.add_option("--seed", options->seed, "another order of blocks, warps and atomics, as hardware leaves them open; 0: rising numbers")->capture_default_str()->check(wholeNumber());
  verb.add_option("--max-instructions", options->maxInstructions, "stop after so many warp instructions (default: 2 million)")->check(wholeNumber(1));
  return [options] { return trace(*options); };
}

Work addMeasure(CLI::App& verb) {
  const auto options = std::make_shared<MeasureCommandOptions>();
  addInputOptions(verb, options->input);
  verb.add_option("--host", options->host, "measure on this machine over ssh; this program is copied there");
  verb.add_option("--gpu", options->gpu, "the number of the GPU, as nvidia-smi counts")->capture_default_str()->check(wholeNumber(0, 255));
  verb.add_option("--repeats", options->repeats, "the most timed launches of each kind, cold and warm; fewer when they take over 0.2 s")->capture_default_str()->check(wholeNumber(1, 100'000));
  verb.add_option("--limit", options->limitSeconds, "seconds after which a launch counts as hanging and is ended")->capture_default_str()->check(CLI::Range(1.0, 86400.0));
  verb.add_flag("--once", options->once, "one launch each, for its results only: no times");
  verb.add_flag("--counters", options->counters, "read the hardware's counters with Nsight Compute (ncu), where this user may");
  verb.add_flag("--no-simulator", options->noSimulator, "do not compare the results with the simulator's");
  verb.add_option("--jobs", options->jobs, "threads for the simulator's part (default: the processors)")->check(wholeNumber(1, 1024));
  verb.add_option("--origin", options->origin, "a sentence for the record on how it was made");
  verb.add_option("--json", options->json, "write the record to this file, '-' for standard output");
  verb.add_flag("--in-process", options->inProcess)->group("");   // what --counters starts under the profiler
  return [options] { return measure(*options); };
}

Work addCompare(CLI::App& verb) {
  const auto options = std::make_shared<CompareOptions>();
  verb.add_option("file", options->input.file, "a launch file (JSON)")->required();
  verb.add_option("measured", options->measured, "what 'warpmill measure' or the profiler recorded of these launches (JSON)")->required();
  verb.add_option("--only", options->input.only, "only the launches whose names match, as in --only 'vec_add/*'");
  addDeviceOptions(verb, options->device);
  verb.add_option("--mode", options->mode, "auto, detailed or projected, as of 'run'")->capture_default_str();
  verb.add_option("--jobs", options->jobs, "launches at a time (default: the processors)")->check(wholeNumber(1, 1024));
  verb.add_option("--json", options->json, "write the rows as JSON to this file, '-' for standard output");
  return [options] { return compare(*options); };
}

Work addLesson(CLI::App& verb) {
  const auto options = std::make_shared<LessonOptions>();
  verb.add_option("action", options->action, "list; show: its text; run: play it through; check: judge a solution (not in this version)")->required();
  verb.add_option("lesson", options->lesson, "its number, id or folder");
  verb.add_option("solution", options->solution, "with check: the file to judge");
  verb.add_option("--language", options->language, "en or ru (default: the system's, else English)");
  verb.add_option("--variant", options->variant, "with run: only the steps of this variant, as in --variant after");
  verb.add_option("--device", options->device, "a device's name or a profile's file")->capture_default_str();
  verb.add_option("--size", options->size, "with run: another full size, as in --size n2^24");
  verb.add_flag("--no-full", options->noFull, "with run: leave out the full size, which takes seconds");
  verb.add_option("--jobs", options->jobs, "with run: launches at a time (default: the processors)")->check(wholeNumber(1, 1024));
  verb.add_option("--json", options->json, "write all of it as JSON to this file, '-' for standard output");
  return [options] { return lesson(*options); };
}

Work addCalibrate(CLI::App& verb) {
  const auto options = std::make_shared<CalibrateOptions>();
  verb.add_option("--name", options->name, "the new profile's name")->capture_default_str();
  verb.add_option("-o,--output", options->output, "the file to write (default: NAME.json)");
  verb.add_option("--base", options->base, "the profile to start from (default: that of the nearest architecture)");
  verb.add_option("--from", options->from, "a record of assets/examples/calibration.json from 'warpmill measure', instead of measuring here");
  verb.add_option("--gpu", options->gpu, "the number of the GPU, as nvidia-smi counts")->capture_default_str()->check(wholeNumber(0, 255));
  verb.add_flag("--counters", options->counters, "read the hardware's counters too, where this user may: better times of short kernels");
  return [options] { return calibrateGpu(*options); };
}

Work addSweep(CLI::App& verb) {
  const auto options = std::make_shared<SweepOptions>();
  verb.add_option("spec", options->spec, "a sweep's file (JSON): one launch with holes, and axes whose values fill them");
  verb.add_option("--mode", options->mode, "auto, detailed, projected or functional, as of 'run'")->capture_default_str();
  verb.add_option("--point", options->point, "N or N:M: only these combinations, counted from 1");
  verb.add_flag("--emit-jobs", options->emitJobs, "print one command a combination, for GNU parallel or a Slurm array, and run nothing");
  verb.add_option("--jobs-folder", options->jobsFolder, "with --emit-jobs: where the jobs leave their JSON")->capture_default_str();
  verb.add_option("--merge", options->merge, "put the JSON files of jobs together");
  verb.add_option("--emit-launches", options->emitLaunches, "write the combinations as a launch file, as for 'warpmill measure', and run nothing");
  verb.add_flag("--no-results", options->noResults, "do not hash or compare the buffers");
  verb.add_option("--jobs", options->jobs, "launches at a time (default: the processors)")->check(wholeNumber(1, 1024));
  verb.add_option("--json", options->json, "write all reports as JSON to this file, '-' for standard output");
  return [options] { return sweep(*options); };
}

// Verbs that are agreed on and not there yet.
Work addLater(CLI::App& verb) {
  verb.prefix_command();
  const std::string name = verb.get_name();
  return [name] { return notInThisVersion("'warpmill " + name + "'"); };
}

struct Verb {
  const char* name;
  const char* help;
  Work (*add)(CLI::App&);
};
constexpr Verb verbs[] = {
    {"run", "Simulate a kernel's launch, or a suite of them, and report on it", addRun},
    {"check", "Say everything that is wrong with a PTX or launch file", addCheck},
    {"devices", "List the devices, or every number of one with its source", addDevices},
    {"trace", "Show what every warp did when", addTrace},
    {"lesson", "List the lessons, show one, play one through", addLesson},
    {"compile", "CUDA C++ or Triton to PTX (not in this version)", addLater},
    {"debug", "The debugger in a terminal (not in this version)", addLater},
    {"measure", "Run launches on a real GPU: times, counters, results beside the simulator's", addMeasure},
    {"compare", "Simulated beside measured: time, bandwidth, counters, error", addCompare},
    {"calibrate", "Make a device profile of the GPU in this machine", addCalibrate},
    {"sweep", "One launch over many sizes, shapes, variants and devices; as jobs for a cluster", addSweep},
};

constexpr const char* examples =
    "\nExamples:\n"
    "  warpmill run launch.json\n"
    "  warpmill run k.ptx --grid 4 --block 256 --arg buffer:f32:1024:random:1 --arg i32:1024\n"
    "  warpmill trace launch.json --device teaching --warp 0:0\n"
    "  warpmill devices h200\n"
    "  warpmill lesson run 1 --language ru\n"
    "\nExit status: 0 fine; 1 a fault was found or a result is wrong; 2 bad input or command line; 3 something is not available.";

int badCommandLine(const std::string& message, const std::string& hint) {
  Diagnostic d;
  d.message = message;
  d.hint = hint;
  report({d});
  return exitBadInput;
}

// "--devcie" and the like: what was probably meant, from the options of the verb in question.
std::string hintFor(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string near = closest(word, names);
  return near.empty() ? "" : "did you mean '" + near + "'?";
}

}  // namespace

int runCommandLine(int argc, char** argv) {
  CLI::App app("Warpmill simulates a GPU's kernels warp by warp: results, faults, time, and why it takes that time.", "warpmill");
  app.set_version_flag("--version", "warpmill " WARPMILL_VERSION);
  app.require_subcommand(0, 1);
  app.footer(examples);
  std::vector<std::pair<const CLI::App*, Work>> works;
  std::vector<std::string> names;
  for (const Verb& verb : verbs) {
    CLI::App* sub = app.add_subcommand(verb.name, verb.help);
    works.emplace_back(sub, verb.add(*sub));
    names.emplace_back(verb.name);
  }
  if (argc > 1 && argv[1][0] != '-' && std::find(names.begin(), names.end(), argv[1]) == names.end())
    return badCommandLine("there is no verb '" + std::string(argv[1]) + "'", didYouMean(argv[1], names));
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    print((chosen.empty() ? &app : chosen.front())->help());
    return exitOk;
  } catch (const CLI::CallForVersion&) {
    print("warpmill " WARPMILL_VERSION "\n");
    return exitOk;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const CLI::App& at = chosen.empty() ? app : *chosen.front();
    const auto extras = at.remaining();
    std::string hint = extras.empty() ? "" : hintFor(at, extras.front());
    if (hint.empty()) hint = "'warpmill " + (chosen.empty() ? std::string() : chosen.front()->get_name() + " ") + "--help' lists the options";
    return badCommandLine(extras.empty() ? error.what() : "unknown argument '" + extras.front() + "'", hint);
  }
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    print(app.help());
    return exitBadInput;
  }
  for (const auto& [verb, work] : works)
    if (verb == chosen.front()) return work();
  return exitBadInput;
}

}  // namespace warpmill::cli
