// A small machine whole: its floors beside each other, one depot and one warehouse before them.
#include "scene/floor.h"

#include <algorithm>

namespace warpmill::scene {
namespace {

std::vector<FloorInput> inputsOf(const presenter::Frame& frame, const FloorLayout& layout, Language language) {
  std::vector<FloorInput> out;
  for (const presenter::SmView& sm : frame.sms) out.push_back({frame, sm, layout, language, {0, 0}});
  return out;
}

}  // namespace

void drawBuildingBase(const Iso& iso, const presenter::Frame& frame, const FloorLayout& layout, Language language) {
  for (std::size_t i = 0; i < frame.sms.size(); ++i) drawFloorBase(iso.shifted(static_cast<float>(i) * floorPitch), layout, language);
  drawYardBase(iso, layout, frame.sms.size());
}

void drawBuilding(const Iso& iso, const presenter::Frame& frame, const FloorLayout& layout, Language language) {
  Canvas& c = iso.canvas();
  const Palette& th = iso.palette();
  const std::vector<FloorInput> inputs = inputsOf(frame, layout, language);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Iso here = iso.shifted(static_cast<float>(i) * floorPitch);
    HitArea area;
    area.outline = {here.at(0, 0), here.at(FloorLayout::width, 0), here.at(FloorLayout::width, layout.depth), here.at(0, layout.depth)};
    area.clickable = true;
    area.command.kind = Command::Kind::SelectSm;
    area.command.sm = inputs[i].sm.sm;
    area.text = "SM " + std::to_string(inputs[i].sm.sm) + ": " + presenter::say(Word::OfPlaces, language, inputs[i].sm.usedPlaces, inputs[i].sm.places.size());
    c.hit(std::move(area));
    if (inputs[i].sm.sm == frame.focusSm) here.outline(-0.6f, -0.6f, FloorLayout::width + 0.6f, layout.depth + 0.6f, th.lamp, 2.2f);
    drawFloor(here, inputs[i]);
  }
  drawYard(iso, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) drawChips(iso.shifted(static_cast<float>(i) * floorPitch), inputs[i]);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Vec2 p = iso.shifted(static_cast<float>(i) * floorPitch).at(FloorLayout::width * 0.62f, -0.25f, 0.9f);
    label(c, p.x + 10, p.y - 30, "SM " + std::to_string(inputs[i].sm.sm), presenter::say(Word::OfPlaces, language, inputs[i].sm.usedPlaces, inputs[i].sm.places.size()), Anchor::Start);
  }
  const float more = static_cast<float>(inputs.size() - 1) * floorPitch, s = layout.shift;
  using presenter::Station;
  const auto inside = [&](Station station) {
    return std::count_if(frame.trucks.begin(), frame.trucks.end(), [&](const presenter::TruckView& t) { return t.from == station && t.to == station; });
  };
  const auto inWarehouse = inside(Station::Warehouse), inDepot = inside(Station::Depot);
  Vec2 p = iso.at(40.2f + more, 13.0f, 1.85f);
  note(c, std::min(p.x + 20, c.width() - 10), p.y + 60, presenter::word(Word::Clerk, language),
       presenter::say(Word::ClerkSub, language, presenter::grouped(frame.gpu.blocksLaunched), presenter::grouped(frame.gpu.blocksTotal)), p, Anchor::End);
  p = iso.at(14 + more / 2, 49.8f + s, 1.6f);
  note(c, p.x - 60, p.y + 50, presenter::word(Word::Warehouse, language),
       inWarehouse != 0 ? presenter::say(Word::WarehouseSubInside, language, inWarehouse) : std::string(presenter::word(Word::WarehouseSub, language)), p, Anchor::End);
  p = iso.at(10.2f, 39.9f + s, 0.8f);
  note(c, p.x - 40, p.y - 60, presenter::word(Word::Depot, language),
       inDepot != 0 ? presenter::say(Word::DepotSubInside, language, inDepot) : std::string(presenter::word(Word::DepotSub, language)), p, Anchor::End);
}

}  // namespace warpmill::scene
