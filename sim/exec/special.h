// Special registers: %tid, %laneid, %clock and the others.
// Simplified: %gridid is 0; %nsmid and %smid are those of the launch; %envreg and %pm are not there.
// Source: PTX ISA 9.0, chapter 10.
#pragma once

#include "exec/op.h"

#include <optional>

namespace warpmill::exec {

// The value when it is the same for every thread of the launch.
std::optional<std::uint64_t> launchConstant(ptx::SpecialRegister special, const LaunchContext& context);

// Values of all 32 lanes into scratch.
void fillSpecial(Exec& x, const SpecialFill& fill);

}  // namespace warpmill::exec
