// What the lowering's rules ask about a function: who writes and reads a register, in which loop an instruction stands, which values are
// the same for all lanes of a warp, and which multiples of a power of two they are.
// Simplified: a value is taken for uniform when all that it is computed from is, whichever way lanes took to it.
#pragma once

#include "lowering/lowering.h"
#include "ptx/cfg.h"
#include "ptx/loops.h"

#include <cstdint>
#include <vector>

namespace warpmill::lowering {

class Graph {
 public:
  // `ops` with their reads and writes.
  Graph(const ptx::Module& module, const ptx::Function& function, const std::vector<TimedOp>& ops);

  struct Uses {
    std::vector<std::uint32_t> definitions, reads;  // instructions, in order; one that reads twice stands there twice
  };
  [[nodiscard]] const Uses& of(std::uint32_t r) const { return uses_[r]; }
  // The instruction that alone writes the register an operand names; ptx::none otherwise.
  [[nodiscard]] std::uint32_t definition(const ptx::Operand& o) const;
  [[nodiscard]] bool single(const ptx::Operand& o) const { return definition(o) != ptx::none; }
  [[nodiscard]] bool isUniform(std::uint32_t r) const { return uniform_[r] != 0; }
  [[nodiscard]] bool isUniform(const ptx::Operand& o) const;
  // So many low bits of the register are zero in every lane.
  [[nodiscard]] unsigned zeroBits(std::uint32_t r) const { return zeroBits_[r]; }

  [[nodiscard]] const ptx::ControlFlow& flow() const { return flow_; }
  [[nodiscard]] const std::vector<ptx::Loop>& loops() const { return loops_; }
  // The innermost loop around an instruction; ptx::none.
  [[nodiscard]] std::uint32_t loopOf(std::uint32_t pc) const { return loopOfBlock_[flow_.blockOf[pc]]; }
  [[nodiscard]] bool inLoop(std::uint32_t loop, std::uint32_t pc) const;
  [[nodiscard]] bool isWritten(std::uint32_t loop, std::uint32_t r) const;   // in the loop
  // Where what stands at `pc` is computed when it reads these registers: in front of the loops that do not change them and always come by.
  [[nodiscard]] std::uint32_t hoisted(std::uint32_t pc, const std::vector<std::uint32_t>& registers) const;
  [[nodiscard]] std::uint32_t blockBegin(std::uint32_t block) const { return f_.blockBegin[block]; }
  [[nodiscard]] std::uint32_t blockEnd(std::uint32_t block) const;

 private:
  void findUniform(const std::vector<TimedOp>& ops);
  void findZeroBits(const ptx::Module& module, const std::vector<TimedOp>& ops);
  [[nodiscard]] unsigned zeroBitsOf(const ptx::Module& module, const ptx::Operand& o) const;
  [[nodiscard]] unsigned zeroBitsWritten(const ptx::Module& module, const ptx::Instruction& i) const;

  const ptx::Function& f_;
  ptx::ControlFlow flow_;
  std::vector<ptx::Loop> loops_;
  std::vector<std::uint32_t> loopOfBlock_;
  std::vector<Uses> uses_;
  std::vector<std::uint8_t> uniform_, zeroBits_;
};

}  // namespace warpmill::lowering
