#include "scene/iso.h"

namespace warpmill::scene {

void Iso::flat(float x0, float y0, float x1, float y1, const Paint& paint, float z) const {
  const Vec2 p = at(x0, y0, z);
  c_.quad(p, at(x1, y0, z) - p, at(x0, y1, z) - p, paint);
}

void Iso::outline(float x0, float y0, float x1, float y1, Rgb stroke, float width, float z, float alpha) const {
  const std::array<Vec2, 5> p{at(x0, y0, z), at(x1, y0, z), at(x1, y1, z), at(x0, y1, z), at(x0, y0, z)};
  c_.polyline(p, stroke, width, alpha);
}

void Iso::dashedOutline(float x0, float y0, float x1, float y1, Rgb stroke, float width, float on, float off, float alpha) const {
  const std::array<Vec2, 5> p{at(x0, y0), at(x1, y0), at(x1, y1), at(x0, y1), at(x0, y0)};
  for (std::size_t i = 1; i < p.size(); ++i) c_.dashed(p[i - 1], p[i], stroke, width, on, off, alpha);
}

void Iso::left(float x0, float x1, float y, float z0, float z1, const Paint& paint) const {
  const Vec2 p = at(x0, y, z1);
  c_.quad(p, at(x1, y, z1) - p, at(x0, y, z0) - p, paint);
}

void Iso::right(float x, float y0, float y1, float z0, float z1, const Paint& paint) const {
  const Vec2 p = at(x, y0, z1);
  c_.quad(p, at(x, y1, z1) - p, at(x, y0, z0) - p, paint);
}

void Iso::shadow(float x0, float y0, float x1, float y1, float height, float z) const {
  const float d = height * 0.55f;
  const Vec2 p = at(x0, y0, z);
  c_.hexagon(p, at(x1, y0, z) - p, at(x0, y1, z) - p, at(x0 + d, y0 - d, z) - p, th_.shadow, th_.shadowAlpha);
}

void Iso::box(float x0, float y0, float x1, float y1, float z0, float z1, const Material& m, const BoxLook& look) const {
  if (look.shadow && z1 - z0 > 0.12f) shadow(x0, y0, x1, y1, z1 - z0, z0);
  right(x1, y0, y1, z0, z1, look.right.value_or(m.right));
  left(x0, x1, y1, z0, z1, look.left.value_or(m.left));
  flat(x0, y0, x1, y1, look.top.value_or(m.top), z1);
  if (look.rim && t_ >= 16) {
    const Rgb rim = mix(m.top, 0xFFFFFF, th_.rim);
    c_.line(at(x0, y1, z1), at(x1, y1, z1), rim);
    c_.line(at(x1, y1, z1), at(x1, y0, z1), rim);
  }
}

void Iso::line(std::initializer_list<Vec3> points, Rgb colour, float width, float alpha) const {
  const Vec3* before = nullptr;
  for (const Vec3& p : points) {
    if (before != nullptr) c_.line(at(*before), at(p), colour, width, alpha, width >= 2);
    before = &p;
  }
}

void Iso::dashed(Vec3 a, Vec3 b, Rgb colour, float width, float on, float off, float alpha) const { c_.dashed(at(a), at(b), colour, width, on, off, alpha); }

void Iso::arrow(std::initializer_list<Vec3> points, Rgb colour, float width, float head, float alpha) const {
  std::vector<Vec2> p;
  for (const Vec3& q : points) p.push_back(at(q));
  c_.arrow(p, colour, width, head, alpha);
}

void Iso::paint(float x, float y, std::string_view text, float size, Rgb colour, Axis axis, float z, float track) const {
  if (t_ < 30) return;
  const float k = 0.86f;
  const Vec2 u = axis == Axis::X ? Vec2{k, k / 2} : Vec2{k, -k / 2}, v = axis == Axis::X ? Vec2{-k, k / 2} : Vec2{k, k / 2};
  TextLook look;
  look.style = {size * t_ / 38, Weight::SemiBold, false};
  look.colour = colour;
  look.track = track;
  c_.textAlong(at(x, y, z), u, v, text, look);
}

std::vector<Vec2> Iso::silhouette(float x0, float y0, float x1, float y1, float z0, float z1) const {
  return {at(x0, y1, z0), at(x1, y1, z0), at(x1, y0, z0), at(x1, y0, z1), at(x0, y0, z1), at(x0, y1, z1)};
}

}  // namespace warpmill::scene
