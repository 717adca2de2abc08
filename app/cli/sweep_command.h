// warpmill sweep: one launch with holes, run for every combination of its axes; in one go, or as jobs for GNU parallel or a Slurm array.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmill::cli {

struct SweepOptions {
  std::string spec;                  // SPEC.json
  std::string mode = "auto", json, point, emitLaunches;
  std::vector<std::string> merge;    // JSON files of jobs, to be put together
  std::string jobsFolder = ".";      // where the jobs of --emit-jobs leave their JSON
  bool emitJobs = false, noResults = false;
  unsigned jobs = 0;
};
int sweep(const SweepOptions& options);

}  // namespace warpmill::cli
