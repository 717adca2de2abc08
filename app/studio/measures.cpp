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
  connect(&whatIf_, &ProgramRun::finished, this, &Measures::takeWhatIf);
}

void Measures::setSubject(std::optional<MeasureSubject> subject) {
  if (subject == subject_) return;
  gpu_.stop();
  runs_.stop();
  whatIf_.stop();
  remedies_.clear();
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

QString Measures::fileOf(const std::string& name, const QString& kind) const { return keptFile(kind, commandLineProgram(), {name, subject_->path, subject_->device}, subject_->files); }

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
  runs_.start(runOf(waiting_.front()));
  emit changed();
}

QStringList Measures::runOf(const std::string& name) const {
  return {"run", QString::fromStdString(subject_->path), "--only-name", QString::fromStdString(name), "--device", QString::fromStdString(subject_->device), "--no-results", "--checks", "none", "--jobs", "1", "--json", "-"};
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

void Measures::askWhatIf(const std::string& name) {
  if (!subject_ || whatIf_.isRunning() || !whatIf(name).empty()) return;
  asked_ = name;
  whatIf_.start(runOf(name) << "--what-if");
  emit changed();
}

const std::vector<WhatIf>& Measures::whatIf(const std::string& name) {
  if (subject_ && remedies_.count(name) == 0) readWhatIf(name, readKept(fileOf(name, "what-if")));
  return remedies_[name];
}

void Measures::takeWhatIf(int exitCode, const QByteArray& output, const QString& errors) {
  readWhatIf(asked_, output);
  if (!remedies_[asked_].empty()) keep(fileOf(asked_, "what-if"), output);
  else runsError_ = exitCode < 0 ? tr("The program 'warpmill' could not be run.") : plainError(errors);
  emit changed();
}

void Measures::readWhatIf(const std::string& name, const QByteArray& output) {
  auto& all = remedies_[name];
  all.clear();
  auto json = nlohmann::json::parse(output.constData(), output.constData() + output.size(), nullptr, false);
  if (json.is_array() && !json.empty()) json = nlohmann::json(json[0]);
  if (!json.is_object() || !json.contains("what_if") || !json["what_if"].is_array()) return;
  for (const auto& r : json["what_if"])
    if (r.is_object()) all.push_back({r.value("name", ""), r.value("limit", ""), r.value("says", ""), r.value("time_us", 0.0), r.value("gain_pct", 0.0)});
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
