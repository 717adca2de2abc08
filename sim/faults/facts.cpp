#include "faults/facts.h"

#include <algorithm>

namespace warpmill::faults {

using ptx::Function;
using ptx::Instruction;
using ptx::none;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

Span spanOf(const ptx::Register& r) { return {r.slot * 4, ptx::sizeBytes(r.type)}; }

namespace {

bool isInteger(Type t) {
  switch (t) {
    case Type::U8: case Type::S8: case Type::U16: case Type::S16: case Type::U32: case Type::S32: case Type::U64: case Type::S64:
    case Type::B8: case Type::B16: case Type::B32: case Type::B64:
      return true;
    default: return false;
  }
}

bool isConstant(const Operand& o) { return o.kind == Operand::Kind::Immediate; }

class Finder {
 public:
  explicit Finder(const exec::Code& code) : f_(code.function()) {}

  Facts find(const Instruction& in) {
    facts_ = {};
    for (std::size_t k = 0; k < in.operands.size(); ++k) {
      const std::size_t before = facts_.sources.size(), group = k - in.destinationCount;
      operand(in.operands[k], k < in.destinationCount);
      if (k >= in.destinationCount && group < facts_.groups.size()) facts_.groups[group] = static_cast<std::uint16_t>(facts_.sources.size() - before);
    }
    if (in.product != none)  // an addition that takes in a product reads its factors
      for (std::size_t k = 1; k < f_.instructions[in.product].operands.size(); ++k) operand(f_.instructions[in.product].operands[k], false);
    if (in.mods.carryOut) facts_.destinationPredicates.push_back(f_.predicateCount);
    if (in.opcode == Opcode::Addc || in.opcode == Opcode::Subc || in.opcode == Opcode::Madc) facts_.sourcePredicates.push_back(f_.predicateCount);
    facts_.rule = ruleOf(in);
    return std::move(facts_);
  }

 private:
  void reg(std::uint32_t index, bool written) {
    const ptx::Register& r = f_.registers[index];
    if (r.type == Type::Pred) (written ? facts_.destinationPredicates : facts_.sourcePredicates).push_back(r.slot);
    else (written ? facts_.destinations : facts_.sources).push_back(spanOf(r));
  }
  void operand(const Operand& o, bool written) {
    switch (o.kind) {
      case Operand::Kind::Register:
        reg(o.index, written);
        if (o.hasPredicate && o.predicate != none) reg(o.predicate, written);
        break;
      case Operand::Kind::Address:
        if (o.scope == Operand::In::None && o.index != none && f_.registers[o.index].type != Type::Pred) {
          if (facts_.address.count == 0) facts_.address = spanOf(f_.registers[o.index]);
          else facts_.sources.push_back(spanOf(f_.registers[o.index]));
        }
        break;
      case Operand::Kind::Vector:
        for (std::uint32_t k = 0; k < o.count; ++k) operand(f_.vectorElements[o.index + k], written);
        break;
      case Operand::Kind::Sink:
        if (written) facts_.destinations.push_back({});
        break;
      default:
        if (!written) facts_.sources.push_back({});
        break;
    }
  }

