#include "faults/sub_arrays.h"

#include "exec/lanes.h"

#include <algorithm>

namespace warpmill::faults {

using exec::LaneMask;
using ptx::Function;
using ptx::Instruction;
using ptx::none;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Variable;

namespace {

// Which array a register points into.
struct Base {
  enum class Kind : std::uint8_t { Unknown /* yet */, Number, Array, Several } kind = Kind::Unknown;
  const Variable* array = nullptr;
  bool operator==(const Base&) const = default;
};
constexpr Base number{Base::Kind::Number, nullptr}, several{Base::Kind::Several, nullptr};

Base either(Base a, Base b) {
  if (a.kind == Base::Kind::Unknown) return b;
  return b.kind == Base::Kind::Unknown || a == b ? a : several;
}
Base sum(Base a, Base b) {
  if (a.kind == Base::Kind::Unknown || b.kind == Base::Kind::Unknown) return {};
  return a.kind == Base::Kind::Number ? b : b.kind == Base::Kind::Number ? a : several;
}

class BaseFinder {
 public:
  explicit BaseFinder(const exec::Code& code) : module_(code.module()), f_(code.function()), bases_(f_.registers.size()) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction& in : f_.instructions)
        for (std::size_t k = 0; k < in.destinationCount && k < in.operands.size(); ++k) {
          const Operand& o = in.operands[k];
          if (o.kind == Operand::Kind::Register) changed |= learn(o.index, k == 0 ? result(in) : number);
          for (std::uint32_t e = 0; o.kind == Operand::Kind::Vector && e < o.count; ++e)
            if (const Operand& element = f_.vectorElements[o.index + e]; element.kind == Operand::Kind::Register) changed |= learn(element.index, number);
        }
    }
  }

  // Of a memory operand.
  [[nodiscard]] Base of(const Operand& o) const {
    if (const Variable* v = shared(o)) return {Base::Kind::Array, v};
    if (o.scope == Operand::In::None && o.index != none) return bases_[o.index];
    return number;
  }

 private:
  bool learn(std::uint32_t r, Base base) {
    const Base now = either(bases_[r], base);
    if (now == bases_[r]) return false;
    bases_[r] = now;
    return true;
  }
  [[nodiscard]] const Variable* shared(const Operand& o) const {
    if (o.kind != Operand::Kind::Variable && o.kind != Operand::Kind::Address) return nullptr;
    const std::vector<Variable>* in = o.scope == Operand::In::Module ? &module_.variables : o.scope == Operand::In::Function ? &f_.variables : nullptr;
    return in != nullptr && o.index < in->size() && (*in)[o.index].space == Space::Shared ? &(*in)[o.index] : nullptr;
  }
  [[nodiscard]] Base source(const Instruction& in, std::size_t k) const {
    if (k >= in.operands.size()) return number;
    const Operand& o = in.operands[k];
    if (const Variable* v = shared(o)) return {Base::Kind::Array, v};
    return o.kind == Operand::Kind::Register ? bases_[o.index] : number;
  }
  [[nodiscard]] Base result(const Instruction& in) const {
    const Base a = source(in, 1), b = source(in, 2);
    switch (in.opcode) {
      case Opcode::Ld: case Opcode::Ldu: case Opcode::Atom: return number;
      case Opcode::Mov: case Opcode::Cvta: case Opcode::Cvt: return a;
      case Opcode::Add: case Opcode::Or: return sum(a, b);
      case Opcode::Sub: return b.kind == Base::Kind::Number ? a : b.kind == Base::Kind::Unknown ? Base{} : several;
      case Opcode::Mad: {
        const Base product = a.kind == Base::Kind::Number && b.kind == Base::Kind::Number ? number : a.kind == Base::Kind::Unknown || b.kind == Base::Kind::Unknown ? Base{} : several;
        return sum(product, source(in, 3));
      }
      case Opcode::Selp: return either(a, b);
      default: {
        bool waits = false;
        for (std::size_t k = in.destinationCount; k < in.operands.size(); ++k) {
          const Base s = in.operands[k].kind == Operand::Kind::Register && f_.registers[in.operands[k].index].type == ptx::Type::Pred ? number : source(in, k);
          if (s.kind == Base::Kind::Array || s.kind == Base::Kind::Several) return several;
          waits |= s.kind == Base::Kind::Unknown;
        }
        return waits ? Base{} : number;
      }
    }
  }

  const ptx::Module& module_;
  const Function& f_;
  std::vector<Base> bases_;  // by register
};

bool isAccess(Opcode o) { return o == Opcode::Ld || o == Opcode::Ldu || o == Opcode::St || o == Opcode::Atom || o == Opcode::Red || o == Opcode::CpAsync; }

}  // namespace

SubArrays::SubArrays(const exec::Code& code, Reports& reports) : reports_(reports), bounds_(code.function().instructions.size()) {
  const Function& f = code.function();
  const BaseFinder finder(code);
  const std::uint64_t all = f.dynamicSharedOffset + code.context().dynamicSharedBytes;
  for (std::uint32_t pc = 0; pc < f.instructions.size(); ++pc) {
    const Instruction& in = f.instructions[pc];
    if (!isAccess(in.opcode)) continue;
    const auto o = std::find_if(in.operands.begin(), in.operands.end(), [](const Operand& p) { return p.kind == Operand::Kind::Address; });
    if (o == in.operands.end()) continue;
    const Base base = finder.of(*o);
    if (base.kind != Base::Kind::Array) continue;
    const bool isDynamic = base.array->sizeBytes == 0;
    const std::uint64_t begin = isDynamic ? f.dynamicSharedOffset : base.array->offset;
    bounds_[pc] = {base.array, begin, isDynamic ? all - begin : base.array->sizeBytes};
    any_ = true;
  }
}

void SubArrays::outside(const exec::Exec& x, const exec::Op& op, LaneMask lanes, const std::array<std::uint64_t, 32>& address, std::uint32_t bytes) const {
  const Bounds& b = bounds_[op.pc];
  const std::uint64_t size = x.block->shared.size();
  LaneMask wrong = 0;
  exec::portable::eachLane(lanes, [&](unsigned i) {
    const bool isInside = address[i] - b.begin <= b.size - bytes, isInMemory = address[i] <= size && bytes <= size - address[i];
    if (!isInside && isInMemory) wrong |= 1u << i;
  });
  if (wrong == 0) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(wrong));
  reports_.otherArray(x, op, wrong, {Space::Shared, address[lane], bytes}, *b.variable, b.begin, b.size);
}

}  // namespace warpmill::faults
