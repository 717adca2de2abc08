#include "lowering/fold.h"

#include "lowering/costs.h"
#include "lowering/division.h"

#include <algorithm>

namespace warpmill::lowering {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

void addIssues(TimedOp& op, unsigned count, const device::Profile& profile) {
  if (op.pipe == Pipe::None) {
    op.pipe = Pipe::Alu;
    op.latency = static_cast<std::uint16_t>(profile.aluLatency);
    op.interval = 1;
  }
  op.issues = static_cast<std::uint16_t>(op.issues + count);
}

namespace {

constexpr std::uint8_t low = 1, high = 2, both = 3;

bool isImmediate(const Operand& o) { return o.kind == Operand::Kind::Immediate; }
bool isRegister(const Operand& o) { return o.kind == Operand::Kind::Register; }
bool is(const Instruction& i, Opcode opcode, unsigned bytes, std::size_t operands = 3) {
  return i.opcode == opcode && !isFloat(i.mods.type) && sizeBytes(i.mods.type) == bytes && i.operands.size() == operands && i.guard == ptx::none && i.mods.type != Type::Pred;
}
bool isLogic(const Instruction& i) {
  return (i.opcode == Opcode::And || i.opcode == Opcode::Or || i.opcode == Opcode::Xor) && i.operands.size() == 3 && i.guard == ptx::none && sizeBytes(i.mods.type) == 4;
}
bool hasImmediate(const Instruction& i) {
  return std::any_of(i.operands.begin(), i.operands.end(), isImmediate);
}
bool isPredicateLogic(const Instruction& i) {
  return (i.opcode == Opcode::And || i.opcode == Opcode::Or || i.opcode == Opcode::Xor || i.opcode == Opcode::Not) && i.mods.type == Type::Pred;
}
// The half of a mask that is all ones or all zeros costs nothing.
std::uint8_t halvesOf(std::uint64_t bits) {
  const auto free = [](std::uint32_t half) { return half == 0 || half == 0xFFFFFFFFu; };
  return static_cast<std::uint8_t>((free(static_cast<std::uint32_t>(bits)) ? 0 : low) | (free(static_cast<std::uint32_t>(bits >> 32)) ? 0 : high));
}

class Folder {
 public:
  Folder(const ptx::Module& module, const ptx::Function& f, const device::Profile& profile, const Graph& g, Lowered& out)
      : module_(module), f_(f), profile_(profile), g_(g), ops_(out.ops), holds_(f.instructions.size(), 0) {}

  void run() {
    findNeededHalves();
    for (std::uint32_t pc = 0; pc < ops_.size(); ++pc) {
      const Instruction& i = f_.instructions[pc];
      if (i.guard == ptx::none && !i.operands.empty() && isFolded(pc, i)) fold(pc);
      else narrow(pc, i);
    }
    for (std::uint32_t pc = 0; pc < ops_.size(); ++pc) {
      const Instruction& i = f_.instructions[pc];
      if (ops_[pc].issues != 0 && !i.operands.empty() && isTakenIn(pc, i)) fold(pc);
    }
    fuseWideAdds();
    shareSharedBase();
    mergeConstants();
    moveImmediates();
    chooseByPredicate();
    loadUnderGuards();
    pairZeros();
    gatherAtomics();
    separateProducts();
  }

 private:
  [[nodiscard]] const std::vector<std::uint32_t>& readers(const Operand& d) const { return g_.of(d.index).reads; }
  template <class Test>
  [[nodiscard]] bool allReaders(const Operand& d, Test test) const {
    if (!g_.single(d) || readers(d).empty()) return false;
    return std::all_of(readers(d).begin(), readers(d).end(), [&](std::uint32_t pc) { return test(f_.instructions[pc]); });
  }
  [[nodiscard]] bool isBase(const Instruction& i, std::uint32_t r) const {  // and nothing else
    bool base = false;
    for (const Operand& o : i.operands) {
      if (isRegister(o) && o.index == r) return false;
      base = base || (o.kind == Operand::Kind::Address && o.scope == Operand::In::None && o.index == r);
    }
    return base;
  }