  [[nodiscard]] Rule ruleOf(const Instruction& in) const {
    switch (in.opcode) {
      case Opcode::Ld: case Opcode::Ldu: return Rule::Load;
      case Opcode::St: return Rule::Store;
      case Opcode::Atom: case Opcode::Red: return Rule::Atomic;
      case Opcode::CpAsync: return Rule::AsyncCopy;
      case Opcode::Shfl: return Rule::Shuffle;
      case Opcode::Mov: return moveRule(in);
      case Opcode::Not: return in.mods.type == Type::Pred ? Rule::Any : Rule::Bytewise;
      case Opcode::Cvta: case Opcode::Lop3: return Rule::Bytewise;
      case Opcode::Xor: return in.mods.type == Type::Pred ? Rule::Any : Rule::Bytewise;
      case Opcode::And: return in.mods.type == Type::Pred ? Rule::PredicateAnd : Rule::And;
      case Opcode::Or: return in.mods.type == Type::Pred ? Rule::PredicateOr : Rule::Or;
      case Opcode::Selp: return Rule::Select;
      case Opcode::Setp: return Rule::Compare;
      case Opcode::Shl: return isConstant(in.operands.back()) ? Rule::ShiftLeft : Rule::Any;
      case Opcode::Shr: return isConstant(in.operands.back()) && !ptx::isSigned(in.mods.type) ? Rule::ShiftRight : Rule::Any;
      case Opcode::Cvt: return isInteger(in.mods.type) && isInteger(in.mods.sourceType) && !in.mods.sat && !in.mods.pack ? Rule::Convert : Rule::Any;
      case Opcode::Mma: case Opcode::MmaSp: case Opcode::Wgmma: return Rule::Matrix;
      case Opcode::Wmma: return facts_.groups[2] != 0 ? Rule::Matrix : Rule::Clean;
      case Opcode::Ldmatrix: return Rule::Rows;
      case Opcode::Movmatrix:
      case Opcode::Activemask: case Opcode::Elect: case Opcode::Call: case Opcode::Tex: case Opcode::Tld4: case Opcode::Txq: case Opcode::Suld:
      case Opcode::Suq: case Opcode::Mbarrier: case Opcode::Alloca: case Opcode::Stacksave:
        return Rule::Clean;
      default: return facts_.destinations.empty() && facts_.destinationPredicates.empty() ? Rule::Nothing : Rule::Any;
    }
  }
  [[nodiscard]] Rule moveRule(const Instruction& in) const {
    if (in.mods.type == Type::Pred) return Rule::Any;
    const std::size_t from = facts_.sources.size(), to = facts_.destinations.size();
    return from == to ? (from == 1 ? Rule::Bytewise : Rule::Vectors) : from > to ? Rule::Pack : Rule::Unpack;
  }

  const Function& f_;
  Facts facts_;
};

// Which registers are wanted at the start of each basic block.
class Liveness {
 public:
  explicit Liveness(const Function& f) : f_(f), words_((f.registers.size() + 63) / 64) {}

  std::vector<std::uint32_t> atEntry() {
    const std::size_t blocks = f_.blockBegin.size();
    live_.assign(blocks, Bits(words_, 0));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = blocks; b-- > 0;) {
        Bits now = after(b);
        for (std::uint32_t pc = end(b); pc-- > f_.blockBegin[b];) step(f_.instructions[pc], now);
        if (now != live_[b]) live_[b] = std::move(now), changed = true;
      }
    }
    std::vector<std::uint32_t> found;
    for (std::uint32_t r = 0; blocks != 0 && r < f_.registers.size(); ++r)
      if ((live_[0][r / 64] >> (r % 64) & 1) != 0) found.push_back(r);
    return found;
  }

 private:
  using Bits = std::vector<std::uint64_t>;

  [[nodiscard]] std::uint32_t end(std::size_t b) const {
    return b + 1 < f_.blockBegin.size() ? f_.blockBegin[b + 1] : static_cast<std::uint32_t>(f_.instructions.size());
  }
  void addBlockAt(std::uint32_t pc, Bits& into) const {
    const auto at = std::upper_bound(f_.blockBegin.begin(), f_.blockBegin.end(), pc);
    if (at == f_.blockBegin.begin() || pc >= f_.instructions.size()) return;
    const Bits& from = live_[static_cast<std::size_t>(at - f_.blockBegin.begin() - 1)];
    for (std::size_t w = 0; w < words_; ++w) into[w] |= from[w];
  }
  [[nodiscard]] Bits after(std::size_t b) const {
    Bits out(words_, 0);
    const Instruction& last = f_.instructions[end(b) - 1];
    const bool leaves = last.opcode == Opcode::Exit || last.opcode == Opcode::Ret || last.opcode == Opcode::Trap;
    if (last.opcode == Opcode::Bra && last.target != none) addBlockAt(last.target, out);
    for (const Operand& o : last.operands)
      if (o.kind == Operand::Kind::Label) addBlockAt(o.index, out);
    if (last.guard != none || !(leaves || last.opcode == Opcode::Bra || last.opcode == Opcode::BrxIdx)) addBlockAt(end(b), out);
    return out;
  }
  void step(const Instruction& in, Bits& now) const {
    const auto each = [&](const Operand& o, auto&& self, auto&& act) -> void {
      if (o.kind == Operand::Kind::Vector) {
        for (std::uint32_t k = 0; k < o.count; ++k) self(f_.vectorElements[o.index + k], self, act);
      } else if ((o.kind == Operand::Kind::Register || (o.kind == Operand::Kind::Address && o.scope == Operand::In::None)) && o.index != none) {
        act(o.index);
        if (o.hasPredicate && o.predicate != none) act(o.predicate);
      }
    };
    const auto kill = [&](std::uint32_t r) { now[r / 64] &= ~(std::uint64_t{1} << r % 64); };
    const auto want = [&](std::uint32_t r) { now[r / 64] |= std::uint64_t{1} << r % 64; };
    if (in.guard == none)
      for (std::size_t k = 0; k < in.destinationCount && k < in.operands.size(); ++k)
        if (in.operands[k].kind != Operand::Kind::Address) each(in.operands[k], each, kill);
    for (std::size_t k = 0; k < in.operands.size(); ++k)
      if (k >= in.destinationCount || in.operands[k].kind == Operand::Kind::Address) each(in.operands[k], each, want);
    if (in.guard != none) want(in.guard);
  }

