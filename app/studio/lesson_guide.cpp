#include "studio/lesson_guide.h"

#include "studio/player.h"

#include <algorithm>

namespace warpmill::studio {

LessonGuide::LessonGuide(Player& player, QObject* parent) : QObject(parent), player_(player) {
  connect(&runs_, &FigureRuns::changed, this, &LessonGuide::changed);
  connect(&player_, &Player::ready, this, [this] {
    if (momentDue_) seekMoment();
    emit changed();
  });
}

bool LessonGuide::open(const std::string& idOrPath, bool wait, RunMode runs) {
  Result<lesson::Lesson> found = lesson::findLesson(idOrPath);
  if (!found) {
    diagnostics_ = found.diagnostics();
    return false;
  }
  diagnostics_.clear();
  if (lesson_ != nullptr) machine_.reset();   // a machine chosen for another lesson; one chosen before the first stays
  lesson_ = std::make_shared<const lesson::Lesson>(std::move(*found));
  step_ = -1;
  answer_.reset();
  checked_ = false;
  wait_ = wait;
  arrange();
  runs_.start(lesson_, runs);
  wait_ = false;
  emit opened();
  emit changed();
  return true;
}

void LessonGuide::leave() {
  machine_.reset();
  lesson_.reset();
  runs_.start(nullptr, RunMode::Skip);
  emit opened();
  emit changed();
}

const lesson::Step* LessonGuide::current() const {
  return lesson_ != nullptr && step_ >= 0 && step_ < stepCount() ? &lesson_->steps[static_cast<std::size_t>(step_)] : nullptr;
}

void LessonGuide::goTo(int step, bool wait) {
  const int bounded = std::clamp(step, -1, stepCount() - 1);
  if (!isOpen() || bounded == step_) return;
  step_ = bounded;
  wait_ = wait;
  arrange();
  wait_ = false;
  emit changed();
}

const lesson::Question* LessonGuide::question() const {
  if (lesson_ == nullptr) return nullptr;
  for (const lesson::Step& step : lesson_->steps)
    if (step.question) return &*step.question;
  return nullptr;
}

void LessonGuide::setAnswer(std::size_t choice) {
  if (checked_ || answer_ == choice) return;
  answer_ = choice;
  emit changed();
}

void LessonGuide::check() {
  if (!answer_) return;
  checked_ = true;
  emit changed();
}

void LessonGuide::setMachine(std::optional<MachineChoice> machine) {
  machine_ = machine ? std::make_shared<MachineChoice>(*machine) : nullptr;
  if (isOpen() && player_.isOpen()) openVariant(player_.document().launchIndex);
}

void LessonGuide::openVariant(std::size_t variant) {
  OpenRequest request;
  request.lesson = lesson_;
  request.variant = variant;
  if (machine_) request.machine = *machine_;
  player_.open(std::move(request), wait_);
}

// A step about one variant brings that variant; the introduction and the question show the one that most moments are about.
void LessonGuide::arrange() {
  const lesson::Step* step = current();
  momentDue_ = step != nullptr && step->moment.has_value();
  std::size_t variant = 0;
  const bool ofOne = step != nullptr && (step->kind == lesson::StepKind::Run || step->kind == lesson::StepKind::Step);
  if (ofOne && !step->variants.empty()) {
    variant = step->variants.front();
  } else {
    if (player_.isOpen() && player_.document().request.lesson == lesson_) return;   // any will do: keep what is open
    std::vector<int> about(lesson_->variants.size(), 0);
    for (const lesson::Step& other : lesson_->steps)
      if (other.moment && !other.variants.empty()) ++about[other.variants.front()];
    variant = static_cast<std::size_t>(std::max_element(about.begin(), about.end()) - about.begin());
  }
  const bool same = player_.isOpen() && player_.document().request.lesson == lesson_ && player_.document().launchIndex == variant;
  if (!same) openVariant(variant);
  else if (momentDue_) seekMoment();
  else if (ofOne) player_.toStart();
}

void LessonGuide::seekMoment() {
  momentDue_ = false;
  const lesson::Step* step = current();
  if (step == nullptr || !step->moment || !player_.isOpen()) return;
  const auto found = lesson::findMoment(*step->moment, *player_.document().simulated, player_.session().trace());
  if (!found) {
    emit player_.message(tr("The moment of this step was not found in the run."));
    return;
  }
  player_.pause();
  player_.seekPosition(found->at);
  Selection next;
  next.warp = found->warp;
  next.lane = found->lane;
  if (found->request != timing::noRequest) next.request = found->request;
  player_.select(next);
}

}  // namespace warpmill::studio
