// The whole GPU: a tile an SM, a cell a warp, storeys as rows, bytes as ribbons.
#pragma once

#include "scene/parts.h"

namespace warpmill::scene {

void drawGpu(Canvas& canvas, const presenter::Frame& frame, Language language, float width, float height, float top, float bottom);

}  // namespace warpmill::scene
