#include "studio/theme.h"

#include <QFontDatabase>
#include <QFontInfo>

#include <cmath>

namespace warpmill::studio {

namespace {

QString firstInstalled(const QStringList& wanted, const QString& otherwise) {
  for (const QString& family : wanted)
    if (QFontDatabase::hasFamily(family)) return family;
  return otherwise;
}

Theme& current() {
  static Theme theme(darkTokens(), 1.0);
  return theme;
}

}  // namespace

QString sansFamily() {
  static const QString family =
      firstInstalled({"Inter", "Noto Sans", "DejaVu Sans"}, QFontDatabase::systemFont(QFontDatabase::GeneralFont).family());
  return family;
}

QString monoFamily() {
  static const QString family =
      firstInstalled({"JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono"}, QFontDatabase::systemFont(QFontDatabase::FixedFont).family());
  return family;
}

Theme::Theme(const Tokens& tokens, double scale) : tokens_(&tokens), scale_(scale) {}

int Theme::px(double designPixels) const { return static_cast<int>(std::lround(designPixels * scale_)); }

QFont Theme::sans(double sizePixels, int weight) const {
  QFont font(sansFamily());
  font.setPixelSize(px(sizePixels));
  font.setWeight(static_cast<QFont::Weight>(weight));
  font.setHintingPreference(QFont::PreferNoHinting);
  return font;
}

QFont Theme::mono(double sizePixels, int weight) const {
  QFont font(monoFamily());
  font.setPixelSize(px(sizePixels));
  font.setWeight(static_cast<QFont::Weight>(weight));
  font.setStyleHint(QFont::Monospace);
  font.setHintingPreference(QFont::PreferNoHinting);
  return font;
}

QPalette Theme::palette() const {
  const Tokens& t = *tokens_;
  QPalette p;
  p.setColor(QPalette::Window, t.panel);
  p.setColor(QPalette::WindowText, t.hi);
  p.setColor(QPalette::Base, t.panel);
  p.setColor(QPalette::AlternateBase, t.raised);
  p.setColor(QPalette::Text, t.hi);
  p.setColor(QPalette::Button, t.control);
  p.setColor(QPalette::ButtonText, t.hi);
  p.setColor(QPalette::BrightText, t.lampInk);
  p.setColor(QPalette::PlaceholderText, t.low);
  p.setColor(QPalette::Highlight, mixed(t.panel, t.lamp, 0.32));
  p.setColor(QPalette::HighlightedText, t.hi);
  p.setColor(QPalette::ToolTipBase, t.raised);
  p.setColor(QPalette::ToolTipText, t.hi);
  p.setColor(QPalette::Link, t.lampInk);
  p.setColor(QPalette::LinkVisited, t.lampInk);
  p.setColor(QPalette::Mid, t.line);
  p.setColor(QPalette::Dark, t.line);
  p.setColor(QPalette::Shadow, t.canvas);
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    p.setColor(QPalette::Disabled, role, mixed(t.panel, t.low, 0.6));
  return p;
}

const Theme& theme() { return current(); }

void setTheme(const Theme& theme) { current() = theme; }

}  // namespace warpmill::studio
