// What a picture costs: the scene of a full floor of the scale model at 1600x1000, a new frame each time, and the other views.
#include "scene/scene_view.h"
#include "scene/strip_views.h"
#include "scene/synthetic.h"

#include <ctime>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>

using namespace warpmill;

namespace {

double cpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// `next(i)` changes the view before each picture.
template <class Next>
void measure(const char* name, scene::View& view, int pictures, const Next& next) {
  for (int i = 0; i < 3; ++i) {
    next(i);
    view.render();
  }
  const auto begin = std::chrono::steady_clock::now();
  const double cpu = cpuSeconds();
  for (int i = 0; i < pictures; ++i) {
    next(i);
    view.render();
  }
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() / pictures;
  std::printf("%-34s %7.2f ms a picture, %7.2f ms of processor time, %6.1f a second\n", name, ms, (cpuSeconds() - cpu) * 1000 / pictures, 1000 / ms);
}

}  // namespace

int main(int argc, char** argv) {
  const int pictures = argc > 1 ? std::stoi(argv[1]) : 60;
  auto context = scene::GlContext::create();
  if (!context) return std::fprintf(stderr, "%s\n", context.diagnostics().front().message.c_str()), 3;
  auto renderer = scene::makeRenderer(context.value());
  if (!renderer) return std::fprintf(stderr, "%s\n", renderer.diagnostics().front().message.c_str()), 3;
  std::printf("%s\n", context.value()->rendererName().c_str());
  // Two moments a cycle apart: every sixth warp has changed its state, other warps were picked, the trucks have moved.
  const auto two = [](presenter::Frame f) {
    presenter::Frame other = f;
    ++other.cycle;
    for (presenter::SmView& sm : other.sms) {
      for (std::size_t p = 0; p < sm.places.size(); p += 6)
        if (sm.places[p].used) sm.places[p].group = static_cast<presenter::StallGroup>((static_cast<std::size_t>(sm.places[p].group) + 1) % presenter::stallGroupCount);
      for (presenter::Pick& pick : sm.picks)
        if (pick.any) pick = {true, static_cast<std::uint8_t>((pick.place + 4) % 64), sm.places[(pick.place + 4u) % 64].warp, pick.pc};
      ++sm.counts[0];
    }
    for (presenter::TruckView& truck : other.trucks) truck.fraction = std::min(1.0f, truck.fraction + 0.05f);
    for (std::size_t lane = 0; lane < 32; lane += 4) other.crew.marks[lane] = presenter::LaneMark::Diverged;
    return std::array{std::make_shared<const presenter::Frame>(std::move(f)), std::make_shared<const presenter::Frame>(std::move(other))};
  };
  const auto plate = two(scene_test::floorFrame()), full = two(scene_test::fullFrame()), crew = two(scene_test::crewFrame()), gpu = two(scene_test::gpuFrame());
  {
    scene::SceneView view(*renderer);
    view.resize(1600, 1000, 1);
    measure("floor, 2 blocks, 1600x1000", view, pictures, [&](int i) { view.setFrame(plate[static_cast<std::size_t>(i % 2)]); });
    measure("floor, 64 warps, 1600x1000", view, pictures, [&](int i) { view.setFrame(full[static_cast<std::size_t>(i % 2)]); });
    measure("the same, all drawn anew", view, pictures, [&](int i) {
      view.setLanguage(i % 2 == 0 ? scene::Language::Russian : scene::Language::English);
    });
    measure("the same while it is dragged", view, pictures, [&](int i) { view.pan(i % 2 == 0 ? 3.0f : -3.0f, 0); });
    view.resetCamera();
    view.setLevel(scene::Level::Crew);
    measure("crew, 1600x1000", view, pictures, [&](int i) { view.setFrame(crew[static_cast<std::size_t>(i % 2)]); });
    view.setLevel(scene::Level::Gpu);
    measure("four floors, 256 warps, 1600x1000", view, pictures, [&](int i) { view.setFrame(full[static_cast<std::size_t>(i % 2)]); });
    measure("132 SMs, 1600x1000", view, pictures, [&](int i) { view.setFrame(gpu[static_cast<std::size_t>(i % 2)]); });
  }
  scene::SceneView panel(*renderer, scene::Overlays::panel());
  panel.resize(939, 512, 1);
  measure("floor, 64 warps, 939x512", panel, pictures, [&](int i) { panel.setFrame(full[static_cast<std::size_t>(i % 2)]); });
  scene::MemoryStripView strip(*renderer);
  strip.resize(939, 157, 1);
  measure("memory strip, 939x157", strip, pictures, [&](int i) { strip.setFrame(plate[static_cast<std::size_t>(i % 2)]); });
  scene::TimelineView timeline(*renderer);
  timeline.resize(1180, 277, 1);
  timeline.setTimeline(std::make_shared<const presenter::Timeline>(scene_test::busyTimeline()));
  measure("timeline, playhead moves, 1180x277", timeline, pictures, [&](int i) { timeline.setFrame(plate[static_cast<std::size_t>(i % 2)]); });
  measure("timeline, zoomed each time", timeline, pictures, [&](int i) { timeline.mouseWheel(i % 2 == 0 ? 1.0f : -1.0f, 500, 100); });
  return 0;
}
