#include "synthetic.h"

namespace warpmill::scene_test {
namespace {

using namespace presenter;

StallGroup groupOfLetter(char c) {
  for (const StallGroup g : stallGroups)
    if (letterOf(g) == c) return g;
  return StallGroup::Instruction;
}

void addBlock(SmView& sm, std::uint64_t block, const std::string& letters, std::uint8_t firstPlace) {
  BlockView b;
  b.used = true;
  b.block = block;
  b.slot = static_cast<std::uint32_t>(sm.blocks.size());
  b.threads = static_cast<std::uint32_t>(letters.size()) * 32;
  for (std::uint32_t w = 0; w < letters.size(); ++w) {
    const auto place = static_cast<std::uint8_t>(firstPlace + w);
    b.places.push_back(place);
    PlaceView& p = sm.places[place];
    p.used = true;
    p.warp = {block, w};
    p.group = groupOfLetter(letters[w]);
    p.active = ~0u;
    p.since = 790;
    p.line = 6;
    ++sm.usedPlaces;
    ++sm.counts[static_cast<std::size_t>(p.group)];
  }
  sm.blocks.push_back(std::move(b));
  sm.warpsPerBlock = static_cast<std::uint32_t>(letters.size());
}

void finish(SmView& sm) {
  std::size_t most = 0;
  for (std::size_t g = 1; g < stallGroupCount; ++g)
    if (sm.counts[g] > sm.counts[most]) most = g;
  sm.dominant = static_cast<StallGroup>(most);
}

GpuView h200() {
  GpuView g;
  g.name = "h200";
  g.kernel = "vec_add";
  g.grid = {264, 1, 1};
  g.block = {256, 1, 1};
  g.storeys = {16, 16, 18, 16, 16, 18, 16, 16};
  g.blocksTotal = 264;
  g.blocksLaunched = 264;
  g.depotSlices = 96;
  g.docks = 48;
  return g;
}

TruckView truck(std::uint32_t id, Station from, Station to, float fraction, std::vector<float> used, bool back, std::uint32_t bytes) {
  TruckView t;
  t.request = id;
  t.warp = {7, id};
  t.sm = 7;
  t.from = from;
  t.to = to;
  t.fraction = fraction;
  t.movedBytes = static_cast<std::uint32_t>(used.size()) * 32;
  t.used = std::move(used);
  t.usedBytes = bytes;
  t.returning = back;
  return t;
}

CrewView crewAllActive() {
  CrewView c;
  c.any = true;
  c.warp = {7, 2};
  c.marks.fill(LaneMark::Active);
  c.threads = 32;
  c.lanes = c.executed = ~0u;
  c.pc = 30;
  c.line = 6;
  c.instruction = "ld.global.f32 %f2, [%rd8]";
  c.source = "z[i] = x[i] + y[i];";
  c.paths.push_back({30, 6, ~0u, true, machine::Path::Status::Runnable});
  c.status.used = true;
  c.status.warp = c.warp;
  c.status.group = StallGroup::Working;
  c.status.active = ~0u;
  return c;
}

RequestView coalesced() {
  RequestView r;
  r.any = true;
  r.id = 4;
  r.warp = {7, 2};
  r.pc = 30;
  r.line = 6;
  r.instruction = "ld.global.f32 %f2, [%rd8]";
  r.buffer = "y";
  r.bufferBase = 0x7f2a40400000ull;
  r.elementBytes = 4;
  r.bytesPerLane = 4;
  r.lanes = ~0u;
  r.usedBytes = r.movedBytes = 128;
  for (std::uint32_t i = 0; i < 32; ++i) r.address[i] = 0x7f2a40443d00ull + 4ull * i;
  for (std::uint32_t p = 0; p < 4; ++p) {
    Pallet pallet{0x7f2a40443d00ull + 32ull * p, ~0u, timing::Level::Dram, {}};
    for (std::uint32_t k = 0; k < 8; ++k) pallet.lanes.push_back(static_cast<std::uint8_t>(p * 8 + k));
    r.pallets.push_back(std::move(pallet));
  }
  using Kind = StationStamp::Kind;
  r.stations = {{Kind::Issued, 806, true}, {Kind::Dock, 810, true}, {Kind::Shelf, 840, false}, {Kind::Depot, 1080, false}, {Kind::Warehouse, 1250, false}, {Kind::Back, 1400, false}};
  r.progress = 1.07f;
  return r;
}

}  // namespace

Frame floorFrame() {
  Frame f;
  f.cycle = 812;
  f.slot = 2;
  f.stepIndex = 900;
  f.gpu = h200();
  f.sms.resize(132);
  for (std::uint32_t s = 0; s < 132; ++s) f.sms[s].sm = s;
  f.focusSm = 7;
  SmView& sm = f.sms[7];
  addBlock(sm, 7, "GWWQGMGG", 0);
  addBlock(sm, 139, "RGRGWGIG", 8);
  finish(sm);
  sm.picks[0] = {true, 12, {139, 4}, 3};
  sm.picks[1] = {true, 1, {7, 1}, 3};
  sm.picks[2] = {true, 2, {7, 2}, 30};
  sm.busy[0] = {0.30f, 0.42f, 0, 0};
  sm.busy[1] = sm.busy[2] = {0.12f, 0.30f, 0, 0};
  std::uint32_t x = 5;
  for (int i = 0; i < 72; ++i) {
    x = x * 1664525 + 1013904223;
    sm.shelf.push_back((x >> 8) % 100 < 62 ? 1.0f : 0.0f);
  }
  f.trucks = {truck(1, Station::Shelf, Station::Depot, 0.1f, {1, 1, 1, 1}, false, 128), truck(2, Station::Shelf, Station::Depot, 0.95f, {.125f, .125f, .125f, .125f}, false, 16),
              truck(3, Station::Warehouse, Station::Dock, 0.2f, {1, 1, 1, 1}, true, 128), truck(4, Station::Warehouse, Station::Dock, 0.95f, {1, 1, 1, 1}, true, 128),
              truck(5, Station::Warehouse, Station::Dock, 0.45f, {.125f, .125f, .125f, .125f}, true, 16), truck(6, Station::Dock, Station::Shelf, 0.5f, {1, 1}, false, 64)};
  f.insideWarehouse = 12;
  f.insideDepot = 3;
  f.crew = crewAllActive();
  f.crew.sm = 7;
  f.crew.place = 2;
  f.request = coalesced();
  f.selection.warp = {7, 2};
  f.counts = sm.counts;
  return f;
}

Frame crewFrame() {
  Frame f = floorFrame();
  f.cycle = 348;
  f.slot = 1;
  f.gpu.kernel = "branch_even_odd";
  CrewView& c = f.crew;
  c.lanes = c.executed = 0x55555555u;
  for (std::uint32_t i = 1; i < 32; i += 2) c.marks[i] = LaneMark::Diverged;
  c.line = 10;
  c.instruction = "ld.global.f32 %f1, [%rd6]";
  c.source = "if (i % 2 == 0) y[i] = f(x[i]);";
  c.paths = {{20, 10, 0x55555555u, true, machine::Path::Status::Runnable}, {26, 12, 0xAAAAAAAAu, false, machine::Path::Status::Runnable}};
  c.joinPc = 30;
  c.joinLine = 14;
  for (const char* name : {"%r1", "%rd6", "%p1"}) {
    RegisterView r;
    r.name = name;
    r.type = name[1] == 'p' ? ptx::Type::Pred : ptx::Type::B32;
    r.isPredicate = name[1] == 'p';
    for (std::uint32_t i = 0; i < 32; ++i) r.bits[i] = r.isPredicate ? i % 2 == 0 : i;
    c.named.push_back(static_cast<std::uint32_t>(c.registers.size()));
    c.registers.push_back(std::move(r));
  }
  f.request.lanes = 0x55555555u;
  f.request.usedBytes = 64;
  for (Pallet& p : f.request.pallets) p.usedMask = 0x0F0F0F0Fu;
  return f;
}

Frame strideFrame() {
  Frame f = floorFrame();
  RequestView& r = f.request;
  r.pallets.clear();
  for (std::uint32_t i = 0; i < 32; ++i) {
    r.address[i] = 0x7f2a40443d00ull + 32ull * i;
    r.pallets.push_back({r.address[i], 0xFu, timing::Level::Dram, {static_cast<std::uint8_t>(i)}});
  }
  r.movedBytes = 1024;
  f.crew.marks[5] = LaneMark::PredicatedOff;
  f.crew.marks[30] = f.crew.marks[31] = LaneMark::Exited;
  f.crew.lanes = 0x3FFFFFFFu;
  f.crew.executed = 0x3FFFFFDFu;
  f.selection.lane = 9;
  return f;
}

Frame gpuFrame() {
  Frame f = floorFrame();
  std::uint32_t x = 11;
  f.sms.clear();
  f.sms.resize(132);
  f.counts = {};
  for (std::uint32_t s = 0; s < 132; ++s) {
    SmView& sm = f.sms[s];
    sm.sm = s;
    sm.bytesPerCycle = 10.0 + s % 7;
    for (std::uint8_t b = 0; b < 8; ++b) {
      std::string letters;
      for (int k = 0; k < 8; ++k) {
        x = x * 1664525 + 1013904223;
        const std::uint32_t r = (x >> 8) % 100;
        letters += r < 4 ? 'W' : r < 8 ? 'R' : r < 13 ? 'Q' : r < 15 ? 'M' : r < 16 ? 'I' : 'G';
      }
      addBlock(sm, s + b * 132, letters, static_cast<std::uint8_t>(b * 8));
    }
    finish(sm);
  }
  return f;
}

Frame fullFrame() {
  Frame f = gpuFrame();
  f.sms.resize(4);
  f.gpu.storeys = {4};
  f.focusSm = 2;
  for (int i = 0; i < 72; ++i) f.sms[2].shelf.push_back(0.7f);
  for (std::uint8_t p = 0; p < 4; ++p) f.sms[2].picks[p] = {true, p, f.sms[2].places[p].warp, 3};
  f.selection.warp = {2, 2};
  f.crew.warp = {2, 2};
  f.crew.sm = 2;
  for (TruckView& t : f.trucks) t.sm = 2;
  return f;
}

Timeline busyTimeline() {
  Timeline t;
  t.endCycle = 1600;
  std::uint32_t x = 4;
  for (std::uint32_t w = 0; w < 16; ++w) {
    TimelineRow row;
    row.place = static_cast<std::uint8_t>(w);
    row.blockSlot = w / 8;
    row.warp = w % 8;
    const WarpId id{w < 8 ? 7u : 139u, w % 8};
    std::uint64_t at = 0;
    const auto go = [&](char letter, std::uint32_t least, std::uint32_t spread) {
      x = x * 1664525 + 1013904223;
      const std::uint64_t end = at + least + (spread != 0 ? (x >> 8) % spread : 0);
      row.segments.push_back({at, end, id, groupOfLetter(letter)});
      at = end;
    };
    go('I', 16 + 3 * w, 26);
    while (at < t.endCycle) {
      for (const char c : {'W', 'M', 'R', 'W', 'M', 'W'}) go(c, c == 'M' ? 8 : 2, c == 'M' ? 12 : 6);
      go('Q', 6, 40);
      go('G', 420, 190);
    }
    t.rows.push_back(std::move(row));
  }
  return t;
}

}  // namespace warpmill::scene_test
