// Finding device profiles, and models of fewer SMs made from one.
#include "base/suggest.h"
#include "base/text_file.h"
#include "device/profile.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace warpmill::device {
namespace {

namespace fs = std::filesystem;

bool holdsProfiles(const fs::path& assets) {
  std::error_code ignored;
  return fs::is_directory(assets / "devices", ignored);
}

}  // namespace

std::string assetsFolder() {
  if (const char* set = std::getenv("WARPMILL_ASSETS"); set != nullptr && *set != '\0') return set;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (fs::path folder = program.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    if (holdsProfiles(folder / "share/warpmill/assets")) return (folder / "share/warpmill/assets").string();  // installed
    if (holdsProfiles(folder / "assets")) return (folder / "assets").string();                                // in the build tree
    if (folder == folder.root_path()) break;
  }
  return WARPMILL_SOURCE_ASSETS;  // built elsewhere than in the source tree
}

std::vector<std::string> profileNames() {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(fs::path(assetsFolder()) / "devices", error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".json") names.push_back(it->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Result<Profile> loadProfile(const std::string& nameOrPath) {
  const bool isPath = nameOrPath.find('/') != std::string::npos || nameOrPath.ends_with(".json");
  std::string path = nameOrPath;
  if (!isPath) {
    const std::vector<std::string> names = profileNames();
    if (std::find(names.begin(), names.end(), nameOrPath) == names.end()) {
      Diagnostic d;
      d.message = "there is no device '" + nameOrPath + "'";
      d.hint = names.empty() ? "no profiles are in " + assetsFolder() + "/devices (WARPMILL_ASSETS names another folder)"
                             : didYouMean(nameOrPath, names) + " (or give the path of a profile's JSON file)";
      return d;
    }
    path = (fs::path(assetsFolder()) / "devices" / (nameOrPath + ".json")).string();
  }
  constexpr std::uint64_t limit = 1 << 20;
  const auto text = readTextFile(path, limit);
  if (!text) return text.diagnostics();
  return parseProfile(*text, path);
}

Profile scaleModel(const Profile& profile, std::uint32_t sms) {
  WM_ASSERT(sms >= 1, "a scale model has at least one SM");
  if (sms == profile.smCount) return profile;
  Profile model = profile;
  const double share = sms / profile.smCount;
  const auto whole = [](double value) { return std::max(1.0, std::round(value)); };
  model.smCount = sms;
  model.storeys.clear();
  const std::uint32_t storey = profile.storeys.empty() ? 16 : *std::max_element(profile.storeys.begin(), profile.storeys.end());
  for (std::uint32_t left = sms; left != 0; left -= std::min(left, storey)) model.storeys.push_back(std::min(left, storey));
  constexpr double l2Unit = 16 * 128;  // a set of lines
  model.l2Bytes = std::max(l2Unit, std::round(profile.l2Bytes * share / l2Unit) * l2Unit);
  // Slices and channels are whole; what rounding does to their number their rate makes up for.
  model.l2Slices = whole(profile.l2Slices * share);
  const double ofSlice = profile.l2Slices * share / model.l2Slices;
  model.l2SectorsPerCycle = profile.l2SectorsPerCycle * ofSlice;
  model.l2RequestsPerCycle = profile.l2RequestsPerCycle * ofSlice;
  model.l2WritesPerCycle = profile.l2WritesPerCycle * ofSlice;
  model.atomicUnits = whole(profile.atomicUnits * share);
  model.atomicsPerCycle = profile.atomicsPerCycle * profile.atomicUnits * share / model.atomicUnits;
  model.floatAtomicsPerCycle = profile.floatAtomicsPerCycle * profile.atomicUnits * share / model.atomicUnits;
  model.dramChannels = whole(profile.dramChannels * share);
  model.dramBytesPerSecond = profile.dramBytesPerSecond * share;
  model.blockLaunchInterval = profile.blockLaunchInterval / share;
  model.name = profile.name + "/" + std::to_string(sms);
  model.title =
      profile.title + ", scale model with " + std::to_string(sms) + " of " + std::to_string(static_cast<int>(profile.smCount)) + " SMs";
  model.about = "The same SMs with their share of L2 and DRAM. " + profile.about;
  const std::string derived = "share of " + std::to_string(sms) + "/" + std::to_string(static_cast<int>(profile.smCount)) + " of: ";
  for (std::size_t i = 0; i < numbers().size() && i < model.provenance.size(); ++i)
    if (numberOf(model, i) != numberOf(profile, i)) model.provenance[i].source = derived + model.provenance[i].source;
  model.storeysSource.source = derived + model.storeysSource.source;
  return model;
}

}  // namespace warpmill::device
