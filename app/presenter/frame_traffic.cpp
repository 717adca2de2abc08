#include "presenter/frame_parts.h"

#include <algorithm>
#include <bit>
#include <map>

namespace warpmill::presenter {
namespace {

constexpr std::uint64_t flowWindow = 512;
constexpr std::size_t mostTrucks = 512;
constexpr std::uint64_t lookBack = 65536;   // requests: older ones have long been answered

float share(std::uint64_t from, std::uint64_t to, std::uint64_t now) {
  if (to <= from) return 1;
  return static_cast<float>(static_cast<double>(now - from) / static_cast<double>(to - from));
}

// Where a request is at `now`; false when it is not under way any more.
bool placeOf(const timing::Request& r, std::uint64_t now, TruckView& truck) {
  using timing::Level;
  if (now >= r.done) return false;
  const auto go = [&](Station from, Station to, std::uint64_t a, std::uint64_t b, bool back) {
    truck.from = from;
    truck.to = to;
    truck.returning = back;
    truck.fraction = share(a, b, now);
    return true;
  };
  if (now < r.atL1) return go(Station::Dock, Station::Shelf, r.issued, r.atL1, false);
  if (r.level <= Level::L1) return go(Station::Shelf, Station::Dock, r.atL1, r.done, true);
  if (now < r.atL2) return go(Station::Shelf, Station::Depot, r.atL1, r.atL2, false);
  if (r.isStore) return go(Station::Depot, Station::Depot, r.atL2, r.done, false);
  if (r.level == Level::L2) return go(Station::Depot, Station::Dock, r.atL2, r.done, true);
  if (now < r.atDram) return go(Station::Depot, Station::Warehouse, r.atL2, r.atDram, false);
  if (now < r.leftDram) return go(Station::Warehouse, Station::Warehouse, r.atDram, r.leftDram, false);
  return go(Station::Warehouse, Station::Dock, r.leftDram, r.done, true);
}

}  // namespace

void fillTraffic(const FrameContext& c, const Selection& selection, Frame& frame) {
  const std::uint64_t oldest = c.requests > lookBack ? c.requests - lookBack : 0;
  const std::uint64_t since = c.now > flowWindow ? c.now - flowWindow : 0;
  const double window = static_cast<double>(std::max<std::uint64_t>(1, std::min(flowWindow, c.now)));
  for (std::uint64_t k = c.requests; k > oldest; --k) {
    const timing::Request& r = c.trace.requests[k - 1];
    if (r.sm >= frame.sms.size()) continue;
    SmView& sm = frame.sms[r.sm];
    if (r.level >= timing::Level::L2 && r.atL2 > since && r.atL2 <= c.now) sm.bytesPerCycle += 32.0 * r.sectorCount / window;
    if (r.level == timing::Level::Dram && r.leftDram > since && r.leftDram <= c.now) frame.gpu.dramBytesPerCycle += 32.0 * r.sectorCount / window;
    if (r.isShared || c.now >= r.done) continue;
    ++sm.inFlight;
    const bool focused = r.sm == frame.focusSm;
    if (!focused && frame.sms.size() > 4) continue;
    TruckView truck;
    truck.request = r.id;
    truck.warp = r.warp;
    truck.sm = r.sm;
    truck.isStore = r.isStore;
    truck.isAtomic = r.isAtomic;
    truck.usedBytes = r.usedBytes;
    truck.movedBytes = r.sectorCount * 32;
    truck.focused = frame.request.any && frame.request.id == r.id;
    for (std::uint32_t s = 0; s < r.sectorCount && r.firstSector + s < c.trace.sectors.size(); ++s)
      truck.used.push_back(static_cast<float>(std::popcount(c.trace.sectors[r.firstSector + s].usedBytes)) / 32.0f);
    if (c.now < r.issued) {
      if (frame.dock.size() < mostTrucks) frame.dock.push_back(std::move(truck));
      continue;
    }
    if (!placeOf(r, c.now, truck)) continue;
    if (focused && truck.from == Station::Depot && truck.to == Station::Depot) ++frame.insideDepot;
    else if (focused && truck.from == Station::Warehouse && truck.to == Station::Warehouse) ++frame.insideWarehouse;
    if (frame.trucks.size() < mostTrucks) frame.trucks.push_back(std::move(truck));
  }
  std::reverse(frame.trucks.begin(), frame.trucks.end());   // oldest first
  std::reverse(frame.dock.begin(), frame.dock.end());
  static_cast<void>(selection);
}

void fillRequest(const FrameContext& c, const Selection& selection, Frame& frame) {
  const timing::Request* r = nullptr;
  if (selection.request && *selection.request < c.requests) {
    r = &c.trace.requests[*selection.request];
  } else {
    const std::uint64_t oldest = c.requests > lookBack ? c.requests - lookBack : 0;
    for (std::uint64_t k = c.requests; k > oldest && r == nullptr; --k)
      if (c.trace.requests[k - 1].warp == selection.warp) r = &c.trace.requests[k - 1];
  }
  if (r == nullptr) return;
  RequestView& v = frame.request;
  v.any = true;
  v.id = r->id;
  v.warp = r->warp;
  v.pc = r->pc;
  v.line = c.lineOf(r->pc);
  v.instruction = c.textOf(r->pc);
  v.isStore = r->isStore;
  v.isAtomic = r->isAtomic;
  v.isShared = r->isShared;
  v.bytesPerLane = r->bytesPerLane;
  v.wavefronts = r->wavefronts;
  v.lanes = r->lanes;
  v.address = r->address;
  v.usedBytes = r->usedBytes;
  v.movedBytes = r->sectorCount * 32;
  std::map<std::uint64_t, Pallet> pallets;
  for (std::uint32_t s = 0; s < r->sectorCount && r->firstSector + s < c.trace.sectors.size(); ++s) {
    const timing::SectorRecord& sector = c.trace.sectors[r->firstSector + s];
    pallets[sector.address] = {sector.address, sector.usedBytes, sector.level, {}};
  }
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((r->lanes >> lane & 1) == 0) continue;
    for (std::uint64_t a = r->address[lane] & ~31ull; a < r->address[lane] + r->bytesPerLane; a += 32)
      if (const auto p = pallets.find(a); p != pallets.end()) p->second.lanes.push_back(static_cast<std::uint8_t>(lane));
  }
  for (auto& [address, pallet] : pallets) v.pallets.push_back(std::move(pallet));
  if (!r->isShared && !v.pallets.empty())
    if (const machine::Allocation* a = c.state.memory.find(v.pallets.front().address, 1)) {
      v.buffer = a->name;
      const auto& arguments = c.machine.launch().launch.arguments;
      if (a->argument < arguments.size()) {
        v.bufferBase = a->base;
        v.elementBytes = launch::dtypeBytes(arguments[a->argument].type);
      }
    }

