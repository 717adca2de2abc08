#include "ptx/products.h"

#include "ptx/cfg.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

namespace warpmill::ptx {
namespace {

bool isProductType(Type type) {
  return type == Type::F32 || type == Type::F64 || type == Type::F16 || type == Type::F16x2 || type == Type::BF16 || type == Type::BF16x2;
}

// Instructions in whose place ptxas has branches when it looks for products, or behind which it starts anew: division and roots with a
// slow path, signed and narrow integer division, fences, and what is skipped by a guard but cannot be undone.
bool endsStretch(const Instruction& in) {
  const Type type = in.mods.type;
  switch (in.opcode) {
    case Opcode::Div: case Opcode::Rem:
      if (isFloat(type)) return !in.mods.approx && !in.mods.full;
      return type != Type::U32;
    case Opcode::Rcp: case Opcode::Sqrt: return !in.mods.approx;
    case Opcode::Rsqrt: return type == Type::F64;
    case Opcode::Membar: case Opcode::Fence: case Opcode::Call: case Opcode::Brkpt: return true;
    case Opcode::Ld: case Opcode::Ldu: case Opcode::St: case Opcode::Atom: case Opcode::Red: case Opcode::Bar: case Opcode::Barrier: case Opcode::Shfl:
    case Opcode::CpAsync: case Opcode::Exit: case Opcode::Trap: case Opcode::Ret:
      return in.guard != none;
    default: return false;
  }
}

struct Sites {
  std::vector<std::uint32_t> definitions, uses;  // instructions, rising
};

// One operand of an addition that could be a product.
struct Use {
  std::uint32_t addition = none, product = none;
  std::uint8_t operand = 0;
  bool negated = false;
};

class Finder {
 public:
  explicit Finder(Function& f) : f_(f), flow_(controlFlow(f)), sites_(f.registers.size()) {
    collectSites();
    collectRuns();
  }

  void run() {
    for (std::uint32_t i = 0; i < f_.instructions.size(); ++i) {
      if (!isCandidate(f_.instructions[i])) continue;
      std::vector<Use> uses;
      if (usesOf(i, i, false, 0, uses) && !uses.empty()) products_[i] = std::move(uses);
    }
    if (!products_.empty()) settle();
  }

 private:
  void add(const Operand& o, std::uint32_t at, bool written) {
    switch (o.kind) {
      case Operand::Kind::Register: (written ? sites_[o.index].definitions : sites_[o.index].uses).push_back(at); break;
      case Operand::Kind::Address:
        if (o.scope == Operand::In::None && o.index != none) sites_[o.index].uses.push_back(at);
        break;
      case Operand::Kind::Vector:
        for (std::uint32_t k = 0; k < o.count; ++k) add(f_.vectorElements[o.index + k], at, written);
        break;
      default: break;
    }
  }

  void collectSites() {
    for (std::uint32_t i = 0; i < f_.instructions.size(); ++i) {
      const Instruction& in = f_.instructions[i];
      for (std::size_t k = 0; k < in.operands.size(); ++k) add(in.operands[k], i, k < in.destinationCount);
    }
  }

  // Straight-line stretches: blocks that can only be entered from the one before and are its only successor, cut at endsStretch.
  void collectRuns() {
    runEnd_.assign(f_.instructions.size(), 0);
    const std::size_t blocks = f_.blockBegin.size();
    for (std::size_t first = 0; first < blocks;) {
      std::size_t last = first;
      while (last + 1 < blocks && flow_.successors[last].size() == 1 && flow_.successors[last][0] == last + 1 && flow_.predecessors[last + 1].size() == 1) ++last;
      const std::uint32_t begin = f_.blockBegin[first];
      const std::uint32_t end = last + 1 < blocks ? f_.blockBegin[last + 1] : static_cast<std::uint32_t>(f_.instructions.size());
      for (std::uint32_t i = end, stretch = end; i-- > begin;) {
        if (endsStretch(f_.instructions[i])) stretch = i + 1;
        runEnd_[i] = stretch;
      }
      first = last + 1;
    }
  }

