#include "lesson/lesson.h"

#include "base/suggest.h"
#include "device/profile.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace warpmill::lesson {

namespace fs = std::filesystem;

namespace {

Diagnostic plainError(std::string message, std::string hint) {
  Diagnostic d;
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

// Names of the folders that hold a lesson.json, sorted.
std::vector<std::string> lessonNames(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (auto it = fs::directory_iterator(folder, failed); !failed && it != fs::directory_iterator(); it.increment(failed))
    if (fs::is_regular_file(it->path() / "lesson.json", failed)) names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// "01" of "01-vector-add" as 1; nothing when there is no number.
std::optional<std::uint32_t> numberOf(std::string_view name) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || (end != name.data() + name.size() && *end != '-')) return std::nullopt;
  return number;
}

}  // namespace

const Variant* Lesson::variant(std::string_view wanted) const {
  for (const Variant& v : variants)
    if (v.id == wanted) return &v;
  return nullptr;
}

const Step* Lesson::step(std::string_view wanted) const {
  for (const Step& s : steps)
    if (s.id == wanted) return &s;
  return nullptr;
}

const Text& Lesson::text(std::string_view language) const {
  for (const Text& t : texts)
    if (t.language == language) return t;
  WM_ASSERT(!texts.empty(), "a lesson without a text");
  return texts.front();
}

const Section& Lesson::section(const Step& step, std::string_view language) const {
  const Section* found = text(language).section(step.id);
  WM_ASSERT(found, "a step without a section");
  return *found;
}

std::string lessonsFolder() {
  if (const char* set = std::getenv("WARPMILL_LESSONS"); set && *set) return set;
  return (fs::path(device::assetsFolder()).parent_path() / "lessons").string();
}

Result<std::vector<Lesson>> readLessons(const std::string& folder) {
  std::vector<Lesson> lessons;
  Diagnostics errors;
  for (const std::string& name : lessonNames(folder)) {
    auto lesson = readLesson(folder + "/" + name);
    if (lesson)
      lessons.push_back(std::move(*lesson));
    else
      errors.insert(errors.end(), lesson.diagnostics().begin(), lesson.diagnostics().end());
  }
  if (!errors.empty()) return errors;
  if (lessons.empty()) return plainError(fmt::format("there are no lessons in {}", folder), "set WARPMILL_LESSONS to the folder that has them");
  std::stable_sort(lessons.begin(), lessons.end(), [](const Lesson& a, const Lesson& b) { return a.order < b.order; });
  return lessons;
}

Result<Lesson> findLesson(const std::string& idOrPath) {
  std::error_code failed;
  if (fs::is_regular_file(fs::path(idOrPath) / "lesson.json", failed)) return readLesson(idOrPath);
  const std::string folder = lessonsFolder();
  const std::vector<std::string> names = lessonNames(folder);
  for (const std::string& name : names)
    if (name == idOrPath || (numberOf(idOrPath) && idOrPath.find('-') == std::string::npos && numberOf(idOrPath) == numberOf(name)))
      return readLesson(folder + "/" + name);
  return plainError(fmt::format("there is no lesson '{}' in {}", idOrPath, folder), didYouMean(idOrPath, names));
}

}  // namespace warpmill::lesson
