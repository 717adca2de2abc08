#include "studio/settings.h"

#include <QApplication>
#include <QLocale>
#include <QPalette>
#include <QSettings>

namespace warpmill::studio {

namespace {

// Layouts of other versions of the window would be restored to nonsense.
constexpr int kLayoutVersion = 1;


bool systemIsDark() {
  const QPalette palette;
  return palette.color(QPalette::Window).lightness() < 128;
}

}  // namespace

void Settings::load() {
  if (!persistent) return;
  QSettings s(QSettings::IniFormat, QSettings::UserScope, "warpmill", "studio");
  theme = s.value("theme", theme).toString();
  language = s.value("language", language).toString();
  scale = qBound(1.0, s.value("scale", scale).toDouble(), 3.0);
  if (s.value("layoutVersion").toInt() == kLayoutVersion) {
    geometry = s.value("geometry").toByteArray();
    layout = s.value("layout").toByteArray();
    sceneShare = s.value("sceneShare").toInt();
  }
}

void Settings::save() const {
  if (!persistent) return;
  QSettings s(QSettings::IniFormat, QSettings::UserScope, "warpmill", "studio");
  s.setValue("theme", theme);
  s.setValue("language", language);
  s.setValue("scale", scale);
  s.setValue("layoutVersion", kLayoutVersion);
  s.setValue("geometry", geometry);
  s.setValue("layout", layout);
  s.setValue("sceneShare", sceneShare);
}

bool Settings::isDark() const {
  if (theme == "dark") return true;
  if (theme == "light") return false;
  static const bool dark = systemIsDark();   // before our own palette is set
  return dark;
}

bool Settings::isRussian() const {
  if (language == "ru") return true;
  if (language == "en") return false;
  return QLocale::system().language() == QLocale::Russian;
}

}  // namespace warpmill::studio
