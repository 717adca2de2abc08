// The colours and measures of the studio, for both themes, in one place (style guide: colour tokens, type, spacing).
// Colour means a stall state (eight hues that nothing else uses) or `lamp`, the one accent: focus, playhead, wanted bytes.
#pragma once

#include <QColor>

#include <array>

namespace warpmill::studio {

struct StateLook {
  char letter;    // W R G S Q B M I
  QColor fill, ink;
};

struct Tokens {
  bool dark = true;
  QColor canvas, glow, panel, raised, control, line, strong;   // surfaces and lines
  QColor hi, mid, low;                                         // text: headings and values, body, captions
  QColor lamp, lampInk, onLamp;
  QColor simulated, measured, negative, positive;              // compare: series and signed differences
  QColor ivory, ghost, lit;                                    // people, empty cells, wanted bytes
  std::array<StateLook, 8> states;

  [[nodiscard]] QColor tint() const;     // current line, focused row: lamp at 16 %
  [[nodiscard]] const StateLook& state(char letter) const;
};

const Tokens& darkTokens();
const Tokens& lightTokens();

QColor mixed(const QColor& a, const QColor& b, double share);
QColor withAlpha(QColor colour, double alpha);

}  // namespace warpmill::studio
