// What one PTX instruction costs on the machine: pipe, machine instructions, latency, interval.
// Source: rates and latencies from the device profile; the numbers of machine instructions from disassembled sm_90 code (static mix
// of ptxas output), see the table in costs.cpp.
#pragma once

#include "lowering/lowering.h"

namespace warpmill::lowering {

struct Cost {
  Pipe pipe = Pipe::Alu;
  std::uint16_t issues = 1;
  std::uint16_t latency = 4;   // of the whole chain
  std::uint16_t interval = 1;  // the pipe is taken, for all of its machine instructions
  bool isMemory = false;
};

Cost costOf(const ptx::Module& module, const ptx::Instruction& instruction, const device::Profile& profile);
Cost costOfImad(const device::Profile& profile);
// What an instruction has to do with work that goes on beside its warp.
void setAsync(const ptx::Module& module, const ptx::Instruction& instruction, TimedOp& op);
void setCost(TimedOp& op, const Cost& cost);

}  // namespace warpmill::lowering
