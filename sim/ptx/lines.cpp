#include "ptx/lines.h"

#include <algorithm>

namespace warpmill::ptx {

std::vector<std::uint32_t> instructionsOfLine(const Function& function, std::uint32_t file, std::uint32_t line) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const SourceLocation& location = function.instructions[i].location;
    if (location.line == line && location.file == file && line != 0) found.push_back(i);
  }
  return found;
}

std::vector<std::uint32_t> linesWithCode(const Function& function, std::uint32_t file) {
  std::vector<std::uint32_t> lines;
  for (const Instruction& instruction : function.instructions)
    if (instruction.location.line != 0 && instruction.location.file == file) lines.push_back(instruction.location.line);
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

std::uint32_t nextLineWithCode(const Function& function, std::uint32_t file, std::uint32_t line) {
  std::uint32_t best = 0;
  for (const Instruction& instruction : function.instructions) {
    const SourceLocation& location = instruction.location;
    if (location.line >= line && location.line != 0 && location.file == file && (best == 0 || location.line < best)) best = location.line;
  }
  return best;
}

SourceLocation locationNear(const Function& function, std::uint32_t instruction) {
  const auto behind = std::upper_bound(function.blockBegin.begin(), function.blockBegin.end(), instruction);
  const std::uint32_t end = behind != function.blockBegin.end() ? *behind : static_cast<std::uint32_t>(function.instructions.size());
  const std::uint32_t begin = behind != function.blockBegin.begin() ? *(behind - 1) : 0;
  for (std::uint32_t i = instruction; i < end; ++i)
    if (function.instructions[i].location.line != 0) return function.instructions[i].location;
  for (std::uint32_t i = std::min(instruction, end); i-- > begin;)
    if (function.instructions[i].location.line != 0) return function.instructions[i].location;
  return {};
}

std::uint32_t instructionAtPtxLine(const Function& function, std::uint32_t line) {
  std::uint32_t best = none;
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    if (instruction.textLength == 0 || instruction.position.line < line) continue;
    if (best == none || instruction.position.line < function.instructions[best].position.line) best = i;
  }
  return best;
}

}  // namespace warpmill::ptx
