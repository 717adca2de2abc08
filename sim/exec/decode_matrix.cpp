// Decoding of matrix instructions: their fragments become one list of slots.
#include "exec/decoder.h"

#include <charconv>

namespace warpmill::exec {

using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

namespace {

// ".m16n8k16" as m | n << 8 | k << 16; 0: none.
std::uint32_t shapeIn(std::string_view mods) {
  for (std::size_t at = mods.find(".m"); at != std::string_view::npos; at = mods.find(".m", at + 1)) {
    std::array<std::uint32_t, 3> size{};
    const char *p = mods.data() + at + 1, *end = mods.data() + mods.size();
    bool good = true;
    for (unsigned k = 0; k < 3 && good; ++k) {
      good = p != end && *p == "mnk"[k];
      if (!good) break;
      const auto [next, error] = std::from_chars(p + 1, end, size[k]);
      good = error == std::errc{} && size[k] < 256;
      p = next;
    }
    if (good) return size[0] | size[1] << 8 | size[2] << 16;
  }
  return 0;
}

}  // namespace

bool Decoder::matrix(Op& op) {
  const ptx::Instruction& in = *op.instruction;
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

// mma, wmma.mma: D, A, B, C one behind the other.
bool Decoder::matrixProduct(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const std::string_view mods = text(in);
  const bool isWmma = in.opcode == Opcode::Wmma;
  op.aux = shapeIn(mods);
  if ((!isWmma && mods.find(".row.col") == std::string_view::npos) || mods.find(".sp") != std::string_view::npos) return false;
  op.handler = isWmma ? handlers_.wmma(in, op.aux) : handlers_.mma(in, op.aux);
  if (op.handler == nullptr || in.operands.size() != 4) return false;
  std::uint8_t count = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const Operand& o = in.operands[k];
    const std::uint32_t n = o.kind == Operand::Kind::Vector ? o.count : 1;
    for (std::uint32_t j = 0; j < n; ++j) {
      if (count == op.elements.size()) return false;
      const Operand& e = o.kind == Operand::Kind::Vector ? function_.vectorElements[o.index + j] : o;
      const Type type = in.mods.type == Type::F64 ? Type::F64 : Type::B32;
      Slot& s = op.elements[count++];
      s = k == 0 ? destination(e, type) : source(op, e, type);
      if (!s.present) return false;
    }
  }
  op.elementCount = count;
  // As many registers as the shape asks for.
  const std::uint32_t m = op.aux & 0xFF, n = op.aux >> 8 & 0xFF, depth = op.aux >> 16;
  const auto registers = [](std::uint32_t elements, Type type) { return elements * 8 * ptx::sizeBytes(type) / 32 / (type == Type::F64 ? 64 : 32); };
  const ptx::Modifiers& t = in.mods;
  const bool implied = isWmma && t.thirdType == Type::None;
  const Type a = implied ? Type::F16 : t.sourceType, b = implied ? Type::F16 : t.thirdType, c = implied ? t.sourceType : t.fourthType;
  const std::uint32_t copies = isWmma && a == Type::F16 ? 2 : 1;
  return count == registers(m * n, t.type) + copies * registers(m * depth, a) + copies * registers(n * depth, b) + registers(m * n, c);
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
  op.aux = shapeIn(mods);
  op.aux2 = (has(".load.a") ? 0 : has(".load.b") ? 1 : 2) | (has(".col") ? 4 : 0);
  op.space = in.mods.space == Space::None ? Space::Generic : in.mods.space;
  const Type type = in.mods.type;
  if (!elements(op, in.operands[store ? 1 : 0], type == Type::F64 ? Type::F64 : Type::B32, !store)) return false;
  if (!address(op, in.operands[store ? 0 : 1], op.space, op.a, op.offset)) return false;
  if (in.operands.size() > 2) op.b = source(op, in.operands[2], Type::U32);
  op.handler = wmmaMemoryHandler(type, store);
  const std::uint32_t shape16 = 16 | 16 << 8 | 16 << 16, shape8 = 16 | 16 << 8 | 8 << 16, shapeDouble = 8 | 8 << 8 | 4 << 16;
  const bool accumulator = (op.aux2 & 3) == 2;
  const bool fits = type == Type::F64 ? op.aux == shapeDouble : type == Type::TF32 ? op.aux == shape8 : type == Type::F32 ? accumulator && (op.aux == shape16 || op.aux == shape8) : op.aux == shape16;
  return fits && op.handler != nullptr;
}

}  // namespace warpmill::exec
