#include "studio/kept_results.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QStandardPaths>

namespace warpmill::studio {

QString keptFile(const QString& kind, const QString& program, const std::vector<std::string>& texts, const std::vector<std::string>& files) {
  constexpr qint64 largest = 4 << 20;
  QCryptographicHash hash(QCryptographicHash::Sha256);
  const auto addState = [&](const QFileInfo& file) { hash.addData(QByteArray::number(file.size()) + " " + QByteArray::number(file.lastModified().toMSecsSinceEpoch()) + "\n"); };
  addState(QFileInfo(program));
  for (const std::string& text : texts) hash.addData(QByteArray::fromStdString(text) + "\n");
  for (const std::string& path : files) {
    QFile file(QString::fromStdString(path));
    if (file.size() > largest) addState(QFileInfo(file));
    else if (file.open(QIODevice::ReadOnly)) hash.addData(file.readAll());
  }
  return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + "/warpmill/" + kind + "/" + QString::fromLatin1(hash.result().toHex().left(32)) + ".json";
}

QByteArray readKept(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void keep(const QString& path, const QByteArray& result) {
  QDir().mkpath(QFileInfo(path).path());
  if (QSaveFile file(path); file.open(QIODevice::WriteOnly)) file.write(result), file.commit();
}

}  // namespace warpmill::studio
