// A list of flat shapes in painter's order. One primitive makes them all: a parallelogram with smooth edges, which may be rounded,
// bordered, cut by a third strip (triangles, hexagons, half discs), filled with a screen-space pattern, or a glyph.
// Smooth edges come from each pixel's distance to the shape's edges, so no multisampling is needed.
#pragma once

#include "scene/fonts.h"
#include "scene/theme.h"
#include "scene/view.h"

#include <glm/vec2.hpp>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill::scene {

using Vec2 = glm::vec2;

struct Vertex {
  float x, y;                    // device pixels
  float a, b, c, ha, hb, hc;     // distance from the middle of three strips, and their half widths
  float radius, border;
  float u, v;
  std::uint32_t fill, ink;       // RGBA bytes
  std::uint32_t mode;            // bytes: pattern, glyph, tile size in pixels, plain
};
// A quad without edges, pattern or glyph: a simpler shader fills it.
inline constexpr std::uint32_t plainMode = 255u << 24;

// An area of the picture that answers to the pointer.
struct HitArea {
  float x = 0, y = 0, w = 0, h = 0;
  std::vector<Vec2> outline;     // a convex outline instead of the rectangle, when not empty
  Command command;
  bool clickable = false;
  std::string text;              // what it is, for hover and screen readers
};

struct Paint {                   // how to fill a shape
  Rgb fill = 0;
  float alpha = 1;
  Rgb border = 0;
  float borderWidth = 0;
  float radius = 0;
  const Fonts::Tile* tile = nullptr;   // pattern, drawn in `border`'s colour
};

enum class Anchor : std::uint8_t { Start, Middle, End };

struct TextLook {
  TextStyle style{13, Weight::Regular, false};
  Rgb colour = 0;
  Anchor anchor = Anchor::Start;
  float alpha = 1;
  float track = 0;
  bool halo = false;
  Rgb haloColour = 0;
};

class Canvas {
 public:
  Canvas(const Fonts& fonts, const Palette& palette, float pixelRatio) : fonts_(fonts), palette_(palette), ratio_(pixelRatio) {}
  void clear();
  void setSize(float width, float height) { width_ = width, height_ = height; }   // logical pixels: labels stay inside
  [[nodiscard]] float width() const { return width_; }
  [[nodiscard]] float height() const { return height_; }
  [[nodiscard]] const Palette& palette() const { return palette_; }
  [[nodiscard]] const Fonts& fonts() const { return fonts_; }
  [[nodiscard]] float ratio() const { return ratio_; }

  void rect(float x, float y, float w, float h, const Paint& paint);
  void rect(float x, float y, float w, float h, Rgb fill, float radius = 0, float alpha = 1) { rect(x, y, w, h, Paint{.fill = fill, .alpha = alpha, .radius = radius}); }
  void frame(float x, float y, float w, float h, Rgb stroke, float width, float radius = 0, float alpha = 1);   // stroke centred on the edge
  // The parallelogram p, p + u, p + u + v, p + v.
  void quad(Vec2 p, Vec2 u, Vec2 v, const Paint& paint);
  void triangle(Vec2 a, Vec2 b, Vec2 c, Rgb fill, float alpha = 1);
  // Footprint p, u, v swept by w (one side), as one shape.
  void hexagon(Vec2 p, Vec2 u, Vec2 v, Vec2 w, Rgb fill, float alpha);
  void disc(Vec2 c, float r, Rgb fill, float alpha = 1);
  void ring(Vec2 c, float r, Rgb stroke, float width, float alpha = 1);
  void halfDisc(Vec2 c, float r, Rgb fill);       // the right half
  void ellipse(Vec2 c, float rx, float ry, Rgb fill);
  void line(Vec2 a, Vec2 b, Rgb colour, float width = 1, float alpha = 1, bool roundCaps = false);
  void dashed(Vec2 a, Vec2 b, Rgb colour, float width, float on, float off, float alpha = 1);
  void polyline(std::span<const Vec2> points, Rgb colour, float width, float alpha = 1);
  void head(Vec2 tip, Vec2 direction, Rgb colour, float size, float alpha = 1);
  void arrow(std::span<const Vec2> points, Rgb colour, float width, float headSize, float alpha = 1);
  void gradientFan(Vec2 c, float rx, float ry, Rgb inner, Rgb outer);

  // (x, y): on the baseline. Returns the width.
  float text(float x, float y, std::string_view text, const TextLook& look);
  // Text laid along two axes: x-unit and y-unit of the text in pixels of the picture.
  void textAlong(Vec2 origin, Vec2 xAxis, Vec2 yAxis, std::string_view text, const TextLook& look);
  [[nodiscard]] float width(std::string_view text, TextStyle style) const { return fonts_.width(text, style); }
  // The text cut with an ellipsis so that it fits.
  [[nodiscard]] std::string fitted(std::string_view text, TextStyle style, float width) const;

  // Labels keep apart: a place is claimed once a picture, the first one gets it. `reserve` claims for what is drawn in any case.
  bool claim(float x, float y, float w, float h);
  void reserve(float x, float y, float w, float h) { claims_.push_back({x, y, w, h}); }

  void hit(HitArea area) { hits_.push_back(std::move(area)); }

  [[nodiscard]] const std::vector<Vertex>& vertices() const { return vertices_; }
  // What lies under everything: plain colours, which a simpler shader fills (the canvas glow covers the whole picture).
  [[nodiscard]] const std::vector<Vertex>& background() const { return background_; }
  [[nodiscard]] const std::vector<HitArea>& hits() const { return hits_; }
  [[nodiscard]] const std::vector<DrawnLabel>& labels() const { return labels_; }

 private:
  struct Strip { Vec2 normal; float offset, half; };   // |dot(normal, p - centre) - offset| < half, in device pixels
  void emit(Vec2 centre, Vec2 u, Vec2 v, const Paint& paint, const Strip* strip);
  void glyph(Vec2 origin, Vec2 xAxis, Vec2 yAxis, const Fonts::Glyph& g, std::uint32_t colour);

  const Fonts& fonts_;
  const Palette& palette_;
  float ratio_, width_ = 1e6f, height_ = 1e6f;
  std::vector<Vertex> vertices_, background_;
  std::vector<HitArea> hits_;
  std::vector<DrawnLabel> labels_;
  struct Claim { float x, y, w, h; };
  std::vector<Claim> claims_;
};

}  // namespace warpmill::scene
