// The part of the launch room that turns JSON numbers into arguments' values; not for other rooms.
#pragma once

#include "base/json.h"
#include "launch/launch.h"

namespace warpmill::launch {

// The array of a buffer's initial values; what is wrong with it, or nothing.
std::optional<Diagnostic> readValues(const JsonValue& array, Argument& buffer);
// {"type": "texture", ...} into an argument; its "type" and "name" are read already. `isArgument` false: one of "textures", which has neither.
void readTexture(const JsonValue& object, const std::string& folder, bool isArgument, Argument& argument, Diagnostics& errors);
// A scalar's value. Floats also take "nan", "inf" and "-inf".
std::optional<Diagnostic> readScalar(const JsonValue& value, Argument& scalar);

}  // namespace warpmill::launch
