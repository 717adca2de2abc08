#include "catch.h"

#include "png.h"
#include "scene/floor.h"
#include "scene/renderer.h"
#include "scene/scene_view.h"
#include "scene/strip_views.h"
#include "synthetic.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace warpmill;
using namespace warpmill::scene;

namespace {

std::shared_ptr<Renderer> renderer() {
  static std::shared_ptr<Renderer> kept = [] {
    auto context = GlContext::create();
    REQUIRE(context.ok());
    auto made = makeRenderer(context.value());
    REQUIRE(made.ok());
    return made.value();
  }();
  return kept;
}

bool says(const View& view, const std::string& text) {
  return std::any_of(view.drawnLabels().begin(), view.drawnLabels().end(), [&](const DrawnLabel& l) { return l.text == text; });
}

std::unique_ptr<SceneView> shown(presenter::Frame frame, Level level = Level::Floor, int width = 1600, int height = 1000) {
  auto view = std::make_unique<SceneView>(renderer());
  view->resize(width, height, 1);
  view->setLevel(level);
  view->setFrame(std::make_shared<const presenter::Frame>(std::move(frame)));
  view->render();
  return view;
}

std::uint32_t pixel(const View& v, float x, float y) {
  return v.picture().pixels[static_cast<std::size_t>(std::lround(y)) * static_cast<std::size_t>(v.picture().width) + static_cast<std::size_t>(std::lround(x))] & 0xFFFFFF;
}

int distance(std::uint32_t a, std::uint32_t b) {
  int sum = 0;
  for (int s = 0; s <= 16; s += 8) sum += std::abs(static_cast<int>(a >> s & 255) - static_cast<int>(b >> s & 255));
  return sum;
}

}  // namespace

TEST_CASE("the floor is drawn without a display and is not empty") {
  const auto view = shown(scene_test::floorFrame());
  const Picture& p = view->picture();
  REQUIRE(p.width == 1600);
  REQUIRE(p.height == 1000);
  const std::set<std::uint32_t> colours(p.pixels.begin(), p.pixels.end());
  CHECK(colours.size() > 500);
  CHECK(scene_test::writePng(p, "scene-floor.png"));
}

TEST_CASE("a bench's band has its state's colour") {
  // The same bench in two states: only its band and chip may tell, so look at the band's middle.
  presenter::Frame f = scene_test::floorFrame();
  const FloorLayout layout = layoutOf(f.sms[7]);
  const Fit fit = fitFloor(layout, 1600, 1000, 48, 80);
  const Vec2 bench = layout.bench(f.sms[7].blocks[0], 1);   // 'W'
  const Palette& th = paletteOf(Theme::Dark);
  const auto band = [&](const View& v) {
    const float x = bench.x + 2.4f, y = bench.y + FloorLayout::benchDepth, z = 0.25f;
    return pixel(v, fit.x + (x - y) * fit.tile / 2, fit.y + (x + y) * fit.tile / 4 - z * 0.6124f * fit.tile);
  };
  const auto working = shown(f);
  CHECK(distance(band(*working), th.fill(StallGroup::Working)) < 12);
  f.sms[7].places[1].group = StallGroup::Global;
  const auto waiting = shown(f);
  CHECK(distance(band(*waiting), th.fill(StallGroup::Working)) > 60);
}

TEST_CASE("the labels say what the frame holds") {
  const auto view = shown(scene_test::floorFrame());
  for (const char* text : {"Block 7", "Block 139", "16 of 64 places", "812", "Warp 2 of block 7", "SM 7", "128 bytes, 4 pallets", "line 6", "DRAM, 12 requests inside"}) {
    INFO(text);
    CHECK(says(*view, text));
  }
}

TEST_CASE("the floor speaks Russian") {
  SceneView view(renderer());
  view.resize(1600, 1000, 1);
  view.setLanguage(Language::Russian);
  view.setFrame(std::make_shared<const presenter::Frame>(scene_test::floorFrame()));
  view.render();
  CHECK(says(view, "Бригады по состояниям"));
  CHECK(says(view, "ждёт дальний склад"));
}

TEST_CASE("a click on a bench selects its warp, and a button asks for a step") {
  auto view = shown(scene_test::floorFrame());
  const presenter::Frame f = scene_test::floorFrame();
  const FloorLayout layout = layoutOf(f.sms[7]);
  const Fit fit = fitFloor(layout, 1600, 1000, 48, 80);
  const Vec2 b = layout.bench(f.sms[7].blocks[1], 4);
  const float x = fit.x + (b.x + 2 - b.y - 0.8f) * fit.tile / 2, y = fit.y + (b.x + 2 + b.y + 0.8f) * fit.tile / 4 - 0.3f * fit.tile;
  view->mouseButton(Button::Left, true, x, y);
  view->mouseButton(Button::Left, false, x, y);   // both before the next frame: nothing is lost
  const std::vector<Command> commands = view->takeCommands();
  REQUIRE_FALSE(commands.empty());
  CHECK(commands.back().kind == Command::Kind::SelectWarp);
  CHECK(commands.back().warp == timing::WarpId{139, 4});

  CHECK(view->tooltipAt(x, y).find("Warp 4 of block 139") != std::string::npos);
}

