// Would blocks that have run for long ever get on? Copies of them are run on, a warp at a time, with all the others held still, until each warp
// is where it was before: the same paths at the same instructions, with the same values in every register that decides where it goes, which
// addresses it uses or what it stores. When every warp that can run comes round so, and no byte of memory has changed meanwhile, no order
// of the warps can change anything any more: they go round for ever. That is proven, not guessed from a time.
// Registers that only count or collect (a counter of the rounds) do not matter; what the warp does in the round says which those are.
// Simplified: a loop whose deciding registers or whose memory keep changing (an exit that is 2^31 rounds away, two threads that take and give
// back a lock in step) is not recognised: the limit on instructions ends it.
#pragma once

#include "exec/code.h"

#include <optional>
#include <span>

namespace warpmill::exec {

// The round that a warp makes for ever.
struct EndlessRound {
  const machine::Block* block = nullptr;  // of those that were given
  std::uint32_t warp = 0;
  std::uint32_t pc = 0;                   // where it goes back to its start, or reads the memory that its end hangs on
  LaneMask lanes = 0;                     // that go round
  struct Polled {
    std::uint32_t pc = 0;
    bool isAtomic = false;
    ptx::Space space = ptx::Space::None;  // Shared: offset in the block's; Global: address
    std::uint64_t address = 0;
  };
  std::optional<Polled> polled;           // what it reads last in each round, when it reads memory that others may write
};

// `alone`: others may still run beside these blocks, so nothing that they can write may be read in a round.
// `clustered`: the blocks are one cluster, by rank (a block that has ended among them is done).
// nullopt: one of the warps may get on. `blocks` may hold blocks of which nobody can run; one at least must be able to.
std::optional<std::vector<EndlessRound>> livelockOf(const Code& code, const machine::Memory& memory, std::span<const machine::Block* const> blocks, bool alone,
                                                    bool clustered);

}  // namespace warpmill::exec
