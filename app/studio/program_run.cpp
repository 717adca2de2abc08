#include "studio/program_run.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace warpmill::studio {

QString commandLineProgram() {
  const QString here = QCoreApplication::applicationDirPath();
  for (const QString& path : {here + "/warpmill", here + "/../cli/warpmill", here + "/../../app/cli/warpmill"})
    if (QFileInfo(path).isExecutable()) return QDir::cleanPath(path);
  return "warpmill";
}

ProgramRun::ProgramRun(QObject* parent) : QObject(parent) {}

ProgramRun::~ProgramRun() { stop(); }

void ProgramRun::stop() {
  if (process_ == nullptr) return;
  process_->disconnect(this);
  process_->kill();
  process_->waitForFinished(1000);
  process_->deleteLater();
  process_ = nullptr;
}

void ProgramRun::start(const QStringList& arguments) {
  stop();
  errors_.clear();
  process_ = new QProcess(this);
  connect(process_, &QProcess::readyReadStandardError, this, [this] {
    errors_ += QString::fromUtf8(process_->readAllStandardError());
    const QStringList lines = errors_.split('\n', Qt::SkipEmptyParts);
    if (!lines.isEmpty()) emit said(lines.last());
  });
  const auto end = [this](int exitCode) {
    if (process_ == nullptr) return;
    errors_ += QString::fromUtf8(process_->readAllStandardError());
    const QByteArray output = process_->readAllStandardOutput();
    process_->disconnect(this);
    process_->deleteLater();
    process_ = nullptr;   // a listener may start the next one
    emit finished(exitCode, output, errors_);
  };
  connect(process_, &QProcess::errorOccurred, this, [end](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) end(-1);
  });
  connect(process_, &QProcess::finished, this, [end](int exitCode, QProcess::ExitStatus status) { end(status == QProcess::NormalExit ? exitCode : -1); });
  process_->start(commandLineProgram(), arguments, QIODevice::ReadOnly);
}

}  // namespace warpmill::studio
