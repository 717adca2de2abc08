// The toolbar's own buttons and combo boxes: a glyph, a word and its shortcut; a caption and the chosen value.
#pragma once

#include "studio/glyphs.h"

#include <QAbstractButton>
#include <QComboBox>

class QAction;

namespace warpmill::studio {

// Shows an action: enabled state, tool-tip and shortcut come from it.
class CommandButton : public QAbstractButton {
  Q_OBJECT
 public:
  CommandButton(QAction* action, Glyph glyph, const QString& text, bool primary, QWidget* parent);
  void setGlyph(Glyph glyph, const QString& text);
  void setKeys(const QString& keys);   // shown instead of the action's own shortcut
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;   // without the keys

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QAction* action_;
  Glyph glyph_;
  bool primary_;
  QString keys_;
  [[nodiscard]] QString keysText() const;
};

class CaptionedCombo : public QComboBox {
  Q_OBJECT
 public:
  CaptionedCombo(const QString& caption, QWidget* parent);
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString caption_;
};

}  // namespace warpmill::studio