TEST_CASE("nothing changed means nothing is drawn again") {
  auto view = shown(scene_test::floorFrame());
  CHECK_FALSE(view->needsRedraw());
  CHECK_FALSE(view->render());
  view->zoomBy(1.2f);
  CHECK(view->needsRedraw());
  CHECK(view->render());
}

TEST_CASE("drawing only what changed gives the same picture as drawing all") {
  presenter::Frame second = scene_test::floorFrame();
  second.cycle = 813;
  second.sms[7].places[3].group = StallGroup::Barrier;
  second.sms[7].places[9].used = false;
  second.sms[7].picks[0].any = false;
  second.trucks[0].fraction = 0.6f;
  second.sms[7].blocks[1].arrived = 96;
  second.sms[7].blocks[1].expected = 256;
  auto stepped = shown(scene_test::floorFrame());
  stepped->setFrame(std::make_shared<const presenter::Frame>(second));
  stepped->render();
  const auto fresh = shown(second);
  std::size_t different = 0;
  for (std::size_t i = 0; i < fresh->picture().pixels.size(); ++i) different += distance(fresh->picture().pixels[i], stepped->picture().pixels[i]) > 0;
  CHECK(different == 0);
  const auto first = shown(scene_test::floorFrame());
  CHECK(first->picture().pixels != fresh->picture().pixels);
}

TEST_CASE("changed tiles become few rectangles that hold them all") {
  const int width = 320, height = 160;   // 10 x 5 tiles
  std::vector<std::uint64_t> a(50, 1), b(50, 1);
  CHECK(changedRects(a, b, width, height).empty());
  for (const std::size_t t : {11u, 12u, 21u, 22u, 49u}) b[t] = 2;
  const std::vector<PixelRect> rects = changedRects(a, b, width, height);
  CHECK(rects.size() == 2);
  for (std::size_t t = 0; t < 50; ++t) {
    const int x = static_cast<int>(t % 10) * tilePixels + 5, y = static_cast<int>(t / 10) * tilePixels + 5;
    const bool held = std::any_of(rects.begin(), rects.end(), [&](const PixelRect& r) { return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height; });
    CHECK(held == (b[t] == 2));
  }
}

TEST_CASE("the timeline shows rows, seeks by a click and zooms by the wheel") {
  TimelineView view(renderer());
  view.resize(1180, 277, 1);
  view.setTimeline(std::make_shared<const presenter::Timeline>(scene_test::busyTimeline()));
  view.setFrame(std::make_shared<const presenter::Frame>(scene_test::floorFrame()));
  view.render();
  for (const char* text : {"all crews", "block 7", "warp 2", "block 139", "812"}) {
    INFO(text);
    CHECK(says(view, text));
  }
  view.mouseButton(Button::Left, true, 104 + 530, 100);
  view.mouseButton(Button::Left, false, 104 + 530, 100);
  const std::vector<Command> commands = view.takeCommands();
  REQUIRE_FALSE(commands.empty());
  CHECK(commands.back().kind == Command::Kind::SeekCycle);
  CHECK(commands.back().cycle == 800);
  view.mouseWheel(4, 634, 100);
  CHECK(view.visibleEnd() - view.visibleBegin() < 900);
  CHECK(view.visibleBegin() < 800);
  CHECK(view.visibleEnd() > 800);
}

TEST_CASE("the memory strip shows lanes, pallets and stations with their cycles") {
  MemoryStripView view(renderer());
  view.resize(939, 157, 1);
  view.setFrame(std::make_shared<const presenter::Frame>(scene_test::floorFrame()));
  view.render();
  for (const char* text : {"pallet 3", "32 of 32 bytes", "31", "issued", "806", "depot", "1\u2009080", "warehouse", "back", "now"}) {
    INFO(text);
    CHECK(says(view, text));
  }
}

TEST_CASE("the light theme is light, the dark one dark") {
  SceneView view(renderer());
  view.resize(800, 500, 1);
  view.setFrame(std::make_shared<const presenter::Frame>(scene_test::floorFrame()));
  view.render();
  CHECK(distance(pixel(view, 796, 496), 0x14171C) < 40);
  view.setTheme(Theme::Light);
  view.render();
  CHECK(distance(pixel(view, 796, 496), 0xF6F3EE) < 40);
}

