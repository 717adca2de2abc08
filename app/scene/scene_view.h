// The factory: one SM's floor, one crew, or the whole GPU, with its HUD and cards.
#pragma once

#include "scene/gl_context.h"
#include "scene/view.h"

namespace warpmill::scene {

// One renderer (shaders, fonts) for all views of a program.
Result<std::shared_ptr<Renderer>> makeRenderer(std::shared_ptr<GlContext> context);

struct FloorLayout;

// Which overlays a view draws. `compact` is the style of a panel in the main window: thin breadcrumb, small map, legend as a strip at
// the bottom, no card. Views too small for the large style are compact by themselves.
struct Overlays {
  bool breadcrumb = true, legend = true, minimap = true, card = true, hud = true, compact = false;
  static Overlays panel() { return {.breadcrumb = true, .legend = true, .minimap = true, .card = false, .hud = false, .compact = true}; }
};

class SceneView final : public View {
 public:
  explicit SceneView(std::shared_ptr<Renderer> renderer, Overlays overlays = {});
  ~SceneView() override;

  void setPlayback(Playback playback);
  void setOverlays(Overlays overlays);
  void setLevel(Level level);
  [[nodiscard]] Level level() const { return level_; }
  void zoomBy(float factor);                 // about the middle
  void pan(float dx, float dy);              // logical pixels
  void resetCamera();                        // everything fits
  [[nodiscard]] float zoom() const { return zoom_; }

 protected:
  void draw(Canvas& canvas) override;
  void drawBase(Canvas& canvas) override;
  [[nodiscard]] std::uint64_t baseKey() const override;
  bool dragged(float dx, float dy, float x, float y) override;
  bool wheeled(float steps, float x, float y) override;

 private:
  Overlays overlays_;
  Playback playback_;
  Level level_ = Level::Floor;
  float zoom_ = 1, panX_ = 0, panY_ = 0;

  // The most rows of benches seen in a workshop of this launch.
  std::string launch_;
  std::size_t rowsSeen_ = 1;
  void frameChanged() override;
  [[nodiscard]] FloorLayout layout() const;
  [[nodiscard]] bool building() const;   // a machine so small that its floors stand beside each other
  struct Camera { float x = 0, y = 0, tile = 0; };
  [[nodiscard]] Camera camera() const;
  [[nodiscard]] float top() const;
  [[nodiscard]] bool compact() const { return overlays_.compact || width_ < 1200 || height_ < 640; }
  void drawOverlays(Canvas& canvas);
  void reserveOverlays(Canvas& canvas);   // labels keep out of their places
  void drawBreadcrumb(Canvas& canvas);
  void drawCard(Canvas& canvas);
};

}  // namespace warpmill::scene
