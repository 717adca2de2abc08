// What the learner looks at: one selection, shared by all panels.
#pragma once

#include "base/sentence.h"
#include "ptx/module.h"
#include "timing/trace.h"

#include <cstdint>
#include <optional>

namespace warpmill::presenter {

struct Selection {
  timing::WarpId warp;                        // block (linear number) and warp in the block
  std::uint32_t lane = 0;
  std::optional<std::uint32_t> sm;            // floor to show; empty: the one where `warp` is, else floor 0
  std::uint32_t file = ptx::none, line = 0;   // source line; line 0: the line of the warp's next instruction
  std::optional<std::uint64_t> address;       // of a memory cell
  std::optional<std::uint32_t> request;       // of Trace::requests; empty: the warp's last one
  bool operator==(const Selection&) const = default;
};

using warpmill::Language;

}  // namespace warpmill::presenter
