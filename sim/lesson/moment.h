// A moment of a launch that a lesson points at: "the first global load of block 0, warp 0", found in the trace of a run.
#pragma once

#include "timing/machine.h"

#include <cstdint>
#include <optional>

namespace warpmill::lesson {

enum class MomentKind : std::uint8_t {
  Start,    // before the first issue
  Issue,    // the warp has just issued the access
  Wait,     // half-way between the issue of the access and its data's return
  Arrive,   // the data of the access is there (a store: accepted by L2)
  End       // all is done
};
enum class AccessKind : std::uint8_t { Load, Store };

struct Moment {
  MomentKind kind = MomentKind::Start;
  AccessKind access = AccessKind::Load;
  std::uint32_t nth = 1;           // which access of that kind of the warp, from 1
  bool lastBlock = false;          // else `warp.block`
  timing::WarpId warp;
  std::uint32_t lane = 0;          // to look at
};

struct FoundMoment {
  timing::Position at;             // to seek to
  timing::WarpId warp;             // to select; the last block's number is filled in
  std::uint32_t lane = 0;
  std::uint32_t request = timing::noRequest;   // the access, index into the trace's requests
  std::uint32_t pc = 0;            // of the access
};

// Nothing when the warp makes no such access. `trace` must reach to the end of the run.
std::optional<FoundMoment> findMoment(const Moment& moment, const timing::Machine& machine, const timing::Trace& trace);

}  // namespace warpmill::lesson
