// Leads through a lesson: which step is shown, the learner's answer, and what a step brings with it (a variant's launch, a moment).
#pragma once

#include "lesson/lesson.h"
#include "studio/document.h"
#include "studio/figure_runs.h"

#include <QObject>

#include <memory>
#include <optional>

namespace warpmill::studio {

class Player;

class LessonGuide : public QObject {
  Q_OBJECT
 public:
  explicit LessonGuide(Player& player, QObject* parent = nullptr);

  // By id, number or folder. False with diagnostics() when there is none.
  // With `wait` the launch is open when the call returns; `runs` says when the figures of its runs are to come.
  bool open(const std::string& idOrPath, bool wait = false, RunMode runs = RunMode::Background);
  void leave();                               // a launch file is opened instead
  [[nodiscard]] bool isOpen() const { return lesson_ != nullptr; }
  [[nodiscard]] const lesson::Lesson& lesson() const { return *lesson_; }
  [[nodiscard]] std::shared_ptr<const lesson::Lesson> shared() const { return lesson_; }
  [[nodiscard]] const Diagnostics& diagnostics() const { return diagnostics_; }
  [[nodiscard]] const FigureRuns& runs() const { return runs_; }
  // What the measured figures are: a run of one's own, or again the record that the lesson brings.
  void useRecord(lesson::Measured record) { runs_.useRecord(std::move(record)); }
  void useLessonRecord() { runs_.useLessonRecord(); }

  // Step -1 is the introduction.
  [[nodiscard]] int step() const { return step_; }
  [[nodiscard]] int stepCount() const { return lesson_ ? static_cast<int>(lesson_->steps.size()) : 0; }
  [[nodiscard]] const lesson::Step* current() const;
  void goTo(int step, bool wait = false);     // with `wait` what the step brings is there when the call returns

  // The lesson's question and what was answered.
  [[nodiscard]] const lesson::Question* question() const;
  [[nodiscard]] std::optional<std::size_t> answer() const { return answer_; }
  void setAnswer(std::size_t choice);
  [[nodiscard]] bool isChecked() const { return checked_; }
  void check();

  // Opens a variant's scale model (of the launch box); step and answer stay.
  void openVariant(std::size_t variant);
  void setMachine(std::optional<MachineChoice> machine);

 signals:
  void opened();
  void changed();        // step, answer or figures

 private:
  void arrange();        // what the step brings
  void seekMoment();
  Player& player_;
  FigureRuns runs_;
  std::shared_ptr<const lesson::Lesson> lesson_;
  Diagnostics diagnostics_;
  int step_ = -1;
  std::optional<std::size_t> answer_;
  bool checked_ = false;
  bool wait_ = false;
  bool momentDue_ = false;
  std::shared_ptr<MachineChoice> machine_;
};

}  // namespace warpmill::studio
