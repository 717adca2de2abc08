// Decoding of matrix instructions: their fragments become one list of slots.
#include "exec/decoder.h"
#include "exec/wgmma.h"
#include "ptx/matrix_shape.h"

#include <algorithm>
#include <charconv>

namespace warpmill::exec {

using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

namespace {

constexpr std::uint32_t shape(std::uint32_t m, std::uint32_t n, std::uint32_t k) { return m | n << 8 | k << 16; }

// "m64n128k16": n and k.
std::pair<std::uint32_t, std::uint32_t> warpgroupShape(std::string_view mods) {
  const auto at = mods.find(".m64n");
  std::uint32_t n = 0, k = 0;
  if (at == std::string_view::npos) return {0, 0};
  const char* end = mods.data() + mods.size();
  const auto [next, error] = std::from_chars(mods.data() + at + 5, end, n);
  if (error != std::errc{} || next == end || *next != 'k' || std::from_chars(next + 1, end, k).ec != std::errc{}) return {0, 0};
  return {n, k};
}

bool isHalf(Type t) { return t == Type::F16 || t == Type::BF16; }
bool isFloat8(Type t) { return t == Type::E4M3 || t == Type::E5M2; }
bool isByte(Type t) { return t == Type::S8 || t == Type::U8; }
bool isNibble(Type t) { return t == Type::S4 || t == Type::U4; }

// Do D and C go with A?
bool accumulates(Type a, Type d, Type c) {
  if (isByte(a) || isNibble(a) || a == Type::B1) return d == Type::S32 && c == Type::S32;
  if (a == Type::F64) return d == Type::F64 && c == Type::F64;
  const auto good = [&](Type t) { return t == Type::F32 || (t == Type::F16 && (a == Type::F16 || isFloat8(a))); };
  return good(d) && good(c);
}

// The shapes that an instruction has for the types of A and B.
bool fits(Opcode opcode, Type a, Type b, std::uint32_t s) {
  const auto one = [s](std::initializer_list<std::uint32_t> shapes) { return std::find(shapes.begin(), shapes.end(), s) != shapes.end(); };
  if (isByte(a) ? !isByte(b) : isNibble(a) ? !isNibble(b) : isFloat8(a) ? !isFloat8(b) : a != b) return false;
  if (opcode == Opcode::Wmma) {
    if (isHalf(a) || isByte(a)) return a == b && one({shape(16, 16, 16), shape(32, 8, 16), shape(8, 32, 16)});
    return a == b && s == (a == Type::TF32 ? shape(16, 16, 8) : a == Type::F64 ? shape(8, 8, 4) : isNibble(a) ? shape(8, 8, 32) : a == Type::B1 ? shape(8, 8, 128) : 1);
  }
  const bool sparse = opcode == Opcode::MmaSp;
  switch (a) {
    case Type::F16: return sparse ? one({shape(16, 8, 16), shape(16, 8, 32)}) : one({shape(8, 8, 4), shape(16, 8, 8), shape(16, 8, 16)});
    case Type::BF16: return sparse ? one({shape(16, 8, 16), shape(16, 8, 32)}) : one({shape(16, 8, 8), shape(16, 8, 16)});
    case Type::TF32: return sparse ? one({shape(16, 8, 8), shape(16, 8, 16)}) : one({shape(16, 8, 4), shape(16, 8, 8)});
    case Type::F64: return !sparse && one({shape(8, 8, 4), shape(16, 8, 4), shape(16, 8, 8), shape(16, 8, 16)});
    case Type::E4M3: case Type::E5M2: return sparse ? one({shape(16, 8, 64)}) : one({shape(16, 8, 16), shape(16, 8, 32)});
    case Type::S8: case Type::U8: return sparse ? one({shape(16, 8, 32), shape(16, 8, 64)}) : one({shape(8, 8, 16), shape(16, 8, 16), shape(16, 8, 32)});
    case Type::S4: case Type::U4: return sparse ? one({shape(16, 8, 64), shape(16, 8, 128)}) : one({shape(8, 8, 32), shape(16, 8, 32), shape(16, 8, 64)});
    case Type::B1: return !sparse && (s == (8 | 8 << 8 | 128 << 16) || s == (16 | 8 << 8 | 128 << 16) || s == (16 | 8 << 8 | 256 << 16));
    default: return false;
  }
}

}  // namespace

bool Decoder::matrix(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  if (in.opcode == Opcode::Wgmma) return warpgroupProduct(op);
  op.flow = Flow::WarpCollective;
  op.e = constant(allLanes, false);
  switch (in.opcode) {
    case Opcode::Movmatrix:
      if (in.operands.size() != 2) return false;
      op.handler = handlers_.movmatrix();
      op.dst = destination(in.operands[0], Type::B32);
      op.a = source(op, in.operands[1], Type::B32);
      return op.a.present;
    case Opcode::Ldmatrix: case Opcode::Stmatrix: return rowsOfMatrices(op);
    case Opcode::Wmma:
      if (text(in).find(".mma") == std::string_view::npos) return wmmaMemory(op);
      return matrixProduct(op);
    default: return matrixProduct(op);
  }
}

// mma, mma.sp, wmma.mma: D, A, B, C one behind the other, then the positions of a sparse A.
bool Decoder::matrixProduct(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const std::string_view mods = text(in);
  const auto has = [&](std::string_view word) { return mods.find(word) != std::string_view::npos; };
  const bool isWmma = in.opcode == Opcode::Wmma, sparse = in.opcode == Opcode::MmaSp;
  const ptx::Modifiers& t = in.mods;
  const bool implied = isWmma && t.thirdType == Type::None;
  const Type a = ptx::typeOfA(in), b = implied ? Type::F16 : t.thirdType, c = implied ? t.sourceType : t.fourthType;
  op.aux = ptx::matrixShape(mods);
  if (!fits(in.opcode, a, b, op.aux) || !accumulates(a, t.type, c) || has(".kind") || has(".block_scale")) return false;
  const bool quarters = !isWmma && a == Type::F16 && op.aux == shape(8, 8, 4);
  if (!isWmma && !quarters && !has(".row.col")) return false;
  op.handler = handlers_.product(in, op.aux);
  if (in.operands.size() != (sparse ? 6u : 4u)) return false;
  std::uint8_t count = 0;
  for (std::size_t k = 0; k < (sparse ? 5u : 4u); ++k) {
    const Operand& o = in.operands[k];
    const std::uint32_t n = o.kind == Operand::Kind::Vector ? o.count : 1;
    for (std::uint32_t j = 0; j < n; ++j) {
      if (count == op.elements.size()) return false;
      const Operand& e = o.kind == Operand::Kind::Vector ? function_.vectorElements[o.index + j] : o;
      const Type type = t.type == Type::F64 ? Type::F64 : Type::B32;
      Slot& s = op.elements[count++];
      s = k == 0 ? destination(e, type) : source(op, e, type);
      if (!s.present) return false;
    }
  }
  op.elementCount = count;
  if (isWmma) op.aux2 = a == Type::F16 ? 8 : 0;  // f16 operands take 8 registers in every shape
  if (quarters) op.aux2 = (has(".col.row") || has(".col.col") ? 1u : 0) | (has(".row.col") || has(".col.col") ? 2u : 0);
  if (a == Type::B1) op.aux2 = has(".and.popc") ? 1u << 8 : 0;
  if (sparse) {
    if (in.operands[5].kind != Operand::Kind::Immediate || in.operands[5].bits > 3) return false;
    op.aux2 = static_cast<std::uint32_t>(in.operands[5].bits) << 8;
  }
  // As many registers as the shape asks for.
  const std::uint32_t m = op.aux & 0xFF, n = op.aux >> 8 & 0xFF, depth = op.aux >> 16;
  const auto registers = [](std::uint32_t elements, Type type) { return elements * ptx::bitsOfElement(type) / 32 / (type == Type::F64 ? 64 : 32); };
  const std::uint32_t operands = isWmma && a == Type::F16 ? 16 : (quarters ? 4 : registers(m * depth, a) / (sparse ? 2 : 1) + registers(n * depth, b));
  const std::uint32_t results = quarters ? (t.type == Type::F16 ? 4 : 8) + (c == Type::F16 ? 4 : 8) : registers(m * n, t.type) + registers(m * n, c);
  return count == operands + results + (sparse ? 1u : 0);
}

// wgmma: D, A (a descriptor or four registers), B, [positions, selector,] scale-d, [signs of A and B, [transposes]].
bool Decoder::warpgroupProduct(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const std::string_view mods = text(in);
  const auto has = [&](std::string_view word) { return mods.find(word) != std::string_view::npos; };
  if (!has(".mma_async")) {
    op.handler = &executeNothing;  // fence, commit_group, wait_group
    return true;
  }
  const ptx::Modifiers& t = in.mods;
  const Type a = t.sourceType, b = t.thirdType;
  WgmmaFlags flags;
  flags.sparse = has(".sp.");
  const auto [n, k] = warpgroupShape(mods);
  const std::uint32_t bytes = flags.sparse ? 64 : 32, bits = ptx::bitsOfElement(a);
  const bool integers = t.type == Type::S32;
  const bool known = (isHalf(a) && a == b) || (a == Type::TF32 && b == Type::TF32) || (isFloat8(a) && isFloat8(b)) || (isByte(a) && isByte(b)) ||
                     (a == Type::B1 && b == Type::B1 && has(".and.popc") && !flags.sparse);
  if (!known || !accumulates(a, t.type, t.type) || n < 8 || n > 256 || n % 8 != 0 || k * bits != bytes * 8) return false;
  const auto& o = in.operands;
  std::size_t next = 3 + (flags.sparse ? 2u : 0);
  if (o.size() <= next || o[0].kind != Operand::Kind::Vector || o[0].count != n / (t.type == Type::F16 ? 4 : 2)) return false;

  op.offset = static_cast<std::int64_t>(code_.manySlots_.size());
  for (std::uint32_t j = 0; j < o[0].count; ++j) {
    const Operand& e = function_.vectorElements[o[0].index + j];
    if (e.kind != Operand::Kind::Register) return false;
    code_.manySlots_.push_back(function_.registers[e.index].slot * planeWords);
  }
  flags.fromRegisters = o[1].kind == Operand::Kind::Vector;
  if (flags.fromRegisters ? !elements(op, o[1], Type::B32, false) || op.elementCount != 4 : !(op.a = source(op, o[1], Type::B64)).present) return false;
  op.b = source(op, o[2], Type::B64);
  if (flags.sparse) {
    op.c = source(op, o[3], Type::B32);
    if (!op.c.present || o[4].kind != Operand::Kind::Immediate || o[4].bits > 3) return false;
    flags.selector = static_cast<unsigned>(o[4].bits);
  }
  op.predicate = predicateSource(o[next++]);
  if (!integers) {
    if (o.size() < next + 2) return false;
    flags.negateA = static_cast<std::int64_t>(o[next].bits) < 0;
    flags.negateB = static_cast<std::int64_t>(o[next + 1].bits) < 0;
    next += 2;
    if (isHalf(a)) {
      if (o.size() != next + (flags.fromRegisters ? 1 : 2)) return false;
      if (!flags.fromRegisters) flags.acrossA = o[next++].bits != 0;
      flags.acrossB = o[next++].bits != 0;
    }
  }
  op.aux = n | k << 16;
  op.aux2 = flags.packed();
  op.handler = handlers_.wgmma();
  return op.b.present && o.size() == next;
}

bool Decoder::rowsOfMatrices(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const std::string_view mods = text(in);
  if (in.operands.size() != 2 || mods.find("m8n8") == std::string_view::npos || mods.find(".b16") == std::string_view::npos) return false;
  const bool load = in.opcode == Opcode::Ldmatrix;
  op.space = in.mods.space == Space::None ? Space::Generic : in.mods.space;
  if (!elements(op, in.operands[load ? 0 : 1], Type::B32, load) || !address(op, in.operands[load ? 1 : 0], op.space, op.a, op.offset)) return false;
  op.aux = op.elementCount | (in.mods.trans ? 1u << 8 : 0);
  op.handler = load ? ldmatrixHandler() : stmatrixHandler();
  return op.elementCount == 1 || op.elementCount == 2 || op.elementCount == 4;
}

bool Decoder::wmmaMemory(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const std::string_view mods = text(in);
  const auto has = [&](std::string_view word) { return mods.find(word) != std::string_view::npos; };
  const bool store = has(".store");
  if (in.operands.size() < 2) return false;
  op.aux = ptx::matrixShape(mods);
  op.aux2 = (has(".load.a") ? 0 : has(".load.b") ? 1 : 2) | (has(".col") ? 4 : 0);
  op.space = in.mods.space == Space::None ? Space::Generic : in.mods.space;
  const Type type = in.mods.type;
  if (!elements(op, in.operands[store ? 1 : 0], type == Type::F64 ? Type::F64 : Type::B32, !store)) return false;
  if (!address(op, in.operands[store ? 0 : 1], op.space, op.a, op.offset)) return false;
  if (in.operands.size() > 2) op.b = source(op, in.operands[2], Type::U32);
  op.handler = wmmaMemoryHandler(type, store);
  // C and D go with any shape whose operands they can belong to.
  const std::uint32_t m = op.aux & 0xFF, n = op.aux >> 8 & 0xFF, depth = op.aux >> 16;
  const bool accumulator = (op.aux2 & 3) == 2;
  if (op.handler == nullptr || (accumulator && (isByte(type) || ptx::bitsOfElement(type) < 8 || type == Type::BF16 || type == Type::TF32))) return false;
  const auto goes = [&](std::initializer_list<Type> operands) {
    return std::any_of(operands.begin(), operands.end(), [&](Type a) { return fits(Opcode::Wmma, a, a, op.aux); });
  };
  const bool fitting = !accumulator               ? goes({type})
                       : type == Type::S32        ? goes({Type::S8, Type::S4, Type::B1})
                       : type == Type::F32        ? goes({Type::F16, Type::TF32})
                                                  : goes({type});
  const std::uint32_t lines = accumulator || (op.aux2 & 3) == 0 ? m : n, along = accumulator ? n : depth, bits = ptx::bitsOfElement(type);
  const std::uint32_t wanted = type == Type::F16 && !accumulator ? 8 : lines * along * bits / 32 / (bits == 64 ? 64 : 32);
  op.aux2 |= (bits < 32 ? 32 / bits : 1) << 8;
  return fitting && op.elementCount == wanted;
}

}  // namespace warpmill::exec