  // What disappears whatever stands round it.
  [[nodiscard]] bool isFolded(std::uint32_t pc, const Instruction& i) const {
    const Operand& d = i.operands[0];
    if (i.takenIn) return true;
    switch (i.opcode) {
      case Opcode::Cvta: return true;  // generic and global addresses are the same; others become a constant that folds
      case Opcode::Mov: return i.operands.size() == 2 && isCopyFolded(i);
      case Opcode::Mul:  // mul.wide + add.s64 is one IMAD.WIDE, counted at the addition
        return i.mods.part == ptx::MulPart::Wide && allReaders(d, [](const Instruction& u) { return is(u, Opcode::Add, 8); });
      case Opcode::Add:  // [base + constant] of loads and stores
        return ((is(i, Opcode::Add, 8) && isImmediate(i.operands[2])) || addsSharedBase(i)) && allReaders(d, [&](const Instruction& u) { return isBase(u, d.index); });
      case Opcode::Shl:  // LEA, and LEA.HI.X for the upper half
        return i.operands.size() == 3 && isImmediate(i.operands[2]) &&
               allReaders(d, [&](const Instruction& u) { return is(u, Opcode::Add, sizeBytes(i.mods.type)); });
      case Opcode::Cvt: return isConversionFolded(i);
      case Opcode::Abs: case Opcode::Neg:  // signs of operands
        return isFloat(i.mods.type) && sizeBytes(i.mods.type) >= 4 && allReaders(d, [&](const Instruction& u) {
          return u.mods.type == i.mods.type && (u.opcode == Opcode::Add || u.opcode == Opcode::Sub || u.opcode == Opcode::Mul || u.opcode == Opcode::Fma || u.opcode == Opcode::Setp);
        });
      case Opcode::Bra: return i.target == pc + 1 || isTurnedRound(pc, i);
      default: return false;
    }
  }

  // [register + uniform register]: the base of shared memory stands in the latter.
  [[nodiscard]] bool addsSharedBase(const Instruction& i) const {
    if (!is(i, Opcode::Add, 4)) return false;
    for (std::size_t k = 1; k < 3; ++k) {
      const std::uint32_t base = g_.definition(i.operands[k]), other = g_.definition(i.operands[3 - k]);
      if (base == ptx::none || f_.instructions[base].opcode != Opcode::Mov || f_.instructions[base].operands.size() != 2 || f_.instructions[base].operands[1].kind != Operand::Kind::Variable) continue;
      return isRegister(i.operands[3 - k]) && (other == ptx::none || f_.instructions[other].opcode != Opcode::Shl);  // else it is one LEA
    }
    return false;
  }

  // Copies and constants disappear where the register has no other definition; a second one (a loop variable, the default of a masked load)
  // needs the move, unless nobody else wants the source.
  [[nodiscard]] bool isCopyFolded(const Instruction& i) const {
    const Operand &d = i.operands[0], &s = i.operands[1];
    if (g_.single(d)) return isImmediate(s) || isRegister(s) || s.kind == Operand::Kind::Variable;
    if (!isRegister(s) || !isRegister(d) || !g_.single(s) || readers(s).size() != 1) return false;
    return std::none_of(g_.of(d.index).definitions.begin(), g_.of(d.index).definitions.end(), [&](std::uint32_t pc) { return f_.instructions[pc].guard != ptx::none; });
  }

  [[nodiscard]] bool isConversionFolded(const Instruction& i) const {
    const Type to = i.mods.type, from = i.mods.sourceType;
    const Operand& d = i.operands[0];
    if (isFloat(to) || isFloat(from) || !g_.single(d)) return false;
    if (sizeBytes(to) <= sizeBytes(from)) return sizeBytes(to) == 4;                   // the low half
    if (sizeBytes(from) != 4) return false;
    if (!isSigned(from)) return true;                                                  // RZ above it
    if ((needed_[d.index] & high) == 0) return true;
    return allReaders(d, [](const Instruction& u) { return is(u, Opcode::Add, 8); });  // LEA.HI.X.SX32
  }

  // "@p bra A; bra B; A:" is one branch to B.
  [[nodiscard]] bool isTurnedRound(std::uint32_t pc, const Instruction& i) const {
    if (pc == 0 || i.guard != ptx::none) return false;
    const Instruction& before = f_.instructions[pc - 1];
    return before.opcode == Opcode::Bra && before.guard != ptx::none && before.target == pc + 1;
  }

