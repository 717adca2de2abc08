// Data movement between registers: mov (with packing and unpacking of vectors), cvta, isspacep, createpolicy.
// Simplified: of the address windows shared, local and parameter memory need a translation; global and constant addresses are generic
// ones. The caches here know no policies: createpolicy gives zero, and what takes a policy ignores it.
// Source: PTX ISA 9.0, 9.7.9.
#include "exec/lanes.h"

namespace warpmill::exec::WM_ISA {
namespace {

using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

struct Copy { template <class T> T operator()(T a) const { return a; } };

void movePredicate(Exec& x, const Op& op, LaneMask mask) { x.setPredicate(op.dstPredicate, x.value(op.predicate), mask); }

void pack(Exec& x, const Op& op, LaneMask mask) {
  const u32 bits = 8 * ptx::sizeBytes(op.instruction->mods.type) / op.elementCount;
  const u64 ones = bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1;
  eachLane(mask, [&](unsigned i) {
    u64 v = 0;
    for (u32 k = 0; k < op.elementCount; ++k) v |= (getBits(x, op.elements[k], i) & ones) << (k * bits);
    putBits(x, op.dst, i, v);
  });
}
void unpack(Exec& x, const Op& op, LaneMask mask) {
  const u32 bits = 8 * ptx::sizeBytes(op.instruction->mods.type) / op.elementCount;
  const u64 ones = bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1;
  eachLane(mask, [&](unsigned i) {
    const u64 v = getBits(x, op.a, i);
    for (u32 k = 0; k < op.elementCount; ++k) putBits(x, op.elements[k], i, v >> (k * bits) & ones);
  });
}
// mov.b128 {a, b}, {c, d} and the like do not exist; two 64-bit halves of a 128-bit register do.
void pack128(Exec& x, const Op& op, LaneMask mask) {
  u32* d = x.at(op.dst);
  eachLane(mask, [&](unsigned i) {
    for (u32 k = 0; k < 2; ++k) put<u64>(d + 64 * k, i, getBits(x, op.elements[k], i));
  });
}
void unpack128(Exec& x, const Op& op, LaneMask mask) {
  const u32* a = x.at(op.a);
  eachLane(mask, [&](unsigned i) {
    for (u32 k = 0; k < 2; ++k) putBits(x, op.elements[k], i, get<u64>(a + 64 * k, i));
  });
}
void copy128(Exec& x, const Op& op, LaneMask mask) {
  u32* d = x.at(op.dst);
  const u32* a = x.at(op.a);
  eachLane(mask, [&](unsigned i) {
    for (u32 k = 0; k < 2; ++k) put<u64>(d + 64 * k, i, get<u64>(a + 64 * k, i));
  });
}

struct AddShared { u64 operator()(u64 a) const { return a + machine::sharedWindow; } };
struct SubShared { u64 operator()(u64 a) const { return a - machine::sharedWindow; } };
struct AddLocal { u64 operator()(u64 a) const { return a + machine::localWindow; } };
struct SubLocal { u64 operator()(u64 a) const { return a - machine::localWindow; } };
struct AddParam { u64 operator()(u64 a) const { return a + machine::paramWindow; } };
struct SubParam { u64 operator()(u64 a) const { return a - machine::paramWindow; } };

// mov.v4 of registers, and of a special register's components.
void moveElements(Exec& x, const Op& op, LaneMask mask) {
  std::array<u64, 8> values{};  // all are read first: the registers may be the same in another order
  eachLane(mask, [&](unsigned i) {
    for (u32 k = 0; k < op.elementCount; ++k) values[k] = getBits(x, op.elements[k + op.elementCount], i);
    for (u32 k = 0; k < op.elementCount; ++k) putBits(x, op.elements[k], i, values[k]);
  });
}

void executeIsspacep(Exec& x, const Op& op, LaneMask mask) {
  const LaneMask result = gatherMask([&](unsigned i) {
    const u64 address = getBits(x, op.a, i);
    const bool shared = address - machine::sharedWindow < machine::windowBytes, local = address - machine::localWindow < machine::windowBytes;
    const bool param = address - machine::paramWindow < machine::windowBytes;
    switch (op.instruction->mods.space) {
      case Space::Shared: return shared;
      case Space::Local: return local;
      case Space::Param: return param;
      case Space::Global: {
        const machine::Allocation* a = x.memory->find(address, 1);
        return !shared && !local && !param && (a == nullptr || !a->readOnly);
      }
      case Space::Const: {
        const machine::Allocation* a = x.memory->find(address, 1);
        return a != nullptr && a->readOnly;
      }
      default: return false;
    }
  });
  x.setPredicate(op.dstPredicate, result, mask);
}

}  // namespace

Handler moveHandler(const ptx::Instruction& in) {
  const ptx::Modifiers& m = in.mods;
  switch (in.opcode) {
    case Opcode::Mov: {
      if (m.type == Type::Pred) return &movePredicate;
      const bool toVector = in.operands.size() == 2 && in.operands[0].kind == Operand::Kind::Vector;
      const bool fromVector = in.operands.size() == 2 && in.operands[1].kind == Operand::Kind::Vector;
      if (toVector && fromVector) return m.vectorWidth > 1 ? &moveElements : nullptr;
      if (m.type == Type::B128) return toVector ? &unpack128 : fromVector ? &pack128 : &copy128;
      if (toVector) return &unpack;
      if (fromVector) return &pack;
      return forBits(m.type, [](auto t) -> Handler { using T = typename decltype(t)::type; return &unary<T, T, Copy>; });
    }
    case Opcode::Cvta: {
      const bool narrow = ptx::sizeBytes(m.type) == 4;
      if (m.space == Space::Shared && !narrow) return m.to ? &unary<u64, u64, SubShared> : &unary<u64, u64, AddShared>;
      if (m.space == Space::Local && !narrow) return m.to ? &unary<u64, u64, SubLocal> : &unary<u64, u64, AddLocal>;
      if (m.space == Space::Param && !narrow) return m.to ? &unary<u64, u64, SubParam> : &unary<u64, u64, AddParam>;
      if (m.space == Space::Global || m.space == Space::Const) return narrow ? &unary<u32, u32, Copy> : &unary<u64, u64, Copy>;
      return nullptr;
    }
    case Opcode::Isspacep: return &executeIsspacep;
    case Opcode::Createpolicy: return &unary<u64, u64, Copy>;
    default: return nullptr;
  }
}

}  // namespace warpmill::exec::WM_ISA