  // The bits of an operand that is the same constant for all; through copies, and conversions to f16.
  [[nodiscard]] std::optional<std::uint64_t> constantOf(const Operand& o, unsigned depth = 0) const {
    if (o.kind == Operand::Kind::Immediate) return o.bits;
    if (o.kind != Operand::Kind::Register || depth == 4 || sites_[o.index].definitions.size() != 1) return std::nullopt;
    const Instruction& in = f_.instructions[sites_[o.index].definitions[0]];
    if (in.guard != none || in.operands.size() != 2) return std::nullopt;
    if (in.opcode == Opcode::Mov) return constantOf(in.operands[1], depth + 1);
    const auto from = in.opcode == Opcode::Cvt && in.mods.type == Type::F16 && in.mods.sourceType == Type::F32 ? constantOf(in.operands[1], depth + 1) : std::nullopt;
    if (from == 0x3F800000u) return 0x3C00u;
    if (from == 0xBF800000u) return 0xBC00u;
    return std::nullopt;
  }
  // Times 1 or -1 is no product to ptxas.
  [[nodiscard]] bool isOne(const Operand& o, Type type) const {
    const auto bits = constantOf(o);
    if (!bits) return false;
    if (o.kind == Operand::Kind::Immediate && (o.isFloat32 || o.isFloat64)) {
      const double v = o.isFloat32 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(*bits))) : std::bit_cast<double>(*bits);
      return v == 1 || v == -1;
    }
    switch (type) {
      case Type::F32: return (*bits & 0x7FFFFFFFu) == 0x3F800000u;
      case Type::F64: return (*bits & 0x7FFFFFFFFFFFFFFFu) == 0x3FF0000000000000u;
      case Type::F16: return (*bits & 0x7FFFu) == 0x3C00u;
      case Type::BF16: return (*bits & 0x7FFFu) == 0x3F80u;
      default: return false;
    }
  }

  [[nodiscard]] bool isCandidate(const Instruction& in) const {
    return isMultiplication(in) && !isOne(in.operands[1], in.mods.type) && !isOne(in.operands[2], in.mods.type);
  }
  [[nodiscard]] static bool isMultiplication(const Instruction& in) {
    return in.opcode == Opcode::Mul && isProductType(in.mods.type) && in.mods.rounding == Rounding::None && !in.mods.sat && in.guard == none &&
           in.operands.size() == 3 && in.operands[0].kind == Operand::Kind::Register;
  }

  // The readers of the value that instruction `at` writes, all of them additions that could take in `product`; false: some are not.
  bool usesOf(std::uint32_t product, std::uint32_t at, bool negated, unsigned depth, std::vector<Use>& out) const {
    const std::uint32_t r = f_.instructions[at].operands[0].index;
    const Sites& s = sites_[r];
    if (movesFreely(product) && s.definitions.size() == 1)
      return std::all_of(s.uses.begin(), s.uses.end(), [&](std::uint32_t u) { return isBehind(at, u) && takes(product, r, u, negated, depth, out); });
    std::uint32_t end = runEnd_[at];
    bool overwritten = false;
    for (const std::uint32_t d : s.definitions) {
      if (d <= at || d >= end) continue;
      if (f_.instructions[d].guard != none) return false;
      end = d + 1;  // which may read it still
      overwritten = true;
      break;
    }
    for (const std::uint32_t u : s.uses) {
      if (u > at && u < end) {
        if (!takes(product, r, u, negated, depth, out)) return false;
      }
    }
    return overwritten || !isReadBehind(s, end);
  }

  // A product with a constant is cheap enough for ptxas to form it where it is wanted, in any block. Only where its factors have one
  // definition each, so that they are the same there.
  [[nodiscard]] bool movesFreely(std::uint32_t product) const {
    const auto& o = f_.instructions[product].operands;
    return (isConstant(o[1]) || isConstant(o[2])) && isFixed(o[1], product) && isFixed(o[2], product);
  }
  // Does the operand of the product hold the same wherever the product reaches?
  [[nodiscard]] bool isFixed(const Operand& o, std::uint32_t product) const {
    if (o.kind != Operand::Kind::Register) return true;
    const auto& d = sites_[o.index].definitions;
    return d.empty() || (d.size() == 1 && isBehind(d[0], product));
  }
  [[nodiscard]] bool isBehind(std::uint32_t at, std::uint32_t use) const {
    const std::uint32_t a = flow_.blockOf[at], b = flow_.blockOf[use];
    return a == b ? use > at : flow_.dominates(a, b);
  }
  [[nodiscard]] bool isConstant(const Operand& o, unsigned depth = 0) const {
    if (o.kind == Operand::Kind::Immediate) return true;
    if (o.kind != Operand::Kind::Register || depth == 4 || sites_[o.index].definitions.size() != 1) return false;
    const Instruction& in = f_.instructions[sites_[o.index].definitions[0]];
    return (in.opcode == Opcode::Mov || in.opcode == Opcode::Cvt) && in.guard == none && in.operands.size() == 2 && isConstant(in.operands[1], depth + 1);
  }