  // What the only reader takes in: the first of two additions (IADD3) or logical operations (LOP3), a product (IMAD), a mask that is
  // compared with zero, a combined predicate. An instruction takes in one at most.
  bool isTakenIn(std::uint32_t pc, const Instruction& i) {
    if (isPredicateLogic(i)) {
      return std::any_of(i.operands.begin() + 1, i.operands.end(), [&](const Operand& o) {
        const std::uint32_t at = g_.definition(o);
        return at != ptx::none && f_.instructions[at].opcode == Opcode::Setp && readers(o).size() == 1 && g_.flow().blockOf[at] == g_.flow().blockOf[pc];
      });
    }
    const Operand& d = i.operands[0];
    if (!g_.single(d) || readers(d).size() != 1 || i.guard != ptx::none) return false;
    const std::uint32_t at = readers(d)[0];
    const Instruction& u = f_.instructions[at];
    if (holds_[at] != 0 || holds_[pc] != 0 || g_.flow().blockOf[at] != g_.flow().blockOf[pc]) return false;
    bool taken = false;
    if (is(i, Opcode::Add, 4) || is(i, Opcode::Sub, 4)) taken = is(u, Opcode::Add, 4) || (is(u, Opcode::Sub, 4) && isRegister(u.operands[1]) && u.operands[1].index == d.index);
    else if (is(i, Opcode::Mul, 4) && i.mods.part == ptx::MulPart::Lo) taken = is(u, Opcode::Add, 4);
    else if (isLogic(i)) taken = (isLogic(u) && !(hasImmediate(i) && hasImmediate(u))) || isZeroTest(u, i);
    else if (is(i, Opcode::Not, 4, 2)) taken = isLogic(u);
    if (!taken) return false;
    holds_[at] = 1;
    if (i.opcode == Opcode::Mul) setCost(ops_[at], costOfImad(profile_));
    return true;
  }

  [[nodiscard]] static bool isZeroTest(const Instruction& u, const Instruction& mask) {
    return mask.opcode == Opcode::And && u.opcode == Opcode::Setp && (u.mods.compare == ptx::Compare::Eq || u.mods.compare == ptx::Compare::Ne) && u.operands.size() == 3 &&
           isImmediate(u.operands[2]) && u.operands[2].bits == 0;
  }

  // Which halves of 64-bit registers anybody reads.
  void findNeededHalves() {
    needed_.assign(f_.registers.size(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t pc = static_cast<std::uint32_t>(ops_.size()); pc-- > 0;) {
        const std::uint8_t wanted = halvesRead(f_.instructions[pc]);
        for (std::uint32_t r : ops_[pc].reads) {
          if ((needed_[r] | wanted) == needed_[r]) continue;
          needed_[r] |= wanted;
          changed = true;
        }
      }
    }
  }

  [[nodiscard]] std::uint8_t halvesRead(const Instruction& i) const {
    if (i.operands.empty() || !isRegister(i.operands[0])) return both;
    const std::uint8_t out = needed_[i.operands[0].index];
    const bool wide = sizeBytes(i.mods.type) == 8;
    switch (i.opcode) {
      case Opcode::Cvt: return !isFloat(i.mods.type) && !isFloat(i.mods.sourceType) && !wide ? low : both;
      case Opcode::And:
        if (wide && i.operands.size() == 3 && isImmediate(i.operands[2])) {
          const std::uint64_t mask = i.operands[2].bits;
          return static_cast<std::uint8_t>(out & ((static_cast<std::uint32_t>(mask) != 0 ? low : 0) | (mask >> 32 != 0 ? high : 0)));
        }
        return wide ? out : both;
      case Opcode::Or: case Opcode::Xor: case Opcode::Not: case Opcode::Mov: return wide && i.operands.size() <= 3 ? out : both;
      case Opcode::Add: case Opcode::Sub: return wide && !isFloat(i.mods.type) && (out & high) == 0 ? low : both;
      default: return both;
    }
  }

  // 64-bit operations of which a half is not wanted or comes for nothing.
  void narrow(std::uint32_t pc, const Instruction& i) {
    TimedOp& op = ops_[pc];
    if (op.issues != 2 || sizeBytes(i.mods.type) != 8 || isFloat(i.mods.type) || i.operands.size() != 3) return;
    std::uint8_t halves = isRegister(i.operands[0]) ? needed_[i.operands[0].index] : both;
    const bool constant = isImmediate(i.operands[2]);
    switch (i.opcode) {
      case Opcode::And: case Opcode::Or: case Opcode::Xor:
        if (constant) halves &= halvesOf(i.operands[2].bits);
        break;
      case Opcode::Add: case Opcode::Sub: break;
      case Opcode::Setp: {  // a half that is known to be zero, compared with zero
        const std::uint32_t at = g_.definition(i.operands[1]);
        if (!constant || i.operands[2].bits != 0 || at == ptx::none) return;
        const Instruction& from = f_.instructions[at];
        const bool masked = from.opcode == Opcode::And && isImmediate(from.operands[2]) &&
                            (static_cast<std::uint32_t>(from.operands[2].bits) == 0 || from.operands[2].bits >> 32 == 0);
        halves = masked ? low : both;
        break;
      }
      default: return;
    }
    if (halves == both) return;
    if (halves == 0) return fold(pc);
    op.issues = 1;
    op.latency = static_cast<std::uint16_t>(profile_.aluLatency);
    op.interval = static_cast<std::uint16_t>(std::max(1.0, profile_.intInterval));
  }

