#include "scene/canvas.h"

#include <glm/geometric.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace warpmill::scene {
namespace {

constexpr float wide = 4096;   // "no edge here", small enough that a float still knows a tenth of a pixel beside it

std::uint32_t rgba(Rgb c, float alpha) {
  const auto a = static_cast<std::uint32_t>(std::lround(std::clamp(alpha, 0.0f, 1.0f) * 255));
  return (c >> 16 & 255) | (c & 0xFF00) | (c & 255) << 16 | a << 24;
}
float cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
Vec2 perpendicular(Vec2 a) { return {-a.y, a.x}; }

}  // namespace

void Canvas::clear() {
  vertices_.clear();
  background_.clear();
  hits_.clear();
  labels_.clear();
  claims_.clear();
}

bool Canvas::claim(float x, float y, float w, float h) {
  constexpr float apart = 4;
  for (const Claim& other : claims_)
    if (x < other.x + other.w + apart && other.x < x + w + apart && y < other.y + other.h + apart && other.y < y + h + apart) return false;
  claims_.push_back({x, y, w, h});
  return true;
}

// u, v: half axes. All in device pixels.
void Canvas::emit(Vec2 centre, Vec2 u, Vec2 v, const Paint& paint, const Strip* strip) {
  const float area = std::fabs(cross(u, v)), lu = glm::length(u), lv = glm::length(v);
  if (area < 1e-6f) return;
  const float ha = area / lv, hb = area / lu;
  Vertex t{};
  t.ha = ha;
  t.hb = hb;
  t.hc = strip != nullptr ? strip->half : wide;
  t.radius = paint.radius * ratio_;
  t.border = paint.borderWidth * ratio_;
  t.u = fonts_.whiteU();
  t.v = fonts_.whiteV();
  t.fill = rgba(paint.fill, paint.alpha);
  t.ink = rgba(paint.border, paint.alpha);
  if (paint.tile != nullptr) {
    t.u = paint.tile->u0;
    t.v = paint.tile->v0;
    t.mode = 255u | static_cast<std::uint32_t>(paint.tile->pixels) << 16;
  }
  constexpr std::array<Vec2, 4> corners{Vec2{-1, -1}, Vec2{1, -1}, Vec2{1, 1}, Vec2{-1, 1}};
  // The corner of a parallelogram whose half widths are a, b.
  const auto put = [&](Vec2 corner, float a, float b) {
    const Vec2 d = u * (corner.x * a / ha) + v * (corner.y * b / hb);
    t.x = centre.x + d.x;
    t.y = centre.y + d.y;
    t.a = a * corner.x;
    t.b = b * corner.y;
    t.c = strip != nullptr ? glm::dot(strip->normal, d) - strip->offset : 0;
    vertices_.push_back(t);
  };
  // A large shape is a plain middle with a rim that has the smooth edges: most pixels then cost little.
  const float rim = std::max(t.radius, t.border) + 1.5f;
  if (strip == nullptr && paint.tile == nullptr && std::min(ha, hb) > rim + 12) {
    for (std::size_t k = 0; k < 4; ++k) {
      const Vec2 from = corners[k], to = corners[(k + 1) % 4];
      put(from, ha + 1, hb + 1);
      put(to, ha + 1, hb + 1);
      put(to, ha - rim, hb - rim);
      put(from, ha - rim, hb - rim);
    }
    if ((t.fill >> 24) == 0) return;
    t.mode = plainMode;
    for (const Vec2 corner : corners) put(corner, ha - rim, hb - rim);
    return;
  }
  for (const Vec2 corner : corners) put(corner, ha + 1, hb + 1);
}

void Canvas::rect(float x, float y, float w, float h, const Paint& paint) {
  if (w <= 0 || h <= 0) return;
  const float r = ratio_;
  emit({(x + w / 2) * r, (y + h / 2) * r}, {w / 2 * r, 0}, {0, h / 2 * r}, paint, nullptr);
}

