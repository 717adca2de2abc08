// Turns canvases into pictures: one shader, one font texture a pixel ratio, a framebuffer a view, and reading back.
#pragma once

#include "scene/canvas.h"
#include "scene/gl_context.h"

#include <map>
#include <memory>
#include <vector>

namespace warpmill::scene {

// A framebuffer with a kept base layer.
struct Surface {
  int width = 0, height = 0;
  unsigned int framebuffer = 0, colour = 0, baseFramebuffer = 0, baseColour = 0;
};

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
  void drawOver(Surface& surface, const Canvas& canvas);   // the base layer, then the canvas
  void read(const Surface& surface, Picture& picture);
  [[nodiscard]] const std::string& rendererName() const { return context_->rendererName(); }

 private:
  Renderer() = default;
  void submit(const Canvas& canvas, int width, int height);
  struct Baked { std::shared_ptr<Fonts> fonts; unsigned int texture = 0; };
  std::shared_ptr<GlContext> context_;
  std::map<int, Baked> fonts_;              // by pixel ratio in 1/100
  std::string problem_;
  unsigned int program_ = 0, vertexArray_ = 0, vertexBuffer_ = 0, indexBuffer_ = 0;
  int viewportLocation_ = -1, atlasLocation_ = -1;
  std::size_t indexedQuads_ = 0;
};

}  // namespace warpmill::scene
