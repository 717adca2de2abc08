// Frames made by hand: the moments that the style guide's plates show. Only for tests; the program's frames come from the simulator.
#pragma once

#include "presenter/timeline.h"

#include <string>

namespace warpmill::scene_test {

// One SM with two blocks of eight warps in all states, two requests on the roads (tests that need pictures).
presenter::Frame floorFrame();
// A crew parted in two: even lanes load, odd lanes wait.
presenter::Frame crewFrame();
// A crew whose lanes reach 32 bytes apart: a pallet each, an eighth of it wanted.
presenter::Frame strideFrame();
// 132 SMs with every place used; `full`: 64 warps each.
presenter::Frame gpuFrame();
// The scale model at its fullest: 4 SMs with 8 blocks of 8 warps each.
presenter::Frame fullFrame();
// Sixteen warps that load, wait and add again and again.
presenter::Timeline busyTimeline();

}  // namespace warpmill::scene_test
