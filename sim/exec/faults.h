// Faults that an instruction causes: their texts, and how several lanes' become one record.
#pragma once

#include "exec/op.h"

#include <string>

namespace warpmill::exec {

// Place of a fault (instruction, source line, block, thread); kind, texts and the rest are left to the caller. `lane` may be any of the warp's.
machine::Fault faultAt(const Code& code, const machine::Block& block, const machine::Warp& warp, std::uint32_t pc, unsigned lane);

// A bad access by `lanes` at this instruction: one fault, for the first lane, counting all.
void reportAccess(Exec& x, const Op& op, machine::FaultKind kind, LaneMask lanes, ptx::Space space, std::string_view access, std::uint32_t bytes,
                  const std::array<std::uint64_t, 32>& address);
void reportPlain(Exec& x, const Op& op, machine::FaultKind kind, LaneMask lanes, std::string message, std::string remedy);

// Adds `fault` to `faults`: counted with one of the same kind and instruction when there is one, else kept unless there are `maxKept`.
void mergeFault(std::vector<machine::Fault>& faults, const machine::Fault& fault, std::size_t maxKept);

// Thread index (x, y, z) in its block.
std::array<std::uint32_t, 3> threadIndex(const Code& code, const machine::Warp& warp, unsigned lane);

}  // namespace warpmill::exec
