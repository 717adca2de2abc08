#include "lowering/graph.h"

#include <algorithm>
#include <bit>

namespace warpmill::lowering {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::SpecialRegister;

namespace {

bool isUniformSpecial(SpecialRegister s) {
  switch (s) {
    case SpecialRegister::TidX: case SpecialRegister::TidY: case SpecialRegister::TidZ: case SpecialRegister::LaneId: case SpecialRegister::WarpId:
    case SpecialRegister::LanemaskEq: case SpecialRegister::LanemaskLe: case SpecialRegister::LanemaskLt: case SpecialRegister::LanemaskGe:
    case SpecialRegister::LanemaskGt: case SpecialRegister::Clock: case SpecialRegister::ClockHi: case SpecialRegister::Clock64:
    case SpecialRegister::GlobalTimer: case SpecialRegister::GlobalTimerLo: case SpecialRegister::GlobalTimerHi:
      return false;
    default: return true;
  }
}

// Writes what differs from lane to lane, whatever it reads.
bool makesLanesDiffer(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::Ld: return i.mods.space != ptx::Space::Param && i.mods.space != ptx::Space::Const;
    case Opcode::Ldu: case Opcode::Atom: case Opcode::Shfl: case Opcode::Ldmatrix: case Opcode::Mma: case Opcode::MmaSp: case Opcode::Wmma: case Opcode::Wgmma:
    case Opcode::Tex: case Opcode::Tld4: case Opcode::Call: case Opcode::Activemask: case Opcode::Elect: case Opcode::Match: case Opcode::Vote:
    case Opcode::Redux: case Opcode::Mbarrier: case Opcode::Unknown:
      return true;
    default:
      return std::any_of(i.operands.begin(), i.operands.end(), [](const Operand& o) { return o.kind == Operand::Kind::Special && !isUniformSpecial(o.special); });
  }
}

constexpr unsigned allZero = 63;

}  // namespace

Graph::Graph(const ptx::Module& module, const ptx::Function& f, const std::vector<TimedOp>& ops)
    : f_(f), flow_(ptx::controlFlow(f)), loops_(ptx::naturalLoops(flow_)), loopOfBlock_(f.blockBegin.size(), ptx::none), uses_(f.registers.size()) {
  for (std::uint32_t pc = 0; pc < ops.size(); ++pc) {
    for (std::uint32_t r : ops[pc].writes) uses_[r].definitions.push_back(pc);
    for (std::uint32_t r : ops[pc].reads) uses_[r].reads.push_back(pc);
  }
  for (std::uint32_t l = 0; l < loops_.size(); ++l)
    for (std::uint32_t b : loops_[l].blocks)
      if (loopOfBlock_[b] == ptx::none || loops_[l].blocks.size() < loops_[loopOfBlock_[b]].blocks.size()) loopOfBlock_[b] = l;
  findUniform(ops);
  findZeroBits(module, ops);
}

std::uint32_t Graph::definition(const Operand& o) const {
  return o.kind == Operand::Kind::Register && uses_[o.index].definitions.size() == 1 ? uses_[o.index].definitions[0] : ptx::none;
}

bool Graph::isUniform(const Operand& o) const {
  return o.kind == Operand::Kind::Register || (o.kind == Operand::Kind::Address && o.scope == Operand::In::None && o.index != ptx::none) ? isUniform(o.index) : true;
}

std::uint32_t Graph::blockEnd(std::uint32_t block) const {
  return block + 1 < f_.blockBegin.size() ? f_.blockBegin[block + 1] : static_cast<std::uint32_t>(f_.instructions.size());
}

bool Graph::inLoop(std::uint32_t loop, std::uint32_t pc) const {
  const auto& blocks = loops_[loop].blocks;
  return std::binary_search(blocks.begin(), blocks.end(), flow_.blockOf[pc]);
}

bool Graph::isWritten(std::uint32_t loop, std::uint32_t r) const {
  return std::any_of(uses_[r].definitions.begin(), uses_[r].definitions.end(), [&](std::uint32_t pc) { return inLoop(loop, pc); });
}