  // An addition whose other operand came from a folded mul.wide is an IMAD.WIDE: one instruction instead of two.
  void fuseWideAdds() {
    std::vector<std::uint8_t> folded(f_.registers.size(), 0);
    for (std::uint32_t pc = 0; pc < ops_.size(); ++pc)
      if (f_.instructions[pc].opcode == Opcode::Mul && sizeBytes(f_.instructions[pc].mods.type) == 4 && ops_[pc].issues == 0 && f_.instructions[pc].mods.part == ptx::MulPart::Wide)
        for (std::uint32_t r : ops_[pc].writes) folded[r] = 1;
    for (std::uint32_t pc = 0; pc < ops_.size(); ++pc) {
      const Instruction& i = f_.instructions[pc];
      if (i.opcode != Opcode::Add || sizeBytes(i.mods.type) != 8 || ops_[pc].issues == 0) continue;
      if (std::any_of(ops_[pc].reads.begin(), ops_[pc].reads.end(), [&](std::uint32_t r) { return folded[r] != 0; })) setCost(ops_[pc], costOfImad(profile_));
    }
  }

  // Where a block's shared memory begins has to be asked for: S2UR, UMOV, ULEA, once for code that it dominates; two more for each
  // further variable.
  void shareSharedBase() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> known;  // block in which it is computed, variable
    for (std::uint32_t pc = 0; pc < ops_.size(); ++pc)
      for (const Operand& o : f_.instructions[pc].operands) {
        if ((o.kind != Operand::Kind::Variable && o.kind != Operand::Kind::Address) || (o.scope != Operand::In::Module && o.scope != Operand::In::Function)) continue;
        const auto& list = o.scope == Operand::In::Module ? module_.variables : f_.variables;
        if (o.index >= list.size() || list[o.index].space != ptx::Space::Shared) continue;
        const std::uint32_t at = g_.hoisted(pc, {}), block = g_.flow().blockOf[at];
        const std::uint32_t variable = o.index * 2 + (o.scope == Operand::In::Module ? 1 : 0);
        bool base = false, same = false;
        for (const auto& [b, v] : known) {
          if (!g_.flow().dominates(b, block)) continue;
          base = true;
          same = same || v == variable;
        }
        if (same) continue;
        addIssues(ops_[at], base ? 2 : 3, profile_);
        known.emplace_back(block, variable);
      }
  }

  // Kernel parameters and constants at fixed places: two words of 64 bits wanted in one block are one load.
  void mergeConstants() {
    struct Seen { std::uint32_t block; int list; std::uint64_t pair; };
    std::vector<Seen> seen;
    for (std::uint32_t pc = 0; pc < ops_.size(); ++pc) {
      const Instruction& i = f_.instructions[pc];
      if (i.opcode != Opcode::Ld || i.guard != ptx::none || i.operands.size() != 2 || sizeBytes(i.mods.type) != 4 || i.mods.vectorWidth > 1) continue;
      const Operand& a = i.operands[1];
      if (a.kind != Operand::Kind::Address || !isRegister(i.operands[0])) continue;
      std::uint64_t at = static_cast<std::uint64_t>(a.offset);
      int list = 0;
      if (i.mods.space == ptx::Space::Param && a.scope == Operand::In::Parameter && a.index < f_.params.size()) {
        at += f_.params[a.index].offset;
      } else if (i.mods.space == ptx::Space::Const && (a.scope == Operand::In::Module || a.scope == Operand::In::Function)) {
        list = 1 + static_cast<int>(a.index) * 2 + (a.scope == Operand::In::Module ? 1 : 0);
        setConstant(pc);
      } else {
        continue;
      }
      const auto& wanted = g_.of(i.operands[0].index).reads;
      const std::uint32_t block = wanted.empty() ? ptx::none : g_.flow().blockOf[wanted.front()];
      const auto same = std::find_if(seen.begin(), seen.end(), [&](const Seen& s) { return s.block == block && s.list == list && s.pair == at / 8; });
      if (same == seen.end()) seen.push_back({block, list, at / 8});
      else fold(pc);
    }
  }

