// Results of long runs, kept for the next start of the program: a file whose name says all that the result follows from.
#pragma once

#include <QByteArray>
#include <QString>

#include <string>
#include <vector>

namespace warpmill::studio {

// Where the result of `program` on these texts and files (by their contents; large ones by size and date) is kept. Kind: a folder of the cache.
QString keptFile(const QString& kind, const QString& program, const std::vector<std::string>& texts, const std::vector<std::string>& files);
QByteArray readKept(const QString& file);   // empty: there is none
void keep(const QString& file, const QByteArray& result);

}  // namespace warpmill::studio
