#include "timing/stall.h"

#include <array>

namespace warpmill::timing {

std::string_view stallName(Stall stall) {
  static constexpr std::array<std::string_view, stallCount> names = {
      "selected", "not_selected", "long_scoreboard", "short_scoreboard", "wait", "math_pipe_throttle", "mio_throttle", "lg_throttle",
      "barrier", "membar", "sleeping", "branch_resolving", "no_instruction", "dispatch_stall", "drain"};
  return names[static_cast<std::size_t>(stall)];
}

}  // namespace warpmill::timing
