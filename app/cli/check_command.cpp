#include "cli/check_command.h"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "exec/prepare.h"
#include "exec/support.h"
#include "timing/machine.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace warpmill::cli {
namespace {

// Instructions that parse but cannot be executed, a form once: no error, since they may never be reached.
Diagnostics notExecutable(const ptx::Module& module) {
  struct Form { Diagnostic first; std::set<std::uint32_t> places; };  // places: offsets in the text, since calls are expanded more than once
  std::map<std::string, Form> byForm;
  std::vector<std::string> order;
  for (const ptx::Function* kernel : module.entries()) {
    const auto code = exec::Code::decode(module, *kernel, {});
    if (!code) continue;
    for (const std::uint32_t pc : exec::unsupportedInstructions(*code)) {
      const ptx::Instruction& in = kernel->instructions[pc];
      std::string name(module.textOf(in));
      if (name[0] == '@') name.erase(0, std::min(name.find_first_of(" \t"), name.size()));
      name.erase(0, std::min(name.find_first_not_of(" \t"), name.size()));
      name.erase(std::min(name.find_first_of(" \t\n"), name.size()));
      const auto [at, isNew] = byForm.try_emplace(name);
      if (isNew) {
        order.push_back(name);
        Diagnostic& d = at->second.first;
        d.severity = Severity::Warning;
        d.file = module.fileName;
        d.position = in.position;
        d.length = std::max<std::uint32_t>(in.textLength, 1);
      }
      at->second.places.insert(in.textBegin);
    }
  }
  Diagnostics warnings;
  constexpr std::size_t most = 20;
  for (const std::string& name : order) {
    if (warnings.size() == most) break;
    Form& form = byForm[name];
    form.first.message = fmt::format("'{}' cannot be executed here{}: reaching it ends the kernel as 'unsupported'", name,
                                     form.places.size() == 1 ? "" : fmt::format(" ({} times in this file)", form.places.size()));
    warnings.push_back(form.first);
  }
  if (order.size() > most) warnings.back().hint = fmt::format("and {} other forms", order.size() - most);
  return warnings;
}

std::string summaryOf(const ptx::Module& module) {
  std::string names;
  for (const ptx::Function* entry : module.entries()) names += (names.empty() ? "" : ", ") + entry->name;
  return fmt::format("{}: {}{}{}; PTX {} for {}\n", module.fileName, counted(module.entries().size(), "kernel"), names.empty() ? "" : ": ",
                     names, module.version, module.target);
}

int checkPtx(const std::string& path) {
  Modules modules;
  const auto module = modules.get(path);
  report(module.diagnostics());
  if (!module) return exitBadInput;
  report(notExecutable(**module));
  print(summaryOf(**module) + "no errors\n");
  return exitOk;
}

// A launch against its kernel and the device; the contents of its buffers do not matter.
Diagnostics errorsOf(const launch::Launch& launch, const Modules::Parsed& module, const device::Profile& profile) {
  launch::Launch bare = launch;
  for (launch::Argument& a : bare.arguments)
    if (a.isBuffer) a.init = launch::Init{};
  auto prepared = exec::prepare(bare, module, profile);
  if (!prepared) return prepared.diagnostics();
  const auto machine = timing::Machine::create(std::move(*prepared), profile);
  if (machine) return {};
  Diagnostics errors = machine.diagnostics();
  for (Diagnostic& d : errors)
    if (d.file.empty()) d.file = launch.file, d.position = launch.blockPosition;
  return errors;
}

int checkLaunches(const CheckOptions& options) {
  const auto profile = readDevice(options.device);
  if (!profile) return report(profile.diagnostics()), exitBadInput;
  InputOptions input;
  input.file = options.file;
  const auto inputs = readInputs(input);
  if (!inputs) return report(inputs.diagnostics()), exitBadInput;
  Modules modules;
  std::set<std::string> reported;  // PTX files, whose errors are said once
  std::size_t wrong = 0;
  std::vector<launch::Launch> launches;
  for (const launch::Launch& l : inputs->launches) {
    if (l.sequence.empty()) launches.push_back(l);
    else launches.insert(launches.end(), l.sequence.begin(), l.sequence.end());
  }
  for (const launch::Launch& launch : launches) {
    if (!launch.sourcePath.empty()) {
      note("'" + launch.name + "': its source is not compiled, since that is not in this version");
      continue;
    }
    const auto module = modules.get(launch.ptxPath);
    if (reported.insert(launch.ptxPath).second) report(module.diagnostics());
    const Diagnostics errors = module ? errorsOf(launch, *module, *profile) : Diagnostics{};
    report(errors);
    if (!module || !errors.empty()) ++wrong;
  }
  print(fmt::format("{}: {}, {}\n", options.file, counted(launches.size(), "launch", "launches"),
                    wrong == 0 ? "no errors" : fmt::format("{} with errors", wrong)));
  return wrong == 0 ? exitOk : exitBadInput;
}

}  // namespace

int check(const CheckOptions& options) {
  return isPtxFile(options.file) ? checkPtx(options.file) : checkLaunches(options);
}

}  // namespace warpmill::cli
