// Decoding of matrix instructions: their fragments become one list of slots.
#include "exec/decoder.h"

#include <charconv>

namespace warpmill::exec {

using ptx::Opcode;
using ptx::Operand;
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
  if (in.opcode == Opcode::Movmatrix) {
    if (in.operands.size() != 2) return false;
    op.handler = movmatrixHandler();
    op.dst = destination(in.operands[0], Type::B32);
    op.a = source(op, in.operands[1], Type::B32);
    return op.a.present;
  }
  const std::string_view mods = text(in);
  op.aux = shapeIn(mods);
  if (mods.find(".row.col") == std::string_view::npos || mods.find(".sp") != std::string_view::npos) return false;
  op.handler = mmaHandler(in, op.aux);
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
  // Registers of the four fragments as the shape asks for them.
  const std::uint32_t m = op.aux & 0xFF, n = op.aux >> 8 & 0xFF, depth = op.aux >> 16;
  const auto registers = [](std::uint32_t elements, Type type) { return elements * 8 * ptx::sizeBytes(type) / 32 / (type == Type::F64 ? 64 : 32); };
  return count == registers(m * n, in.mods.type) + registers(m * depth, in.mods.sourceType) + registers(n * depth, in.mods.thirdType) + registers(m * n, in.mods.fourthType);
}

}  // namespace warpmill::exec
