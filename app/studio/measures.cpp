#include "studio/measures.h"

#include "studio/kept_results.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpmill::studio {

namespace {

// "warpmill: error: MESSAGE" and its hint, out of what the program said, as one line.
QString plainError(const QString& errors) {
  QStringList said;
  for (QString line : errors.split('\n', Qt::SkipEmptyParts)) {
    line = line.trimmed();
    for (const char* start : {"warpmill: error: ", "error: ", "hint: "})
      if (line.startsWith(start)) {
        said.append(line.mid(static_cast<qsizetype>(qstrlen(start))));
        break;
      }
  }
  if (said.isEmpty()) said = errors.trimmed().split('\n').mid(0, 1);
  return said.mid(0, 2).join("; ");
}

}  // namespace

Measures::Measures(QObject* parent) : QObject(parent) {
  connect(&gpu_, &ProgramRun::said, this, [this](const QString& line) {
    progress_ = line.section("warpmill: ", -1);
    emit changed();
  });
  connect(&gpu_, &ProgramRun::finished, this, &Measures::takeRecord);
  connect(&runs_, &ProgramRun::finished, this, &Measures::takeRun);
}

void Measures::setSubject(std::optional<MeasureSubject> subject) {
  if (subject == subject_) return;
  gpu_.stop();
  runs_.stop();
  subject_ = std::move(subject);
  record_.reset();
  waiting_.clear();
  reports_.clear();
  progress_ = error_ = runsError_ = {};
  emit changed();
}

// ---- On a GPU ----

void Measures::measure(const QString& host, const std::vector<std::string>& names) {
  if (!subject_) return;
  error_ = progress_ = {};
  QStringList arguments{"measure", QString::fromStdString(subject_->path), "--no-simulator", "--counters", "--json", "-"};
  for (const std::string& name : names) arguments << "--only-name" << QString::fromStdString(name);
  if (!host.isEmpty()) arguments << "--host" << host;
  gpu_.start(arguments);
  emit changed();
}

void Measures::cancel() {
  gpu_.stop();
  emit changed();
}

void Measures::takeRecord(int exitCode, const QByteArray& output, const QString& errors) {
  progress_.clear();
  auto record = output.isEmpty() ? Result<lesson::Measured>(Diagnostics{}) : lesson::parseMeasured(output.toStdString(), "");
  if (record) {
    record_ = std::move(*record);
    emit measured();
  } else {
    error_ = exitCode < 0 ? tr("The program 'warpmill' could not be run.") : plainError(errors);
  }
  emit changed();
}

// ---- Simulated ----

QString Measures::fileOf(const std::string& name) const { return keptFile("runs", commandLineProgram(), {name, subject_->path, subject_->device}, subject_->files); }

void Measures::wantRuns(const std::vector<std::string>& names) {
  if (!subject_) return;
  const bool wasIdle = waiting_.empty();
  const std::size_t before = reports_.size();
  for (const std::string& name : names) {
    if (reports_.count(name) != 0 || std::find(waiting_.begin(), waiting_.end(), name) != waiting_.end()) continue;
    if (const QByteArray kept = readKept(fileOf(name)); !kept.isEmpty() && readRun(kept)) continue;
    waiting_.push_back(name);
  }
  if (wasIdle && !waiting_.empty()) startNext();
  else if (reports_.size() != before) emit changed();
}

void Measures::startNext() {
  runs_.start({"run", QString::fromStdString(subject_->path), "--only-name", QString::fromStdString(waiting_.front()), "--device", QString::fromStdString(subject_->device), "--no-results", "--checks",
               "none", "--jobs", "1", "--json", "-"});
  emit changed();
}

void Measures::takeRun(int exitCode, const QByteArray& output, const QString& errors) {
  const std::string name = waiting_.front();
  waiting_.pop_front();
  runsError_.clear();
  if (readRun(output) && reports_.count(name) != 0) {
    keep(fileOf(name), output);
  } else {
    reports_[name] = {};   // not asked for again
    runsError_ = exitCode < 0 ? tr("The program 'warpmill' could not be run.") : plainError(errors);
    if (runsError_.isEmpty()) runsError_ = tr("%1 was not simulated").arg(QString::fromStdString(name));
  }
  if (!waiting_.empty()) return startNext();
  emit changed();
}

bool Measures::readRun(const QByteArray& output) {
  const auto json = nlohmann::json::parse(output.constData(), output.constData() + output.size(), nullptr, false);
  bool any = false;
  const auto take = [&](const nlohmann::json& one) {
    profile::Report report = profile::reportFromJson(one);
    if (!report.timeUs) return;
    reports_[report.name] = std::move(report);
    any = true;
  };
  if (json.is_array())
    for (const auto& one : json) take(one);
  else take(json);
  return any;
}

}  // namespace warpmill::studio
