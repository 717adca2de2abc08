// One warp close up: its 32 workers, their registers as crates, and the memory cells they reach for.
// Simplified: at most three registers stand as crates, those that the shown instruction names; a cell is a 4-byte word, whatever the type.
#pragma once

#include "scene/floor.h"

namespace warpmill::scene {

inline constexpr float crewPitch = 1.3f, crewWidth = 32 * crewPitch;
Fit fitCrew(float width, float height, float top, float bottom);
void drawCrewBase(const Iso& iso);
void drawCrew(const Iso& iso, const presenter::Frame& frame, Language language);
void drawCrewNotes(const Iso& iso, const presenter::Frame& frame, Language language, bool compact);
// The card with the instruction (top left) and the one with the paths (bottom right).
void drawCrewCards(Canvas& canvas, const presenter::Frame& frame, Language language, float top, bool compact);

}  // namespace warpmill::scene
