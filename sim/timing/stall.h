// Why a warp does not issue: Nsight Compute's names.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpmill::timing {

enum class Stall : std::uint8_t {
  Selected,           // it issues
  NotSelected,        // could issue, another warp was picked
  LongScoreboard,     // waits for global or local memory
  ShortScoreboard,    // waits for shared memory, a special function, a special register or a constant load
  Wait,               // fixed latency of the instruction before
  MathPipeThrottle,   // the pipe it needs is busy
  MioThrottle,        // the queue to the memory-input/output unit is full
  LgThrottle,         // the queue for global and local memory is full
  Barrier,            // waits at a block barrier
  Membar,
  Sleeping,
  BranchResolving,
  NoInstruction,      // its next instruction has not been fetched
  DispatchStall,
  Drain,              // exited, its stores are not yet on their way
  Count
};
inline constexpr std::size_t stallCount = static_cast<std::size_t>(Stall::Count);
std::string_view stallName(Stall stall);  // "long_scoreboard"

}  // namespace warpmill::timing
