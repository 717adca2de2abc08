#include "scene/crew.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpmill::scene {
namespace {

using presenter::CrewView;
using presenter::LaneMark;
using presenter::RequestView;

constexpr BoxLook plain{.shadow = false, .rim = true, .top = {}, .left = {}, .right = {}};

Rgb matColour(const Palette& th) { return th.dark ? th.deep(th.slab.top, 0.3f) : th.wall.top; }
float laneX(std::uint32_t lane) { return static_cast<float>(lane) * crewPitch; }
std::uint32_t count(const CrewView& c, LaneMark mark) { return static_cast<std::uint32_t>(std::count(c.marks.begin(), c.marks.end(), mark)); }

std::string lanesText(std::uint32_t mask, Language l) {
  if (mask == ~0u) return std::string(presenter::word(Word::LanesAll, l));
  if (mask == 0x55555555u) return std::string(presenter::word(Word::LanesEven, l));
  if (mask == 0xAAAAAAAAu) return std::string(presenter::word(Word::LanesOdd, l));
  std::string out;
  for (std::uint32_t lane = 0; lane < 32;) {
    if ((mask >> lane & 1) == 0) { ++lane; continue; }
    std::uint32_t end = lane;
    while (end + 1 < 32 && (mask >> (end + 1) & 1)) ++end;
    if (!out.empty()) out += ", ";
    out += end == lane ? std::to_string(lane) : std::to_string(lane) + "\u2013" + std::to_string(end);
    lane = end + 1;
    if (out.size() > 24) { out += " \u2026"; break; }
  }
  return out.empty() ? "\u2013" : out;
}

// The registers to show as crates: those the instruction names, at most three.
std::vector<const presenter::RegisterView*> shownRegisters(const CrewView& c) {
  std::vector<const presenter::RegisterView*> out;
  for (const std::uint32_t r : c.named)
    if (r < c.registers.size() && out.size() < 3) out.push_back(&c.registers[r]);
  std::stable_sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->isPredicate < b->isPredicate; });   // predicates on top
  return out;
}

// Cells of the request: every pallet has 8 words; where few pallets are touched a word is as wide as a worker's place.
struct Cells {
  float x0 = 0, word = 0;
  std::size_t words = 0;
};
Cells cellsOf(const RequestView& r) {
  Cells c;
  c.words = r.pallets.size() * 8;
  if (c.words == 0) return c;
  c.word = std::min(crewPitch, crewWidth / static_cast<float>(c.words));
  return c;
}

}  // namespace

Fit fitCrew(float width, float height, float top, float bottom) {
  // In tiles from the origin: 8.3 to the left, W / 2 + 0.9 to the right, 1.2 up, (W + 16.6) / 4 + 0.5 down.
  const float right = crewWidth / 2 + 0.9f, down = (crewWidth + 16.6f) / 4 + 0.5f, margin = width < 1200 ? 60.0f : 200.0f;
  Fit fit;
  fit.tile = std::max(4.0f, std::min((width - 2 * margin) / (8.3f + right), (height - top - bottom - 60) / (1.2f + down)));
  fit.x = std::round((width - (8.3f + right) * fit.tile) / 2 + 8.3f * fit.tile - (width < 1200 ? 0.0f : 62.0f));
  const float spare = std::max(0.0f, height - top - bottom - (1.2f + down) * fit.tile);
  fit.y = std::round(top + 1.2f * fit.tile + spare * 0.55f);
  return fit;
}

void drawCrewBase(const Iso& iso) {
  const Palette& th = iso.palette();
  constexpr float w = crewWidth;
  iso.shadow(-1, -0.8f, w + 1, 15.6f, 1.6f, -0.7f);
  iso.box(-1, -0.8f, w + 1, 15.6f, -0.7f, 0, th.slab, plain);
  iso.box(-0.2f, 0, w + 0.2f, 1.5f, 0, 0.4f, th.plinth);
  iso.flat(-0.2f, 2.2f, w + 0.2f, 8.2f, th.room.top);
  iso.box(-0.2f, 12.2f, w + 0.2f, 14.4f, 0, 0.3f, th.slate);
}

