#include "scene/parts.h"
#include "scene/strip_views.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpmill::scene {
namespace {

constexpr float left = 104, rightMargin = 16, overviewY = 12, overviewHeight = 34, axisHeight = 30;

std::uint64_t mixKey(std::uint64_t h, std::uint64_t v) { return (h ^ v) * 0x9E3779B97F4A7C15ull + (h >> 29); }

// Ticks at 1, 2 or 5 times a power of ten, at least `pixels` apart.
double tickStep(double cyclesPerPixel, double pixels) {
  const double least = cyclesPerPixel * pixels;
  double step = std::pow(10, std::floor(std::log10(std::max(least, 1.0))));
  for (const double k : {1.0, 2.0, 5.0, 10.0})
    if (step * k >= least) return std::max(1.0, step * k);
  return step * 10;
}

void bar(Canvas& c, float x, float y, float w, float h, StallGroup g) {
  if (g == StallGroup::Ready) {
    const Palette& th = c.palette();
    if (w < 3) c.rect(x, y, std::max(w, 0.8f), h, th.fill(g));
    else c.rect(x, y, w, h, Paint{.fill = th.panel, .border = th.fill(g), .borderWidth = 1});
    return;
  }
  c.rect(x, y, std::max(w - (w > 3 ? 0.4f : 0.0f), 0.8f), h, statePaint(c, g, w > 7 && h >= 9));
}

}  // namespace

TimelineView::TimelineView(std::shared_ptr<Renderer> renderer) : View(std::move(renderer)) {}
TimelineView::~TimelineView() = default;

void TimelineView::setTimeline(std::shared_ptr<const presenter::Timeline> timeline) {
  const bool all = !timeline_ || begin_ <= 0.5;
  timeline_ = std::move(timeline);
  ++version_;
  if (all) showAll();
  dirty_ = true;
}

void TimelineView::setBookmarks(std::vector<std::uint64_t> cycles) {
  bookmarks_ = std::move(cycles);
  dirty_ = true;
}

void TimelineView::showAll() {
  begin_ = 0;
  end_ = timeline_ ? std::max<double>(1, static_cast<double>(timeline_->endCycle)) : 1;
  dirty_ = true;
}

double TimelineView::cycleAt(float x) const { return begin_ + (end_ - begin_) * static_cast<double>((x - left) / std::max(1.0f, static_cast<float>(width_) - rightMargin - left)); }
float TimelineView::xOf(double cycle) const { return left + static_cast<float>((cycle - begin_) / (end_ - begin_)) * (static_cast<float>(width_) - rightMargin - left); }

std::vector<TimelineView::RowPlace> TimelineView::rowPlaces() const {
  std::vector<RowPlace> out;
  if (!timeline_ || timeline_->rows.empty()) return out;
  const auto& rows = timeline_->rows;
  std::size_t gaps = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) gaps += rows[i].blockSlot != rows[i - 1].blockSlot;
  const float first = overviewY + overviewHeight + 10, room = static_cast<float>(height_) - axisHeight - first;
  const float gap = std::min(6.0f, room * 0.1f / static_cast<float>(std::max<std::size_t>(1, gaps)));
  const float pitch = std::clamp((room - gap * static_cast<float>(gaps)) / static_cast<float>(rows.size()), 1.5f, 12.4f);
  float y = first;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i].blockSlot != rows[i - 1].blockSlot) y += gap;
    out.push_back({y, pitch >= 12 ? 10 : pitch * 0.84f});
    y += pitch;
  }
  return out;
}

std::uint64_t TimelineView::baseKey() const {
  std::uint64_t h = mixKey(version_, static_cast<std::uint64_t>(width_) << 32 | static_cast<std::uint64_t>(height_));
  h = mixKey(h, std::bit_cast<std::uint64_t>(begin_));
  h = mixKey(h, std::bit_cast<std::uint64_t>(end_));
  return mixKey(h, static_cast<std::uint64_t>(theme_) * 2 + static_cast<std::uint64_t>(language_));
}

