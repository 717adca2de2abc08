// The interface in Russian: one table from English to Russian, compiled in, so that no tool and no file is needed at run time.
#pragma once

#include <QSet>
#include <QTranslator>

namespace warpmill::studio {

struct Translation {
  const char* english;
  const char* russian;
};
const std::vector<Translation>& russianTable();

class TableTranslator : public QTranslator {
  Q_OBJECT
 public:
  explicit TableTranslator(QObject* parent = nullptr);
  [[nodiscard]] QString translate(const char* context, const char* source, const char* disambiguation, int n) const override;
  [[nodiscard]] bool isEmpty() const override { return false; }
  // Texts of ours that were asked for and are not in the table; for tests.
  [[nodiscard]] const QSet<QString>& missing() const { return missing_; }

 private:
  QHash<QByteArray, QString> table_;
  mutable QSet<QString> missing_;
};

}  // namespace warpmill::studio