void drawCrew(const Iso& iso, const presenter::Frame& f, Language l) {
  const Palette& th = iso.palette();
  Canvas& c = iso.canvas();
  const CrewView& crew = f.crew;
  const RequestView& r = f.request;
  // Lockers: a stack of crates a worker.
  const auto registers = shownRegisters(crew);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const float x = laneX(lane) + 0.12f;
    if (!crew.any || crew.marks[lane] == LaneMark::Empty) continue;
    for (std::size_t q = 0; q < registers.size(); ++q) {
      const presenter::RegisterView& reg = *registers[q];
      const float z = 0.4f + static_cast<float>(q) * 0.5f;
      const bool away = reg.inFlight && (crew.marks[lane] == LaneMark::Active || crew.marks[lane] == LaneMark::PredicatedOff);
      if (away) {   // its value is on the road: only its place is there
        iso.flat(x, 0.2f, x + 0.86f, 1.05f, Paint{.fill = th.panel, .alpha = 0.8f, .border = th.strong, .tile = &c.fonts().hatch()}, z + 0.44f);
        iso.outline(x, 0.2f, x + 0.86f, 1.05f, th.strong, 1, z + 0.44f);
        iso.line({{x, 1.05f, z + 0.44f}, {x, 1.05f, z}, {x + 0.86f, 1.05f, z}, {x + 0.86f, 0.2f, z}}, th.strong, 1);
        iso.line({{x + 0.86f, 1.05f, z + 0.44f}, {x + 0.86f, 1.05f, z}}, th.strong, 1);
        continue;
      }
      iso.box(x, 0.2f, x + 0.86f, 1.05f, z, z + 0.44f, reg.isPredicate ? (reg.bits[lane] != 0 ? th.ivory : th.darkPallet) : th.stone, plain);
    }
    HitArea area;
    area.outline = iso.silhouette(x, 0.2f, x + 0.86f, 1.05f, 0.4f, 0.4f + 0.5f * static_cast<float>(std::max<std::size_t>(1, registers.size())));
    area.clickable = true;
    area.command.kind = Command::Kind::SelectLane;
    area.command.warp = crew.warp;
    area.command.lane = lane;
    for (const auto* reg : registers) area.text += (area.text.empty() ? "" : "   ") + reg->name + " = " + (reg->inFlight ? "\u2026" : valueText(*reg, lane));
    area.text = presenter::say(Word::LaneText, l, lane, area.text);
    c.hit(std::move(area));
  }
  // The mat where the paths meet again.
  const bool diverged = crew.any && crew.paths.size() > 1;
  if (diverged) {
    iso.flat(-0.2f, 9.0f, crewWidth + 0.2f, 10.3f, matColour(th));
    iso.dashedOutline(-0.2f, 9.0f, crewWidth + 0.2f, 10.3f, th.hi, 1.4f, 7, 5, 0.75f);
  }
  // Memory cells: words of the request's pallets, wanted ones lit.
  const Cells cells = cellsOf(r);
  const bool drawCells = r.any && cells.words != 0;
  if (drawCells) {
    for (std::size_t p = 0; p < r.pallets.size(); ++p)
      for (std::size_t w = 0; w < 8; ++w) {
        const float x = static_cast<float>(p * 8 + w) * cells.word, gap = cells.word * 0.077f;
        const bool wanted = (r.pallets[p].usedMask >> (w * 4) & 15) != 0;
        iso.box(x + gap, 12.5f, x + cells.word - gap, 14.1f, 0.3f, 0.62f, wanted ? th.lit : th.darkPallet, {.shadow = false, .rim = cells.word > 0.5f, .top = {}, .left = {}, .right = {}});
      }
    for (std::size_t p = 0; p <= r.pallets.size(); ++p) {
      const float x = static_cast<float>(p * 8) * cells.word - 0.02f;
      if (cells.word > 0.25f) iso.line({{x, 12.1f, 0.66f}, {x, 14.5f, 0.66f}}, th.hi, 1.6f, 0.9f);
    }
    for (std::size_t p = 0; p < r.pallets.size(); ++p) {
      const float x = static_cast<float>(p * 8) * cells.word;
      if (cells.word > 0.8f) iso.paint(x + 0.2f, 15.4f, std::to_string(p * 8) + "   " + presenter::say(Word::PaintPallet, l, p), 13 * 38 / 40.0f, th.paintHi, Iso::Axis::X, 0, 0.6f);
    }
  }
  // Those who wait stand back; those who work reach for their cells.
  const auto stand = [&](std::uint32_t lane) {
    const LaneMark mark = crew.marks[lane];
    const bool back = mark != LaneMark::Active && mark != LaneMark::PredicatedOff;
    const float x = laneX(lane) + 0.4f, y = back ? 3.3f : 6.3f;
    if (lane == f.selection.lane && mark != LaneMark::Empty) {
      iso.flat(x - 0.3f, y - 0.3f, x + 0.75f, y + 0.75f, th.lamp, 0, 0.16f);
      iso.outline(x - 0.3f, y - 0.3f, x + 0.75f, y + 0.75f, th.lamp, 2.2f);
    }
    worker(iso, x, y, 0, {.mark = mark, .k = 1.5f, .outline = th.mid, .ground = th.room.top});
    HitArea area;
    area.outline = iso.silhouette(x - 0.2f, y - 0.2f, x + 0.65f, y + 0.65f, 0, 1.4f);
    area.clickable = true;
    area.command.kind = Command::Kind::SelectLane;
    area.command.warp = crew.warp;
    area.command.lane = lane;
    const std::array<Word, 5> words{Word::LaneActive, Word::LaneDiverged, Word::LaneOff, Word::LaneExited, Word::LaneEmpty};
    area.text = presenter::say(Word::LaneText, l, lane, presenter::word(words[static_cast<std::size_t>(mark)], l));
    for (const auto* reg : registers) area.text += "   " + reg->name + " = " + (reg->inFlight ? "\u2026" : valueText(*reg, lane));
    c.hit(std::move(area));
  };
  if (!crew.any) return;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    if (crew.marks[lane] != LaneMark::Active && crew.marks[lane] != LaneMark::PredicatedOff) stand(lane);
  if (drawCells && r.warp == crew.warp)
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((r.lanes >> lane & 1) == 0) continue;
      const std::uint64_t address = r.address[lane];
      for (std::size_t p = 0; p < r.pallets.size(); ++p) {
        if ((address & ~31ull) != r.pallets[p].address) continue;
        const float to = (static_cast<float>(p * 8) + static_cast<float>(address & 31) / 4 + 0.5f) * cells.word, from = laneX(lane) + 0.62f;
        const bool mine = lane == f.selection.lane;
        iso.arrow({{from, 7.3f, 0.02f}, {to, 12.35f, 0.36f}}, th.lamp, mine ? 2.6f : 1.6f, 7);
      }
    }
  if (diverged) iso.paint(2.9f, 10.0f, presenter::say(Word::PaintMeet, l, crew.threads), 14 * 38 / 40.0f, th.hi, Iso::Axis::X, 0, 2);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    if (crew.marks[lane] == LaneMark::Active || crew.marks[lane] == LaneMark::PredicatedOff) stand(lane);
}

