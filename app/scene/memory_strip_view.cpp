#include "scene/parts.h"
#include "scene/strip_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpmill::scene {
namespace {

using presenter::RequestView;
using presenter::StationStamp;

Word stationWord(StationStamp::Kind kind, bool store) {
  switch (kind) {
    case StationStamp::Kind::Issued: return Word::Issued;
    case StationStamp::Kind::Dock: return Word::StationDock;
    case StationStamp::Kind::Shelf: return Word::StationShelf;
    case StationStamp::Kind::Depot: return Word::StationDepot;
    case StationStamp::Kind::Warehouse: return Word::StationWarehouse;
    case StationStamp::Kind::Back: break;
  }
  return store ? Word::StationAccepted : Word::StationBack;
}

// Stations stand apart by their time, but never closer than their words need.
std::vector<float> stationPlaces(const RequestView& r, float from, float to) {
  std::vector<float> x{from};
  const std::size_t gaps = r.stations.size() - 1;
  const double span = std::max<double>(1, static_cast<double>(r.stations.back().cycle - r.stations.front().cycle));
  const float least = std::min(84.0f, (to - from) / static_cast<float>(std::max<std::size_t>(1, gaps))), spare = std::max(0.0f, to - from - least * static_cast<float>(gaps));
  for (std::size_t i = 1; i < r.stations.size(); ++i)
    x.push_back(x.back() + least + spare * static_cast<float>(static_cast<double>(r.stations[i].cycle - r.stations[i - 1].cycle) / span));
  return x;
}

}  // namespace

MemoryStripView::MemoryStripView(std::shared_ptr<Renderer> renderer) : View(std::move(renderer)) {}
MemoryStripView::~MemoryStripView() = default;

std::uint64_t MemoryStripView::baseKey() const { return static_cast<std::uint64_t>(theme_) << 48 | static_cast<std::uint64_t>(width_) << 24 | static_cast<std::uint64_t>(height_); }

void MemoryStripView::drawBase(Canvas& c) { c.rect(0, 0, static_cast<float>(width_), static_cast<float>(height_), c.palette().panel); }

