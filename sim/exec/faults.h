// Faults that an instruction causes: their texts, and how several lanes' become one record.
#pragma once

#include "exec/op.h"

#include <string>

namespace warpmill::exec {

// Place of a fault (instruction, source line, block, thread, which of the warp's instructions was the last); kind, texts and the rest are left to the caller. `lane` may be any of the warp's.
machine::Fault faultAt(const Code& code, const machine::Block& block, const machine::Warp& warp, std::uint32_t pc, unsigned lane);

// A bad access by `lanes` at this instruction: one fault, for the first lane, counting all.
void reportAccess(Exec& x, const Op& op, machine::FaultKind kind, LaneMask lanes, ptx::Space space, std::string_view access, std::uint32_t bytes,
                  const std::array<std::uint64_t, 32>& address);
void reportPlain(Exec& x, const Op& op, machine::FaultKind kind, LaneMask lanes, Said says);

// Adds `fault`, which this warp has just met with: counted when there is one of its kind and instruction, else kept, unless there are `maxKept`,
// with its expression's registers and its words.
void keepFault(std::vector<machine::Fault>& faults, machine::Fault fault, std::size_t maxKept, const Code& code, const machine::Block& block,
               const machine::Warp& warp);
// Registers and words of a fault that is kept.
void complete(machine::Fault& fault, const Code& code, const machine::Block& block, const machine::Warp& warp);

// The same with a fault that is complete: counted with one of the same kind and instruction when there is one, else kept unless there are `maxKept`.
void mergeFault(std::vector<machine::Fault>& faults, const machine::Fault& fault, std::size_t maxKept);

// Thread index (x, y, z) in its block.
std::array<std::uint32_t, 3> threadIndex(const Code& code, const machine::Warp& warp, unsigned lane);

}  // namespace warpmill::exec
