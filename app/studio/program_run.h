// Work that the command line program does for the studio, in a process of its own: measuring on a GPU, simulating many sizes. It can be
// given up at any time, and whatever happens to it happens to it alone.
#pragma once

#include <QObject>
#include <QProcess>
#include <QStringList>

namespace warpmill::studio {

// The program `warpmill` that belongs to this studio: beside it, or in the build tree; else looked for in PATH.
QString commandLineProgram();

class ProgramRun : public QObject {
  Q_OBJECT
 public:
  explicit ProgramRun(QObject* parent = nullptr);
  ~ProgramRun() override;

  // Starts it, ending what ran before. What it writes to standard output comes whole with finished().
  void start(const QStringList& arguments);
  void stop();
  [[nodiscard]] bool isRunning() const { return process_ != nullptr; }

 signals:
  void said(const QString& line);                                          // of standard error, as it comes
  void finished(int exitCode, const QByteArray& output, const QString& errors);   // exitCode -1: it could not be started, or crashed

 private:
  QProcess* process_ = nullptr;
  QString errors_;
};

}  // namespace warpmill::studio