void TimelineView::drawBase(Canvas& c) {
  const Palette& th = c.palette();
  const auto w = static_cast<float>(width_), h = static_cast<float>(height_);
  c.rect(0, 0, w, h, th.panel);
  if (!timeline_ || timeline_->rows.empty()) return;
  const float right = w - rightMargin, wide = right - left;
  c.rect(left, overviewY, wide, overviewHeight, th.canvas);
  const auto bins = static_cast<std::size_t>(std::max(1.0f, wide / 3));
  const auto crews = presenter::overview(*timeline_, begin_, end_, bins);
  const float each = wide / static_cast<float>(bins), unit = overviewHeight / static_cast<float>(timeline_->rows.size());
  for (std::size_t b = 0; b < bins; ++b) {
    float y = overviewY + overviewHeight;
    for (const char letter : {'G', 'Q', 'S', 'B', 'M', 'I', 'R', 'W'})
      for (const StallGroup g : presenter::stallGroups) {
        if (presenter::letterOf(g) != letter) continue;
        const float part = crews[b][static_cast<std::size_t>(g)] * unit;
        if (part < 0.05f) continue;
        y -= part;
        c.rect(left + static_cast<float>(b) * each, y, each + 0.3f, part, g == StallGroup::Ready ? mix(th.fill(g), th.panel, 0.25f) : th.fill(g));
      }
  }
  const auto places = rowPlaces();
  const double perPixel = (end_ - begin_) / static_cast<double>(wide);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const presenter::TimelineRow& row = timeline_->rows[i];
    if (places[i].y > h - axisHeight) break;
    if (perPixel < 0.6) {   // near: every segment as it is
      const auto from = std::partition_point(row.segments.begin(), row.segments.end(), [&](const presenter::Segment& s) { return static_cast<double>(s.end) <= begin_; });
      for (auto s = from; s != row.segments.end() && static_cast<double>(s->begin) < end_; ++s) {
        const float a = std::max(left, xOf(static_cast<double>(s->begin))), b = std::min(right, xOf(static_cast<double>(s->end)));
        bar(c, a, places[i].y, b - a, places[i].height, s->group);
      }
      continue;
    }
    const auto cells = static_cast<std::size_t>(std::max(1.0f, wide));
    const std::vector<std::uint8_t> letters = presenter::binned(row, begin_, end_, cells);
    const float cell = wide / static_cast<float>(cells);
    for (std::size_t a = 0; a < cells;) {
      std::size_t b = a + 1;
      while (b < cells && letters[b] == letters[a]) ++b;
      if (letters[a] != presenter::noGroup) bar(c, left + static_cast<float>(a) * cell, places[i].y, static_cast<float>(b - a) * cell, places[i].height, static_cast<StallGroup>(letters[a]));
      a = b;
    }
  }
  const float axis = h - axisHeight + 8;
  const double step = tickStep(perPixel, 110);
  for (double t = std::ceil(begin_ / step) * step; t <= end_; t += step) {
    const float x = xOf(t);
    c.rect(x, axis - 3, 1, 4, th.strong);
    const Anchor anchor = x < left + 20 ? Anchor::Start : x > right - 30 ? Anchor::End : Anchor::Middle;
    c.text(x, axis + 14, presenter::grouped(static_cast<std::uint64_t>(t)), monoLook(th.low, 12, Weight::Regular, anchor));
  }
  c.text(92, overviewY + 21, presenter::word(Word::AllCrews, language_), textLook(th.mid, 12, Weight::Regular, Anchor::End));
}