  const Function& f_;
  std::size_t words_;
  std::vector<Bits> live_;
};

bool has(const Function& f, std::initializer_list<Opcode> opcodes) {
  return std::any_of(f.instructions.begin(), f.instructions.end(), [&](const Instruction& in) { return std::find(opcodes.begin(), opcodes.end(), in.opcode) != opcodes.end(); });
}

}  // namespace

std::vector<Facts> factsOf(const exec::Code& code) {
  std::vector<Facts> all;
  all.reserve(code.function().instructions.size());
  Finder finder(code);
  for (const Instruction& in : code.function().instructions) all.push_back(finder.find(in));
  return all;
}

std::vector<std::uint32_t> maskedLoadsOf(const exec::Code& code) {
  const Function& f = code.function();
  const auto isFiller = [&](const Instruction& in) {
    return in.opcode == Opcode::Mov && in.guard == none && in.operands.size() == 2 && in.operands[0].kind == Operand::Kind::Register && isConstant(in.operands[1]) &&
           in.operands[1].bits == 0 && in.location.file < code.module().files.size() && code.module().files[in.location.file].ends_with(".py");
  };
  const auto gives = [&](const Operand& o, std::uint32_t r) {
    if (o.kind == Operand::Kind::Register) return o.index == r;
    for (std::uint32_t e = 0; o.kind == Operand::Kind::Vector && e < o.count; ++e)
      if (f.vectorElements[o.index + e].kind == Operand::Kind::Register && f.vectorElements[o.index + e].index == r) return true;
    return false;
  };
  std::vector<std::uint32_t> found(f.instructions.size(), none);
  for (std::uint32_t pc = 0; pc < found.size(); ++pc) {
    if (!isFiller(f.instructions[pc])) continue;
    std::uint32_t next = pc + 1;
    while (next < found.size() && isFiller(f.instructions[next])) ++next;
    if (next == found.size()) break;
    const Instruction& load = f.instructions[next];
    if (load.opcode == Opcode::Ld && load.guard != none && load.location == f.instructions[pc].location && gives(load.operands[0], f.instructions[pc].operands[0].index))
      found[pc] = next;
  }
  return found;
}

std::vector<std::uint32_t> readBeforeWritten(const exec::Code& code) { return Liveness(code.function()).atEntry(); }

bool hasUntrackedShared(const exec::Code& code) {
  const Function& f = code.function();
  const exec::Dim3& cluster = code.context().cluster;
  if (has(f, {Opcode::CpAsyncBulkTensor, Opcode::CpReduceAsyncBulk, Opcode::StAsync, Opcode::RedAsync, Opcode::StBulk, Opcode::Mapa, Opcode::BarrierCluster, Opcode::Tcgen05Alloc}))
    return true;
  if (has(f, {Opcode::CpAsyncBulk}) && cluster.x * cluster.y * cluster.z > 1) return true;
  return std::any_of(f.instructions.begin(), f.instructions.end(), [](const Instruction& in) {
    return in.opcode == Opcode::Wmma && in.destinationCount == 0 && in.mods.space != ptx::Space::Global;
  });
}

bool hasAlloca(const Function& f) { return has(f, {Opcode::Alloca}); }

}  // namespace warpmill::faults
