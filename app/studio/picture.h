// A widget's picture in a PNG file.
#pragma once

#include <QString>

class QWidget;

namespace warpmill::studio {

// Written beside the file and renamed. Gives why it failed; empty when all went well.
QString writePicture(QWidget& widget, const QString& path);

}  // namespace warpmill::studio
