// scene_shot PLATE OUT.png [WIDTH HEIGHT [light] [ru] [compact] [RATIO]]: draws one of the synthetic moments, to look at.
#include "png.h"
#include "scene/scene_view.h"
#include "scene/strip_views.h"
#include "synthetic.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  using namespace warpmill;
  if (argc < 3) return 2;
  const std::string plate = argv[1];
  int width = argc > 4 ? std::atoi(argv[3]) : 1600, height = argc > 4 ? std::atoi(argv[4]) : 1000;
  float ratio = 1, zoom = 1;
  bool light = false, russian = false, compact = false;
  for (int i = 5; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "light") light = true;
    else if (a == "ru") russian = true;
    else if (a == "compact") compact = true;
    else if (a[0] == 'z') zoom = static_cast<float>(std::atof(a.c_str() + 1));
    else ratio = static_cast<float>(std::atof(argv[i]));
  }
  auto context = scene::GlContext::create();
  if (!context) return std::fprintf(stderr, "%s\n", context.diagnostics().front().message.c_str()), 3;
  auto renderer = scene::makeRenderer(context.value());
  if (!renderer) return std::fprintf(stderr, "%s\n%s\n", renderer.diagnostics().front().message.c_str(), renderer.diagnostics().front().hint.c_str()), 3;
  scene::SceneView view(renderer.value(), compact ? scene::Overlays::panel() : scene::Overlays{});
  view.resize(width, height, ratio);
  view.setTheme(light ? scene::Theme::Light : scene::Theme::Dark);
  view.setLanguage(russian ? scene::Language::Russian : scene::Language::English);
  presenter::Frame frame = plate == "crew" ? scene_test::crewFrame() : plate == "gpu" ? scene_test::gpuFrame() : plate == "full" ? scene_test::fullFrame() : scene_test::floorFrame();
  view.setLevel(plate == "crew" ? scene::Level::Crew : plate == "gpu" ? scene::Level::Gpu : scene::Level::Floor);
  view.setFrame(std::make_shared<const presenter::Frame>(std::move(frame)));
  if (zoom != 1) view.zoomBy(zoom);
  view.render();
  return scene_test::writePng(view.picture(), argv[2]) ? 0 : 1;
}
