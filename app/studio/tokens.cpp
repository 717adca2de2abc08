#include "studio/tokens.h"

namespace warpmill::studio {

QColor mixed(const QColor& a, const QColor& b, double share) {
  const auto between = [share](int x, int y) { return static_cast<int>(x + (y - x) * share + 0.5); };
  return {between(a.red(), b.red()), between(a.green(), b.green()), between(a.blue(), b.blue())};
}

QColor withAlpha(QColor colour, double alpha) {
  colour.setAlphaF(static_cast<float>(alpha));
  return colour;
}

QColor Tokens::tint() const { return withAlpha(lamp, 0.16); }

const StateLook& Tokens::state(char letter) const {
  for (const StateLook& look : states)
    if (look.letter == letter) return look;
  return states[0];
}

const Tokens& darkTokens() {
  static const Tokens tokens = [] {
    Tokens t;
    t.dark = true;
    t.canvas = "#14171C"; t.glow = "#1C2026"; t.panel = "#1B1F25"; t.raised = "#242931"; t.control = "#2F353E";
    t.line = "#333942"; t.strong = "#4D545F";
    t.hi = "#EFEAE0"; t.mid = "#B9B4AB"; t.low = "#918E87";
    t.lamp = "#F0A064"; t.lampInk = "#F0A064"; t.onLamp = "#1A1410";
    t.simulated = "#F0A064"; t.measured = "#EFEAE0"; t.negative = "#6FA8DC"; t.positive = "#E08A50";
    t.ivory = "#EDE5D7"; t.ghost = "#34363A"; t.lit = "#F5B07C";
    t.states = {{{'W', "#0EB189", "#06402F"}, {'R', "#FFFFCE", "#FFFFCE"}, {'G', "#515AD5", "#9BA1EE"}, {'S', "#BCFCFD", "#3E7A82"},
                 {'Q', "#6E6571", "#A79DAC"}, {'B', "#C63F23", "#F0A593"}, {'M', "#E1C509", "#6B5E05"}, {'I', "#9B98C1", "#4A4770"}}};
    return t;
  }();
  return tokens;
}

const Tokens& lightTokens() {
  static const Tokens tokens = [] {
    Tokens t;
    t.dark = false;
    t.canvas = "#F6F3EE"; t.glow = "#FCFBF8"; t.panel = "#FFFFFF"; t.raised = "#F3EFE8"; t.control = "#E9E4DB";
    t.line = "#DAD4CA"; t.strong = "#A9A296";
    t.hi = "#22252A"; t.mid = "#50524F"; t.low = "#6A6964";
    t.lamp = "#AE5E40"; t.lampInk = "#984A2C"; t.onLamp = "#FFFFFF";
    t.simulated = "#984A2C"; t.measured = "#22252A"; t.negative = "#2B6CB0"; t.positive = "#B5531B";
    t.ivory = "#4A4D52"; t.ghost = "#F4F0E9"; t.lit = "#DE9068";
    t.states = {{{'W', "#12A27C", "#DDF5EC"}, {'R', "#B18E13", "#B18E13"}, {'G', "#4D45B4", "#C9C5F2"}, {'S', "#7670FF", "#F0EFFF"},
                 {'Q', "#431350", "#C9A9D3"}, {'B', "#900E3C", "#F0B6C8"}, {'M', "#7E6500", "#F3E2A0"}, {'I', "#7B7394", "#F1EEF7"}}};
    return t;
  }();
  return tokens;
}

}  // namespace warpmill::studio
