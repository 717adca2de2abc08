// The small parts that all views share: plates, chips, swatches, labels, notes, glyphs, and the cards over the scene.
#pragma once

#include "presenter/words.h"
#include "scene/iso.h"

#include <string>
#include <string_view>

namespace warpmill::scene {

using presenter::Language;
using presenter::StallGroup;
using presenter::Word;

// Text styles of the guide.
TextLook textLook(Rgb colour, float size, Weight weight = Weight::Regular, Anchor anchor = Anchor::Start);
TextLook monoLook(Rgb colour, float size, Weight weight = Weight::Regular, Anchor anchor = Anchor::Start);
TextLook capsLook(const Palette& palette);

void plate(Canvas& c, float x, float y, float w, float h, float radius = 8, const Rgb* stroke = nullptr);
// The fill of a state: colour and, where there is room, its pattern. Ready is a border, see `swatch`.
Paint statePaint(const Canvas& c, StallGroup g, bool patterned);
void swatch(Canvas& c, float x, float y, float w, float h, StallGroup g, float radius = 2);
void chip(Canvas& c, float x, float y, StallGroup g, float w = 44, float h = 20);
void letterChip(Canvas& c, float x, float y, StallGroup g);   // 17 x 17, letter only
// A label on a plate; (x, y) is the middle of its left edge, centre or right edge.
// Labels and notes whose place another has claimed are left out (false).
bool label(Canvas& c, float x, float y, std::string_view text, std::string_view sub, Anchor anchor);
// Two lines with a leader to the thing itself.
bool note(Canvas& c, float x, float y, std::string_view head, std::string_view sub, Vec2 target, Anchor anchor = Anchor::Start);
void maskBar(Canvas& c, float x, float y, float w, float h, std::uint32_t bits, float gap, Rgb on, Rgb off);

enum class Glyph : std::uint8_t { Play, Back, Forward, Start, PlayBackward, Pause };
void icon(Canvas& c, float x, float y, Glyph glyph, Rgb colour);

// A crumb of the path at the top.
struct Crumb { std::string text, sub; Command command; bool clickable = false; };
void breadcrumb(Canvas& c, float width, const std::vector<Crumb>& crumbs, std::string_view right);

void hud(Canvas& c, float x, float y, const presenter::Frame& f, const Playback& playback, Language l);
float hudWidth(const Canvas& c, const presenter::Frame& f, const Playback& playback, Language l);
void legend(Canvas& c, float x, float y, float w, const presenter::SmView& sm, Language l);
inline constexpr float legendHeight = 44 + 8 * 26 + 8;
void legendStrip(Canvas& c, float x, float y, Language l, bool emptyPlace);
void minimap(Canvas& c, float x, float y, const presenter::Frame& f, Language l, bool compact);
Vec2 minimapSize(const presenter::Frame& f, bool compact);

// Why the selected warp is not to be seen.
Word absenceOf(const presenter::Frame& frame);

// One worker standing: body and head; `outline` for the marks other than active.
struct WorkerLook {
  presenter::LaneMark mark = presenter::LaneMark::Active;
  float k = 1;
  Rgb outline = 0, ground = 0;
};
void worker(const Iso& iso, float x, float y, float z, const WorkerLook& look);

}  // namespace warpmill::scene
