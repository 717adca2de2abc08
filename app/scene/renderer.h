// Turns canvases into pictures: one shader, one font texture a pixel ratio, a framebuffer a view, and reading back.
#pragma once

#include "scene/canvas.h"
#include "scene/gl_context.h"

#include <map>
#include <memory>
#include <vector>

namespace warpmill::scene {

// A framebuffer with a kept base layer, and what was drawn over it last: a hash for each tile of the picture over the shapes that touch
// it, so that only tiles whose shapes changed are drawn and read again.
struct Surface {
  int width = 0, height = 0;
  unsigned int framebuffer = 0, colour = 0, baseFramebuffer = 0, baseColour = 0;
  bool whole = true;                       // nothing of the last picture can be kept
  std::vector<std::uint64_t> tiles;
};

struct PixelRect { int x = 0, y = 0, width = 0, height = 0; };
inline constexpr int tilePixels = 32;

// The tiles' hashes of a canvas, row by row.
std::vector<std::uint64_t> tileHashes(const std::vector<Vertex>& vertices, int width, int height);
// Few rectangles that hold all tiles in which the two differ.
std::vector<PixelRect> changedRects(const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after, int width, int height);

class Renderer {
 public:
  static Result<std::shared_ptr<Renderer>> create(std::shared_ptr<GlContext> context);
  ~Renderer();

  // Fonts at this pixel ratio; nullptr and a message in `problem()` when they cannot be baked.
  const Fonts* fonts(float pixelRatio);
  [[nodiscard]] const std::string& problem() const { return problem_; }

  void resize(Surface& surface, int width, int height);
  void release(Surface& surface);
  void drawBase(Surface& surface, const Canvas& canvas, Rgb background);
  // The base layer, then the canvas, into the picture: only what changed since the last call.
  void drawOver(Surface& surface, const Canvas& canvas, Picture& picture);
  [[nodiscard]] const std::string& rendererName() const { return context_->rendererName(); }

 private:
  Renderer() = default;
  void prepare(const Canvas& canvas, int width, int height);
  void upload(const std::vector<Vertex>& vertices);
  void drawQuads(std::size_t firstQuad, std::size_t quads);   // of the index buffer
  // Draws what `isPlain(i)` tells of quad i of the index buffer, each with its shader, in order.
  template <class IsPlain>
  void drawRuns(std::size_t firstQuad, std::size_t quads, const IsPlain& isPlain);
  void fillIndices(std::size_t quads);
  struct Baked { std::shared_ptr<Fonts> fonts; unsigned int texture = 0; };
  std::shared_ptr<GlContext> context_;
  std::map<int, Baked> fonts_;              // by pixel ratio in 1/100
  std::string problem_;
  unsigned int program_ = 0, plainProgram_ = 0, vertexArray_ = 0, vertexBuffer_ = 0, indexBuffer_ = 0, pickBuffer_ = 0;
  int viewportLocation_ = -1, atlasLocation_ = -1, plainViewportLocation_ = -1;
  std::size_t indexedQuads_ = 0;
};

}  // namespace warpmill::scene