  void setConstant(std::uint32_t pc) {
    TimedOp& op = ops_[pc];
    op.isMemory = false;
    op.pipe = Pipe::Constant;
    op.issues = op.interval = 1;
    op.latency = static_cast<std::uint16_t>(profile_.specialRegisterLatency);
  }

  [[nodiscard]] bool isConstant(const Operand& o, std::uint64_t& value) const {
    const std::uint32_t at = g_.definition(o);
    const Operand* c = &o;
    if (at != ptx::none && f_.instructions[at].opcode == Opcode::Mov && f_.instructions[at].operands.size() == 2) c = &f_.instructions[at].operands[1];
    value = c->bits;
    return isImmediate(*c);
  }

  // An instruction has room for one constant; stores and atomics have none, but zero is a register. Each is moved once in a block.
  void moveImmediates() {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> known;
    for (std::uint32_t pc = 0; pc < ops_.size(); ++pc) {
      const Instruction& i = f_.instructions[pc];
      if (ops_[pc].issues == 0) continue;
      const bool stores = i.opcode == Opcode::St || i.opcode == Opcode::Atom || i.opcode == Opcode::Red;
      const bool multiplies = (i.opcode == Opcode::Fma || i.opcode == Opcode::Mad) && i.operands.size() == 4;
      if (!stores && !multiplies) continue;
      unsigned room = multiplies ? 1 : 0;
      for (std::size_t k = stores && i.opcode != Opcode::Atom ? 1 : i.opcode == Opcode::Atom ? 2 : 1; k < i.operands.size(); ++k) {
        std::uint64_t value = 0;
        if (!isConstant(i.operands[k], value) || value == 0) continue;
        if (room != 0) {
          --room;
          continue;
        }
        // The move stands in front of the loops around.
        const std::uint32_t at = i.guard == ptx::none ? g_.hoisted(pc, {}) : pc;
        const std::pair key{g_.flow().blockOf[at], value};
        if (std::find(known.begin(), known.end(), key) != known.end()) continue;
        known.push_back(key);
        addIssues(ops_[at], sizeBytes(i.mods.type) == 8 ? 2 : 1, profile_);
      }
    }
  }

  // Of two values of which one is computed for the choice alone, that one is computed under the predicate, into the other's register. Where
  // the result goes to a register that still is needed for them (a loop variable), a move is left.
  void chooseByPredicate() {
    for (std::uint32_t pc = 0; pc < ops_.size(); ++pc) {
      const Instruction& i = f_.instructions[pc];
      if (i.opcode != Opcode::Selp || sizeBytes(i.mods.type) != 4 || i.guard != ptx::none || i.operands.size() != 4 || ops_[pc].issues != 1) continue;
      const Operand &a = i.operands[1], &b = i.operands[2];
      if (!(isForChoice(pc, a) && endsHere(pc, b)) && !(isForChoice(pc, b) && endsHere(pc, a))) continue;
      if (g_.single(i.operands[0])) fold(pc);
      else setCost(ops_[pc], costOfImad(profile_));
    }
  }

  [[nodiscard]] bool isForChoice(std::uint32_t pc, const Operand& o) const {
    const std::uint32_t at = g_.definition(o);
    if (at == ptx::none || readers(o).size() != 1 || g_.flow().blockOf[at] != g_.flow().blockOf[pc]) return false;
    const TimedOp& op = ops_[at];
    return op.issues == 1 && f_.instructions[at].guard == ptx::none && (op.pipe == Pipe::Alu || op.pipe == Pipe::Fma) && f_.instructions[at].opcode != Opcode::Selp;
  }
  // Nobody reads it later.
  [[nodiscard]] bool endsHere(std::uint32_t pc, const Operand& o) const {
    const std::uint32_t at = g_.definition(o);
    if (at == ptx::none || g_.flow().blockOf[at] != g_.flow().blockOf[pc]) return false;
    return std::all_of(readers(o).begin(), readers(o).end(), [&](std::uint32_t r) { return r <= pc && r > at; });
  }

