// Atomics: atom and red on global, shared and generic addresses. Lanes of one instruction take effect in the order of their
// numbers, or in one that the seed chooses (order.h).
// Simplified: hardware's order is not defined, so sums of floats may differ in their last bits; memory order and scope do nothing,
// since every operation here takes effect at once.
// Source: PTX ISA 9.0, 9.7.13 "atom" and "red".
#include "exec/access.h"
#include "exec/float_bits.h"
#include "exec/order.h"

#include <cstring>

namespace warpmill::exec {
namespace {

using namespace portable;
using ptx::AtomOp;
using ptx::Space;
using ptx::Type;

template <class T> T combineInteger(AtomOp op, T old, T b, T c) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
    case AtomOp::And: return old & b;
    case AtomOp::Or: return old | b;
    case AtomOp::Xor: return old ^ b;
    case AtomOp::Cas: return old == b ? c : old;
    case AtomOp::Exch: return b;
    case AtomOp::Add: return static_cast<T>(static_cast<U>(static_cast<U>(old) + static_cast<U>(b)));
    case AtomOp::Inc: return old >= b ? T(0) : static_cast<T>(old + 1);
    case AtomOp::Dec: return old == 0 || old > b ? b : static_cast<T>(old - 1);
    case AtomOp::Min: return b < old ? b : old;
    case AtomOp::Max: return old < b ? b : old;
    default: return old;
  }
}

u16 addHalf(Type type, u16 old, u16 b) {
  if (type == Type::BF16 || type == Type::BF16x2) return toBf16(addToOdd(static_cast<double>(fromBf16(old)), static_cast<double>(fromBf16(b))));
  return toF16(addToOdd(static_cast<double>(fromF16(old)), static_cast<double>(fromF16(b))));
}

// The smaller or larger half: of two zeros -0 is the smaller one, of a number and a NaN the number counts.
u16 extremeHalf(Type type, bool largest, u16 a, u16 b) {
  const bool brain = type == Type::BF16 || type == Type::BF16x2;
  const float p = brain ? fromBf16(a) : fromF16(a), q = brain ? fromBf16(b) : fromF16(b);
  if (p != p) return q != q ? static_cast<u16>(nan16) : b;
  if (q != q) return a;
  if (p == q) return largest ? a & b : a | b;
  return (p > q) == largest ? a : b;
}
u16 combineHalf(const ptx::Modifiers& m, u16 old, u16 b) {
  return m.atom == AtomOp::Add ? addHalf(m.type, old, b) : extremeHalf(m.type, m.atom == AtomOp::Max, old, b);
}

// Global f32 addition flushes subnormals, shared does not; of f64, global leaves a NaN operand as it is, shared makes it quiet.
template <class T> T combine(const ptx::Modifiers& m, Space space, T old, T b, T c) {
  if (!ptx::isFloat(m.type) || m.atom == AtomOp::Exch) return combineInteger<T>(m.atom, old, b, c);
  if constexpr (sizeof(T) == 4) {
    if (m.type == Type::F32) {
      float p = std::bit_cast<float>(old), q = std::bit_cast<float>(b);
      if (space == Space::Shared) return std::bit_cast<T>(canonical(p + q));
      return std::bit_cast<T>(canonical(flush(flush(p) + flush(q))));
    }
    return static_cast<T>(combineHalf(m, static_cast<u16>(old), static_cast<u16>(b)) |
                          static_cast<u32>(combineHalf(m, static_cast<u16>(static_cast<u32>(old) >> 16), static_cast<u16>(static_cast<u32>(b) >> 16))) << 16);
  } else if constexpr (sizeof(T) == 8) {
    const double p = std::bit_cast<double>(old), q = std::bit_cast<double>(b), r = p + q;
    if (space == Space::Shared) return std::bit_cast<T>(nanOf(r, p, q));
    return std::bit_cast<T>(r == r ? bitsOf(r) : q != q ? bitsOf(q) : p != p ? bitsOf(p) : nan64);  // a NaN stays as it is
  } else {
    return static_cast<T>(combineHalf(m, static_cast<u16>(old), static_cast<u16>(b)));
  }
}