std::uint32_t Graph::hoisted(std::uint32_t pc, const std::vector<std::uint32_t>& registers) const {
  for (;;) {
    const std::uint32_t l = loopOf(pc), block = flow_.blockOf[pc];
    if (l == ptx::none) return pc;
    const std::uint32_t header = loops_[l].header, begin = blockBegin(header);
    if (begin == 0 || inLoop(l, begin - 1) || std::any_of(registers.begin(), registers.end(), [&](std::uint32_t r) { return isWritten(l, r); })) return pc;
    for (std::uint32_t from : flow_.predecessors[header])  // not what only some rounds do
      if (inLoop(l, blockBegin(from)) && !flow_.dominates(block, from)) return pc;
    pc = begin - 1;
  }
}

void Graph::findUniform(const std::vector<TimedOp>& ops) {
  uniform_.assign(f_.registers.size(), 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t pc = 0; pc < ops.size(); ++pc) {
      bool same = !makesLanesDiffer(f_.instructions[pc]);
      for (std::uint32_t r : ops[pc].reads) same = same && uniform_[r] != 0;
      if (same) continue;
      for (std::uint32_t r : ops[pc].writes) {
        changed = changed || uniform_[r] != 0;
        uniform_[r] = 0;
      }
    }
  }
}

unsigned Graph::zeroBitsOf(const ptx::Module& module, const Operand& o) const {
  switch (o.kind) {
    case Operand::Kind::Register: return zeroBits_[o.index];
    case Operand::Kind::Immediate: return o.bits == 0 ? allZero : static_cast<unsigned>(std::countr_zero(o.bits));
    case Operand::Kind::Variable: {
      const auto& list = o.scope == Operand::In::Module ? module.variables : f_.variables;
      if ((o.scope != Operand::In::Module && o.scope != Operand::In::Function) || o.index >= list.size()) return 0;
      const ptx::Variable& v = list[o.index];
      if (v.space != ptx::Space::Shared) return v.alignment == 0 ? 0 : static_cast<unsigned>(std::countr_zero(v.alignment));
      const std::uint64_t at = (v.sizeBytes == 0 ? f_.dynamicSharedOffset : v.offset) + static_cast<std::uint64_t>(o.offset);
      return std::min(10u, at == 0 ? 10u : static_cast<unsigned>(std::countr_zero(at)));  // a block's shared memory begins at a multiple of 1 KiB
    }
    default: return 0;
  }
}

unsigned Graph::zeroBitsWritten(const ptx::Module& module, const Instruction& i) const {
  const auto of = [&](std::size_t k) { return zeroBitsOf(module, i.operands[k]); };
  const auto add = [](unsigned a, unsigned b) { return std::min(allZero, a + b); };
  const std::size_t n = i.operands.size();
  if (n < 2 || isFloat(i.mods.type) || i.operands[0].kind != Operand::Kind::Register) return 0;
  switch (i.opcode) {
    case Opcode::Mov: case Opcode::Cvta: return n == 2 ? of(1) : 0;
    case Opcode::Cvt: return isFloat(i.mods.sourceType) ? 0 : of(1);
    case Opcode::Add: case Opcode::Sub: case Opcode::Or: case Opcode::Xor: return n == 3 ? std::min(of(1), of(2)) : 0;
    case Opcode::And: return n == 3 ? std::max(of(1), of(2)) : 0;
    case Opcode::Shl: return i.operands[2].kind == Operand::Kind::Immediate ? add(of(1), static_cast<unsigned>(i.operands[2].bits & 63)) : of(1);
    case Opcode::Mul: return i.mods.part == ptx::MulPart::Hi ? 0 : add(of(1), of(2));
    case Opcode::Mad: return n == 4 && i.mods.part != ptx::MulPart::Hi ? std::min(add(of(1), of(2)), of(3)) : 0;
    case Opcode::Selp: return n >= 3 ? std::min(of(1), of(2)) : 0;
    default: return 0;
  }
}

void Graph::findZeroBits(const ptx::Module& module, const std::vector<TimedOp>& ops) {
  zeroBits_.assign(f_.registers.size(), allZero);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t pc = 0; pc < ops.size(); ++pc) {
      const unsigned bits = zeroBitsWritten(module, f_.instructions[pc]);
      for (std::uint32_t r : ops[pc].writes) {
        if (bits >= zeroBits_[r]) continue;
        zeroBits_[r] = static_cast<std::uint8_t>(bits);
        changed = true;
      }
    }
  }
}

}  // namespace warpmill::lowering