void MemoryStripView::draw(Canvas& c) {
  if (!frame_) return;
  const Palette& th = c.palette();
  const presenter::Frame& f = *frame_;
  const RequestView& r = f.request;
  const Language l = language_;
  const auto w = static_cast<float>(width_);
  if (!r.any || r.pallets.empty()) {
    c.text(14, 24, presenter::word(Word::NoRequest, l), textLook(th.low, 13));
    return;
  }
  const std::string what = r.buffer.empty() ? r.instruction : r.buffer;
  const float x0 = std::max(62.0f, c.width(presenter::word(Word::Lane, l), {12, Weight::Regular, false}) + 24), gap = r.pallets.size() <= 8 ? 5.0f : 2.0f, all = w - x0 - 14;
  const auto n = static_cast<float>(r.pallets.size());
  const float wide = (all - gap * (n - 1)) / n, word = wide / 8;
  c.text(14, 42, presenter::word(Word::Lane, l), textLook(th.low, 12));
  if (r.isShared) c.text(14, 16, presenter::say(Word::Passes, l, r.wavefronts), textLook(th.low, 12));
  for (std::size_t p = 0; p < r.pallets.size(); ++p) {
    const presenter::Pallet& pallet = r.pallets[p];
    const float x = x0 + static_cast<float>(p) * (wide + gap);
    const int used = __builtin_popcount(pallet.usedMask);
    if (wide > 60) c.text(x, 16, presenter::say(Word::PalletNumber, l, p), textLook(th.mid, 12));
    if (wide > 150) c.text(x + wide - 3, 16, presenter::say(Word::PalletBytes, l, used, 32), textLook(th.low, 12, Weight::Regular, Anchor::End));
    for (std::uint32_t k = 0; k < 8; ++k) {
      const float at = x + static_cast<float>(k) * word;
      const bool wanted = (pallet.usedMask >> (k * 4) & 15) != 0;
      c.rect(at, 22, std::max(1.0f, word - (word > 6 ? 2.0f : 0.6f)), 30, wanted ? th.lit.top : th.darkPallet.top, word > 6 ? 2.0f : 0.0f);
    }
    for (const std::uint8_t lane : pallet.lanes) {
      const std::uint64_t a = std::max(r.address[lane], pallet.address), b = std::min(r.address[lane] + r.bytesPerLane, pallet.address + 32);
      const float from = x + static_cast<float>(a - pallet.address) / 4 * word, to = x + static_cast<float>(b - pallet.address) / 4 * word;
      const bool mine = lane == f.selection.lane;
      if (to - from >= 15) c.text((from + to) / 2 - 1, 41.5f, std::to_string(lane), monoLook(th.dark ? 0x1A1410 : 0x22170F, 12, mine ? Weight::Bold : Weight::Medium, Anchor::Middle));
      if (mine) c.frame(from - 1, 20.5f, std::max(3.0f, to - from), 33, th.hi, 2, 2);
      HitArea area{.x = from, .y = 22, .w = std::max(2.0f, to - from), .h = 30, .outline = {}, .command = {}, .clickable = true, .text = presenter::say(Word::LaneText, l, lane, elementText(r, lane) + "   " + fmt::format("0x{:x}", r.address[lane]))};
      area.command.kind = Command::Kind::SelectLane;
      area.command.warp = r.warp;
      area.command.lane = lane;
      c.hit(std::move(area));
    }
  }
  if (r.stations.size() < 2 || height_ < 120) return;
  const float y = 100;
  const std::vector<float> x = stationPlaces(r, x0 + 12, w - 40);
  const auto segment = static_cast<std::size_t>(std::clamp(r.progress, 0.0f, static_cast<float>(x.size() - 1)));
  const float now = segment + 1 < x.size() ? x[segment] + (x[segment + 1] - x[segment]) * (r.progress - static_cast<float>(segment)) : x.back();
  c.line({x.front(), y}, {now, y}, th.hi, 2);
  c.dashed({now, y}, {x.back(), y}, th.low, 1.5f, 3, 5);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const StationStamp& s = r.stations[i];
    if (s.past) c.disc({x[i], y}, 5.5f, th.hi);
    else {
      c.disc({x[i], y}, 5, th.panel);
      c.ring({x[i], y}, 5, th.low, 1.5f);
    }
    const Anchor anchor = i + 1 == x.size() ? Anchor::End : Anchor::Middle;
    const float at = i + 1 == x.size() ? x[i] + 14 : x[i];
    c.text(at, y + 22, presenter::word(stationWord(s.kind, r.isStore), l), textLook(s.past ? th.hi : th.mid, 12, Weight::Medium, anchor));
    c.text(at, y + 39, presenter::grouped(s.cycle), monoLook(s.past ? th.mid : th.low, 12, Weight::Regular, anchor));
    HitArea area{.x = x[i] - 14, .y = y - 10, .w = 28, .h = 52, .outline = {}, .command = {}, .clickable = true, .text = std::string(presenter::word(stationWord(s.kind, r.isStore), l)) + " " + presenter::grouped(s.cycle)};
    area.command.kind = Command::Kind::SeekCycle;
    area.command.cycle = s.cycle;
    c.hit(std::move(area));
  }
  c.text(14, y + 4.5f, c.fitted(what, {12, Weight::Regular, false}, 52), textLook(th.low, 12));
  if (r.stations.back().past) return;
  c.rect(now - 13, y - 8, 26, 16, th.panel);
  for (std::size_t q = 0; q < std::min<std::size_t>(4, r.pallets.size()); ++q)
    c.rect(now - 12 + static_cast<float>(q) * 6.2f, y - 6, 5, 12, r.pallets[q].usedMask != 0 ? th.lit.top : th.darkPallet.top, 1);
  c.text(now, y - 13, presenter::word(Word::Now, l), textLook(th.lampInk, 12, Weight::SemiBold, Anchor::Middle));
}

}  // namespace warpmill::scene
