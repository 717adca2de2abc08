// Fonts, sizes, palette and style sheet made from the tokens. One theme is current at a time; the window is rebuilt when it changes.
#pragma once

#include "studio/tokens.h"

#include <QFont>
#include <QPalette>
#include <QString>

namespace warpmill::studio {

class Theme {
 public:
  Theme(const Tokens& tokens, double scale);

  [[nodiscard]] const Tokens& tokens() const { return *tokens_; }
  [[nodiscard]] double scale() const { return scale_; }
  // Pixels of the design (at 100 %) in pixels of this window.
  [[nodiscard]] int px(double designPixels) const;
  [[nodiscard]] QFont sans(double sizePixels, int weight = QFont::Normal) const;
  [[nodiscard]] QFont mono(double sizePixels, int weight = QFont::Normal) const;
  [[nodiscard]] QPalette palette() const;
  [[nodiscard]] QString styleSheet() const;

 private:
  const Tokens* tokens_;
  double scale_;
};

// The theme that widgets paint with. Set once before the window is built and again before it is rebuilt.
const Theme& theme();
void setTheme(const Theme& theme);

QString sansFamily();   // "Inter" where it is installed, else the system's
QString monoFamily();   // "JetBrains Mono" where it is installed, else the system's fixed font

}  // namespace warpmill::studio
