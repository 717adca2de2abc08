#include "base/text_file.h"
#include "lesson/figures.h"
#include "lesson/lesson.h"
#include "ptx/module.h"
#include "catch.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

using namespace warpmill;
using namespace warpmill::lesson;
namespace fs = std::filesystem;

namespace {

const std::string root = WARPMILL_SOURCE_DIR;

std::vector<Lesson> theLessons() {
  auto lessons = readLessons(root + "/lessons");
  INFO(formatDiagnostics(lessons.diagnostics()));
  REQUIRE(lessons.ok());
  return std::move(*lessons);
}

// A copy of a lesson's folder to spoil.
struct Copy {
  fs::path folder;
  explicit Copy(const std::string& id) {
    // Its own for each program: CTest runs them side by side.
    std::string name = (fs::temp_directory_path() / ("warpmill-lesson-" + id + "-XXXXXX")).string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder = name;
    fs::copy(root + "/lessons/" + id, folder, fs::copy_options::overwrite_existing | fs::copy_options::recursive);
  }
  ~Copy() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  void replace(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = *readTextFile((folder / file).string());
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    REQUIRE_FALSE(writeFile((folder / file).string(), text));
  }
  [[nodiscard]] Diagnostics errors() const {
    auto lesson = readLesson(folder.string());
    REQUIRE_FALSE(lesson.ok());
    return lesson.diagnostics();
  }
};

// Every figure that any source can give, with some value.
Figures allFigures(const Lesson& lesson) {
  Figures figures;
  figures.addDevice(device::Profile{});
  for (const Variant& v : lesson.variants)
    for (const FigureInfo& info : figureInfos())
      for (const char* source : {"scale.", "full.", "real.", "real_scale."}) figures.set(source + v.id + "." + std::string(info.name), 2);
  return figures;
}

void checkPlaceholders(const std::string& text, const Figures& figures, const std::string& language) {
  const Filled filled = fillFigures(text, figures, language);
  for (const std::string& name : filled.missing) FAIL_CHECK("no figure has the name " << name);
  // What is left in braces is code: it holds blanks, or nothing with a dot in it.
  for (std::size_t at = filled.text.find('{'); at != std::string::npos; at = filled.text.find('{', at + 1)) {
    const std::string inside = filled.text.substr(at, filled.text.find('}', at) - at);
    CHECK((inside.find(' ') != std::string::npos || inside.find('.') == std::string::npos));
  }
}

}  // namespace

TEST_CASE("All lessons of the tree are read, in their order") {
  const auto lessons = theLessons();
  REQUIRE(lessons.size() == 2);
  CHECK(lessons[0].id == "01-vector-add");
  CHECK(lessons[1].id == "02-vector-add-triton");
  for (const Lesson& lesson : lessons) {
    CHECK(fs::path(lesson.folder).filename() == lesson.id);
    CHECK(lesson.texts.size() == 2);
    CHECK(lesson.variants.size() == 3);
    CHECK(lesson.check.reference == "vec_add");
  }
}

TEST_CASE("Every lesson asks first, compares, answers, and ends with what is left out") {
  for (const Lesson& lesson : theLessons()) {
    CHECK(lesson.steps.front().kind == StepKind::Predict);
    CHECK(lesson.steps.back().kind == StepKind::LeftOut);
    for (const StepKind kind : {StepKind::Run, StepKind::Step, StepKind::Compare, StepKind::Answer, StepKind::Exercise})
      CHECK(std::any_of(lesson.steps.begin(), lesson.steps.end(), [&](const Step& s) { return s.kind == kind; }));
    CHECK(lesson.steps.front().question->choices.size() >= 3);
  }
}

TEST_CASE("English and Russian have the same sections, and neither is empty") {
  for (const Lesson& lesson : theLessons())
    for (const Step& step : lesson.steps)
      for (const char* language : {"en", "ru"}) {
        INFO(lesson.id << " " << step.id << " " << language);
        const Section& section = lesson.section(step, language);
        CHECK_FALSE(section.title.empty());
        if (step.kind != StepKind::Answer) CHECK_FALSE(section.body.empty());
        CHECK(&lesson.text(language) == &lesson.texts[language == std::string("ru")]);
      }
}

TEST_CASE("Every placeholder of every text names a figure, and no figure of a run is typed") {
  for (const Lesson& lesson : theLessons()) {
    const Figures figures = allFigures(lesson);
    for (const lesson::Text& text : lesson.texts) {
      INFO(text.file);
      checkPlaceholders(text.intro, figures, text.language);
      for (const Section& section : text.sections) checkPlaceholders(section.body, figures, text.language);
      for (const Step& step : lesson.steps)
        if (step.question) {
          checkPlaceholders(localized(step.question->text, text.language), figures, text.language);
          checkPlaceholders(localized(step.question->why, text.language), figures, text.language);
          CHECK(localized(step.question->why, text.language).find('{') != std::string::npos);
        }
    }
  }
}

