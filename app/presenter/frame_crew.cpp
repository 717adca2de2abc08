#include "presenter/frame_parts.h"

#include <algorithm>
#include <cstring>

namespace warpmill::presenter {
namespace {

machine::LaneMask guardMask(const machine::Warp& warp, const ptx::Function& f, const ptx::Instruction& i) {
  if (i.guard == ptx::none || i.guard >= f.registers.size() || f.registers[i.guard].slot >= warp.predicates.size()) return ~0u;
  const machine::LaneMask bits = warp.predicates[f.registers[i.guard].slot];
  return i.guardNegated ? ~bits : bits;
}

RegisterView registerOf(const ptx::Register& reg, const machine::Warp& warp) {
  RegisterView v;
  v.name = reg.name;
  v.type = reg.type;
  v.isPredicate = reg.type == ptx::Type::Pred;
  if (v.isPredicate) {
    const machine::LaneMask bits = reg.slot < warp.predicates.size() ? warp.predicates[reg.slot] : 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) v.bits[lane] = bits >> lane & 1;
    return v;
  }
  const std::size_t begin = static_cast<std::size_t>(reg.slot) * 32;
  const bool wide = ptx::sizeBytes(reg.type) >= 8;
  if (begin + (wide ? 64 : 32) > warp.planes.size()) return v;
  if (wide) std::memcpy(v.bits.data(), &warp.planes[begin], 32 * sizeof(std::uint64_t));
  else
    for (std::uint32_t lane = 0; lane < 32; ++lane) v.bits[lane] = warp.planes[begin + lane];
  if (ptx::sizeBytes(reg.type) == 2)
    for (std::uint64_t& b : v.bits) b &= 0xFFFF;
  return v;
}

void addNamed(std::vector<std::uint32_t>& named, std::uint32_t index, std::size_t count) {
  if (index < count && std::find(named.begin(), named.end(), index) == named.end()) named.push_back(index);
}

std::vector<std::uint32_t> namedRegisters(const ptx::Function& f, const ptx::Instruction& i) {
  std::vector<std::uint32_t> named;
  using Kind = ptx::Operand::Kind;
  for (const ptx::Operand& o : i.operands) {
    if (o.kind == Kind::Register || (o.kind == Kind::Address && o.scope == ptx::Operand::In::None)) addNamed(named, o.index, f.registers.size());
    if (o.hasPredicate) addNamed(named, o.predicate, f.registers.size());
    if (o.kind == Kind::Vector)
      for (std::uint32_t k = 0; k < o.count && o.index + k < f.vectorElements.size(); ++k)
        if (f.vectorElements[o.index + k].kind == Kind::Register) addNamed(named, f.vectorElements[o.index + k].index, f.registers.size());
  }
  addNamed(named, i.guard, f.registers.size());
  return named;
}

}  // namespace

void fillCrew(const FrameContext& c, const Selection& selection, const SourceText& sourceText, Frame& frame) {
  CrewView& crew = frame.crew;
  crew.warp = selection.warp;
  const machine::Warp* warp = c.machine.findWarp(c.state, selection.warp, &crew.sm, &crew.place);
  if (warp == nullptr) return;
  crew.any = true;
  crew.status = frame.sms[crew.sm].places[crew.place % 64];
  crew.threads = static_cast<std::uint32_t>(__builtin_popcount(warp->threads));
  const ptx::Function& f = *c.machine.launch().function;

  if (!warp->paths.empty()) {
    const machine::Path& current = warp->path();
    for (std::size_t p = 0; p < warp->paths.size(); ++p) {
      const machine::Path& path = warp->paths[p];
      crew.paths.push_back({path.pc, c.lineOf(path.pc), path.lanes, p == warp->current, path.status});
    }
    std::stable_sort(crew.paths.begin(), crew.paths.end(), [](const PathView& a, const PathView& b) { return a.current > b.current; });
    if (current.group < warp->groups.size()) {
      crew.joinPc = warp->groups[current.group].pc;
      crew.joinLine = c.lineOf(crew.joinPc);
    }
    crew.pc = current.pc;
    crew.lanes = current.lanes;
    if (current.pc < f.instructions.size()) crew.executed = current.lanes & guardMask(*warp, f, f.instructions[current.pc]);
  }
  if (crew.status.group == StallGroup::Working)   // show what it just issued: the newest issue of this warp
    for (std::uint64_t i = c.issues; i > 0 && c.trace.issues[i - 1].at.cycle + 16 > c.now; --i) {
      const timing::IssueEvent& e = c.trace.issues[i - 1];
      if (e.warp != selection.warp) continue;
      crew.pc = e.pc;
      crew.lanes = e.lanes;
      crew.executed = e.executed;
      break;
    }
  crew.line = c.lineOf(crew.pc);
  crew.instruction = c.textOf(crew.pc);
  if (crew.pc < f.instructions.size()) {
    const ptx::Instruction& i = f.instructions[crew.pc];
    crew.named = namedRegisters(f, i);
    if (sourceText && crew.line != 0) crew.source = sourceText(i.location.file, i.location.line);
    if (i.opcode == ptx::Opcode::Bra) crew.executed = crew.lanes;   // a branch not taken is not a worker switched off
  }
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const machine::LaneMask bit = 1u << lane;
    crew.marks[lane] = (warp->threads & bit) == 0  ? LaneMark::Empty
                       : (warp->exited & bit) != 0 ? LaneMark::Exited
                       : (crew.lanes & bit) == 0   ? LaneMark::Diverged
                       : (crew.executed & bit) == 0 ? LaneMark::PredicatedOff
                                                    : LaneMark::Active;
  }
  crew.registers.reserve(f.registers.size());
  for (std::uint32_t r = 0; r < f.registers.size(); ++r) {
    crew.registers.push_back(registerOf(f.registers[r], *warp));
    crew.registers.back().inFlight = c.machine.inFlight(c.state, crew.sm, crew.place, r, c.now);
  }
}

}  // namespace warpmill::presenter
