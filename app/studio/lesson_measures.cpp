#include "studio/lesson_measures.h"

#include "base/text_file.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QStandardPaths>

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

LessonMeasures::LessonMeasures(QObject* parent) : QObject(parent) {
  connect(&gpu_, &ProgramRun::said, this, [this](const QString& line) {
    progress_ = line.section("warpmill: ", -1);
    emit changed();
  });
  connect(&gpu_, &ProgramRun::finished, this, &LessonMeasures::takeRecord);
  connect(&sizes_, &ProgramRun::finished, this, &LessonMeasures::takeSizes);
}

void LessonMeasures::setLesson(std::shared_ptr<const lesson::Lesson> lesson) {
  if (lesson == lesson_) return;
  gpu_.stop();
  sizes_.stop();
  lesson_ = std::move(lesson);
  record_.reset();
  simulated_.clear();
  progress_ = error_ = sizesError_ = {};
  emit changed();
}

void LessonMeasures::measure(const QString& host) {
  if (lesson_ == nullptr) return;
  error_ = progress_ = {};
  QStringList arguments{"measure", QString::fromStdString(lesson_->folder), "--no-simulator", "--json", "-"};
  if (!host.isEmpty()) arguments << "--host" << host;
  gpu_.start(arguments);
  emit changed();
}

void LessonMeasures::cancel() {
  gpu_.stop();
  emit changed();
}

void LessonMeasures::takeRecord(int exitCode, const QByteArray& output, const QString& errors) {
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

// The name says all that the figures follow from, the program included.
QString LessonMeasures::cacheFile() const {
  QCryptographicHash hash(QCryptographicHash::Sha256);
  const QFileInfo program(commandLineProgram());
  hash.addData(QByteArray::number(program.size()) + " " + QByteArray::number(program.lastModified().toMSecsSinceEpoch()));
  for (const QFileInfo& file : QDir(QString::fromStdString(lesson_->folder)).entryInfoList({"*.json", "*.ptx"}, QDir::Files, QDir::Name))
    if (const Result<std::string> text = readTextFile(file.filePath().toStdString())) hash.addData(QByteArray(text->data(), static_cast<qsizetype>(text->size())));
  return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + "/warpmill/sizes/" + QString::fromLatin1(hash.result().toHex().left(32)) + ".json";
}

void LessonMeasures::wantSizes() {
  if (lesson_ == nullptr || sizes_.isRunning() || !simulated_.empty()) return;
  if (QFile file(cacheFile()); file.open(QIODevice::ReadOnly) && readSizes(file.readAll())) return emit changed();
  sizes_.start({"run", QString::fromStdString(lesson_->folder), "--device", QString::fromStdString(lesson_->device), "--no-results", "--checks", "none", "--jobs", "1", "--json", "-"});
  emit changed();
}

void LessonMeasures::takeSizes(int exitCode, const QByteArray& output, const QString& errors) {
  sizesError_.clear();
  if (!readSizes(output)) {
    sizesError_ = exitCode < 0 ? tr("The program 'warpmill' could not be run.") : plainError(errors);
  } else {
    const QString path = cacheFile();
    QDir().mkpath(QFileInfo(path).path());
    if (QSaveFile file(path); file.open(QIODevice::WriteOnly)) file.write(output), file.commit();
  }
  emit changed();
}

bool LessonMeasures::readSizes(const QByteArray& json) {
  const QJsonDocument document = QJsonDocument::fromJson(json);
  const QJsonArray reports = document.isObject() ? QJsonArray{document.object()} : document.array();   // a single launch stands alone
  for (const QJsonValue& value : reports) {
    const QJsonObject report = value.toObject();
    const double us = report["timing"].toObject()["time_us"].toDouble();
    if (us > 0) simulated_[report["name"].toString().toStdString()] = {us, report["achieved"].toObject()["limit"].toString().toStdString()};
  }
  return !simulated_.empty();
}

}  // namespace warpmill::studio
