// Which parts of a picture have to be drawn again.
#include "scene/renderer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace warpmill::scene {
namespace {

int tilesAcross(int pixels) { return (pixels + tilePixels - 1) / tilePixels; }

std::uint64_t quadHash(const Vertex* quad) {
  static_assert(sizeof(Vertex) % 4 == 0);
  std::uint64_t words[sizeof(Vertex) * 4 / 8];
  std::memcpy(words, quad, sizeof words);
  std::uint64_t h = 0x9E3779B97F4A7C15ull;
  for (const std::uint64_t w : words) h = (h ^ w) * 0xff51afd7ed558ccdull, h ^= h >> 32;
  return h;
}

}  // namespace

std::vector<std::uint64_t> tileHashes(const std::vector<Vertex>& vertices, int width, int height) {
  const int across = tilesAcross(width), down = tilesAcross(height);
  std::vector<std::uint64_t> out(static_cast<std::size_t>(across) * static_cast<std::size_t>(down), 1);
  for (std::size_t q = 0; q + 3 < vertices.size(); q += 4) {
    const Vertex *a = &vertices[q], *b = a + 1, *c = a + 2, *d = a + 3;
    const auto tile = [](float v, int limit) { return std::clamp(static_cast<int>(std::floor(v / tilePixels)), 0, limit - 1); };
    const float left = std::min({a->x, b->x, c->x, d->x}), right = std::max({a->x, b->x, c->x, d->x}), top = std::min({a->y, b->y, c->y, d->y}), bottom = std::max({a->y, b->y, c->y, d->y});
    if (right < 0 || bottom < 0 || left > static_cast<float>(width) || top > static_cast<float>(height)) continue;
    const std::uint64_t h = quadHash(a);
    const int x0 = tile(left, across), x1 = tile(right, across), y0 = tile(top, down), y1 = tile(bottom, down);
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) {
        std::uint64_t& t = out[static_cast<std::size_t>(y * across + x)];
        t = t * 31 + h;   // the order of shapes counts
      }
  }
  return out;
}

std::vector<PixelRect> changedRects(const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after, int width, int height) {
  const int across = tilesAcross(width), down = tilesAcross(height);
  std::vector<PixelRect> out;
  if (before.size() != after.size()) return {{0, 0, width, height}};
  const auto dirty = [&](int x, int y) { return before[static_cast<std::size_t>(y * across + x)] != after[static_cast<std::size_t>(y * across + x)]; };
  std::size_t open = 0;   // rectangles from here on end in the row above
  for (int y = 0; y < down; ++y) {
    std::vector<PixelRect> row;
    for (int x = 0; x < across; ++x) {
      if (!dirty(x, y)) continue;
      int end = x + 1, gap = 0;
      for (int k = x + 1; k < across && gap < 2; ++k) {   // gaps of one tile are cheaper drawn than cut out
        if (dirty(k, y)) end = k + 1, gap = 0;
        else ++gap;
      }
      row.push_back({x, y, end - x, 1});
      x = end;
    }
    const std::size_t begin = out.size();
    for (const PixelRect& r : row) {
      bool joined = false;
      for (std::size_t i = open; i < begin && !joined; ++i)
        if (out[i].x == r.x && out[i].width == r.width && out[i].y + out[i].height == y) {
          ++out[i].height;
          joined = true;
        }
      if (!joined) out.push_back(r);
    }
    while (open < out.size() && out[open].y + out[open].height < y + 1) ++open;
  }
  constexpr std::size_t most = 96;
  if (out.size() > most) return {{0, 0, width, height}};
  for (PixelRect& r : out) {
    r.x *= tilePixels;
    r.y *= tilePixels;
    r.width = std::min(r.width * tilePixels, width - r.x);
    r.height = std::min(r.height * tilePixels, height - r.y);
  }
  return out;
}

}  // namespace warpmill::scene
