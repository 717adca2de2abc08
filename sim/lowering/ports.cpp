#include "lowering/ports.h"

#include <algorithm>
#include <array>

namespace warpmill::lowering {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

namespace {

// The registers of a * b + c; none where the operand does not come from a register.
struct Sources {
  std::array<std::uint32_t, 3> at{ptx::none, ptx::none, ptx::none};
  [[nodiscard]] int different() const {
    int n = 0;
    for (std::size_t k = 0; k < at.size(); ++k)
      if (at[k] != ptx::none && std::find(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(k), at[k]) == at.begin() + static_cast<std::ptrdiff_t>(k)) ++n;
    return n;
  }
  // In the same place; the factors may be exchanged.
  [[nodiscard]] bool sharesWith(const Sources& o) const {
    const auto same = [](std::uint32_t a, std::uint32_t b) { return a != ptx::none && a == b; };
    return same(at[2], o.at[2]) || same(at[0], o.at[0]) || same(at[0], o.at[1]) || same(at[1], o.at[0]) || same(at[1], o.at[1]);
  }
};

class Ports {
 public:
  Ports(const ptx::Function& f, const Graph& g, Lowered& out) : f_(f), g_(g), ops_(out.ops) {}

  void run() {
    depth_.assign(f_.registers.size(), 0);
    for (std::uint32_t b = 0; b < f_.blockBegin.size(); ++b) block(g_.blockBegin(b), g_.blockEnd(b));
  }

 private:
  void block(std::uint32_t begin, std::uint32_t end) {
    std::vector<std::uint32_t> crowded, written;
    std::uint32_t longest = 0, count = 0, alone = 0;
    Sources last;
    for (std::uint32_t pc = begin; pc < end; ++pc) {
      TimedOp& op = ops_[pc];
      if (op.pipe == Pipe::None) continue;
      Sources own;
      if (op.pipe == Pipe::Fma && op.issues == 1 && f_.instructions[pc].opcode == Opcode::Fma) {
        own = sourcesOf(pc);
        std::uint32_t depth = 0;
        for (std::uint32_t r : op.reads) depth = std::max(depth, depth_[r]);
        for (std::uint32_t r : op.writes) depth_[r] = depth + 1, written.push_back(r);
        longest = std::max(longest, depth + 1);
        ++count;
      }
      const bool shares = own.sharesWith(last);
      op.crowdsPorts = own.different() == 3 && (shares || ++alone % 4 != 0);
      op.reusesOperand = op.crowdsPorts && shares;
      if (op.crowdsPorts) crowded.push_back(pc);
      last = own;
    }
    for (std::uint32_t r : written) depth_[r] = 0;
    // Chains that ptxas lets take turns; with fewer than the latency has cycles the first of each turn comes after another warp.
    constexpr std::uint32_t enough = 4;
    const std::uint32_t chains = longest == 0 ? enough : count / longest;
    if (chains < enough)
      for (std::size_t k = 0; k < crowded.size(); k += std::max(1u, chains)) ops_[crowded[k]].reusesOperand = false;
  }

  [[nodiscard]] Sources sourcesOf(std::uint32_t pc) const {
    const Instruction& i = f_.instructions[pc];
    Sources s;
    std::array<const Instruction*, 3> parameter{};
    if (i.product != ptx::none) {  // the factors stand in the product that it takes in
      const Instruction& product = f_.instructions[i.product];
      s.at = {registerOf(product.operands[1]), registerOf(product.operands[2]), registerOf(i.operands[i.productOperand == 1 ? 2 : 1])};
      return s;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      s.at[k] = registerOf(i.operands[k + 1]);
      if (s.at[k] != ptx::none) parameter[k] = parameterOf(i.operands[k + 1]);
    }
    // One operand can be a parameter where it stands in constant memory; two that lie there as one 64-bit word are loaded together.
    const auto first = std::find_if(parameter.begin(), parameter.end(), [](const Instruction* p) { return p != nullptr; });
    if (first == parameter.end()) return s;
    const auto second = std::find_if(first + 1, parameter.end(), [&](const Instruction* p) { return p != nullptr && p != *first; });
    if (second == parameter.end() || !arePair(**first, **second)) s.at[static_cast<std::size_t>(first - parameter.begin())] = ptx::none;
    return s;
  }

  // None for what is an immediate in the end.
  [[nodiscard]] std::uint32_t registerOf(const Operand& o) const {
    if (o.kind != Operand::Kind::Register) return ptx::none;
    const std::uint32_t at = g_.definition(o);
    if (at == ptx::none) return o.index;
    const Instruction& from = f_.instructions[at];
    if (from.opcode == Opcode::Mov && from.operands.size() == 2 && from.operands[1].kind == Operand::Kind::Immediate) return ptx::none;
    return o.index;
  }

  // The load of a parameter that alone gives the value.
  [[nodiscard]] const Instruction* parameterOf(const Operand& o) const {
    const std::uint32_t at = g_.definition(o);
    if (at == ptx::none) return nullptr;
    const Instruction& from = f_.instructions[at];
    return from.opcode == Opcode::Ld && from.mods.space == ptx::Space::Param ? &from : nullptr;
  }

  [[nodiscard]] bool arePair(const Instruction& a, const Instruction& b) const {
    const std::int64_t x = offsetOf(a), y = offsetOf(b);
    return std::max(x, y) - std::min(x, y) == 4 && std::min(x, y) % 8 == 0;
  }
  [[nodiscard]] std::int64_t offsetOf(const Instruction& load) const {
    const Operand& a = load.operands[1];
    return a.offset + static_cast<std::int64_t>(a.scope == Operand::In::Parameter && a.index < f_.params.size() ? f_.params[a.index].offset : 0);
  }

  const ptx::Function& f_;
  const Graph& g_;
  std::vector<TimedOp>& ops_;
  std::vector<std::uint32_t> depth_;  // by register: so many products stand one behind the other for it
};

}  // namespace

void findPortConflicts(const ptx::Function& function, const device::Profile& profile, const Graph& graph, Lowered& lowered) {
  if (profile.portConflict >= 0.5) Ports(function, graph, lowered).run();
}

}  // namespace warpmill::lowering
