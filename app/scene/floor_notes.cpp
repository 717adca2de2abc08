// The words around a floor.
#include "scene/floor.h"

#include <algorithm>
#include <cmath>

namespace warpmill::scene {
namespace {

using presenter::BlockView;

void roadNotes(const Iso& iso, const FloorInput& in, bool compact) {
  Canvas& c = iso.canvas();
  const Language l = in.language;
  const RoadTraffic traffic = placeTrucks(in.frame, in.layout, in.sm.sm);
  // A leader is drawn only where its label found room.
  if (traffic.outTotal != 0) {
    const Vec2 p = iso.at(FloorLayout::laneOut + 0.2f, in.layout.depth + 6.0f, 0.5f);
    const std::string head = presenter::say(Word::RoadOut, l, traffic.outTotal, traffic.outSeen);
    if (compact) note(c, p.x - 44, p.y - 30, head, presenter::word(Word::RoadOutSub, l), p, Anchor::End);
    else if (label(c, p.x - 60, p.y - 48, head, presenter::word(Word::RoadOutSub, l), Anchor::End)) c.line({p.x - 60, p.y - 38}, {p.x, p.y - 4}, c.palette().low);
  }
  if (traffic.backTotal != 0) {
    const Vec2 p = iso.at(FloorLayout::laneBack + 1.3f, in.layout.depth + 5.4f, 0.5f);
    const std::string head = presenter::say(Word::RoadBack, l, traffic.backTotal, traffic.backSeen);
    const std::string sub = presenter::say(Word::RoadBackSub, l, presenter::grouped(traffic.backUsed), presenter::grouped(traffic.backMoved));
    if (compact) note(c, p.x + 60, p.y + 56, head, sub, p);
    else if (label(c, p.x + 58, p.y + 78, head, sub, Anchor::Start)) c.line({p.x + 58, p.y + 74}, p, c.palette().low);
  }
}

void blockNotes(const Iso& iso, const FloorInput& in, bool compact) {
  Canvas& c = iso.canvas();
  const Language l = in.language;
  for (const BlockView& block : in.sm.blocks) {
    if (!block.used || block.slot >= in.layout.rooms.size()) continue;
    const Room& room = in.layout.rooms[block.slot];
    const Vec2 p = iso.at(0.2f, (room.y0 + room.y1) / 2 + (room.rows > 1 ? 1.5f : 0.4f), 0.9f);
    const std::string name = presenter::say(Word::Block, l, block.block);
    if (compact || room.rows < 2) {
      TextLook look = textLook(c.palette().hi, 13, Weight::SemiBold, Anchor::End);
      look.halo = true;
      look.haloColour = c.palette().canvas;
      const float wide = c.width(name, look.style);
      if (c.claim(p.x - 10 - wide, p.y - 10, wide, 15)) c.text(p.x - 10, p.y + 2, name, look);
    } else {
      label(c, p.x - 14, p.y - 2, name, presenter::say(Word::CrewsIn, l, block.places.size()), Anchor::End);
    }
    if (block.expected != 0) {
      const Vec2 g = iso.at(4.65f, room.y1 - 1.2f, 0.9f);
      label(c, g.x, g.y + 20, presenter::say(Word::GateCount, l, block.arrived, block.expected), {}, Anchor::Middle);
    }
  }
}

}  // namespace

void drawFloorNotes(const Iso& iso, const FloorInput& in, bool compact) {
  Canvas& c = iso.canvas();
  const Language l = in.language;
  const float s = in.layout.shift;
  roadNotes(iso, in, compact);
  blockNotes(iso, in, compact);
  Vec2 p = iso.at(21.5f, 48.4f + s, compact ? 2.0f : 2.2f);
  note(c, p.x + (compact ? 50 : 62), p.y + (compact ? 30 : 52), presenter::word(Word::Warehouse, l),
       in.frame.insideWarehouse != 0 ? presenter::say(Word::WarehouseSubInside, l, in.frame.insideWarehouse) : std::string(presenter::word(Word::WarehouseSub, l)), p);
  p = iso.at(17.5f, 0.7f, 1.05f);
  const std::string_view halls = presenter::word(Word::MachineHallsSub, l);
  float hallsY = p.y - (compact ? 34 : 52);
  if (in.corner.x > 0 && p.x + 60 + c.width(halls, {12, Weight::Regular, false}) > in.corner.x - 8) hallsY = std::max(hallsY, in.corner.y + 24);
  note(c, p.x + 60, hallsY, presenter::word(Word::MachineHalls, l), halls, p);
  p = iso.at(34, 25 + s, 1.3f);
  if (compact) {
    note(c, p.x + 60, p.y + 46, presenter::word(Word::ShelfName, l), presenter::word(Word::ShelfSub, l), p);
    return;
  }
  p = iso.at(21, 38.6f + s, 1.5f);
  note(c, p.x + 44, p.y + 66, presenter::word(Word::Depot, l),
       in.frame.insideDepot != 0 ? presenter::say(Word::DepotSubInside, l, in.frame.insideDepot) : std::string(presenter::word(Word::DepotSub, l)), p);
  p = iso.at(1.8f, in.layout.rooms[0].y0 + 0.6f, 1.5f);
  note(c, p.x - 70, p.y - 62, presenter::word(Word::Store, l), presenter::say(Word::StoreUsed, l, presenter::grouped(in.sm.sharedBytesUsed)), p, Anchor::End);
  p = iso.at(40.2f, 13.0f, 1.85f);
  const std::string given = presenter::say(Word::ClerkSub, l, presenter::grouped(in.frame.gpu.blocksLaunched), presenter::grouped(in.frame.gpu.blocksTotal));
  if (p.x + 38 + c.width(given, {12, Weight::Regular, false}) < c.width()) note(c, p.x + 30, p.y - 26, presenter::word(Word::Clerk, l), given, p);
  else note(c, std::min(p.x + 60, c.width() - 10), p.y + 3.2f * iso.tile(), presenter::word(Word::Clerk, l), given, p, Anchor::End);
}

}  // namespace warpmill::scene
