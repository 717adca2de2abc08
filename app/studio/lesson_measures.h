// What the compare panel lays beside the simulator, and where it comes from: the record that the lesson brings, a run on this machine's
// GPU, or one on another machine. And the lesson's sizes simulated, for the plot over sizes.
#pragma once

#include "lesson/lesson.h"
#include "lesson/measured.h"
#include "studio/program_run.h"

#include <QObject>
#include <QString>

#include <map>
#include <memory>
#include <optional>

namespace warpmill::studio {

struct SizeRun {
  double timeUs = 0;
  std::string limit;
};

class LessonMeasures : public QObject {
  Q_OBJECT
 public:
  explicit LessonMeasures(QObject* parent = nullptr);

  void setLesson(std::shared_ptr<const lesson::Lesson> lesson);   // ends what ran for another
  // Measures all launches of the lesson; host empty: on this machine.
  void measure(const QString& host);
  void cancel();
  [[nodiscard]] bool isMeasuring() const { return gpu_.isRunning(); }
  [[nodiscard]] const QString& progress() const { return progress_; }
  // The last attempt's result: a record, or why there is none.
  [[nodiscard]] const std::optional<lesson::Measured>& record() const { return record_; }
  [[nodiscard]] const QString& error() const { return error_; }

  // Simulates every size once, when somebody wants to see them; kept for the next start.
  void wantSizes();
  [[nodiscard]] bool isSimulating() const { return sizes_.isRunning(); }
  [[nodiscard]] const std::map<std::string, SizeRun>& sizes() const { return simulated_; }   // by launch
  [[nodiscard]] const QString& sizesError() const { return sizesError_; }

 signals:
  void changed();
  void measured();   // record() is new

 private:
  void takeRecord(int exitCode, const QByteArray& output, const QString& errors);
  void takeSizes(int exitCode, const QByteArray& output, const QString& errors);
  [[nodiscard]] bool readSizes(const QByteArray& json);
  [[nodiscard]] QString cacheFile() const;

  std::shared_ptr<const lesson::Lesson> lesson_;
  ProgramRun gpu_, sizes_;
  QString progress_, error_, sizesError_;
  std::optional<lesson::Measured> record_;
  std::map<std::string, SizeRun> simulated_;
};

}  // namespace warpmill::studio
