#include "studio/picture.h"

#include <QCoreApplication>
#include <QImage>
#include <QSaveFile>
#include <QWidget>

namespace warpmill::studio {

QString writePicture(QWidget& widget, const QString& path) {
  QImage image(widget.size() * widget.devicePixelRatioF(), QImage::Format_RGB32);
  image.setDevicePixelRatio(widget.devicePixelRatioF());
  widget.render(&image);
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || !image.save(&file, "PNG") || !file.commit())
    return QCoreApplication::translate("picture", "Cannot write %1: %2").arg(path, file.errorString());
  return {};
}

}  // namespace warpmill::studio