// change(lane, bytes, space) for each lane of the mask, one after the other; bytes is nullptr where the access is bad.
template <class F> void eachPlace(Exec& x, const Op& op, LaneMask mask, u32 size, F change) {
  const bool hasResult = op.instruction->opcode == ptx::Opcode::Atom;
  recordAccess(x, mask, hasResult ? MemoryAccess::Kind::Atomic : MemoryAccess::Kind::Reduction, op.space, size, op.a, op.offset);
  LaneMask rest = mask;
  while (rest != 0) {
    const LaneMask lanes = op.space == Space::Generic ? resolveGeneric(x, rest) : rest;
    const Space space = op.space == Space::Generic ? x.outcome->access.space : op.space;
    rest &= ~lanes;
    Locator locate(x, space, size, true, true);
    BadLanes bad;
    eachLaneInOrder(x, lanes, [&](unsigned i) { change(i, locate.find(x.outcome->access.address[i], i, bad), space); });
    bad.report(x, op, space, "atomic", size);
  }
}

// Ahead of its turn a reduction is kept for later (see machine/access_log.h), if nothing is wrong with it.
bool putOff(Exec& x, const Op& op, LaneMask mask, u32 size) {
  machine::AccessLog* log = x.memory->log();
  if (log == nullptr || !log->ahead() || !op.resultUnused || (op.space != Space::Global && op.space != Space::Generic)) return false;
  recordAccess(x, mask, MemoryAccess::Kind::Reduction, op.space, size, op.a, op.offset);
  const auto& address = x.outcome->access.address;
  const machine::PageTable::Region* region = nullptr;
  const auto find = [&](unsigned i) {
    if (region == nullptr || address[i] - region->base >= region->sizeBytes) region = x.memory->region(address[i]);
    return region != nullptr;
  };
  bool good = true;
  eachLane(mask, [&](unsigned i) {
    good = good && find(i) && !region->readOnly && size <= region->sizeBytes - (address[i] - region->base) && (address[i] & (size - 1)) == 0;
  });
  if (!good) return false;
  eachLaneInOrder(x, mask, [&](unsigned i) {
    find(i);
    log->putOff(region->allocation, address[i] - region->base, size, {op.pc, address[i], getBits(x, op.b, i)});
  });
  return true;
}

template <class T> void executeAtomic(Exec& x, const Op& op, LaneMask mask) {
  if (putOff(x, op, mask, sizeof(T))) return;
  const ptx::Modifiers& m = op.instruction->mods;
  const bool hasResult = op.instruction->opcode == ptx::Opcode::Atom;
  eachPlace(x, op, mask, sizeof(T), [&](unsigned i, std::uint8_t* p, Space space) {
    T old{};
    if (p != nullptr) {
      std::memcpy(&old, p, sizeof(T));
      const T b = static_cast<T>(getBits(x, op.b, i)), c = op.c.present ? static_cast<T>(getBits(x, op.c, i)) : T{};
      const T now = combine<T>(m, space, old, b, c);
      std::memcpy(p, &now, sizeof(T));
    }
    if (hasResult) putBits(x, op.dst, i, static_cast<u64>(static_cast<std::make_unsigned_t<T>>(old)));
  });
}

// elements: the results (atom only), then the operands.
template <class T> void executeVectorAtomic(Exec& x, const Op& op, LaneMask mask) {
  const ptx::Modifiers& m = op.instruction->mods;
  const bool hasResult = op.instruction->opcode == ptx::Opcode::Atom;
  const u32 width = m.vectorWidth, first = hasResult ? width : 0;
  eachPlace(x, op, mask, static_cast<u32>(sizeof(T)) * width, [&](unsigned i, std::uint8_t* p, Space space) {
    std::array<T, 8> operand{};  // all are read first: results may go to their registers
    for (u32 k = 0; k < width; ++k) operand[k] = static_cast<T>(getBits(x, op.elements[first + k], i));
    for (u32 k = 0; k < width; ++k) {
      T old{};
      if (p != nullptr) {
        std::memcpy(&old, p + k * sizeof(T), sizeof(T));
        const T now = combine<T>(m, space, old, operand[k], T{});
        std::memcpy(p + k * sizeof(T), &now, sizeof(T));
      }
      if (hasResult) putBits(x, op.elements[k], i, old);
    }
  });
}