TEST_CASE("Both languages quote the same figures in every section") {
  const auto quoted = [](const std::string& body) {
    std::multiset<std::string> names;
    for (std::size_t at = body.find('{'); at != std::string::npos; at = body.find('{', at + 1)) {
      const std::string inside = body.substr(at + 1, body.find_first_of("|}", at) - at - 1);
      if (inside.find('.') != std::string::npos && inside.find("...") == std::string::npos) names.insert(inside.substr(0, inside.find_last_not_of(' ') + 1));
    }
    return names;
  };
  for (const Lesson& lesson : theLessons())
    for (const Step& step : lesson.steps) {
      INFO(lesson.id << " " << step.id);
      CHECK(quoted(lesson.section(step, "en").body) == quoted(lesson.section(step, "ru").body));
    }
}

TEST_CASE("The PTX of every variant parses, holds the kernel and names lines of the source") {
  for (const Lesson& lesson : theLessons())
    for (const Variant& v : lesson.variants) {
      INFO(v.scale.ptxPath);
      const auto module = ptx::parseFile(v.scale.ptxPath);
      REQUIRE(module.ok());
      const ptx::Function* kernel = module->entry(v.scale.kernel);
      REQUIRE(kernel);
      CHECK(kernel->params.size() == v.scale.arguments.size());
      REQUIRE(module->files.size() == 1);
      CHECK(module->files[0] == fs::path(v.source).filename());
      CHECK(std::any_of(kernel->instructions.begin(), kernel->instructions.end(), [](const auto& i) { return i.location.line > 1; }));
      for (const auto& instruction : kernel->instructions) CHECK(instruction.opcode != ptx::Opcode::Unknown);
    }
}

TEST_CASE("Every launch of a lesson's full size has been measured on the real GPU") {
  for (const Lesson& lesson : theLessons()) {
    const auto record = readMeasured(root + "/assets/measured/" + lesson.measured);
    REQUIRE(record.ok());
    for (const Variant& v : lesson.variants) {
      for (const launch::Launch& l : v.sweep) CHECK(record->result(l.name));
      CHECK(record->result(v.full.name));
      CHECK(record->result(v.scale.name));
    }
  }
}

TEST_CASE("A lesson is found by id, by number and by its folder") {
  setenv("WARPMILL_LESSONS", (root + "/lessons").c_str(), 1);
  CHECK(findLesson("01-vector-add")->order == 1);
  CHECK(findLesson("2")->id == "02-vector-add-triton");
  CHECK(findLesson("02")->id == "02-vector-add-triton");
  CHECK(findLesson(root + "/lessons/01-vector-add")->order == 1);
  const auto none = findLesson("01-vectr-add");
  REQUIRE_FALSE(none.ok());
  CHECK(none.diagnostics()[0].hint == "did you mean '01-vector-add'?");
  unsetenv("WARPMILL_LESSONS");
}

TEST_CASE("A missing key is shown at its object with what to do") {
  const Copy copy("01-vector-add");
  copy.replace("lesson.json", "\"scale_sms\": 2,", "");
  const Diagnostics errors = copy.errors();
  CHECK(errors[0].message == "the key \"scale_sms\" is missing");
  CHECK(errors[0].position.line == 1);
  CHECK_FALSE(errors[0].hint.empty());
}

TEST_CASE("A misspelt key, kind, variant or figure is shown where it stands, with the one that is meant") {
  const Copy copy("01-vector-add");
  copy.replace("lesson.json", "\"kind\": \"run\"", "\"kind\": \"runn\"");
  copy.replace("lesson.json", "\"goal\"", "\"gaol\"");
  copy.replace("lesson.json", "\"kind\": \"run\", \"variant\": \"after\"", "\"kind\": \"run\", \"variant\": \"aftr\"");
  copy.replace("lesson.json", "\"useful_gbps\"", "\"usefull_gbps\"");
  std::set<std::string> hints;
  for (const Diagnostic& d : copy.errors()) {
    CHECK(d.position.line > 0);
    CHECK(d.file.find("lesson.json") != std::string::npos);
    hints.insert(d.hint);
  }
  for (const char* meant : {"run", "goal", "after", "useful_gbps"}) CHECK(hints.count(std::string("did you mean '") + meant + "'?") == 1);
}

TEST_CASE("A text whose sections are not the steps is refused") {
  const Copy copy("01-vector-add");
  copy.replace("text.ru.md", "{#guard}", "{#guards}");
  const Diagnostics errors = copy.errors();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message.find("{#guard}") != std::string::npos);
  CHECK(errors[0].position.line > 40);
}

TEST_CASE("A launch or a source that is not there is refused at its name") {
  const Copy copy("01-vector-add");
  copy.replace("lesson.json", "01-vector-add/scale/after", "01-vector-add/scale/aftr");
  copy.replace("lesson.json", "vec_add_grid_stride.cu", "nowhere.cu");
  const Diagnostics errors = copy.errors();
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].hint == "did you mean '01-vector-add/scale/after'?");
  CHECK(errors[1].message == "there is no file \"nowhere.cu\"");
}

TEST_CASE("JSON that breaks off is refused where it does") {
  const Copy copy("01-vector-add");
  std::string text = *readTextFile((copy.folder / "lesson.json").string());
  REQUIRE_FALSE(writeFile((copy.folder / "lesson.json").string(), text.substr(0, text.size() / 2)));
  CHECK(copy.errors()[0].position.line > 1);
}
