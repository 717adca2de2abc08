// Measuring in a process of its own: a kernel that faults, hangs or takes the driver down ends that process and not the program.
#pragma once

#include "cuda/gpu.h"

#include <functional>

namespace warpmill::cuda {

struct WorkerOptions {
  MeasureOptions how;
  double limitSeconds = 60;        // for one launch with all its repeats; then it counts as hanging
};

// Measures the launches in order, each result told of when it is there. A launch that ends its process is recorded with why, and the
// next ones get a new process. Errors: no driver, no GPU, a GPU that cannot be used at all.
// The process is forked: the caller must not have used the driver, nor have other threads that hold locks.
Result<lesson::Measured> measureApart(const std::vector<launch::Launch>& launches, const WorkerOptions& options,
                                      const std::function<void(const lesson::MeasuredResult&)>& tell);

}  // namespace warpmill::cuda
