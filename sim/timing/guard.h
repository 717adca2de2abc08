// Watches that simulated time makes sense: a queue whose clock runs away, or a warp that is planned again and again and never issues, would
// else keep the simulator going for ever. Programs that hang are another matter (exec/standstill.h, exec/livelock.h).
#pragma once

#include "base/assert.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace warpmill::timing {

class ProgressGuard {
 public:
  static constexpr std::uint64_t longestWait = 1ull << 40;  // cycles: some ten minutes of a GPU's time
  static constexpr std::uint32_t mostIdle = 1u << 16;       // looks in a row
  // Before the clock goes on from `now` to `next`; `done` grows with each issue and each block that begins. Gives what is wrong, or nothing.
  std::string look(std::uint64_t now, std::uint64_t next, std::uint64_t done) {
    idle_ = done == done_ ? idle_ + 1 : 0;
    done_ = done;
    if (next > now && next - now > longestWait) return fmt::format("the simulated clock runs away: after cycle {} nothing happens before cycle {}", now, next);
    if (idle_ > mostIdle) return fmt::format("the simulated clock goes on (cycle {}), but no warp issues any more", now);
    return {};
  }
  void check(std::uint64_t now, std::uint64_t next, std::uint64_t done) {
    const std::string wrong = look(now, next, done);
    WM_ASSERT(wrong.empty(), wrong.c_str());
  }

 private:
  std::uint64_t done_ = 0;
  std::uint32_t idle_ = 0;
};

}  // namespace warpmill::timing