  // The issue that made it: issues are in time order, so look back from the first one after the unit took it.
  std::uint64_t issuedAt = r->issued;
  const auto after = std::upper_bound(c.trace.issues.begin(), c.trace.issues.begin() + static_cast<std::ptrdiff_t>(c.issues), r->issued,
                                      [](std::uint64_t cycle, const timing::IssueEvent& e) { return cycle < e.at.cycle; });
  for (auto e = after; e != c.trace.issues.begin();)
    if ((--e)->request == r->id) {
      issuedAt = e->at.cycle;
      break;
    }
  using Kind = StationStamp::Kind;
  const auto stop = [&](Kind kind, std::uint64_t cycle) { v.stations.push_back({kind, cycle, cycle <= c.now}); };
  stop(Kind::Issued, issuedAt);
  if (!r->isShared) {
    stop(Kind::Dock, r->issued);
    stop(Kind::Shelf, r->atL1);
    if (r->level >= timing::Level::L2) stop(Kind::Depot, r->atL2);
    if (r->level == timing::Level::Dram && !r->isStore) stop(Kind::Warehouse, r->atDram);
  }
  stop(Kind::Back, r->done);
  v.progress = static_cast<float>(v.stations.size() - 1);
  for (std::size_t i = 1; i < v.stations.size(); ++i)
    if (c.now < v.stations[i].cycle) {
      const std::uint64_t a = v.stations[i - 1].cycle, b = v.stations[i].cycle;
      v.progress = static_cast<float>(i - 1) + (c.now <= a ? 0.0f : share(a, b, c.now));
      break;
    }
}

}  // namespace warpmill::presenter
