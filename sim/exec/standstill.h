// Threads that cannot go on, as a fault: who waits where, for whom, and where those are (Fault::parties).
#pragma once

#include "exec/livelock.h"
#include "exec/op.h"

#include <optional>
#include <span>

namespace warpmill::exec {

// When no warp of the block can run and it is not done: what holds it. `cluster`: the blocks of its cluster; empty: it is alone.
std::optional<machine::Fault> deadlockOf(const Code& code, const machine::Block& block, std::span<const machine::Block* const> cluster = {});

// When the run ends after so many instructions and the block is not done: where its first warp that lives stands, as a hang.
std::optional<machine::Fault> unfinishedIn(const Code& code, const machine::Block& block, std::uint64_t warpInstructions);

// Of blocks whose warps go round for ever. notStarted: blocks that wait for one of them to end.
machine::Fault livelockFault(const Code& code, const machine::Memory& memory, const std::vector<EndlessRound>& rounds,
                             std::span<const machine::Block* const> blocks, std::uint64_t notStarted);

// At a barrier for whole warps, where `others` of the warp are somewhere else.
machine::Fault apartAtBarrier(const Code& code, const machine::Block& block, const machine::Warp& warp, const machine::Path& path, LaneMask others);

// A collective of the warp whose mask leaves out `lacking` of those that call it, or names `missing`, who will not come.
void reportMask(Exec& x, const Op& op, LaneMask lacking, std::uint32_t mask);
void reportMissing(Exec& x, const Op& op, LaneMask callers, LaneMask missing);

// "0-15, 32": numbers of threads, or of a mask's lanes.
std::string numbers(const std::vector<std::uint32_t>& rising);
std::string numbersOf(LaneMask lanes);

}  // namespace warpmill::exec
