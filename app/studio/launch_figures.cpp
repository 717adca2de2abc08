#include "studio/launch_figures.h"

#include "base/sha256.h"
#include "base/text_file.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace warpmill::studio {

namespace {

namespace fs = std::filesystem;

double elementsOf(const launch::Launch& l) {
  double most = 0;
  for (const auto* arguments : {&l.arguments, &l.buffers})
    for (const launch::Argument& a : *arguments)
      if (a.isBuffer) most = std::max(most, static_cast<double>(a.count));
  return most;
}

double valueOf(const launch::Launch& l, LaunchFamily::Axis axis) {
  const double block = double(l.block[0]) * l.block[1] * l.block[2], blocks = double(l.grid[0]) * l.grid[1] * l.grid[2];
  switch (axis) {
    case LaunchFamily::Axis::Elements: return elementsOf(l);
    case LaunchFamily::Axis::Threads: return block * blocks;
    case LaunchFamily::Axis::BlockThreads: return block;
    default: return l.dynamicSharedBytes;
  }
}

std::string hashOf(const std::string& path) {
  const auto bytes = readBinaryFile(path, largestTextFile);
  return bytes ? sha256Hex(*bytes).substr(0, 16) : std::string();
}

}  // namespace

void LaunchFigures::close() {
  launches_.clear();
  launchOfName_.clear();
  families_.clear();
  figures_ = {};
  record_.reset();
  found_.reset();
  file_.clear();
  text_.clear();
  isFound_ = false;
}

bool LaunchFigures::open(const Document& document) {
  if (document.request.launchFile == file_ && document.launchFile.text == text_ && document.machine.profile == deviceName_) return false;
  close();
  auto launches = launch::readLaunches(document.request.launchFile);
  auto device = device::loadProfile(document.machine.profile);
  if (!launches || !device) return true;
  file_ = document.request.launchFile;
  text_ = document.launchFile.text;
  deviceName_ = document.machine.profile;
  launches_ = std::move(*launches);
  device_ = std::move(*device);
  for (std::size_t i = 0; i < launches_.size(); ++i)
    launchOfName_.insert(launchOfName_.end(), std::max<std::size_t>(1, launches_[i].sequence.size()), i);
  figures_.addDevice(device_);
  for (std::size_t i = 0; i < launches_.size(); ++i)
    if (launches_[i].sequence.empty()) figures_.addLaunch("full", variantOf(i), launches_[i], device_);
  findFamilies();
  findRecord();
  forgetRecord();
  return true;
}

std::size_t LaunchFigures::indexOf(const Document& document) const {
  return document.launchIndex < launchOfName_.size() ? launchOfName_[document.launchIndex] : 0;
}

MeasureSubject LaunchFigures::subject() const {
  MeasureSubject s{file_, deviceName_, {file_}};
  std::set<std::string> more;
  const auto add = [&](const launch::Launch& l) {
    if (!l.ptxPath.empty()) more.insert(l.ptxPath);
    for (const auto* arguments : {&l.arguments, &l.buffers, &l.textures})
      for (const launch::Argument& a : *arguments)
        if (a.init.kind == launch::Init::Kind::File) more.insert(a.init.path);
  };
  for (const launch::Launch& l : launches_) {
    add(l);
    for (const launch::Launch& step : l.sequence) add(step);
  }
  s.files.insert(s.files.end(), more.begin(), more.end());
  return s;
}

lesson::Variant LaunchFigures::variantOf(std::size_t index) const {
  lesson::Variant v;
  v.id = idOf(index);
  return v;
}

// ---- Measured ----

// The same launches of the same programs: a name alone may stand for anything.
bool LaunchFigures::isOf(const lesson::Measured& record) const {
  bool any = false;
  for (const launch::Launch& l : launches_) {
    if (record.result(l.name) == nullptr) continue;
    const std::string& path = l.sequence.empty() ? l.ptxPath : l.sequence.front().ptxPath;
    const auto hash = record.ptxSha256.find(fs::path(path).filename().string());
    if (hash == record.ptxSha256.end() || hash->second != hashOf(path)) return false;
    any = true;
  }
  return any;
}

// Beside the file as NAME.measured.json; else among those that come with the program.
void LaunchFigures::findRecord() {
  std::error_code ignored;
  const fs::path beside = fs::path(file_).replace_extension(".measured.json");
  if (fs::is_regular_file(beside, ignored))
    if (auto record = lesson::readMeasured(beside.string())) {
      found_ = std::move(*record);
      return;
    }
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(device::assetsFolder() + "/measured", ignored), end; at != end; at.increment(ignored))
    if (at->path().extension() == ".json") files.push_back(at->path());
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files)
    if (auto record = lesson::readMeasured(path.string()); record && isOf(*record)) {
      found_ = std::move(*record);
      return;
    }
}

bool LaunchFigures::addRecord(lesson::Measured record) {
  if (std::none_of(launches_.begin(), launches_.end(), [&](const launch::Launch& l) { return record.result(l.name) != nullptr; })) return false;
  if (record_ && !isFound_ && record_->device == record.device)
    for (lesson::MeasuredResult& old : record_->results)
      if (record.result(old.name) == nullptr) record.results.push_back(std::move(old));
  record_ = std::move(record);
  isFound_ = false;
  addMeasured();
  return true;
}

void LaunchFigures::forgetRecord() {
  record_ = found_;
  isFound_ = record_.has_value();
  addMeasured();
}

void LaunchFigures::addMeasured() {
  figures_.forget("real");
  if (!record_) return;
  for (std::size_t i = 0; i < launches_.size(); ++i) figures_.addMeasured("real", variantOf(i), launches_[i], device_, *record_);
}

void LaunchFigures::setRuns(const std::map<std::string, profile::Report>& runs) {
  for (std::size_t i = 0; i < launches_.size(); ++i)
    if (const auto run = runs.find(launches_[i].name); run != runs.end() && run->second.timeUs)
      figures_.addReport("full", variantOf(i), launches_[i], device_, run->second);
}

// ---- Sizes ----

void LaunchFigures::findFamilies() {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const std::size_t slash = launches_[i].name.rfind('/');
    const std::string name = slash == std::string::npos ? launches_[i].kernel : launches_[i].name.substr(0, slash);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    group->second.push_back(i);
  }
  for (const auto& [name, members] : groups) {
    if (members.size() < 2) continue;
    // By the number that most of them differ in.
    LaunchFamily best;
    for (const auto axis : {LaunchFamily::Axis::Elements, LaunchFamily::Axis::Threads, LaunchFamily::Axis::BlockThreads, LaunchFamily::Axis::SharedBytes}) {
      std::map<double, std::size_t> byValue;
      for (const std::size_t i : members)
        if (const double value = valueOf(launches_[i], axis); value > 0) byValue.emplace(value, i);
      if (byValue.size() > best.launches.size()) best = {name, axis, {byValue.begin(), byValue.end()}};
    }
    if (best.launches.size() >= 2) families_.push_back(std::move(best));
  }
}

}  // namespace warpmill::studio
