#include "studio/document.h"

#include "base/text_file.h"
#include "exec/sequence.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace warpmill::studio {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kLargestScaleModel = 4;

TextFile readText(const fs::path& path, std::string shownName) {
  TextFile file;
  file.name = std::move(shownName);
  file.path = path.string();
  if (Result<std::string> text = readTextFile(file.path)) {
    file.text = *text;
    file.found = true;
  }
  return file;
}

// Compilers write the source's path as they saw it: beside the PTX is where a lesson keeps it.
TextFile findSource(const std::string& written, const fs::path& folder) {
  const fs::path name(written);
  for (const fs::path& candidate : {name.is_absolute() ? name : folder / name, folder / name.filename()})
    if (std::error_code error; fs::is_regular_file(candidate, error)) return readText(candidate, name.filename().string());
  TextFile missing;
  missing.name = name.filename().string();
  missing.path = written;
  return missing;
}

void append(Diagnostics& to, const Diagnostics& more) { to.insert(to.end(), more.begin(), more.end()); }

Diagnostic plainError(std::string message, std::string hint) {
  Diagnostic d;
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

// A launch, and the sequence that it is part of.
struct Chosen {
  launch::Launch launch, sequence;   // sequence: has no launches where it is a single one
  std::size_t step = 0;
};

// The launches of a file by name; those of a sequence one by one.
std::vector<Chosen> chosenOf(const std::vector<launch::Launch>& launches, std::vector<std::string>& names) {
  std::vector<Chosen> all;
  for (const launch::Launch& one : launches) {
    if (one.sequence.empty()) {
      all.push_back({one, {}, 0});
      names.push_back(one.name);
    }
    for (std::size_t step = 0; step < one.sequence.size(); ++step) {
      all.push_back({one.sequence[step], one, step});
      names.push_back(one.name + ", " + std::to_string(step + 1) + ": " + one.sequence[step].name);
    }
  }
  return all;
}

// The launches of the request and which of them is meant.
Result<Chosen> chooseLaunch(const OpenRequest& request, Document& document) {
  if (request.lesson != nullptr) {
    for (const lesson::Variant& variant : request.lesson->variants) document.launchNames.push_back(variant.id);
    document.launchIndex = std::min(request.variant, request.lesson->variants.size() - 1);
    return Chosen{request.lesson->variants[document.launchIndex].scale, {}, 0};
  }
  Result<std::vector<launch::Launch>> launches = launch::readLaunches(request.launchFile);
  if (!launches) return launches.diagnostics();
  std::vector<Chosen> all = chosenOf(*launches, document.launchNames);
  if (request.launchName.empty()) return all.front();
  const auto named = std::find(document.launchNames.begin(), document.launchNames.end(), request.launchName);
  if (named == document.launchNames.end())
    return plainError("there is no launch '" + request.launchName + "' in " + request.launchFile, "the first one is '" + document.launchNames.front() + "'");
  document.launchIndex = static_cast<std::size_t>(named - document.launchNames.begin());
  return all[document.launchIndex];
}

MachineChoice machineOf(const OpenRequest& request) {
  if (request.machine) return *request.machine;
  if (request.lesson != nullptr) return {request.lesson->device, request.lesson->scaleSms};
  return {"h200", kLargestScaleModel};
}

}  // namespace

std::string Document::sourceLine(std::uint32_t file, std::uint32_t line) const {
  if (file >= sources.size()) return {};
  return lineOf(sources[file].text, line);
}

Loaded loadDocument(const OpenRequest& request) {
  Loaded loaded;
  auto document = std::make_unique<Document>();
  document->request = request;
  document->machine = machineOf(request);
  const auto stopped = [&](const Diagnostics& why) {
    append(loaded.diagnostics, why);
    return std::move(loaded);
  };

  const Result<Chosen> found = chooseLaunch(request, *document);
  if (!found) return stopped(found.diagnostics());
  const launch::Launch* const chosen = &found->launch;
  Result<device::Profile> profile = device::loadProfile(document->machine.profile);
  if (!profile) return stopped(profile.diagnostics());
  Result<ptx::Module> module = ptx::parseFile(chosen->ptxPath);
  if (!module) return stopped(module.diagnostics());
  append(loaded.diagnostics, module.diagnostics());

  const fs::path folder = fs::path(chosen->ptxPath).parent_path();
  for (const std::string& file : module->files) document->sources.push_back(findSource(file, folder));
  document->ptx = {fs::path(chosen->ptxPath).filename().string(), chosen->ptxPath, module->text, true};
  document->launchFile = readText(chosen->file, fs::path(chosen->file).filename().string());

  auto shared = std::make_shared<const ptx::Module>(std::move(*module));
  const std::uint32_t sms = document->machine.sms;
  const device::Profile machineProfile = sms == 0 ? *profile : device::scaleModel(*profile, sms);
  std::map<std::string, std::shared_ptr<const ptx::Module>> modules{{chosen->ptxPath, shared}};
  const auto moduleOf = [&](const std::string& path) -> Result<std::shared_ptr<const ptx::Module>> {
    if (const auto known = modules.find(path); known != modules.end()) return known->second;
    Result<ptx::Module> other = ptx::parseFile(path);
    if (!other) return other.diagnostics();
    return modules.emplace(path, std::make_shared<const ptx::Module>(std::move(*other))).first->second;
  };
  Result<exec::PreparedLaunch> prepared = found->sequence.sequence.empty() ? exec::prepare(*chosen, shared, machineProfile)
                                                                          : exec::prepareStep(found->sequence, found->step, moduleOf, machineProfile);
  if (!prepared) return stopped(prepared.diagnostics());
  Result<std::shared_ptr<const timing::Machine>> machine = timing::Machine::create(std::move(*prepared), machineProfile);
  if (!machine) return stopped(machine.diagnostics());
  document->simulated = *machine;
  Result<std::unique_ptr<session::Session>> session = session::Session::open(document->simulated);
  if (!session) return stopped(session.diagnostics());
  document->session = std::move(*session);
  document->session->runToEnd();
  document->report = profile::reportOf(*document->simulated, document->session->state());
  document->finalFaults = document->session->faults();
  if (request.lesson != nullptr)
    if (Result<lesson::CheckResult> check =
            lesson::checkResult(request.lesson->check, document->simulated->launch(), document->session->state().memory))
      document->check = *check;
  document->session->runToStart();
  loaded.document = std::move(document);
  return loaded;
}

std::vector<MachineChoice> machineChoices() {
  std::vector<MachineChoice> choices;
  for (const std::string& name : device::profileNames()) {
    const Result<device::Profile> profile = device::loadProfile(name);
    if (!profile) continue;
    const auto sms = static_cast<std::uint32_t>(profile->smCount);
    if (sms > kLargestScaleModel)
      for (std::uint32_t scale = 1; scale <= kLargestScaleModel; scale *= 2) choices.push_back({name, scale});
    choices.push_back({name, 0});
  }
  return choices;
}

}  // namespace warpmill::studio
