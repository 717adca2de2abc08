#include "machine/fault.h"

namespace warpmill::machine {

std::string_view faultName(FaultKind kind) {
  switch (kind) {
    case FaultKind::None: return "ok";
    case FaultKind::OutOfBounds: return "out_of_bounds";
    case FaultKind::Misaligned: return "misaligned";
    case FaultKind::NullAccess: return "null_access";
    case FaultKind::WriteToConstant: return "write_to_constant";
    case FaultKind::SharedRace: return "shared_race";
    case FaultKind::GlobalRace: return "global_race";
    case FaultKind::Uninitialized: return "uninitialized";
    case FaultKind::DivergentBarrier: return "divergent_barrier";
    case FaultKind::Hang: return "hang";
    case FaultKind::InvalidShuffle: return "invalid_shuffle";
    case FaultKind::IndexOverflow: return "index_overflow";
    case FaultKind::Nan: return "nan";
    case FaultKind::Trap: return "trap";
    case FaultKind::Assert: return "assert";
    case FaultKind::LaunchError: return "launch_error";
    case FaultKind::Unsupported: return "unsupported";
    case FaultKind::ParseError: return "parse_error";
  }
  return "ok";
}

}  // namespace warpmill::machine
