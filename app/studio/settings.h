// What the studio remembers between runs: language, theme, size, layout. With `persistent` false nothing is read or written (tests,
// pictures).
#pragma once

#include <QByteArray>
#include <QString>

namespace warpmill::studio {

struct Settings {
  bool persistent = true;
  QString theme = "system";     // "dark", "light", "system"
  QString language;             // "en", "ru"; empty: the system's
  double scale = 1.0;
  QByteArray geometry, layout;
  int sceneShare = 0;           // height of the scene in the middle column; 0: as designed

  void load();
  void save() const;

  [[nodiscard]] bool isDark() const;
  [[nodiscard]] bool isRussian() const;
};

}  // namespace warpmill::studio
