// The 2:1 dimetric projection: x runs down-right, y down-left, z up. Only tops and the two front faces are ever seen.
// Box faces take their shade from the material, not from a light computation.
#pragma once

#include "scene/canvas.h"

#include <array>
#include <optional>

namespace warpmill::scene {

struct Vec3 { float x = 0, y = 0, z = 0; };

struct BoxLook {
  bool shadow = true, rim = true;
  std::optional<Rgb> top, left, right;   // instead of the material's
};

class Iso {
 public:
  Iso(Canvas& canvas, float originX, float originY, float tile) : c_(canvas), th_(canvas.palette()), ox_(originX), oy_(originY), t_(tile) {}

  [[nodiscard]] Canvas& canvas() const { return c_; }
  [[nodiscard]] const Palette& palette() const { return th_; }
  [[nodiscard]] float tile() const { return t_; }
  [[nodiscard]] Vec2 at(float x, float y, float z = 0) const { return {ox_ + (x - y) * t_ / 2, oy_ + (x + y) * t_ / 4 - z * t_ * 0.6124f}; }
  // The same view with the origin moved along x.
  [[nodiscard]] Iso shifted(float dx) const { return Iso(c_, ox_ + dx * t_ / 2, oy_ + dx * t_ / 4, t_); }
  [[nodiscard]] Vec2 at(Vec3 p) const { return at(p.x, p.y, p.z); }
  [[nodiscard]] bool patterned() const { return t_ * 0.44f * 0.6124f >= 9; }   // a state band this tall can carry its pattern

  void flat(float x0, float y0, float x1, float y1, const Paint& paint, float z = 0) const;
  void flat(float x0, float y0, float x1, float y1, Rgb fill, float z = 0, float alpha = 1) const { flat(x0, y0, x1, y1, Paint{.fill = fill, .alpha = alpha}, z); }
  void outline(float x0, float y0, float x1, float y1, Rgb stroke, float width, float z = 0, float alpha = 1) const;
  void dashedOutline(float x0, float y0, float x1, float y1, Rgb stroke, float width, float on, float off, float alpha) const;
  void left(float x0, float x1, float y, float z0, float z1, const Paint& paint) const;    // faces +y
  void left(float x0, float x1, float y, float z0, float z1, Rgb fill) const { left(x0, x1, y, z0, z1, Paint{.fill = fill}); }
  void right(float x, float y0, float y1, float z0, float z1, const Paint& paint) const;   // faces +x
  void right(float x, float y0, float y1, float z0, float z1, Rgb fill) const { right(x, y0, y1, z0, z1, Paint{.fill = fill}); }
  void shadow(float x0, float y0, float x1, float y1, float height, float z = 0) const;
  void box(float x0, float y0, float x1, float y1, float z0, float z1, const Material& m, const BoxLook& look = {}) const;
  void line(std::initializer_list<Vec3> points, Rgb colour, float width = 1.5f, float alpha = 1) const;
  void dashed(Vec3 a, Vec3 b, Rgb colour, float width, float on, float off, float alpha = 1) const;
  void arrow(std::initializer_list<Vec3> points, Rgb colour, float width, float head, float alpha = 1) const;
  enum class Axis : std::uint8_t { X, Y };
  // Text painted on the floor; `size` in pixels at the tile size 38.
  void paint(float x, float y, std::string_view text, float size, Rgb colour, Axis axis = Axis::X, float z = 0, float track = 1) const;

  // The floor area of a thing with its height, as an outline for the pointer.
  [[nodiscard]] std::vector<Vec2> silhouette(float x0, float y0, float x1, float y1, float z0, float z1) const;

 private:
  Canvas& c_;
  const Palette& th_;
  float ox_, oy_, t_;
};

}  // namespace warpmill::scene
