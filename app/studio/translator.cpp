#include "studio/translator.h"

namespace warpmill::studio {

TableTranslator::TableTranslator(QObject* parent) : QTranslator(parent) {
  for (const Translation& entry : russianTable()) table_.insert(entry.english, QString::fromUtf8(entry.russian));
}

QString TableTranslator::translate(const char* context, const char* source, const char*, int) const {
  const auto found = table_.constFind(QByteArray(source));
  if (found != table_.constEnd()) return *found;
  // Qt's own classes ask too ("QShortcut", "QDialogButtonBox"): theirs come from Qt's catalogue.
  if (!QByteArray(context).startsWith('Q')) missing_.insert(QString::fromUtf8(source));
  return {};
}

}  // namespace warpmill::studio
