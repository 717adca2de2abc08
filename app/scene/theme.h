// Every colour of the scene, once, for the dark and the light theme. A material has three faces under one fixed light.
#pragma once

#include "presenter/stall_group.h"
#include "scene/view.h"

#include <array>
#include <cstdint>

namespace warpmill::scene {

using Rgb = std::uint32_t;  // 0xRRGGBB

struct Material { Rgb top, left, right; };

struct Palette {
  bool dark = true;
  Rgb canvas, glow, panel, raised, control, line, strong, hi, mid, low, lamp, lampInk, onLamp, ink;
  Rgb shadow;
  float shadowAlpha, rim;
  Rgb sim, real;
  Material slab, room, wall, plinth, stone, slate, ivory, lit, darkPallet, cab;
  Rgb road, paint, paintHi;
  std::array<Rgb, presenter::stallGroupCount> state, stateInk;

  [[nodiscard]] Rgb fill(presenter::StallGroup g) const { return state[static_cast<std::size_t>(g)]; }
  [[nodiscard]] Rgb patternInk(presenter::StallGroup g) const { return stateInk[static_cast<std::size_t>(g)]; }
  // An opening in a face: a door, a window, an empty compartment.
  [[nodiscard]] Rgb deep(Rgb face, float share = 0.45f) const;
};

[[nodiscard]] Rgb mix(Rgb a, Rgb b, float t);
[[nodiscard]] const Palette& paletteOf(Theme theme);

}  // namespace warpmill::scene
