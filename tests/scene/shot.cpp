// scene_shot PLATE OUT.png [WIDTH HEIGHT [light] [ru] [compact] [zZOOM] [RATIO]]: draws one of the synthetic moments, or a real one, to look at.
#include "device/profile.h"
#include "launch/launch.h"
#include "png.h"
#include "presenter/describe.h"
#include "scene/scene_view.h"
#include "scene/strip_views.h"
#include "synthetic.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace warpmill;

// A real moment: "run:LAUNCH.json:INDEX:CYCLE:BLOCK:WARP" on a scale model of four SMs of the H200.
std::unique_ptr<session::Session> openRun(const std::string& text, presenter::Selection& selection) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  parts.resize(6, "0");
  const auto say = [](const Diagnostics& d) { std::fputs(formatDiagnostics(d).c_str(), stderr); };
  auto launches = launch::readLaunches(parts[1]);
  if (!launches) return say(launches.diagnostics()), nullptr;
  const launch::Launch& launch = launches->at(std::stoul(parts[2]));
  auto profile = device::loadProfile(std::string(WARPMILL_SOURCE_DIR) + "/assets/devices/h200.json");
  if (!profile) return say(profile.diagnostics()), nullptr;
  const device::Profile model = device::scaleModel(*profile, 4);
  auto module = ptx::parseFile(launch.ptxPath);
  if (!module) return say(module.diagnostics()), nullptr;
  auto prepared = exec::prepare(launch, std::make_shared<const ptx::Module>(std::move(*module)), model);
  if (!prepared) return say(prepared.diagnostics()), nullptr;
  auto machine = timing::Machine::create(std::move(*prepared), model);
  if (!machine) return say(machine.diagnostics()), nullptr;
  auto opened = session::Session::open(*machine);
  if (!opened) return say(opened.diagnostics()), nullptr;
  selection.warp = {std::stoull(parts[4]), static_cast<std::uint32_t>(std::stoul(parts[5]))};
  (*opened)->seek({std::stoull(parts[3]), ~0u});
  return std::move(*opened);
}

}  // namespace

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
  presenter::Frame real;
  std::shared_ptr<const presenter::Timeline> line = std::make_shared<const presenter::Timeline>(scene_test::busyTimeline());
  std::string shape = plate;
  if (plate.rfind("run-", 0) == 0) {   // run-floor:..., run-crew:..., run-gpu:..., run-timeline:..., run-strip:...
    presenter::Selection selection;
    const auto session = openRun(plate, selection);
    if (session == nullptr) return 1;
    real = presenter::makeFrame(*session, selection);
    const auto begin = std::chrono::steady_clock::now();
    constexpr int times = 20;
    for (int i = 0; i < times; ++i) real = presenter::makeFrame(*session, selection);
    std::printf("%.3f ms a frame's numbers\n", std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() / times);
    std::printf("%s\n", presenter::describe(real, russian ? presenter::Language::Russian : presenter::Language::English).c_str());
    shape = plate.substr(4, plate.find(':') - 4);
    line = std::make_shared<const presenter::Timeline>(presenter::makeTimeline(session->trace(), real.focusSm, session->trace().endCycle));
  }
  if (shape == "timeline" || shape == "strip") {
    const auto moment = std::make_shared<const presenter::Frame>(shape != plate ? real : zoom == 9 ? scene_test::strideFrame() : scene_test::floorFrame());
    std::unique_ptr<scene::View> strip;
    if (shape == "strip") strip = std::make_unique<scene::MemoryStripView>(renderer.value());
    else {
      auto timeline = std::make_unique<scene::TimelineView>(renderer.value());
      timeline->setTimeline(line);
      timeline->setBookmarks({236, 1228});
      strip = std::move(timeline);
    }
    strip->resize(width, height, ratio);
    strip->setTheme(light ? scene::Theme::Light : scene::Theme::Dark);
    strip->setLanguage(russian ? scene::Language::Russian : scene::Language::English);
    strip->setFrame(moment);
    if (zoom != 1) strip->mouseWheel(zoom, static_cast<float>(width) / 2, 100);
    strip->render();
    return scene_test::writePng(strip->picture(), argv[2]) ? 0 : 1;
  }
  scene::SceneView view(renderer.value(), compact ? scene::Overlays::panel() : scene::Overlays{});
  view.resize(width, height, ratio);
  view.setTheme(light ? scene::Theme::Light : scene::Theme::Dark);
  view.setLanguage(russian ? scene::Language::Russian : scene::Language::English);
  presenter::Frame frame = shape != plate ? std::move(real) : plate == "crew" ? scene_test::crewFrame() : plate == "stride" ? scene_test::strideFrame() : plate == "gpu" ? scene_test::gpuFrame() : plate == "full" || plate == "building" ? scene_test::fullFrame() : scene_test::floorFrame();
  view.setLevel(shape == "crew" || shape == "stride" ? scene::Level::Crew : shape == "gpu" || shape == "building" ? scene::Level::Gpu : scene::Level::Floor);
  view.setFrame(std::make_shared<const presenter::Frame>(std::move(frame)));
  if (zoom != 1) view.zoomBy(zoom);
  view.render();
  return scene_test::writePng(view.picture(), argv[2]) ? 0 : 1;
}