void TimelineView::draw(Canvas& c) {
  const Palette& th = c.palette();
  const auto w = static_cast<float>(width_), h = static_cast<float>(height_);
  if (!timeline_ || !frame_) return;
  const presenter::Frame& f = *frame_;
  const auto places = rowPlaces();
  const auto playhead = static_cast<double>(f.cycle);
  std::uint64_t lastBlock = ~0ull;
  float lastLabel = -100;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const presenter::TimelineRow& row = timeline_->rows[i];
    // The warp that has this place at the playhead, else the first that had it.
    timing::WarpId warp = row.segments.empty() ? timing::WarpId{} : row.segments.front().warp;
    const auto now = std::partition_point(row.segments.begin(), row.segments.end(), [&](const presenter::Segment& s) { return s.end <= f.cycle; });
    if (now != row.segments.end()) warp = now->warp;
    else if (!row.segments.empty()) warp = row.segments.back().warp;
    const bool selected = warp == f.selection.warp;
    const bool firstOfBlock = warp.block != lastBlock;
    lastBlock = warp.block;
    const float y = places[i].y, hh = places[i].height;
    if (selected) c.rect(0, y - 1.6f, w - 10, hh + 3.2f, th.lamp, 0, 0.16f);
    if (selected || (firstOfBlock && y - lastLabel > 12)) {
      c.text(92, y + hh / 2 + 4.4f, selected ? presenter::say(Word::WarpLow, language_, warp.warp) : presenter::say(Word::BlockLow, language_, warp.block),
             textLook(selected ? th.hi : th.mid, 12, selected ? Weight::SemiBold : Weight::Regular, Anchor::End));
      lastLabel = y;
    }
    if (selected && hh >= 9)   // letters on its long waits
      for (auto s = std::partition_point(row.segments.begin(), row.segments.end(), [&](const presenter::Segment& x) { return static_cast<double>(x.end) <= begin_; });
           s != row.segments.end() && static_cast<double>(s->begin) < end_; ++s) {
        const float a = std::max(left, xOf(static_cast<double>(s->begin))), b = std::min(w - rightMargin, xOf(static_cast<double>(s->end)));
        if (b - a <= 60) continue;
        const char letter = presenter::letterOf(s->group);
        c.rect((a + b) / 2 - 8, y - 0.5f, 16, 11, th.panel, 2);
        c.text((a + b) / 2, y + 9.4f, std::string_view(&letter, 1), textLook(th.hi, 12, Weight::Bold, Anchor::Middle));
      }
    HitArea area{.x = 0, .y = y - 1, .w = left - 8, .h = hh + 2, .outline = {}, .command = {}, .clickable = true, .text = presenter::say(Word::WarpOfBlock, language_, warp.warp, warp.block)};
    area.command.kind = Command::Kind::SelectWarp;
    area.command.warp = warp;
    c.hit(std::move(area));
  }
  for (std::size_t i = 0; i < bookmarks_.size(); ++i) {
    const float x = xOf(static_cast<double>(bookmarks_[i]));
    if (x < left || x > w - rightMargin) continue;
    c.line({x, overviewY - 2}, {x, overviewY + overviewHeight}, th.hi, 1, 0.7f);
    c.rect(x, overviewY - 6, 16, 15, th.control, 2);
    c.text(x + 8, overviewY + 5.6f, std::to_string(i + 1), textLook(th.hi, 12, Weight::SemiBold, Anchor::Middle));
  }
  const float x = xOf(playhead), bottom = h - axisHeight + 8;
  if (x < left - 1 || x > w - rightMargin + 1) return;
  c.line({x, overviewY - 4}, {x, bottom}, th.lamp, 1.6f);
  c.triangle({x - 6, overviewY - 8}, {x + 6, overviewY - 8}, {x, overviewY}, th.lamp);
  const std::string text = presenter::grouped(f.cycle);
  const float half = c.width(text, {12, Weight::SemiBold, true}) / 2 + 7, at = std::clamp(x, left + half - 20, w - half - 2);
  c.rect(at - half, bottom + 1, 2 * half, 18, th.lamp, 4);
  c.text(at, bottom + 14.5f, text, monoLook(th.onLamp, 12, Weight::SemiBold, Anchor::Middle));
}

void TimelineView::seekTo(float x) {
  if (!timeline_ || x < left - 12) return;
  Command command;
  command.kind = Command::Kind::SeekCycle;
  command.cycle = static_cast<std::uint64_t>(std::clamp(cycleAt(x), 0.0, static_cast<double>(timeline_->endCycle)));
  emitCommand(std::move(command));
}

void TimelineView::clickedNothing(float x, float) { seekTo(x); }

bool TimelineView::dragged(float dx, float, float x, float) {
  if (pressButton_ == Button::Left) {
    seekTo(x);
    return false;   // the host's new frame redraws it
  }
  const double shift = static_cast<double>(dx) * (end_ - begin_) / std::max(1.0, static_cast<double>(static_cast<float>(width_) - rightMargin - left));
  const double most = timeline_ ? static_cast<double>(timeline_->endCycle) : end_;
  const double span = end_ - begin_;
  begin_ = std::clamp(begin_ - shift, 0.0, std::max(0.0, most - span));
  end_ = begin_ + span;
  return true;
}

bool TimelineView::wheeled(float steps, float x, float) {
  if (!timeline_) return false;
  const double most = std::max<double>(1, static_cast<double>(timeline_->endCycle)), at = std::clamp(cycleAt(x), begin_, end_);
  const double span = std::clamp((end_ - begin_) * std::pow(1.25, -static_cast<double>(steps)), std::min(most, 24.0), most);
  const double share = (at - begin_) / (end_ - begin_);
  begin_ = std::clamp(at - share * span, 0.0, most - span);
  end_ = begin_ + span;
  return true;
}

}  // namespace warpmill::scene
