#include "ptx/matrix_shape.h"

#include <array>
#include <charconv>

namespace warpmill::ptx {

std::uint32_t matrixShape(std::string_view modifiers) {
  for (std::size_t at = modifiers.find(".m"); at != std::string_view::npos; at = modifiers.find(".m", at + 1)) {
    std::array<std::uint32_t, 3> size{};
    const char *p = modifiers.data() + at + 1, *end = modifiers.data() + modifiers.size();
    bool good = true;
    for (unsigned k = 0; k < 3 && good; ++k) {
      good = p != end && *p == "mnk"[k];
      if (!good) break;
      const auto [next, error] = std::from_chars(p + 1, end, size[k]);
      good = error == std::errc{} && size[k] <= 256;
      p = next;
    }
    if (good) return size[0] | size[1] << 8 | size[2] << 16;
  }
  return 0;
}

Type typeOfA(const Instruction& instruction) {
  const Modifiers& t = instruction.mods;
  return instruction.opcode == Opcode::Wmma && t.thirdType == Type::None ? Type::F16 : t.sourceType;
}

std::uint32_t bitsOfElement(Type type) {
  switch (type) {
    case Type::B1: return 1;
    case Type::S4: case Type::U4: return 4;
    case Type::TF32: return 32;
    default: return 8 * sizeBytes(type);
  }
}

}  // namespace warpmill::ptx