// exch and cas of 128 bits: registers of two 64-bit halves.
void executeAtomic128(Exec& x, const Op& op, LaneMask mask) {
  using Whole = std::array<u64, 2>;
  const auto read = [&](const Slot& s, unsigned i) { return Whole{get<u64>(x.at(s), i), get<u64>(x.at(s) + 64, i)}; };
  eachPlace(x, op, mask, 16, [&](unsigned i, std::uint8_t* p, Space) {
    Whole old{};
    if (p != nullptr) {
      std::memcpy(&old, p, 16);
      const bool swap = op.instruction->mods.atom == AtomOp::Cas;
      const Whole b = read(op.b, i), now = !swap ? b : old == b ? read(op.c, i) : old;
      std::memcpy(p, &now, 16);
    }
    for (u32 k = 0; k < 2; ++k) put<u64>(x.at(op.dst) + 64 * k, i, old[k]);
  });
}

template <class T> void change(const Op& op, std::uint8_t* bytes, u64 value) {
  T old;
  std::memcpy(&old, bytes, sizeof(T));
  const T now = combine<T>(op.instruction->mods, Space::Global, old, static_cast<T>(value), T{});
  std::memcpy(bytes, &now, sizeof(T));
}

}  // namespace

std::uint32_t reductionBytes(const Op& op) { return ptx::sizeBytes(op.instruction->mods.type); }

void applyReduction(const Op& op, std::uint8_t* bytes, std::uint64_t value) {
  const Type type = op.instruction->mods.type;
  switch (reductionBytes(op)) {
    case 2: return change<u16>(op, bytes, value);
    case 4: return type == Type::S32 ? change<s32>(op, bytes, value) : change<u32>(op, bytes, value);
    default: return type == Type::S64 ? change<s64>(op, bytes, value) : change<u64>(op, bytes, value);
  }
}

Handler atomicHandler(const ptx::Instruction& in) {
  const ptx::Modifiers& m = in.mods;
  if (m.atom == AtomOp::None) return nullptr;
  if (m.vectorWidth > 1) {
    if (m.atom != AtomOp::Add && m.atom != AtomOp::Min && m.atom != AtomOp::Max) return nullptr;
    switch (m.type) {
      case Type::F16: case Type::BF16: return &executeVectorAtomic<u16>;
      case Type::F16x2: case Type::BF16x2: return &executeVectorAtomic<u32>;
      case Type::F32: return m.atom == AtomOp::Add ? &executeVectorAtomic<u32> : nullptr;
      default: return nullptr;
    }
  }
  if (ptx::isFloat(m.type) && m.atom != AtomOp::Add && m.atom != AtomOp::Exch) return nullptr;
  if ((m.atom == AtomOp::Inc || m.atom == AtomOp::Dec) && m.type != Type::U32) return nullptr;
  switch (m.type) {
    case Type::B16: case Type::U16: case Type::F16: case Type::BF16: return &executeAtomic<u16>;
    case Type::B32: case Type::U32: case Type::F32: case Type::F16x2: case Type::BF16x2: return &executeAtomic<u32>;
    case Type::S32: return &executeAtomic<s32>;
    case Type::B64: case Type::U64: case Type::F64: return &executeAtomic<u64>;
    case Type::S64: return &executeAtomic<s64>;
    case Type::B128: return in.opcode == ptx::Opcode::Atom && (m.atom == AtomOp::Cas || m.atom == AtomOp::Exch) ? &executeAtomic128 : nullptr;
    default: return nullptr;
  }
}

}  // namespace warpmill::exec
