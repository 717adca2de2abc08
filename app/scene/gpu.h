// The whole GPU: a tile an SM, a cell a warp, storeys as rows, bytes as ribbons.
// Simplified: storeys are illustrative; bytes are counted between SM and L2 and at DRAM as a whole, not by slice and channel.
#pragma once

#include "scene/parts.h"

namespace warpmill::scene {

void drawGpu(Canvas& canvas, const presenter::Frame& frame, Language language, float width, float height, float top, float bottom);

}  // namespace warpmill::scene
