// The present moment in two or three sentences: for screen readers, tests and exports.
#pragma once

#include "presenter/frame.h"

#include <string>

namespace warpmill::presenter {

[[nodiscard]] std::string describe(const Frame& frame, Language language);

}  // namespace warpmill::presenter