namespace {

// The selected lane: what it reaches for and what its registers hold.
void laneNote(const Iso& iso, const presenter::Frame& f, Language l, const std::vector<const presenter::RegisterView*>& registers) {
  Canvas& c = iso.canvas();
  const CrewView& crew = f.crew;
  const RequestView& r = f.request;
  const std::uint32_t lane = f.selection.lane % 32;
  if (crew.marks[lane] == LaneMark::Empty) return;
  std::string title = presenter::say(Word::LaneTitle, l, lane), values;
  const bool mine = r.any && r.warp == crew.warp;
  const std::string element = mine ? elementText(r, lane) : std::string();
  if (!element.empty()) title += ": " + element;
  for (const auto* reg : registers) values += (values.empty() ? "" : "   ") + reg->name + " = " + (reg->inFlight ? "\u2026" : valueText(*reg, lane));
  Vec2 from = iso.at(laneX(lane) + 0.62f, 14.4f, 0.1f);
  if (!element.empty())
    for (std::size_t k = 0; k < r.pallets.size(); ++k)
      if (r.pallets[k].address == (r.address[lane] & ~31ull)) from = iso.at((static_cast<float>(k * 8) + static_cast<float>(r.address[lane] & 31) / 4 + 0.5f) * cellsOf(r).word, 14.4f, 0.1f);
  for (const float down : {66.0f, 112.0f, 158.0f, 204.0f})
    if (label(c, from.x - 30, from.y + down, title, values, Anchor::End)) {
      c.line({from.x - 30, from.y + down - 14}, {from.x, from.y + 4}, iso.palette().lamp, 1.4f);
      break;
    }
}

}  // namespace