TEST_CASE("at twice the pixel ratio the picture is twice as large") {
  SceneView view(renderer());
  view.resize(400, 300, 2);
  view.setFrame(std::make_shared<const presenter::Frame>(scene_test::floorFrame()));
  view.render();
  CHECK(view.picture().width == 800);
  CHECK(view.picture().height == 600);
}

TEST_CASE("a diverged crew shows its two paths and where they meet") {
  const auto view = shown(scene_test::crewFrame(), Level::Crew);
  for (const char* text : {"Now: line 10", "line 12", "line 14", "active", "waiting", "all meet", "Active: 16 of 32", "lanes even, line 10", "Diverged: 16 wait in outline", "64 of 128 bytes used",
                           "ALL 32 MEET HERE AGAIN"}) {
    INFO(text);
    CHECK(says(*view, text));
  }
}

TEST_CASE("lanes a pallet apart waste most of what moves, and every mark has its words") {
  const auto view = shown(scene_test::strideFrame(), Level::Crew);
  CHECK(says(*view, "128 of 1\u2009024 bytes used"));
  CHECK(says(*view, "lanes 0\u20134, 6\u201329, line 6"));
  std::set<std::string> marks;
  for (float y = 60; y < 900; y += 3)
    for (float x = 20; x < 1580; x += 3)
      if (const std::string t = view->tooltipAt(x, y); t.rfind("lane ", 0) == 0) marks.insert(t);
  CHECK(marks.count("lane 5: predicated off") == 1);
  CHECK(marks.count("lane 9: active") == 1);
  CHECK(marks.count("lane 31: exited") == 1);
}

TEST_CASE("a crew's warp that has ended is said to have ended") {
  presenter::Frame f = scene_test::crewFrame();
  f.crew = {};
  f.crew.warp = {3, 1};
  const auto view = shown(f, Level::Crew);
  CHECK(says(*view, "has finished its work"));
  f.crew.warp = {264, 0};
  CHECK(says(*shown(f, Level::Crew), "the launch has no such block"));
}

TEST_CASE("the whole GPU has a tile for each of 132 SMs") {
  auto view = shown(scene_test::gpuFrame(), Level::Gpu);
  CHECK(says(*view, "Storey 7"));
  CHECK(says(*view, "SM 7 in focus"));
  std::set<std::string> tiles;
  for (float y = 60; y < 900; y += 8)
    for (float x = 150; x < 1450; x += 8)
      if (const std::string t = view->tooltipAt(x, y); t.rfind("SM ", 0) == 0) tiles.insert(t.substr(0, t.find(':')));
  CHECK(tiles.size() == 132);
}

TEST_CASE("trucks never stand in one another, and those without room are counted") {
  presenter::Frame f = scene_test::floorFrame();
  f.trucks.clear();
  for (std::uint32_t i = 0; i < 40; ++i) {
    presenter::TruckView t;
    t.request = i;
    t.sm = 7;
    t.from = presenter::Station::Shelf;
    t.to = presenter::Station::Depot;
    t.fraction = static_cast<float>(i) / 40;
    t.used = {1, 1, 1, 1};
    f.trucks.push_back(t);
  }
  const RoadTraffic traffic = placeTrucks(f, layoutOf(f.sms[7]), 7);
  CHECK(traffic.outTotal == 40);
  CHECK(traffic.outSeen == traffic.placed.size());
  CHECK(traffic.outSeen >= 1);
  for (std::size_t a = 0; a < traffic.placed.size(); ++a)
    for (std::size_t b = a + 1; b < traffic.placed.size(); ++b) CHECK(std::fabs(traffic.placed[a].y - traffic.placed[b].y) >= 3.5f);
}

TEST_CASE("a machine of four SMs shows its floors beside each other") {
  auto view = shown(scene_test::fullFrame(), Level::Gpu);
  for (const char* text : {"SM 0", "SM 3", "Depot", "Warehouse"}) {
    INFO(text);
    CHECK(says(*view, text));
  }
  std::set<std::string> floors;
  for (float y = 60; y < 900; y += 6)
    for (float x = 20; x < 1580; x += 6)
      if (const std::string t = view->tooltipAt(x, y); t.rfind("SM ", 0) == 0) floors.insert(t.substr(0, 4));
  CHECK(floors.size() == 4);
}

TEST_CASE("a floor with eight blocks is deeper and still fits the view") {
  const presenter::Frame f = scene_test::fullFrame();
  const FloorLayout layout = layoutOf(f.sms[2]);
  CHECK(layout.rooms.size() == 8);
  CHECK(layout.depth > 40);
  const Fit fit = fitFloor(layout, 1600, 1000, 48, 80);
  CHECK(fit.y + (37 + layout.depth) * fit.tile / 4 < 1000);
  CHECK(fit.x + (8.2f - 50.4f - layout.shift) * fit.tile / 2 >= 0);
  CHECK(fit.x + 18.6f * fit.tile <= 1600);
}
