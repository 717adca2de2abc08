#include "scene/theme.h"

#include <cmath>

namespace warpmill::scene {

Rgb mix(Rgb a, Rgb b, float t) {
  Rgb out = 0;
  for (int shift = 0; shift <= 16; shift += 8) {
    const float x = static_cast<float>((a >> shift) & 255), y = static_cast<float>((b >> shift) & 255);
    out |= static_cast<Rgb>(std::lround(x + (y - x) * t)) << shift;
  }
  return out;
}

Rgb Palette::deep(Rgb face, float share) const { return dark ? mix(face, canvas, share) : mix(face, ink, share * 0.35f); }

const Palette& paletteOf(Theme theme) {
  static const Palette darkPalette{
      .dark = true, .canvas = 0x14171C, .glow = 0x1C2026, .panel = 0x1B1F25, .raised = 0x242931, .control = 0x2F353E, .line = 0x333942,
      .strong = 0x4D545F, .hi = 0xEFEAE0, .mid = 0xB9B4AB, .low = 0x918E87, .lamp = 0xF0A064, .lampInk = 0xF0A064, .onLamp = 0x1A1410,
      .ink = 0x14171C, .shadow = 0x05070A, .shadowAlpha = 0.34f, .rim = 0.16f, .sim = 0xF0A064, .real = 0xEFEAE0,
      .slab = {0x272A2E, 0x1D2024, 0x16181B}, .room = {0x36383C, 0x26282C, 0x1E2023}, .wall = {0x474540, 0x363431, 0x292826},
      .plinth = {0x5B564F, 0x45413C, 0x34312D}, .stone = {0x7B7367, 0x5C564D, 0x443F39}, .slate = {0x56616C, 0x3F4851, 0x2E353C},
      .ivory = {0xEDE5D7, 0xC9C0B2, 0x9C948A}, .lit = {0xF5B07C, 0xD38B54, 0xA4683C}, .darkPallet = {0x3B3D41, 0x2D2F32, 0x232528},
      .cab = {0x8B8477, 0x6A6459, 0x4F4A42}, .road = 0x202327, .paint = 0x575B61, .paintHi = 0x97958F,
      .state = {0x0EB189, 0xFFFFCE, 0x515AD5, 0xBCFCFD, 0x6E6571, 0xC63F23, 0xE1C509, 0x9B98C1},
      .stateInk = {0x0EB189, 0xFFFFCE, 0x9BA1EE, 0x3E7A82, 0xA79DAC, 0xF0A593, 0x6B5E05, 0x4A4770}};
  static const Palette lightPalette{
      .dark = false, .canvas = 0xF6F3EE, .glow = 0xFCFBF8, .panel = 0xFFFFFF, .raised = 0xF3EFE8, .control = 0xE9E4DB, .line = 0xDAD4CA,
      .strong = 0xA9A296, .hi = 0x22252A, .mid = 0x50524F, .low = 0x6A6964, .lamp = 0xAE5E40, .lampInk = 0x984A2C, .onLamp = 0xFFFFFF,
      .ink = 0x22252A, .shadow = 0x5A5044, .shadowAlpha = 0.16f, .rim = 0.55f, .sim = 0x984A2C, .real = 0x22252A,
      .slab = {0xE8E3DA, 0xCFC8BC, 0xBBB3A6}, .room = {0xF4F0E9, 0xDDD6CB, 0xCBC3B6}, .wall = {0xDCD5C9, 0xC3BBAE, 0xAEA698},
      .plinth = {0xD3CABC, 0xB9AFA0, 0xA09687}, .stone = {0xCBBEAB, 0xAEA08C, 0x92846F}, .slate = {0xB7C2CB, 0x98A5B0, 0x7C8995},
      .ivory = {0x4A4D52, 0x34373B, 0x26282C}, .lit = {0xDE9068, 0xC0714B, 0x9C5636}, .darkPallet = {0xC9C3B8, 0xB0A99D, 0x979084},
      .cab = {0x8C8679, 0x716B5F, 0x5A554B}, .road = 0xDDD7CC, .paint = 0xA9A296, .paintHi = 0x67635C,
      .state = {0x12A27C, 0xB18E13, 0x4D45B4, 0x7670FF, 0x431350, 0x900E3C, 0x7E6500, 0x7B7394},
      .stateInk = {0x12A27C, 0xB18E13, 0xC9C5F2, 0xF0EFFF, 0xC9A9D3, 0xF0B6C8, 0xF3E2A0, 0xF1EEF7}};
  return theme == Theme::Dark ? darkPalette : lightPalette;
}

}  // namespace warpmill::scene
