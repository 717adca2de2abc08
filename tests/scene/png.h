// Writes a picture as PNG, to look at.
#pragma once

#include "scene/view.h"

#include <string>

namespace warpmill::scene_test {
bool writePng(const scene::Picture& picture, const std::string& path);
}
