// The results of a launch compared: what the launch file expects, the simulator's, the real GPU's. Where simulator and GPU differ, the
// first difference is followed to the instruction that wrote it in the simulator.
#pragma once

#include "cli/simulate.h"
#include "lesson/measured.h"

#include <functional>

namespace warpmill::cli {

struct ThreeWay {
  bool equal = false;        // simulator and GPU, byte for byte, in every buffer
  bool met = true;           // what the file expects, where it expects something
  std::string text;          // for people: one line or more
};

// The bytes of each buffer on the GPU after the first launch, when they are wanted; empty when they cannot be had.
using GpuBytes = std::function<std::vector<std::vector<std::uint8_t>>()>;

ThreeWay compareResults(const launch::Launch& launch, const lesson::MeasuredResult& gpu, const device::Profile& profile, Modules& modules, unsigned jobs,
                        const GpuBytes& gpuBytes);

}  // namespace warpmill::cli
