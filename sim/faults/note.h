// Something that the checks found worth knowing and that is no fault.
#pragma once

#include <cstdint>
#include <string>

namespace warpmill::faults {

struct Note {
  std::string message;
  std::string file;                 // empty: `ptxLine` says where
  std::uint32_t line = 0, ptxLine = 0;
  std::uint64_t count = 0;          // of threads and times
};

}  // namespace warpmill::faults