void Canvas::frame(float x, float y, float w, float h, Rgb stroke, float width, float radius, float alpha) {
  // Four bars, so that nothing inside is covered; rounded frames are drawn as one hollow shape by the shader's border (fill alpha 0).
  if (radius <= 0) {
    const float k = width / 2;
    rect(x - k, y - k, w + width, width, stroke, 0, alpha);
    rect(x - k, y + h - k, w + width, width, stroke, 0, alpha);
    rect(x - k, y + k, width, h - width, stroke, 0, alpha);
    rect(x + w - k, y + k, width, h - width, stroke, 0, alpha);
    return;
  }
  const std::size_t first = vertices_.size();
  rect(x - width / 2, y - width / 2, w + width, h + width, Paint{.fill = stroke, .alpha = alpha, .border = stroke, .borderWidth = width, .radius = radius + width / 2});
  for (std::size_t i = first; i < vertices_.size(); ++i) vertices_[i].fill &= 0x00FFFFFFu;
}

void Canvas::quad(Vec2 p, Vec2 u, Vec2 v, const Paint& paint) { emit((p + (u + v) * 0.5f) * ratio_, u * (0.5f * ratio_), v * (0.5f * ratio_), paint, nullptr); }

void Canvas::triangle(Vec2 a, Vec2 b, Vec2 c, Rgb fill, float alpha) {
  // Half of the parallelogram a, b, c: cut along the line b-c.
  a *= ratio_, b *= ratio_, c *= ratio_;
  const Vec2 u = (b - a) * 0.5f, v = (c - a) * 0.5f, centre = a + u + v;
  Vec2 normal = perpendicular(glm::normalize(c - b));
  if (glm::dot(normal, a - b) > 0) normal = -normal;      // points away from a
  const Strip strip{normal, glm::dot(normal, b - centre) - wide, wide};
  emit(centre, u, v, Paint{.fill = fill, .alpha = alpha}, &strip);
}

void Canvas::hexagon(Vec2 p, Vec2 u, Vec2 v, Vec2 w, Rgb fill, float alpha) {
  // u x v swept by w = the zonogon of u, v, w, which is the meeting of three strips. The parallelogram of the strips along u and v
  // holds it all: solve its axes so that the extents of the third direction are included.
  p *= ratio_, u *= ratio_, v *= ratio_, w *= ratio_;
  const Vec2 centre = p + (u + v + w) * 0.5f;
  const Vec2 nu = glm::normalize(perpendicular(u)), nv = glm::normalize(perpendicular(v)), nw = glm::normalize(perpendicular(w));
  const auto extent = [&](Vec2 n) { return (std::fabs(glm::dot(n, u)) + std::fabs(glm::dot(n, v)) + std::fabs(glm::dot(n, w))) * 0.5f; };
  const float area = std::fabs(cross(glm::normalize(u), glm::normalize(v)));
  if (area < 1e-6f) return;
  const Vec2 halfU = glm::normalize(u) * (extent(nv) / area), halfV = glm::normalize(v) * (extent(nu) / area);
  const Strip strip{nw, 0, extent(nw)};
  emit(centre, halfU, halfV, Paint{.fill = fill, .alpha = alpha}, &strip);
}

void Canvas::disc(Vec2 c, float r, Rgb fill, float alpha) { rect(c.x - r, c.y - r, 2 * r, 2 * r, Paint{.fill = fill, .alpha = alpha, .radius = r}); }
void Canvas::ring(Vec2 c, float r, Rgb stroke, float width, float alpha) { frame(c.x - r, c.y - r, 2 * r, 2 * r, stroke, width, r, alpha); }

void Canvas::halfDisc(Vec2 c, float r, Rgb fill) {
  const float k = ratio_;
  const Strip strip{{1, 0}, wide, wide};
  emit(c * k, {r * k, 0}, {0, r * k}, Paint{.fill = fill, .radius = r}, &strip);
}

