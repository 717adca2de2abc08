#include "cli/lesson_command.h"

#include "base/suggest.h"
#include "base/text_file.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/lesson_walk.h"
#include "cli/prose.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpmill::cli {

namespace {

using lesson::Lesson;
using lesson::localized;

int failed(const Diagnostics& diagnostics) {
  report(diagnostics);
  return exitBadInput;
}

int failed(std::string message, std::string hint) {
  Diagnostic d;
  d.message = std::move(message);
  d.hint = std::move(hint);
  return failed(Diagnostics{d});
}

std::vector<std::string> languagesOf(const Lesson& lesson) {
  std::vector<std::string> languages;
  for (const lesson::Text& text : lesson.texts) languages.push_back(text.language);
  return languages;
}

// The language asked for, or the system's ("ru_RU.UTF-8") where the lesson has it.
std::string languageFor(const LessonOptions& options, const Lesson& lesson) {
  if (!options.language.empty()) return options.language;
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"})
    if (const char* value = std::getenv(name); value && *value) {
      const std::string code = std::string(value).substr(0, 2);
      const auto languages = languagesOf(lesson);
      return std::find(languages.begin(), languages.end(), code) != languages.end() ? code : "en";
    }
  return "en";
}

// An error's exit status when the option names something that the lesson does not have.
int wrongOption(const LessonOptions& options, const Lesson& lesson) {
  const auto languages = languagesOf(lesson);
  if (!options.language.empty() && std::find(languages.begin(), languages.end(), options.language) == languages.end())
    return failed(fmt::format("the lesson has no language '{}'", options.language), didYouMean(options.language, languages));
  std::vector<std::string> variants;
  for (const lesson::Variant& v : lesson.variants) variants.push_back(v.id);
  if (!options.variant.empty() && !lesson.variant(options.variant))
    return failed(fmt::format("the lesson has no variant '{}'", options.variant), didYouMean(options.variant, variants));
  return exitOk;
}

// JSON to its file, or to standard output.
int writeJson(const LessonOptions& options, const nlohmann::json& j, int exitCode) {
  if (options.json.empty()) return exitCode;
  const std::string out = j.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (options.json == "-")
    print(out);
  else if (const auto error = writeFile(options.json, out))
    return failed(Diagnostics{*error});
  return exitCode;
}

// Text, unless JSON takes its place.
int finish(const LessonOptions& options, const nlohmann::json& j, const std::string& text, int exitCode) {
  const int code = writeJson(options, j, exitCode);
  if (code == exitCode && options.json != "-") print(text);
  return code;
}

int list(const LessonOptions& options) {
  const auto lessons = lesson::readLessons(lesson::lessonsFolder());
  if (!lessons) return failed(lessons.diagnostics());
  nlohmann::json j = nlohmann::json::array();
  std::string text;
  for (const Lesson& l : *lessons) {
    const std::string language = languageFor(options, l);
    j.push_back({{"id", l.id}, {"order", l.order}, {"title", localized(l.title, language)}, {"goal", localized(l.goal, language)}, {"languages", languagesOf(l)}});
    text += fmt::format("{:>2}  {}  {}\n", l.order, padded(l.id, 24), localized(l.title, language));
    text += setProse(localized(l.goal, language), proseWidth, "    ") + "\n";
  }
  return finish(options, j, text, exitOk);
}

int show(const LessonOptions& options, const Lesson& lesson) {
  const std::string language = languageFor(options, lesson);
  const auto device = device::loadProfile(options.device);
  if (!device) return failed(device.diagnostics());
  WalkOptions walk;
  walk.language = language;
  walk.full = false;   // a scale model takes no time; what only the full size tells is shown as "?"
  walk.text = false;
  const auto walked = walkLesson(lesson, *device, walk);
  if (!walked) return failed(walked.diagnostics());
  nlohmann::json j{{"id", lesson.id}, {"language", language}, {"title", localized(lesson.title, language)}};
  for (const lesson::Step& step : lesson.steps) {
    const lesson::Section& section = lesson.section(step, language);
    j["sections"].push_back({{"id", step.id}, {"kind", lesson::stepKindName(step.kind)}, {"title", section.title},
                             {"markdown", fillFigures(section.body, walked->figures, language).text}});
  }
  return finish(options, j, showLesson(lesson, walked->figures, language), exitOk);
}

int run(const LessonOptions& options, const Lesson& lesson) {
  const auto device = device::loadProfile(options.device);
  if (!device) return failed(device.diagnostics());
  WalkOptions walk;
  walk.language = languageFor(options, lesson);
  walk.variant = options.variant;
  walk.full = !options.noFull;
  walk.jobs = options.jobs;
  walk.progress = [](const std::string& launch) { progress("simulating " + launch + " ..."); };
  if (options.json != "-")
    walk.show = [](std::string_view text) {
      endProgress();
      print(text);
      flushOutput();
    };
  const auto sized = options.size.empty() ? Result<Lesson>(lesson) : withFullSize(lesson, options.size);
  if (!sized) return failed(sized.diagnostics());
  auto walked = walkLesson(*sized, *device, walk);
  endProgress();
  if (!walked) return failed(walked.diagnostics());
  return writeJson(options, walkJson(*sized, *device, walk, *walked), walked->ok ? exitOk : exitFailed);
}

}  // namespace

int lesson(const LessonOptions& options) {
  const std::vector<std::string> actions{"list", "show", "run", "check"};
  if (std::find(actions.begin(), actions.end(), options.action) == actions.end())
    return failed(fmt::format("'{}' is nothing that 'warpmill lesson' does", options.action), didYouMean(options.action, actions));
  if (options.action == "check") return notInThisVersion("'warpmill lesson check', which judges a solution,");
  if (options.action == "list") return list(options);
  if (options.lesson.empty()) return failed("which lesson?", fmt::format("warpmill lesson {} 1; 'warpmill lesson list' names them all", options.action));
  const auto found = lesson::findLesson(options.lesson);
  if (!found) return failed(found.diagnostics());
  if (const int code = wrongOption(options, *found); code != exitOk) return code;
  return options.action == "show" ? show(options, *found) : run(options, *found);
}

}  // namespace warpmill::cli
