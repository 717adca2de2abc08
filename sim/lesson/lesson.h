// A lesson: a folder with lesson.json, its text in Markdown per language, kernels with PTX, and launch files.
// lesson.json names everything once; what it says is checked when it is read (files there, launches found, anchors the same in every
// language), so that whoever holds a Lesson need not check again.
#pragma once

#include "base/result.h"
#include "launch/launch.h"
#include "lesson/layout.h"
#include "lesson/moment.h"
#include "lesson/text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill::lesson {

enum class StepKind : std::uint8_t {
  Predict,   // a question, asked before anything has run
  Run,       // the whole scale model of a variant, its result checked
  Step,      // one moment of a variant's run, highlighted
  Compare,   // simulated beside measured, full size
  Answer,    // the question's answer, with the figures that the runs gave
  Exercise,
  LeftOut    // what the simulator leaves out of this lesson's machine
};
std::string_view stepKindName(StepKind kind);   // "predict", "run", "step", "compare", "answer", "exercise", "left-out"

enum class Size : std::uint8_t { Scale, Full };

struct Choice {
  std::string id;
  LocalText text;
};

// A question with one right choice. `why` has placeholders, see figures.h.
struct Question {
  LocalText text;
  std::vector<Choice> choices;
  std::size_t right = 0;         // into choices
  LocalText why;
};

// One form of the lesson's kernel: before, after, ...
struct Variant {
  std::string id;                // "after"
  LocalText title;
  std::string source;            // path of the .cu or .py
  launch::Launch scale, full;    // full: the size that texts and tables speak about
  std::vector<launch::Launch> sweep;          // all sizes of the full launch file that belong to this variant, in the file's order
  std::optional<BlockedLayout> layout;        // of a Triton program
};

struct Step {
  std::string id;                // the anchor in the texts
  StepKind kind = StepKind::Step;
  std::vector<std::size_t> variants;          // into Lesson::variants; Run and Step: one
  std::optional<Moment> moment;               // of a Step
  std::optional<Question> question;           // of a Predict
  std::vector<std::string> figures;           // of a Compare: rows of the table, by name (figures.h)
};

// How the result is judged: the named reference computes the expected output in fp64.
struct Check {
  std::string reference;         // of references() in check.h
  std::vector<std::size_t> inputs;            // arguments
  std::size_t output = 0, count = 0;          // arguments
  double relativeTolerance = 0;
};

struct Lesson {
  std::string folder, id;
  std::uint32_t order = 0;
  LocalText title, goal;
  std::string device;            // profile name, of both sizes
  std::uint32_t scaleSms = 1;    // SMs of the scale model
  std::vector<Variant> variants;
  std::vector<Step> steps;
  Check check;
  std::string measured;          // path of the record of the real GPU, relative to assets/measured
  std::vector<Text> texts;       // by language, English first

  [[nodiscard]] const Variant* variant(std::string_view id) const;   // nullptr: none
  [[nodiscard]] const Step* step(std::string_view id) const;
  [[nodiscard]] const Text& text(std::string_view language) const;   // English where there is none
  // Title and body (Markdown with placeholders) of a step.
  [[nodiscard]] const Section& section(const Step& step, std::string_view language) const;
};

Result<Lesson> readLesson(const std::string& folder);

// Where lessons/ is: $WARPMILL_LESSONS, or beside assets/.
std::string lessonsFolder();
// All lessons of a folder, by their order. A broken one is an error.
Result<std::vector<Lesson>> readLessons(const std::string& folder);
// By id, by the number before its first "-" ("1", "01"), or by a path of its folder.
Result<Lesson> findLesson(const std::string& idOrPath);

}  // namespace warpmill::lesson
