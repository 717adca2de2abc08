// What the compare panel lays beside one another: launches simulated at full size, and measured on this machine's GPU or on another
// machine. The launches are those of a lesson or of a launch file; both are done by the program `warpmill`, in processes of their own.
#pragma once

#include "lesson/measured.h"
#include "profile/report.h"
#include "studio/program_run.h"

#include <QObject>
#include <QString>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmill::studio {

// Whose launches: a lesson's folder or a launch file, the device that they are simulated on, and the files that results follow from.
struct MeasureSubject {
  std::string path, device;
  std::vector<std::string> files;
  bool operator==(const MeasureSubject&) const = default;
};

// What one bottleneck lifted would give.
struct WhatIf {
  std::string name, limit, says;
  double timeUs = 0, gainPct = 0;
};

class Measures : public QObject {
  Q_OBJECT
 public:
  explicit Measures(QObject* parent = nullptr);

  void setSubject(std::optional<MeasureSubject> subject);   // ends what ran for another
  // Measures launches, all of them where no names are given; host empty: on this machine.
  void measure(const QString& host, const std::vector<std::string>& names = {});
  void cancel();
  [[nodiscard]] bool isMeasuring() const { return gpu_.isRunning(); }
  [[nodiscard]] const QString& progress() const { return progress_; }
  // The last attempt's result: a record, or why there is none.
  [[nodiscard]] const std::optional<lesson::Measured>& record() const { return record_; }
  [[nodiscard]] const QString& error() const { return error_; }

  // Simulates these launches at full size, one after another, each once; kept for the next start.
  void wantRuns(const std::vector<std::string>& names);
  [[nodiscard]] bool isSimulating() const { return runs_.isRunning() || !waiting_.empty(); }
  [[nodiscard]] const std::map<std::string, profile::Report>& runs() const { return reports_; }   // by launch
  [[nodiscard]] const QString& runsError() const { return runsError_; }

  // What would help this launch: simulates it with one bottleneck lifted at a time. Kept as the runs are.
  void askWhatIf(const std::string& name);
  [[nodiscard]] bool isAsking() const { return whatIf_.isRunning(); }
  [[nodiscard]] const std::vector<WhatIf>& whatIf(const std::string& name);   // looks among what is kept

 signals:
  void changed();
  void measured();   // record() is new

 private:
  void takeRecord(int exitCode, const QByteArray& output, const QString& errors);
  void takeRun(int exitCode, const QByteArray& output, const QString& errors);
  void startNext();
  void takeWhatIf(int exitCode, const QByteArray& output, const QString& errors);
  void readWhatIf(const std::string& name, const QByteArray& json);
  [[nodiscard]] QStringList runOf(const std::string& name) const;
  [[nodiscard]] bool readRun(const QByteArray& json);
  [[nodiscard]] QString fileOf(const std::string& name, const QString& kind = "runs") const;

  std::optional<MeasureSubject> subject_;
  ProgramRun gpu_, runs_, whatIf_;
  std::string asked_;                       // whatIf_ runs for it
  std::map<std::string, std::vector<WhatIf>> remedies_;
  QString progress_, error_, runsError_;
  std::optional<lesson::Measured> record_;
  std::deque<std::string> waiting_;         // the first runs
  std::map<std::string, profile::Report> reports_;
};

}  // namespace warpmill::studio
