// A fault of the kernel: what happened, where, to whom. The names are the interface's verdicts.
#pragma once

#include "ptx/module.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpmill::machine {

enum class FaultKind : std::uint8_t {
  None, OutOfBounds, Misaligned, NullAccess, WriteToConstant, SharedRace, GlobalRace, Uninitialized, DivergentBarrier, Hang,
  InvalidShuffle, IndexOverflow, Nan, Trap, Assert, LaunchError, Unsupported, ParseError
};
std::string_view faultName(FaultKind kind);  // "out_of_bounds"

// The second one that a fault takes: of a race the other access, of an uninitialised value the load that it came from.
struct OtherParty {
  std::uint32_t pc = ptx::none;        // none: not known
  std::string_view access;             // as in Fault
  ptx::SourceLocation location;
  std::string file;
  std::uint32_t ptxLine = 0;
  std::array<std::uint32_t, 3> block{0, 0, 0}, thread{0, 0, 0};
  std::uint32_t warp = 0, lane = 0;
  std::string note;                    // what it is, in a few words
};

struct Fault {
  FaultKind kind = FaultKind::None;
  std::string message;                 // one sentence: what happened
  std::string remedy;                  // one sentence: what to look for
  std::uint32_t pc = ptx::none;        // instruction of the entry function
  ptx::SourceLocation location;
  std::string file;                    // name of the kernel's source; empty when not known
  std::uint32_t ptxLine = 0;
  std::array<std::uint32_t, 3> block{0, 0, 0}, thread{0, 0, 0};
  std::uint32_t warp = 0, lane = 0;
  std::int32_t buffer = -1;            // argument index; -1: none
  std::int64_t offset = 0;             // bytes from the buffer's start (may be negative)
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::string_view access;             // "load", "store", "atomic" or empty
  std::uint64_t cycle = 0;             // 0 in the functional run
  std::optional<OtherParty> other;
  std::uint64_t count = 1;             // how many threads and times at this instruction
};

}  // namespace warpmill::machine
