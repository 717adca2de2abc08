// What simulating some instructions in detail costs beyond others, counted while they run without time: lines of memory, and matrix
// products. In units of a plain instruction.
#pragma once

#include "exec/observer.h"

#include <vector>

namespace warpmill::timing {

class WorkObserver final : public exec::Observer {
 public:
  void begin(const exec::Code& code, const machine::Memory&, std::vector<machine::Fault>&, std::size_t) override {
    watch_.assign(code.ops().size(), Ignored);
    for (std::size_t pc = 0; pc < watch_.size(); ++pc)
      switch (code.function().instructions[pc].opcode) {
        case ptx::Opcode::Ld: case ptx::Opcode::Ldu: case ptx::Opcode::St: case ptx::Opcode::Atom: case ptx::Opcode::Red: case ptx::Opcode::CpAsync:
        case ptx::Opcode::Mma: case ptx::Opcode::Wmma: case ptx::Opcode::Wgmma: watch_[pc] = After; break;
        default: break;
      }
  }
  void runs(const machine::Block&, const machine::Warp&) override {}
  const std::uint8_t* watched() override { return watch_.data(); }
  void before(exec::Exec&, const exec::Op&, exec::LaneMask) override {}
  void after(exec::Exec& x, const exec::Op& op) override {
    constexpr double ofLine = 2, ofProduct = 12, ofGroupProduct = 400, lineBytes = 128;
    switch (op.instruction->opcode) {
      case ptx::Opcode::Mma: case ptx::Opcode::Wmma: extra_ += ofProduct; return;
      case ptx::Opcode::Wgmma: extra_ += ofGroupProduct; return;
      default: break;
    }
    const exec::MemoryAccess& a = x.outcome->access;
    if (a.space != ptx::Space::Global && a.space != ptx::Space::Local) return;
    std::uint64_t last = ~std::uint64_t{0};
    for (std::uint32_t lanes = a.lanes; lanes != 0; lanes &= lanes - 1) {
      const std::uint64_t line = a.address[static_cast<std::size_t>(__builtin_ctz(lanes))] / static_cast<std::uint64_t>(lineBytes);
      if (line != last) extra_ += ofLine;
      last = line;
    }
  }
  [[nodiscard]] double extra() const { return extra_; }

 private:
  std::vector<std::uint8_t> watch_;
  double extra_ = 0;
};

}  // namespace warpmill::timing