void drawCrewNotes(const Iso& iso, const presenter::Frame& f, Language l, bool compact) {
  Canvas& c = iso.canvas();
  const CrewView& crew = f.crew;
  if (!crew.any) return;
  if (compact) {   // the cards come later
    c.reserve(c.width() - 314, 0, 300, 114);
    if (crew.paths.size() > 1) c.reserve(14, c.height() - 20 - 24 * static_cast<float>(crew.paths.size() + 1) - 42, 380, 400);
  } else {
    c.reserve(24, 0, 400, 206);
    c.reserve(c.width() - 510, c.height() - 206, 486, 206);
    c.reserve(24, c.height() - 80, 580, 80);
  }
  const auto line = [&](std::uint32_t n) { return n != 0 ? std::to_string(n) : std::string("PTX"); };
  const auto registers = shownRegisters(crew);
  if (!registers.empty()) {
    std::string names;
    bool predicate = false;
    for (const auto* reg : registers) {
      names += (names.empty() ? "" : ", ") + reg->name;
      predicate |= reg->isPredicate;
    }
    const Vec2 p = iso.at((compact ? 13 : 5) * crewPitch + 0.6f, 0.6f, 0.4f + 0.5f * static_cast<float>(registers.size()));
    const std::string sub = presenter::say(predicate ? Word::RegistersSub : Word::RegistersSubPlain, l, names);
    if (compact) note(c, p.x + 50, p.y - 24, presenter::word(Word::Registers, l), sub, p);
    else note(c, p.x + 34, p.y - 52, presenter::word(Word::Registers, l), sub, p);
  }
  const std::uint32_t active = count(crew, LaneMark::Active), away = count(crew, LaneMark::Diverged);
  Vec2 p = iso.at(0.4f, 6.5f, 0.7f);
  note(c, p.x - 108, p.y - 12, presenter::say(Word::ActiveNote, l, active, crew.threads), crew.line != 0 ? presenter::say(Word::ActiveNoteSub, l, lanesText(crew.executed, l), line(crew.line)) : presenter::say(Word::ActiveNotePtx, l, lanesText(crew.executed, l)), {p.x - 6, p.y}, Anchor::End);
  if (away != 0) {
    std::uint32_t last = 31;
    while (last > 0 && crew.marks[last] != LaneMark::Diverged) --last;
    std::uint32_t next = 0;
    for (const presenter::PathView& path : crew.paths)
      if (!path.current) { next = path.line; break; }
    p = iso.at(laneX(last) + 0.6f, 3.6f, 1.2f);
    note(c, p.x + 66, p.y - (compact ? 76 : 112), presenter::say(Word::DivergedNote, l, away), presenter::say(Word::DivergedNoteSub, l, line(next)), p);
  }
  const presenter::RequestView& r = f.request;
  laneNote(iso, f, l, registers);
  // Its words stand where the selected lane leaves room.
  p = iso.at((f.selection.lane % 32 < 14 ? 21.0f : 3.0f) * crewPitch, 14.4f, 0.3f);
  const std::string sub = r.any ? presenter::say(Word::CellsSub, l, presenter::grouped(r.usedBytes), presenter::grouped(r.movedBytes)) : std::string(presenter::word(Word::NoRequest, l));
  std::string head(presenter::word(r.isShared ? Word::CellsShared : Word::Cells, l));
  if (!r.buffer.empty()) head += ": " + r.buffer;
  if (label(c, p.x - 40, p.y + 66, head, sub, Anchor::End)) c.line({p.x - 40, p.y + 52}, {p.x, p.y + 6}, iso.palette().low);
}