  // Does anything that can follow the stretch ending before `end` read the register as it is there?
  [[nodiscard]] bool isReadBehind(const Sites& s, std::uint32_t end) const {
    if (s.definitions.size() == 1) {  // the usual case: then any reader elsewhere sees it
      const std::uint32_t at = s.definitions[0];
      return std::any_of(s.uses.begin(), s.uses.end(), [&](std::uint32_t u) { return u <= at || u >= end; });
    }
    const auto firstFrom = [](const std::vector<std::uint32_t>& sites, std::uint32_t begin) {
      const auto it = std::lower_bound(sites.begin(), sites.end(), begin);
      return it == sites.end() ? none : *it;
    };
    std::vector<bool> seen(f_.blockBegin.size(), false);
    std::vector<std::uint32_t> next;
    const auto follow = [&](std::uint32_t block) {
      for (const std::uint32_t to : flow_.successors[block]) next.push_back(f_.blockBegin[to]);
    };
    if (end < count() && flow_.blockOf[end] == flow_.blockOf[end - 1]) next.push_back(end);
    else follow(flow_.blockOf[end - 1]);
    while (!next.empty()) {
      const std::uint32_t begin = next.back(), block = flow_.blockOf[begin];
      next.pop_back();
      if (begin == f_.blockBegin[block]) {
        if (seen[block]) continue;
        seen[block] = true;
      }
      const std::uint32_t stop = block + 1 < f_.blockBegin.size() ? f_.blockBegin[block + 1] : count();
      const std::uint32_t use = firstFrom(s.uses, begin);
      std::uint32_t definition = firstFrom(s.definitions, begin);
      while (definition < stop && f_.instructions[definition].guard != none) definition = firstFrom(s.definitions, definition + 1);
      if (use < stop && use <= definition) return true;
      if (definition >= stop) follow(block);
    }
    return false;
  }

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(f_.instructions.size()); }

  bool takes(std::uint32_t product, std::uint32_t r, std::uint32_t user, bool negated, unsigned depth, std::vector<Use>& out) const {
    constexpr unsigned deepest = 8;  // copies of copies
    const Instruction &mul = f_.instructions[product], &in = f_.instructions[user];
    const auto isIt = [&](const Operand& o) { return o.kind == Operand::Kind::Register && o.index == r; };
    if ((in.opcode == Opcode::Mov || in.opcode == Opcode::Neg) && in.operands.size() == 2 && isIt(in.operands[1]) && in.guard == none && depth < deepest) {
      const bool isCopy = in.opcode == Opcode::Mov && sizeBytes(in.mods.type) == sizeBytes(mul.mods.type);
      const bool isNegation = in.opcode == Opcode::Neg && in.mods.type == mul.mods.type && in.mods.ftz == mul.mods.ftz;
      if ((!isCopy && !isNegation) || in.operands[0].kind != Operand::Kind::Register) return false;
      return usesOf(product, user, negated != isNegation, depth + 1, out);
    }
    if ((in.opcode != Opcode::Add && in.opcode != Opcode::Sub) || in.operands.size() != 3 || in.mods.type != mul.mods.type || in.mods.ftz != mul.mods.ftz ||
        in.mods.rounding != Rounding::None || isIt(in.operands[1]) == isIt(in.operands[2]))
      return false;
    for (std::size_t k = 1; k < 3; ++k)
      if (!isFixed(mul.operands[k], product) && isWritten(mul.operands[k].index, product, user)) return false;
    const bool isFirst = isIt(in.operands[1]);
    for (const Use& other : out)
      if (other.addition == user) return false;  // both of its operands: p + (-p)
    out.push_back({user, product, static_cast<std::uint8_t>(isFirst ? 1 : 2), negated});
    return true;
  }

  [[nodiscard]] bool isWritten(std::uint32_t r, std::uint32_t after, std::uint32_t before) const {
    const auto& d = sites_[r].definitions;
    return std::any_of(d.begin(), d.end(), [&](std::uint32_t at) { return at >= after && at < before; });
  }

  // Where both operands of an addition are products, one is rounded after all.
  void settle() {
    std::map<std::uint32_t, std::vector<Use>> additions;
    for (const auto& [product, uses] : products_)
      for (const Use& u : uses) additions[u.addition].push_back(u);
    for (auto& [addition, uses] : additions) {
      std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.operand < b.operand; });
      if (uses.size() < 2) continue;
      const auto first = products_.find(uses[0].product), second = products_.find(uses[1].product);
      if (first == products_.end() || second == products_.end()) continue;
      products_.erase(first->second.size() > second->second.size() ? first : second);
    }
    for (const auto& [product, uses] : products_) {
      f_.instructions[product].takenIn = true;
      for (const Use& u : uses) {
        Instruction& in = f_.instructions[u.addition];
        in.product = product;
        in.productOperand = u.operand;
        in.productNegated = u.negated;
      }
    }
  }

  Function& f_;
  const ControlFlow flow_;
  std::vector<Sites> sites_;                        // by register
  std::vector<std::uint32_t> runEnd_;                // by instruction
  std::map<std::uint32_t, std::vector<Use>> products_;
};

}  // namespace

void takeInProducts(const Module& module, Function& function) {
  const auto has = [&](Opcode opcode) {
    return std::any_of(function.instructions.begin(), function.instructions.end(),
                       [&](const Instruction& in) { return in.opcode == opcode && isProductType(in.mods.type) && in.mods.rounding == Rounding::None; });
  };
  if (module.isForDebugging || !has(Opcode::Mul) || (!has(Opcode::Add) && !has(Opcode::Sub))) return;
  Finder(function).run();
}

}  // namespace warpmill::ptx