void Canvas::ellipse(Vec2 c, float rx, float ry, Rgb fill) {
  // Flat discs on the floor: a fan of slices is enough at their size.
  constexpr int slices = 12;
  for (int i = 0; i < slices; ++i) {
    const float y0 = -1 + 2.0f * static_cast<float>(i) / slices, y1 = y0 + 2.0f / slices, mid = (y0 + y1) / 2;
    const float half = rx * std::sqrt(std::max(0.0f, 1 - mid * mid));
    rect(c.x - half, c.y + y0 * ry, 2 * half, (y1 - y0) * ry + 0.3f, fill, 0);
  }
}

void Canvas::line(Vec2 a, Vec2 b, Rgb colour, float width, float alpha, bool roundCaps) {
  const Vec2 d = b - a;
  const float length = glm::length(d);
  if (length < 1e-4f) return;
  const float least = 1 / ratio_;
  if (width < least) { alpha *= width / least; width = least; }
  const Vec2 along = d / length, side = perpendicular(along) * (width / 2);
  const float cap = roundCaps ? width / 2 : 0;
  quad(a - side - along * cap, along * (length + 2 * cap), side * 2.0f, Paint{.fill = colour, .alpha = alpha, .radius = cap});
}

void Canvas::dashed(Vec2 a, Vec2 b, Rgb colour, float width, float on, float off, float alpha) {
  const float length = glm::length(b - a);
  if (length < 1e-4f) return;
  const Vec2 along = (b - a) / length;
  for (float at = 0; at < length; at += on + off) line(a + along * at, a + along * std::min(length, at + on), colour, width, alpha);
}

void Canvas::polyline(std::span<const Vec2> points, Rgb colour, float width, float alpha) {
  for (std::size_t i = 1; i < points.size(); ++i) line(points[i - 1], points[i], colour, width, alpha, width >= 1.2f);
}

void Canvas::head(Vec2 tip, Vec2 direction, Rgb colour, float size, float alpha) {
  const Vec2 d = glm::normalize(direction), side = perpendicular(d) * (size * 0.45f), back = tip - d * size;
  triangle(tip, back + side, back - side, colour, alpha);
}

void Canvas::arrow(std::span<const Vec2> points, Rgb colour, float width, float headSize, float alpha) {
  if (points.size() < 2) return;
  std::vector<Vec2> p(points.begin(), points.end());
  const Vec2 tip = p.back(), d = glm::normalize(tip - p[p.size() - 2]);
  p.back() = tip - d * (headSize * 0.7f);
  polyline(p, colour, width, alpha);
  head(tip, d, colour, headSize, alpha);
}

void Canvas::gradientFan(Vec2 c, float rx, float ry, Rgb inner, Rgb outer) {
  constexpr int slices = 48;
  constexpr float turn = 6.2831853f;
  Vertex t{};
  t.ha = t.hb = t.hc = wide;
  t.u = fonts_.whiteU();
  t.v = fonts_.whiteV();
  for (int i = 0; i < slices; ++i) {
    const auto rim = [&](float k) {
      const float angle = turn * k / slices;
      t.x = (c.x + rx * std::cos(angle)) * ratio_;
      t.y = (c.y + ry * std::sin(angle)) * ratio_;
      t.fill = t.ink = rgba(outer, 1);
      background_.push_back(t);
    };
    t.x = c.x * ratio_;
    t.y = c.y * ratio_;
    t.fill = t.ink = rgba(inner, 1);
    background_.push_back(t);
    rim(static_cast<float>(i));
    rim(static_cast<float>(i) + 0.5f);
    rim(static_cast<float>(i) + 1);
  }
}

