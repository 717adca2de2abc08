#include "cli/run_command.h"

#include "base/error_with.h"
#include "base/suggest.h"
#include "base/text_file.h"
#include "cli/batch.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/run_output.h"
#include "cli/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <thread>

namespace warpmill::cli {
namespace {

// Names of --checks and whether this version has them. Those that it has are part of what an instruction does and cannot be left out.
struct Check {
  std::string_view name;
  bool here;
};
constexpr std::array<Check, 10> checks{{{"all", true},
                                        {"none", true},
                                        {"memory", true},
                                        {"barrier", true},
                                        {"hang", true},
                                        {"race", true},
                                        {"init", true},
                                        {"shuffle", false},
                                        {"overflow", true},
                                        {"nan", true}}};

int parseChecks(const std::string& text, faults::Checks& wanted) {
  wanted = {false, false, false, false, false};
  std::vector<std::string_view> names;
  for (const Check& c : checks) names.push_back(c.name);
  std::string_view rest = text;
  while (true) {
    const std::string_view name = rest.substr(0, rest.find(','));
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      report({errorWith("--checks: unknown check '" + std::string(name) + "'", didYouMean(name, names))});
      return exitBadInput;
    }
    if (!checks[static_cast<std::size_t>(found - names.begin())].here) return notInThisVersion("the check '" + std::string(name) + "'");
    if (name == "all" || name == "race") wanted.races = true;
    if (name == "all" || name == "init") wanted.uninitialized = true;
    if (name == "all" || name == "overflow") wanted.overflow = true;
    if (name == "all" || name == "memory") wanted.arrays = true;
    if (name == "nan") wanted.numbers = true;
    if (name.size() == rest.size()) return exitOk;
    rest.remove_prefix(name.size() + 1);
  }
}

std::string checkedText(const faults::Checks& done, const std::vector<Outcome>& outcomes) {
  std::string text = "(checked: bounds, alignment, writes to constants, barriers, hangs";
  if (done.races) text += ", races";
  if (done.uninitialized) text += ", uninitialised values";
  if (done.overflow) text += ", index overflow";
  text += done.numbers ? ", NaN and infinity)\n" : "; NaN and infinity with --checks all,nan)\n";
  for (const Outcome& o : outcomes)
    if (!o.unchecked.empty()) text += fmt::format("({}: {})\n", o.report.name.empty() ? "launch" : o.report.name, o.unchecked);
  return text;
}

std::optional<Language> parseLanguage(const std::string& text) {
  if (text == "en") return Language::English;
  if (text == "ru") return Language::Russian;
  report({errorWith("--language: faults are told of in 'en' and 'ru', not in '" + text + "'")});
  return std::nullopt;
}

Result<std::vector<Dump>> readDumps(const RunOptions& options, const Inputs& inputs) {
  std::vector<Dump> dumps;
  Diagnostics errors;
  for (const std::string& text : options.dumps) {
    const auto dump = parseDump(text);
    if (!dump) {
      errors.insert(errors.end(), dump.diagnostics().begin(), dump.diagnostics().end());
      continue;
    }
    if (inputs.launches.size() == 1) {
      const auto argument = dumpedArgument(*dump, inputs.launches.front());
      errors.insert(errors.end(), argument.diagnostics().begin(), argument.diagnostics().end());
    }
    dumps.push_back(*dump);
  }
  if (!dumps.empty() && inputs.launches.size() > 1) {
    errors.push_back(errorWith("--dump is for one launch, the suite has " + std::to_string(inputs.launches.size()), "choose one with --only NAME"));
  }
  if (!errors.empty()) return errors;
  return dumps;
}

// The program of a launch, or of one in a sequence, that would have to be compiled first; empty: none.
std::string sourceOf(const launch::Launch& launch) {
  for (const launch::Launch& step : launch.sequence)
    if (!step.sourcePath.empty()) return step.sourcePath;
  return launch.sourcePath;
}

}  // namespace

int run(const RunOptions& options) {
  int exitCode = exitOk;
  const auto mode = parseMode(options.mode, exitCode);
  if (!mode) return exitCode;
  const auto language = parseLanguage(options.language);
  if (!language) return exitBadInput;
  SimulateOptions how;
  if (const int wrong = parseChecks(options.checks, how.checks); wrong != exitOk) return wrong;
  const auto profile = readDevice(options.device);
  if (!profile) return report(profile.diagnostics()), exitBadInput;
  const auto inputs = readInputs(options.input);
  if (!inputs) return report(inputs.diagnostics()), exitBadInput;
  const auto dumps = readDumps(options, *inputs);
  if (!dumps) return report(dumps.diagnostics()), exitBadInput;
  for (const launch::Launch& l : inputs->launches)
    if (const std::string source = sourceOf(l); !source.empty()) return notInThisVersion("compiling '" + source + "' (\"source\" in a launch file)");

  Diagnostics unwritable;
  std::vector<std::string> targets;
  for (const Dump& dump : *dumps) targets.push_back(dump.path);
  if (!options.json.empty() && options.json != "-") targets.push_back(options.json);
  for (const std::string& target : targets)
    if (auto error = checkWritable(target)) unwritable.push_back(std::move(*error));
  if (!unwritable.empty()) return report(unwritable), exitBadInput;

  how.mode = *mode;
  how.results = !options.noResults;
  how.stopAtFirstFault = options.stopAtFirstFault;
  how.heat = options.lines;
  how.seed = options.seed;
  how.maxInstructions = options.maxInstructions;
  const unsigned jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  how.jobs = std::max<unsigned>(1, jobs / static_cast<unsigned>(std::max<std::size_t>(1, inputs->launches.size())));
  std::vector<Outcome> outcomes = simulateAll(inputs->launches, *profile, how, jobs, !dumps->empty());

  for (const Outcome& o : outcomes) {
    exitCode = std::max(exitCode, o.exitCode);
    report(o.diagnostics);
  }
  if (options.whatIf) {
    Modules modules;
    for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i].remedies = whatIf(inputs->launches[i], outcomes[i].report, *profile, modules, how);
  }
  for (const Dump& dump : *dumps) {
    if (!outcomes.front().prepared) continue;
    if (const auto error = writeDump(dump, inputs->launches.front(), outcomes.front())) report({*error}), exitCode = exitBadInput;
  }
  if (!options.json.empty() && options.json != "-")
    if (const auto error = writeFile(options.json, jsonOf(outcomes, inputs->isSuite))) report({*error}), exitCode = exitBadInput;
  if (options.json == "-") return print(jsonOf(outcomes, inputs->isSuite)), exitCode;
  if (outcomes.size() == 1 && !outcomes.front().prepared && !outcomes.front().report.faults.empty() &&
      outcomes.front().exitCode == exitBadInput)
    return exitCode;  // the diagnostics say it all
  for (const Outcome& o : outcomes) {
    if (o.report.printed.empty()) continue;
    if (outcomes.size() > 1) print(fmt::format("printed by {}:\n", o.report.name));
    print(o.report.printed + (o.report.printed.ends_with('\n') ? "" : "\n"));
  }
  print(textOf(outcomes, inputs->isSuite, *language));
  print(checkedText(how.checks, outcomes));
  return exitCode;
}

}  // namespace warpmill::cli
