// The figures a lesson quotes: of its scale models, of the same kernels simulated at full size, and of the recorded real GPU.
// Full-size runs take seconds, so they happen on a worker thread, one after another, and figures arrive as they are done.
#pragma once

#include "lesson/figures.h"
#include "lesson/lesson.h"

#include <QObject>
#include <QString>

#include <atomic>
#include <map>
#include <memory>

namespace warpmill::studio {

// What one run gave.
struct FigureRun {
  std::map<std::string, double> figures;   // by full name, "full.after.time_us"
  Diagnostics diagnostics;
  bool ok = false;
};

// When the runs are made: on a worker thread, before `start` returns, or not at all (only what files say is known then).
enum class RunMode { Background, Wait, Skip };

class FigureRuns : public QObject {
  Q_OBJECT
 public:
  explicit FigureRuns(QObject* parent = nullptr);
  ~FigureRuns() override;

  // Forgets the former lesson and starts this one's runs.
  void start(std::shared_ptr<const lesson::Lesson> lesson, RunMode mode);
  [[nodiscard]] const lesson::Figures& figures() const { return figures_; }
  [[nodiscard]] bool isBusy() const { return waiting_ > 0; }
  // Measured figures from another record than the lesson's, and back.
  void useRecord(lesson::Measured record);
  void useLessonRecord();
  [[nodiscard]] bool isLessonRecord() const { return isLessonRecord_; }
  [[nodiscard]] const lesson::Measured* measured() const { return measured_ ? &*measured_ : nullptr; }
  [[nodiscard]] const device::Profile* device() const { return device_ ? &*device_ : nullptr; }
  [[nodiscard]] const Diagnostics& diagnostics() const { return diagnostics_; }

 signals:
  void changed();

 private:
  void take(FigureRun run);
  void addMeasured();
  std::shared_ptr<const lesson::Lesson> lesson_;
  lesson::Figures figures_;
  std::optional<lesson::Measured> measured_;
  bool isLessonRecord_ = true;
  std::optional<device::Profile> device_;
  Diagnostics diagnostics_;
  int waiting_ = 0;
  std::uint64_t generation_ = 0;
  std::shared_ptr<std::atomic<bool>> cancelled_;
};

}  // namespace warpmill::studio