void Canvas::glyph(Vec2 origin, Vec2 xAxis, Vec2 yAxis, const Fonts::Glyph& g, std::uint32_t colour) {
  if (g.x1 <= g.x0) return;
  Vertex t{};
  t.ha = t.hb = t.hc = wide;
  t.fill = t.ink = colour;
  t.mode = 255u << 8;
  const auto corner = [&](float x, float y, float u, float v) {
    const Vec2 p = (origin + xAxis * x + yAxis * y) * ratio_;
    t.x = p.x, t.y = p.y, t.u = u, t.v = v;
    vertices_.push_back(t);
  };
  corner(g.x0, g.y0, g.u0, g.v0);
  corner(g.x1, g.y0, g.u1, g.v0);
  corner(g.x1, g.y1, g.u1, g.v1);
  corner(g.x0, g.y1, g.u0, g.v1);
}

float Canvas::text(float x, float y, std::string_view text, const TextLook& look) {
  const Fonts::Face face = fonts_.face(look.style);
  float width = 0;
  for (std::size_t at = 0; at < text.size();) width += face.glyph(nextCodepoint(text, at)).advance + look.track;
  if (look.anchor == Anchor::Middle) x -= width / 2;
  if (look.anchor == Anchor::End) x -= width;
  labels_.push_back({std::string(text), x, y});
  y = std::round(y * ratio_) / ratio_;       // the baseline on a pixel row keeps horizontal strokes crisp
  if (look.halo) {
    const std::uint32_t colour = rgba(look.haloColour, look.alpha);
    for (const Vec2 shift : {Vec2{-1.8f, 0}, Vec2{1.8f, 0}, Vec2{0, -1.8f}, Vec2{0, 1.8f}, Vec2{-1.3f, -1.3f}, Vec2{1.3f, -1.3f}, Vec2{-1.3f, 1.3f}, Vec2{1.3f, 1.3f}}) {
      float pen = x;
      for (std::size_t at = 0; at < text.size();) {
        const Fonts::Glyph g = face.glyph(nextCodepoint(text, at));
        glyph(Vec2{pen, y} + shift, {1, 0}, {0, 1}, g, colour);
        pen += g.advance + look.track;
      }
    }
  }
  const std::uint32_t colour = rgba(look.colour, look.alpha);
  float pen = x;
  for (std::size_t at = 0; at < text.size();) {
    const Fonts::Glyph g = face.glyph(nextCodepoint(text, at));
    glyph({pen, y}, {1, 0}, {0, 1}, g, colour);
    pen += g.advance + look.track;
  }
  return width;
}

void Canvas::textAlong(Vec2 origin, Vec2 xAxis, Vec2 yAxis, std::string_view text, const TextLook& look) {
  TextStyle style = look.style;
  const Fonts::Face face = fonts_.face({32, Weight::SemiBold, false});
  const float k = style.size / 32;
  const std::uint32_t colour = rgba(look.colour, look.alpha);
  float width = 0;
  for (std::size_t at = 0; at < text.size();) width += face.glyph(nextCodepoint(text, at)).advance * k + look.track;
  float pen = look.anchor == Anchor::Middle ? -width / 2 : look.anchor == Anchor::End ? -width : 0;
  labels_.push_back({std::string(text), origin.x, origin.y});
  for (std::size_t at = 0; at < text.size();) {
    const Fonts::Glyph g = face.glyph(nextCodepoint(text, at));
    glyph(origin + xAxis * pen, xAxis * k, yAxis * k, g, colour);
    pen += g.advance * k + look.track;
  }
}

std::string Canvas::fitted(std::string_view text, TextStyle style, float width) const {
  if (fonts_.width(text, style) <= width) return std::string(text);
  const Fonts::Face face = fonts_.face(style);
  const std::string_view dots = "\u2026";
  const float room = width - fonts_.width(dots, style);
  float w = 0;
  std::size_t at = 0, end = 0;
  while (at < text.size()) {
    w += face.glyph(nextCodepoint(text, at)).advance;
    if (w > room) break;
    end = at;
  }
  return std::string(text.substr(0, end)) + std::string(dots);
}

}  // namespace warpmill::scene