  // A load from shared memory whose value only guarded instructions want goes under their guard (or behind an exit that it becomes).
  void loadUnderGuards() {
    for (std::uint32_t pc = 0; pc < ops_.size(); ++pc) {
      const Instruction& i = f_.instructions[pc];
      if (i.opcode != Opcode::Ld || i.mods.space != ptx::Space::Shared || i.guard != ptx::none || i.operands.empty() || !isRegister(i.operands[0]) || ops_[pc].issues == 0) continue;
      if (!g_.single(i.operands[0]) || readers(i.operands[0]).empty()) continue;
      const std::uint32_t first = readers(i.operands[0]).front(), block = g_.flow().blockOf[pc];
      const Instruction& user = f_.instructions[first];
      if (user.guard == ptx::none) continue;
      const auto& made = g_.of(user.guard).definitions;
      const bool known = made.size() == 1 && made[0] < pc && g_.flow().blockOf[made[0]] == block;
      if (known && std::all_of(readers(i.operands[0]).begin(), readers(i.operands[0]).end(), [&](std::uint32_t r) {
            return f_.instructions[r].guard == user.guard && f_.instructions[r].guardNegated == user.guardNegated && g_.flow().blockOf[r] == block;
          }))
        ops_[pc].guardOf = first;
    }
  }

  // Neighbouring registers are set to zero in pairs, as far as they happen to be neighbours: two in three.
  void pairZeros() {
    unsigned count = 0;
    for (std::uint32_t pc = 0; pc < ops_.size(); ++pc) {
      const Instruction& i = f_.instructions[pc];
      std::uint64_t value = 1;
      if (std::binary_search(f_.blockBegin.begin(), f_.blockBegin.end(), pc)) count = 0;
      if (i.opcode != Opcode::Mov || ops_[pc].issues != 1 || i.operands.size() != 2 || !isConstant(i.operands[1], value) || value != 0) continue;
      if (++count > 3 && count % 3 == 0) fold(pc);
    }
  }

  // Atomics of integers on one address for all lanes, whose results nobody wants: lanes add up first (REDUX), and one goes to memory.
  // With a result: a value that is the same for all is multiplied by the number of lanes, and each gets its share back.
  void gatherAtomics() {
    for (std::uint32_t pc = 0; pc < ops_.size(); ++pc) {
      const Instruction& i = f_.instructions[pc];
      if ((i.opcode != Opcode::Atom && i.opcode != Opcode::Red) || isFloat(i.mods.type) || sizeBytes(i.mods.type) != 4) continue;
      if (i.mods.atom != ptx::AtomOp::Add || i.operands.size() < 2) continue;
      const Operand& address = i.operands[i.opcode == Opcode::Atom ? 1 : 0];
      if (address.kind != Operand::Kind::Address || !g_.isUniform(address)) continue;
      const bool wanted = i.opcode == Opcode::Atom && isRegister(i.operands[0]) && !g_.of(i.operands[0].index).reads.empty();
      if (wanted && !g_.isUniform(i.operands.back())) continue;
      ops_[pc].oneLane = true;
      addIssues(ops_[pc], wanted ? 11 : 6, profile_);
    }
  }

  // A product of matrices that goes on with the result of the one just before: an empty instruction between them.
  void separateProducts() {
    std::uint32_t last = ptx::none;
    for (std::uint32_t pc = 0; pc < ops_.size(); ++pc) {
      if (std::binary_search(f_.blockBegin.begin(), f_.blockBegin.end(), pc)) last = ptx::none;
      if (f_.instructions[pc].opcode != Opcode::Mma) continue;
      const auto& writes = ops_[pc].writes;
      if (last != ptx::none && !ops_[last].writes.empty() &&
          std::find(ops_[pc].reads.begin(), ops_[pc].reads.end(), ops_[last].writes[0]) != ops_[pc].reads.end() && !writes.empty())
        addIssues(ops_[pc], 1, profile_);
      last = pc;
    }
  }

  void fold(std::uint32_t pc) {
    TimedOp& op = ops_[pc];
    op.pipe = Pipe::None;
    op.issues = op.latency = op.interval = 0;
  }

  const ptx::Module& module_;
  const ptx::Function& f_;
  const device::Profile& profile_;
  const Graph& g_;
  std::vector<TimedOp>& ops_;
  std::vector<std::uint8_t> needed_;   // halves, by register
  std::vector<std::uint8_t> holds_;    // has taken one in
};

}  // namespace

void foldInstructions(const ptx::Module& module, const ptx::Function& f, const device::Profile& profile, const Graph& graph, Lowered& lowered) {
  Folder(module, f, profile, graph, lowered).run();
  shareReciprocals(f, profile, graph, lowered);
}

}  // namespace warpmill::lowering
