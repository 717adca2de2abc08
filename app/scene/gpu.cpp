#include "scene/gpu.h"

#include <algorithm>
#include <cmath>

namespace warpmill::scene {
namespace {

using presenter::SmView;

void tile(Canvas& c, const SmView& sm, float x, float y, float w, float h, bool focused, Language l) {
  const Palette& th = c.palette();
  c.rect(x, y + 3, w, h, th.slab.left, 3);
  c.rect(x, y, w, h - 1, th.room.top, 3);
  const float pitchX = (w - 9) / 8, pitchY = (h - 8) / 8, cellW = pitchX * 0.84f, cellH = pitchY * 0.85f;
  // One row of cells is one block's crews where they are eight; else places follow one another block by block.
  std::array<const presenter::PlaceView*, 64> order{};
  std::size_t at = 0;
  const std::size_t perBlock = std::max<std::size_t>(1, sm.warpsPerBlock), step = perBlock <= 8 ? 8 / std::max<std::size_t>(1, 8 / perBlock) : perBlock;
  for (const presenter::BlockView& b : sm.blocks) {
    for (std::size_t k = 0; k < perBlock && at + k < 64; ++k) order[at + k] = b.used && k < b.places.size() ? &sm.places[b.places[k] % 64] : nullptr;
    at = std::min<std::size_t>(64, at + (perBlock <= 8 ? step : (perBlock + 7) / 8 * 8));
  }
  for (std::size_t i = 0; i < 64; ++i) {
    const float cx = x + 4.6f + static_cast<float>(i % 8) * pitchX, cy = y + 4 + static_cast<float>(i / 8) * pitchY;
    const presenter::PlaceView* p = order[i];
    if (p == nullptr || !p->used) c.frame(cx + 0.5f, cy + 0.5f, cellW - 1, cellH - 1, th.strong, 0.8f, 0, 0.8f);
    else if (p->group == StallGroup::Ready) c.rect(cx, cy, cellW, cellH, Paint{.fill = th.panel, .border = th.fill(p->group), .borderWidth = 1.2f});
    else {
      Paint paint = statePaint(c, p->group, cellW >= 10 && cellH >= 10);
      c.rect(cx, cy, cellW, cellH, paint);
    }
  }
  if (focused) c.frame(x - 3, y - 3, w + 6, h + 7, th.lamp, 2.4f, 5);
  HitArea area{.x = x, .y = y, .w = w, .h = h, .outline = {}, .command = {}, .clickable = true, .text = "SM " + std::to_string(sm.sm)};
  if (sm.usedPlaces != 0) {
    const auto most = static_cast<std::size_t>(sm.dominant);
    area.text += ": " + std::to_string(sm.counts[most]) + " / " + std::to_string(sm.usedPlaces) + " " + std::string(presenter::stateWord(sm.dominant, l));
  }
  area.command.kind = Command::Kind::SelectSm;
  area.command.sm = sm.sm;
  c.hit(std::move(area));
}

void shares(Canvas& c, const std::array<std::uint32_t, presenter::stallGroupCount>& counts, float x, float y, float w, bool small) {
  const Palette& th = c.palette();
  std::uint32_t total = 0;
  for (const std::uint32_t n : counts) total += n;
  if (total == 0) {
    c.frame(x + 0.5f, y + 0.5f, w - 1, 13, th.strong, 1);
    return;
  }
  float at = x;
  for (const StallGroup g : presenter::stallGroups) {
    const float wide = static_cast<float>(counts[static_cast<std::size_t>(g)]) / static_cast<float>(total) * w;
    if (wide > 0.5f) {
      if (g == StallGroup::Ready) c.rect(at, y, std::max(wide - 0.5f, 1.0f), 14, Paint{.fill = th.panel, .border = th.fill(g), .borderWidth = 1});
      else c.rect(at, y, wide - 0.6f, 14, statePaint(c, g, wide > 9));
    }
    at += wide;
  }
  if (small) return;
  std::array<std::size_t, presenter::stallGroupCount> order{0, 1, 2, 3, 4, 5, 6, 7};
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  float tx = x;
  for (std::size_t i = 0; i < 2 && counts[order[i]] != 0; ++i, tx += 62) {
    const char letter = presenter::letterOf(static_cast<StallGroup>(order[i]));
    c.text(tx, y + 34, std::string_view(&letter, 1), textLook(th.hi, 13, Weight::Bold));
    c.text(tx + 16, y + 34, std::to_string(std::lround(100.0 * counts[order[i]] / total)) + " %", textLook(th.mid, 12));
  }
}

// Sizes of the large view (the plate's) and of a panel's.
struct Measures {
  float left, right, half, halfPitch, depot, gap, street, header;
};
constexpr Measures large{184, 178, 50, 62, 128, 20, 6, 44}, little{112, 96, 22, 28, 62, 10, 3, 34};

}  // namespace

void drawGpu(Canvas& c, const presenter::Frame& f, Language l, float width, float height, float top, float bottom) {
  const Palette& th = c.palette();
  std::vector<std::uint32_t> storeys = f.gpu.storeys;
  std::uint32_t sum = 0;
  for (const std::uint32_t n : storeys) sum += n;
  if (sum != f.sms.size()) storeys.assign(1, static_cast<std::uint32_t>(f.sms.size()));
  const std::size_t rows = storeys.size();
  const std::uint32_t longest = *std::max_element(storeys.begin(), storeys.end());
  const Rgb lit = th.dark ? mix(th.lamp, th.canvas, 0.12f) : th.lit.left, street = mix(th.canvas, th.control, 0.55f);

  const bool small = height < 640 || width < 1200;
  const Measures& m = small ? little : large;
  const float left = m.left, right = width - m.right;
  float topY = top + m.header;
  const float aisle = longest > 1 ? (small ? 28.0f : 44.0f) : 0;
  const auto across = static_cast<float>(std::max(1u, longest));
  const float pitchX = std::min((right - left - aisle) / across, rows <= 2 ? 260.0f : 140.0f);
  const float pitchY = std::clamp((height - topY - bottom - m.depot - (small ? 14.0f : 40.0f)) / static_cast<float>(rows), 20.0f, rows <= 2 ? 260.0f : 140.0f);
  topY += std::max(0.0f, height - topY - bottom - m.depot - 40 - static_cast<float>(rows) * pitchY) * 0.3f;   // few storeys stand nearer the middle
  const float tileW = pitchX - (small ? 4.0f : 8.0f), tileH = pitchY - m.gap, roadY = pitchY - m.gap * 0.45f;
  const std::size_t upper = (rows + 1) / 2, half = (longest + 1) / 2;
  const auto tx = [&](std::uint32_t j) { return left + static_cast<float>(j) * pitchX + (aisle > 0 && j >= half ? aisle : 0.0f); };
  const auto rowY = [&](std::size_t g) { return topY + static_cast<float>(g) * pitchY + (g >= upper ? m.depot : 0.0f); };
  const float end = tx(longest - 1) + tileW, depotY = topY + static_cast<float>(upper) * pitchY + (small ? 3.0f : 6.0f);
  const float trunkX = aisle > 0 ? tx(half) - aisle / 2 - (small ? 2.0f : 4.0f) : left - 14;
  // Ribbons: width = bytes a cycle; the scale is written below.
  double most = 1;
  std::vector<double> flow(rows, 0);
  std::uint32_t sm = 0;
  for (std::size_t g = 0; g < rows; ++g)
    for (std::uint32_t j = 0; j < storeys[g]; ++j, ++sm) flow[g] += f.sms[sm].bytesPerCycle;
  double upFlow = 0, downFlow = 0;
  for (std::size_t g = 0; g < rows; ++g) (g < upper ? upFlow : downFlow) += flow[g];
  most = std::max({upFlow, downFlow, 100.0});
  // 30 px for 889 bytes a cycle, as on a full H200; smaller machines get a scale that is a power of two larger.
  double px = 30.0 / 889;
  while (most * px * 2 <= 30) px *= 2;

  if (small) px *= 0.6;
  const float alley = small ? 20 : 40;
  c.rect(trunkX - alley / 2, rowY(0) + tileH, alley, rowY(rows - 1) - rowY(0), street, 4);
  sm = 0;
  for (std::size_t g = 0; g < rows; ++g) {
    const float y = rowY(g), road = y + roadY, middle = y + tileH / 2;
    c.rect(left, road - m.street / 2, tx(storeys[g] - 1) + tileW - left, m.street, street, m.street / 2);
    const std::string name = presenter::say(Word::Storey, l, g), moved = std::to_string(std::lround(flow[g]));
    if (small) {
      c.text(14, middle + 4.5f, name, textLook(th.hi, 12, Weight::SemiBold));
      c.text(left - 10, middle + 4.5f, moved, monoLook(th.mid, 12, Weight::Regular, Anchor::End));
    } else {
      c.text(24, y + 30, name, textLook(th.hi, 14, Weight::SemiBold));
      c.text(24, y + 48, presenter::say(Word::Floors, l, storeys[g]), textLook(th.low, 12));
      c.text(164, y + 30, moved, monoLook(th.hi, 14, Weight::SemiBold, Anchor::End));
      c.text(164, y + 48, presenter::word(Word::BytesPerCycle, l), textLook(th.low, 12, Weight::Regular, Anchor::End));
    }
    // The ribbon under the storey gathers what each tile moves, from both ends to the trunk.
    const auto gather = [&](std::uint32_t from, std::uint32_t to, int dir) {
      double w = 0;
      for (std::uint32_t j = from;; j = static_cast<std::uint32_t>(static_cast<int>(j) + dir)) {
        w += f.sms[sm + j].bytesPerCycle;
        const float a = dir > 0 ? tx(j) : tx(j) + tileW, b = j == to ? trunkX : dir > 0 ? tx(j + 1) : tx(j - 1) + tileW;
        const auto wide = static_cast<float>(w * px);
        if (wide > 0.2f) c.rect(std::min(a, b), road - wide / 2, std::fabs(b - a), wide, lit);
        if (j == to) break;
      }
    };
    const std::uint32_t split = aisle > 0 ? std::min<std::uint32_t>(static_cast<std::uint32_t>(half), storeys[g]) : 0;
    if (split > 0) gather(0, split - 1, 1);
    if (split < storeys[g]) gather(storeys[g] - 1, split, -1);
    std::array<std::uint32_t, presenter::stallGroupCount> counts{};
    for (std::uint32_t j = 0; j < storeys[g]; ++j, ++sm) {
      tile(c, f.sms[sm], tx(j), y, tileW, tileH, sm == f.focusSm, l);
      for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += f.sms[sm].counts[k];
      if (sm == f.focusSm && !small) c.text(tx(j) + tileW / 2, y - 14, presenter::say(Word::InFocus, l, sm), textLook(th.lampInk, 12, Weight::SemiBold, Anchor::Middle));
    }
    if (small) {
      shares(c, counts, width - 84, middle - 7, 70, true);
      continue;
    }
    if (g == 0) c.text(width - 156, topY - 14, presenter::word(Word::ShareOfCrews, l), textLook(th.low, 12, Weight::SemiBold));
    shares(c, counts, width - 156, y + 14, 132, false);
  }
  // Trunk: storey by storey towards the depot.
  double w = 0;
  for (std::size_t g = 0; g < upper; ++g) {
    w += flow[g];
    const auto wide = static_cast<float>(w * px);
    const float a = rowY(g) + roadY, b = g + 1 < upper ? rowY(g + 1) + roadY : depotY + m.half / 2;
    if (wide > 0.2f) c.rect(trunkX - wide / 2, a, wide, b - a, lit);
  }
  w = 0;
  for (std::size_t g = rows; g-- > upper;) {
    w += flow[g];
    const auto wide = static_cast<float>(w * px);
    const float a = g > upper ? rowY(g - 1) + roadY : depotY + m.halfPitch + m.half / 2, b = rowY(g) + roadY;
    if (wide > 0.2f) c.rect(trunkX - wide / 2, a, wide, b - a, lit);
  }
  for (int h = 0; h < 2; ++h) {
    const float y = depotY + static_cast<float>(h) * m.halfPitch, middle = y + m.half / 2;
    c.rect(left, y + (small ? 2.0f : 5.0f), end - left, m.half, th.slate.right, 3);
    c.rect(left, y, end - left, m.half, th.slate.left, 3);
    const std::uint32_t slices = std::clamp((f.gpu.depotSlices + 1) / 2, 1u, 64u);
    const float each = (end - left - 16) / static_cast<float>(slices);
    if (!small)
      for (std::uint32_t i = 0; i < slices; ++i)
        for (const float yy : {y + 4, y + 41}) c.rect(left + 8 + static_cast<float>(i) * each, yy, each - 3, 5, mix(th.slate.top, th.slate.left, 0.3f), 1);
    c.rect(left, middle - m.half * 0.26f, end - left, m.half * 0.52f, mix(th.slate.right, th.canvas, th.dark ? 0.3f : 0.0f));
    const auto wide = static_cast<float>((h == 0 ? upFlow : downFlow) * px);
    if (wide > 0.2f) c.rect(left - 8, middle - wide / 2, trunkX - left + wide / 2 + 8, wide, lit);
    const std::string name = presenter::say(Word::DepotHalf, l, h);
    const float at = std::max(trunkX, left) + 40;
    const float nw = c.text(at, middle + 4.5f, name, textLook(th.hi, small ? 12.0f : 13.0f, Weight::SemiBold));
    c.text(at + nw + 8, middle + 4.5f, presenter::word(Word::DepotSub, l), textLook(th.dark ? th.mid : th.hi, 12));
  }
  // The warehouse stands at the depot's end; what it sends is known for all its docks together.
  const float boxX = small ? 10.0f : 24.0f, boxW = left - 12 - boxX, boxH = m.halfPitch + m.half;
  const Rgb second = th.dark ? th.mid : th.hi;
  c.rect(boxX, depotY + (small ? 2.0f : 5.0f), boxW, boxH, th.slate.right, 3);
  c.rect(boxX, depotY, boxW, boxH, th.slate.left, 3);
  const std::string flowText = std::to_string(std::lround(f.gpu.dramBytesPerCycle));
  if (small) {
    c.text(boxX + 8, depotY + 20, c.fitted(presenter::word(Word::Warehouse, l), {12, Weight::SemiBold, false}, boxW - 12), textLook(th.hi, 12, Weight::SemiBold));
    const float w0 = c.text(boxX + 8, depotY + 39, flowText, monoLook(th.hi, 12, Weight::SemiBold));
    c.text(boxX + 12 + w0, depotY + 39, presenter::word(Word::BytesPerCycle, l), textLook(second, 12));
  } else {
    c.text(36, depotY + 30, presenter::word(Word::Warehouse, l), textLook(th.hi, 13, Weight::SemiBold));
    c.text(36, depotY + 48, presenter::word(Word::WarehouseSub, l), textLook(second, 12));
    const float flowWidth = c.text(36, depotY + 78, flowText, monoLook(th.hi, 14, Weight::SemiBold));
    c.text(42 + flowWidth, depotY + 78, presenter::word(Word::BytesPerCycle, l), textLook(second, 12));
    if (f.gpu.peakBytesPerCycle > 0)
      c.text(36, depotY + 97, presenter::say(Word::OfPeak, l, std::lround(100 * f.gpu.dramBytesPerCycle / f.gpu.peakBytesPerCycle)), textLook(second, 12));
  }
  const double scale = 300 * (30.0 / 889) / px;
  const std::string scaleText = presenter::say(Word::ScaleOfRibbon, l, std::lround(scale));
  const TextStyle scaleStyle{small ? 12.0f : 13.0f, Weight::Regular, false};
  const float legendY = small ? height - 13 : height - bottom + 2;
  legendStrip(c, small ? 14.0f : 24.0f, legendY, l, !small);
  const float scaleY = small ? top + 20 : legendY, sx = small ? 14 : width - 24 - c.width(scaleText, scaleStyle) - 70;
  c.rect(sx, scaleY - 9, 60, 10.1f, lit);   // 300 bytes a cycle at the plate's scale
  c.text(sx + 70, scaleY + 1, scaleText, textLook(th.mid, scaleStyle.size));
  c.text(width - (small ? 14.0f : 24.0f), small ? top + 20 : height - 30, presenter::word(Word::StoreysNote, l), textLook(th.low, 12, Weight::Regular, Anchor::End));
}

}  // namespace warpmill::scene
