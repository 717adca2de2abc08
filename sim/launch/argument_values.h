// The part of the launch room that turns JSON numbers into arguments' values; not for other rooms.
#pragma once

#include "base/json.h"
#include "launch/launch.h"

namespace warpmill::launch {

// The array of a buffer's initial values; what is wrong with it, or nothing.
std::optional<Diagnostic> readValues(const JsonValue& array, Argument& buffer);
// A scalar's value. Floats also take "nan", "inf" and "-inf".
std::optional<Diagnostic> readScalar(const JsonValue& value, Argument& scalar);

}  // namespace warpmill::launch