void drawCrewCards(Canvas& c, const presenter::Frame& f, Language l, float top, bool compact) {
  // The large view has the plate's places; in a small one the free corners are top right and bottom left.
  const Palette& th = c.palette();
  const CrewView& crew = f.crew;
  const float margin = compact ? 14 : 24;
  float w = compact ? 300 : 400, h = compact ? 66 : 134, x = compact ? c.width() - margin - w : margin, y = top + margin;
  const float pad = compact ? 12 : 18;
  plate(c, x, y, w, h, 10, &th.lamp);
  if (!crew.any) {
    c.text(x + pad, y + 27, presenter::say(Word::WarpOfBlock, l, crew.warp.warp, crew.warp.block), textLook(th.hi, 15, Weight::SemiBold));
    c.text(x + pad, y + 51, presenter::word(absenceOf(f), l), textLook(th.mid, 14));
    return;
  }
  const StallGroup g = crew.status.group;
  c.text(x + pad, y + (compact ? 25 : 29), crew.line == 0 ? std::string(presenter::word(Word::NowPtx, l)) : presenter::say(g == StallGroup::Working ? Word::NowLine : Word::NextLine, l, crew.line),
         textLook(th.hi, 15, Weight::SemiBold));
  chip(c, x + w - 44 - pad, y + (compact ? 10 : 14), g);
  const float size = compact ? 13 : 14;
  const TextStyle code{size, Weight::Regular, true};
  if (compact) {
    c.text(x + pad, y + 50, c.fitted(crew.instruction, code, w - 2 * pad), monoLook(th.hi, size));
    if (crew.paths.size() < 2) return;
  } else {
    std::string source = crew.source;
    source.erase(0, source.find_first_not_of(" \t") == std::string::npos ? 0 : source.find_first_not_of(" \t"));
    if (!source.empty()) c.text(x + pad, y + 55, c.fitted(source, code, w - 2 * pad), monoLook(th.hi, size));
    c.text(x + pad, y + (source.empty() ? 62 : 78), c.fitted(crew.instruction, code, w - 2 * pad), monoLook(source.empty() ? th.hi : th.mid, size));
    c.rect(x + pad, y + 93, w - 2 * pad, 1, th.line);
    std::string verdict;
    const std::uint32_t exited = count(crew, LaneMark::Exited);
    if (crew.paths.size() > 1) verdict = presenter::say(Word::ManyPaths, l, crew.paths.size(), crew.paths.size());
    else if (exited != 0) verdict = presenter::say(Word::SomeExited, l, exited, crew.threads);
    else verdict = presenter::word(Word::OnePath, l);
    c.text(x + pad, y + 117, c.fitted(verdict, {13, Weight::Regular, false}, w - 2 * pad), textLook(th.mid, 13));
  }

  // The paths, one row each, and where they meet.
  const std::size_t rows = std::min<std::size_t>(crew.paths.size(), 4) + (crew.paths.size() > 1 && crew.joinPc != machine::noPc ? 1 : 0);
  const float pitch = compact ? 24 : 36, bar = compact ? 12 : 16, first = compact ? 36 : 48;
  float names = compact ? 64 : 76, states = compact ? 76 : 96;
  for (const presenter::PathView& path : crew.paths) names = std::max(names, c.width(path.line != 0 ? presenter::say(Word::Line, l, path.line) : "PTX 000", {13, Weight::SemiBold, false}) + 12);
  for (const Word what : {Word::PathActive, Word::PathWaiting, Word::PathAtGate, Word::PathMeets, Word::AllMeet}) states = std::max(states, c.width(presenter::word(what, l), {13, Weight::Medium, false}) + 12);
  w = compact ? 380 : 486;
  h = first + static_cast<float>(rows) * pitch + (compact ? 6 : 26);
  x = compact ? margin : c.width() - margin - w;
  y = c.height() - margin - h;
  plate(c, x, y, w, h, 10);
  c.text(x + pad, y + (compact ? 24 : 29), presenter::word(Word::Paths, l), textLook(th.hi, compact ? 13 : 15, Weight::SemiBold));
  c.text(x + w - pad, y + (compact ? 24 : 29), presenter::say(Word::Lanes, l, crew.threads), textLook(th.low, 12, Weight::Regular, Anchor::End));
  const float barX = x + pad + names, barWidth = w - 2 * pad - names - states;
  const auto row = [&](std::size_t i, std::uint32_t at, std::uint32_t pc, std::uint32_t bits, Word what, bool current) {
    const float yy = y + first + static_cast<float>(i) * pitch, middle = yy + bar / 2 + 2;
    const std::string name = at != 0 ? presenter::say(Word::Line, l, at) : "PTX " + std::to_string(pc);
    if (current) c.frame(x + (compact ? 6.0f : 10.0f), middle - pitch / 2 + 1, w - (compact ? 12.0f : 20.0f), pitch - 2, th.lamp, 1.2f, 6);
    c.text(x + pad, middle + 4.6f, name, textLook(current ? th.hi : th.mid, 13, current ? Weight::SemiBold : Weight::Regular));
    c.text(x + w - pad, middle + 4.6f, presenter::word(what, l), textLook(current ? th.hi : th.mid, 13, Weight::Medium, Anchor::End));
    maskBar(c, barX, yy + 2, barWidth, bar, bits, compact ? 1 : 2, current ? th.ivory.top : mix(th.panel, th.ivory.top, 0.38f), th.strong);
  };
  std::size_t i = 0;
  for (const presenter::PathView& path : crew.paths) {
    if (i >= 4) break;
    using Status = machine::Path::Status;
    const bool atGate = path.status == Status::AtBarrier || path.status == Status::AtWarpBarrier || path.status == Status::AtMbarrier || path.status == Status::AtClusterBarrier;
    const Word what = path.current ? Word::PathActive : atGate ? Word::PathAtGate
                      : path.status == machine::Path::Status::AtReconvergence ? Word::PathMeets : Word::PathWaiting;
    row(i++, path.current ? crew.line : path.line, path.current ? crew.pc : path.pc, path.lanes, what, path.current);
  }
  std::uint32_t all = 0;
  for (const presenter::PathView& path : crew.paths) all |= path.lanes;
  if (i < rows) row(i, crew.joinLine, crew.joinPc, all, Word::AllMeet, false);
  if (compact) return;
  for (const std::uint32_t lane : {0u, 8u, 16u, 24u, 31u})
    c.text(barX + barWidth / 32 * (static_cast<float>(lane) + 0.5f), y + h - 14, std::to_string(lane), monoLook(th.low, 12, Weight::Regular, Anchor::Middle));
}

}  // namespace warpmill::scene
